/// The instants at which a smoother places a state, and the ranges that belong to each.
///
/// Ranges that follow each other within 20 ms share one: within that time even a lively tag strays
/// from a straight line by no more than a few millimetres, and what it moves along the line is
/// accounted for.
struct SmootherKnots: Sendable {
  /// When each state is.
  private(set) var times: [Timestamp] = []
  /// The state of each range; -1 for a range that is left out.
  private(set) var states: [Int32]
  /// Which ranges are left out because they repeat the one before.
  private(set) var isRepeated: [Bool]
  /// The variance with which a range of each anchor enters, m², and the variance of a single one.
  private(set) var effectiveVariances: [Double]

  private static let spacing = 0.02

  /// The states for `ranges`, which are in order of time.
  init(_ ranges: [RangeMeasurement], anchors: [Anchor], errors: RangeErrors, inflation: Double) {
    states = Array(repeating: -1, count: ranges.count)
    isRepeated = Array(repeating: false, count: ranges.count)
    var latest = [RangeMeasurement?](repeating: nil, count: anchors.count)
    var intervals = [[Double]](repeating: [], count: anchors.count)
    for (index, range) in ranges.enumerated() {
      guard anchors.indices.contains(range.anchor), range.isUsable,
        MeasuredDistance.validated(anchors[range.anchor].corrected(range.distance)) != nil
      else { continue }
      if let last = latest[range.anchor] {
        let elapsed = range.time.seconds(since: last.time)
        if range.distance == last.distance, errors.isRepetition(after: elapsed) {
          isRepeated[index] = true
          continue
        }
        if elapsed > 0 { intervals[range.anchor].append(elapsed) }
      }
      latest[range.anchor] = range
      if let last = times.last, range.time.seconds(since: last) <= Self.spacing {
        states[index] = Int32(times.count - 1)
      } else {
        states[index] = Int32(times.count)
        times.append(range.time)
      }
    }
    effectiveVariances = intervals.enumerated().map { anchor, values in
      let interval = values.isEmpty ? 10 : values.sorted()[values.count / 2]
      let surveyed = anchors[anchor].positionSigma ?? 0
      return inflation * errors.effectiveVariance(interval: interval) + surveyed * surveyed
    }
  }
}

extension RangeMeasurement {
  /// Whether distance and sigma are what they can be; a sigma beyond any radio would drown all
  /// others.
  var isUsable: Bool {
    MeasuredDistance.validated(distance) != nil && sigma.map((1e-6...1e9).contains) ?? true
  }
}
