import Fathom
import FathomRecordings

/// A recording and its truth, on which methods are benchmarked.
public struct BenchmarkCase: Sendable {
  /// The recording.
  public let recording: Recording
  /// True positions of the tags; nil when unknown.
  public let truth: Truth?
  /// True distance of each range, metres, parallel to `Recording.ranges`; NaN when unknown.
  public let trueDistances: [Double]

  /// Longest span over which truth is interpolated, seconds.
  public let longestGap: Double

  /// Creates the case of `recording`.
  ///
  /// The true distance of a range is the first available of:
  /// 1. the recording's own true distance;
  /// 2. the distance between the true position of the tag and the anchor;
  /// 3. the distance between the true positions of the two devices;
  /// 4. the distance of the accessory's true position from the origin, when only the accessory has
  ///    truth. That truth is given in the device frame.
  ///
  /// - Parameters:
  ///   - recording: the recording.
  ///   - truth: the true positions of its tags, or nil.
  ///   - longestGap: the longest span over which truth is interpolated, seconds.
  public init(_ recording: Recording, truth: Truth?, longestGap: Double = 1.5) {
    self.recording = recording
    self.truth = truth
    self.longestGap = longestGap
    let ranges = recording.ranges
    trueDistances = ranges.time.indices.map { index in
      if let own = ranges[.trueDistance]?[index], !own.isNaN { return own }
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

  /// Reads the recording at `path`, and its truth if the folder has one.
  ///
  /// - Throws: `RecordingError` when either cannot be read.
  public static func read(
    _ path: String, anchors: String? = nil, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> BenchmarkCase {
    let recording = try RecordingReader.read(path, anchors: anchors, options: options)
    return BenchmarkCase(recording, truth: try TruthReader.read(folder: path))
  }

  /// Whether at least one range has a true distance.
  public var hasTrueDistances: Bool { trueDistances.contains { !$0.isNaN } }
}
