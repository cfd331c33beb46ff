import Fathom
import FathomRecordings

/// A simulated recording and the truth behind it.
///
/// All numbers are rounded as ``SimulatedRecordingWriter`` writes them: reading its files gives the same
/// values to the bit.
public struct SimulatedRecording: Sendable {
  /// What a reader of the files sees: anchors without the bias and scale that the scenario gave them.
  public var recording: Recording
  /// Where everything was, in order of time.
  public var truth: [TruthSample] = []
  /// Differences of distances in the order of their file; nil for a recording of ranges.
  public var differences: [Difference]?

  /// How much farther a tag is from one anchor than from another, as measured.
  public struct Difference: Sendable, Equatable {
    /// When, as the recording's clock has it.
    public var time: Timestamp
    /// Index of the tag.
    public var tag: Int
    /// Index of the anchor whose distance counts positive.
    public var anchorA: Int
    /// Index of the anchor whose distance counts negative.
    public var anchorB: Int
    /// Distance to `anchorA` less distance to `anchorB`, metres.
    public var difference: Double

    /// `anchorA` is farther from the tag than `anchorB` by `difference` metres at `time`.
    public init(time: Timestamp, tag: Int, anchorA: Int, anchorB: Int, difference: Double) {
      self.time = time
      self.tag = tag
      self.anchorA = anchorA
      self.anchorB = anchorB
      self.difference = difference
    }
  }

  /// A true position.
  public struct TruthSample: Sendable, Equatable {
    /// When.
    public var time: Timestamp
    /// Where, metres: of a tag in the world frame; of an accessory in the frame of the phone (x right,
    /// y up, z towards the user).
    public var position: Vector<3>
    /// Name of the tag, or of the accessory.
    public var name: String

    /// `name` was at `position` at `time`.
    public init(time: Timestamp, position: Vector<3>, name: String) {
      self.time = time
      self.position = position
      self.name = name
    }
  }

  /// A recording without truth as yet.
  public init(_ recording: Recording) {
    self.recording = recording
  }
}
