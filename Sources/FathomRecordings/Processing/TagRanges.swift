import Fathom

extension RangeColumns {
  /// The range at `index`; a standard deviation that is not positive counts as unknown, and so does a
  /// level that is no number.
  func measurement(at index: Int) -> RangeMeasurement {
    let sigma = sigma?[index] ?? .nan
    return RangeMeasurement(
      time: time[index], anchor: Int(anchor[index]), distance: distance[index],
      sigma: sigma > 0 ? sigma : nil, rssi: Self.known(rssi?[index]),
      firstPathRSSI: Self.known(firstPathRSSI?[index]))
  }

  private static func known(_ level: Double?) -> Double? {
    level.flatMap { $0.isNaN ? nil : $0 }
  }
}

extension Recording {
  /// The ranges of one tag in order of time.
  func ranges(ofTag tag: Int) -> [RangeMeasurement] {
    let order = ranges.orderByTime() ?? Array(ranges.time.indices)
    return order.filter { Int(ranges.tag[$0]) == tag }.map { ranges.measurement(at: $0) }
  }
}
