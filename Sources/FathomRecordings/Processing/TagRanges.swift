import Fathom

extension Recording {
  /// The ranges of one tag in order of time.
  func ranges(ofTag tag: Int) -> [RangeMeasurement] {
    let order = ranges.orderByTime() ?? Array(ranges.time.indices)
    return order.compactMap { index in
      guard Int(ranges.tag[index]) == tag else { return nil }
      let sigma = ranges.sigma?[index] ?? .nan
      return RangeMeasurement(
        time: ranges.time[index], anchor: Int(ranges.anchor[index]),
        distance: ranges.distance[index], sigma: sigma > 0 ? sigma : nil)
    }
  }
}
