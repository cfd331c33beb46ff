import Fathom
import FathomRecordings

/// A simulated recording and its ground truth.
///
/// All numbers are rounded as ``SimulatedRecordingWriter`` writes them. Reading its files therefore
/// gives identical values, bit by bit.
public struct SimulatedRecording: Sendable {
  /// The recording as a reader of the files sees it: anchors lack the scenario's bias and scale.
  public var recording: Recording
  /// True positions, sorted by time.
  public var truth: [TruthSample] = []
  /// Differences of distances in the order of the file; nil for a recording of ranges.
  public var differences: [Difference]?
  /// Poses of the tag in a drifting frame of its own, in order of time; nil for none.
  public var poses: [TimedPose]?
  /// The files of the sensors of the tags.
  public var sensors: [SensorFile] = []

  /// A file with the readings of one kind of sensor.
  public struct SensorFile: Sendable, Equatable {
    /// Name in the folder of the recording.
    public var name: String
    /// Content.
    public var bytes: [UInt8]
  }

  /// A measured difference between the distances of a tag to two anchors.
  public struct Difference: Sendable, Equatable {
    /// Time stamp of the recording's clock.
    public var time: Timestamp
    /// Index of the tag.
    public var tag: Int
    /// Index of the anchor whose distance counts positive.
    public var anchorA: Int
    /// Index of the anchor whose distance counts negative.
    public var anchorB: Int
    /// Distance to `anchorA` minus distance to `anchorB`, metres.
    public var difference: Double

    /// Creates a difference: at `time`, `anchorA` is farther from the tag than `anchorB` by
    /// `difference` metres.
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
    /// True time.
    public var time: Timestamp
    /// Position, metres.
    ///
    /// A tag's position is in the world frame; an accessory's is in the device frame of the phone
    /// (x right, y up, z towards the user), or in the frame of its poses if it has any.
    public var position: Vector<3>
    /// Name of the tag, or of the accessory.
    public var name: String

    /// Creates a sample: `name` was at `position` at `time`.
    public init(time: Timestamp, position: Vector<3>, name: String) {
      self.time = time
      self.position = position
      self.name = name
    }
  }

  /// Creates a simulated recording without truth.
  public init(_ recording: Recording) {
    self.recording = recording
  }
}
