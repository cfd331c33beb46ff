import Fathom

/// What remains of the pipeline of a tag after its last range: its part of the summary.
///
/// A pipeline needs some kilobytes, and a recording can have very many tags, most of which are done.
struct FinishedTag: Sendable {
  /// Summaries of the links, each with the index of its first entry.
  let links: [(ordinal: Int, link: RecordingSummary.Link)]
  /// Sums over a filter's innovations.
  let innovations: InnovationSums?
  /// Number of epochs that determine no position, for the method `fix`.
  let undetermined: Int?
  /// Estimated motion and range-error parameters.
  let calibration: RecordingSummary.Calibration?
  /// Number of ranges that have a direction with and without an attitude.
  let directionCounts: (found: Int, missing: Int)?
  /// Places of accessories in the frame of the device's poses.
  let accessories: [RecordingSummary.Accessory]
  /// The frame of the tag's poses among the anchors; nil without such poses.
  let poseFrame: RecordingSummary.PoseFrame?
  /// Whether the tag had a stage that computes positions.
  let isLocated: Bool

  /// Takes the results out of `pipeline`, which has processed everything.
  init(_ pipeline: inout some TagPipeline, anchorNames: [String]) {
    links = pipeline.links()
    accessories = pipeline.accessories()
    let stage = pipeline.stage
    isLocated = stage != nil
    innovations = stage?.innovations?.compacted
    undetermined = stage?.undetermined
    calibration = stage?.calibration(anchorNames: anchorNames)
    directionCounts = stage?.directionCounts
    poseFrame = stage?.poseFrame
  }
}

extension InnovationSums {
  /// The sums without reserved memory.
  fileprivate var compacted: Self {
    var sums = self
    sums.timeline.releaseCapacity()
    return sums
  }
}
