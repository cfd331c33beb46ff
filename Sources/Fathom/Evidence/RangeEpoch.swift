/// The ranges of one instant of a tag.
public struct RangeEpoch: Sendable, Equatable {
  /// Indices of the anchors, each at most once.
  public var anchors: [Int]
  /// Measured distances with the known errors of the anchors removed, metres.
  public var distances: [Double]
  /// The instant; nil if unknown.
  var time: Timestamp?
  /// How far the distances change until the middle of the epoch, metres; nil where the ranges do not
  /// show it, and empty if the ranges have one instant.
  var motion: [Double?] = []

  /// Creates an epoch.
  public init(anchors: [Int], distances: [Double]) {
    self.anchors = anchors
    self.distances = distances
  }

  /// The distances at the middle of the epoch, without those whose motion is unknown.
  var simultaneous: RangeEpoch {
    guard !motion.isEmpty else { return self }
    var result = RangeEpoch(anchors: [], distances: [])
    result.time = time
    for (place, change) in motion.enumerated() {
      guard let change else { continue }
      result.anchors.append(anchors[place])
      result.distances.append(distances[place] + change)
    }
    return result
  }
}
