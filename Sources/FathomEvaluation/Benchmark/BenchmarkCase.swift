import Fathom
import FathomRecordings

/// A recording with what is known about its truth: what methods are benchmarked on.
public struct BenchmarkCase: Sendable {
  /// The recording.
  public let recording: Recording
  /// Where its tags really were; nil where nobody knows.
  public let truth: Truth?
  /// The true distance of each range, metres, parallel to ``Recording/ranges``; NaN where not known.
  public let trueDistances: [Double]

  /// The longest span over which truth is interpolated, seconds.
  public let longestGap: Double

  /// The case of `recording`.
  ///
  /// The true distance of a range is, in this order: the recording's own; the distance between the true
  /// position of the tag and the anchor; the distance between the true positions of the two devices;
  /// and, where only the accessory has a truth, its distance from the device, in whose frame the truth is
  /// then given.
  ///
  /// - Parameters:
  ///   - recording: the recording.
  ///   - truth: where its tags really were, or nil.
  ///   - longestGap: the longest span over which truth is interpolated, seconds.
  public init(_ recording: Recording, truth: Truth?, longestGap: Double = 1.5) {
    self.recording = recording
    self.truth = truth
    self.longestGap = longestGap
    let ranges = recording.ranges
    trueDistances = ranges.time.indices.map { index in
      if let own = ranges.trueDistance?[index], !own.isNaN { return own }
      guard let truth else { return .nan }
      let time = ranges.time[index]
      let tag = recording.tagNames[Int(ranges.tag[index])]
      let anchor = Int(ranges.anchor[index])
      if !recording.anchors.isEmpty {
        let place = truth.track(of: tag)?.position(at: time, longestGap: longestGap)
        return place.map { ($0 - recording.anchors[anchor].position).length } ?? .nan
      }
      let peer = truth.tracks[recording.anchorNames[anchor]]?
        .position(at: time, longestGap: longestGap)
      guard let peer else { return .nan }
      guard let device = truth.tracks[tag] else { return peer.length }
      return device.position(at: time, longestGap: longestGap).map { (peer - $0).length } ?? .nan
    }
  }

  /// Reads the recording at `path`, and its truth where the folder has one.
  ///
  /// - Throws: ``RecordingError`` where either cannot be read.
  public static func read(
    _ path: String, anchors: String? = nil, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> BenchmarkCase {
    let recording = try RecordingReader.read(path, anchors: anchors, options: options)
    return BenchmarkCase(recording, truth: try TruthReader.read(folder: path))
  }

  /// Whether any range has a true distance.
  public var hasTrueDistances: Bool { trueDistances.contains { !$0.isNaN } }
}
