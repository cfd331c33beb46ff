import DequeModule

/// The last ranges of a tag, from which the rates of its distances are found.
///
/// Anchors that are polled in turn measure a moving tag at different places. A range is moved to the
/// instant of its epoch with the rate of its own link, so that motion does not look like an error of
/// the range.
struct RecentRanges: Sendable {
  /// A range of the tag.
  struct Sample: Sendable {
    var anchor: Int
    var time: Timestamp
    /// The measured distance, metres.
    var distance: Double
    /// Its standard deviation, metres; NaN if it is unknown.
    var sigma = Double.nan
    /// The time since the range before it on the link, seconds; NaN for the first.
    var interval = Double.nan
  }

  private var samples: Deque<Sample> = []

  /// The number of ranges before and after a range that show its rate.
  ///
  /// The slope of five equally spaced ranges has a tenth of the variance of a range per squared
  /// interval. Moved by half an interval, a range gains a thirtieth of its variance. With one range on
  /// each side it is an eighth, and the change of the rate is unknown; with three, a turn within three
  /// intervals counts as an error.
  private static let neighbours = 2
  /// The most ranges that are kept: twice what 256 anchors need.
  private static let most = 4096

  /// Adds the next range in order of time.
  mutating func append(_ sample: Sample) {
    samples.append(sample)
    if samples.count > Self.most { samples.removeFirst() }
  }

  /// Forgets the ranges before `time`.
  mutating func removeAll(before time: Timestamp) {
    while let first = samples.first, first.time < time { samples.removeFirst() }
  }

  /// Calls `body` with the ranges from the newest back to `time`, until it returns false.
  func forEachNewest(since time: Timestamp, _ body: (Sample) -> Bool) {
    for sample in samples.reversed() {
      guard sample.time >= time, body(sample) else { return }
    }
  }

  /// Returns the rate at which the distance of a link changes at one of its ranges.
  ///
  /// It is the median of the slopes of all pairs of up to five ranges [Theil 1950], so that one
  /// wrong range does not change it. Nil if the link has no other range within `reach` seconds.
  func rate(of anchor: Int, at time: Timestamp, within reach: Double) -> Rate? {
    let earliest = time.advanced(bySeconds: -reach)
    let latest = time.advanced(bySeconds: reach)
    var near: [(seconds: Double, distance: Double)] = []
    var own: Int?
    for sample in samples where sample.anchor == anchor {
      guard sample.time >= earliest, sample.time <= latest else { continue }
      let seconds = sample.time.seconds(since: time)
      // The last of several ranges at one instant counts, as in an epoch.
      if near.last?.seconds == seconds { near.removeLast() }
      if seconds == 0 { own = near.count }
      near.append((seconds, sample.distance))
    }
    guard let own, near.count > 1 else { return nil }
    let first = max(0, own - Self.neighbours)
    let last = min(near.count - 1, own + Self.neighbours)
    let rate = Self.medianSlope(near[first...last])
    // A tag that passes an anchor moves on a curve in distance, whatever its acceleration.
    var curvature = 0.0
    if own - first == Self.neighbours, last - own == Self.neighbours {
      let change = Self.medianSlope(near[own...last]) - Self.medianSlope(near[first...own])
      curvature = change / (0.5 * (near[last].seconds - near[first].seconds))
    }
    return Rate(
      metresPerSecond: rate, metresPerSquareSecond: curvature,
      hasEarlier: own > 0, hasLater: own + 1 < near.count)
  }

  /// Returns the median slope of at least two ranges, m/s.
  private static func medianSlope(
    _ ranges: ArraySlice<(seconds: Double, distance: Double)>
  ) -> Double {
    MedianSlope.through(ranges.count) {
      (ranges[ranges.startIndex + $0].seconds, ranges[ranges.startIndex + $0].distance)
    }
  }

  /// How the distance of a link changes around one of its ranges.
  struct Rate: Sendable {
    var metresPerSecond: Double
    /// How the rate changes; 0 where too few ranges show it.
    var metresPerSquareSecond: Double
    /// Whether a range before it shows the rate.
    var hasEarlier: Bool
    /// Whether a range after it does.
    var hasLater: Bool

    /// Returns the change of the distance within `seconds`, in metres; nil if no range on that side
    /// shows it.
    func change(over seconds: Double) -> Double? {
      guard seconds > 0 ? hasLater : hasEarlier else { return seconds == 0 ? 0 : nil }
      return (metresPerSecond + 0.5 * metresPerSquareSecond * seconds) * seconds
    }
  }
}

extension [RecentRanges.Sample] {
  /// Returns how far the distances of these ranges change until the middle of their times, metres: nil
  /// where their rates do not show it, and empty if all have one time.
  func motion(_ rates: [RecentRanges.Rate?]) -> [Double?] {
    guard let first = self.map(\.time).min(), let last = self.map(\.time).max(), first < last else {
      return []
    }
    let middle = first.advanced(bySeconds: 0.5 * last.seconds(since: first))
    return zip(self, rates).map { sample, rate in
      let seconds = middle.seconds(since: sample.time)
      return seconds == 0 ? 0 : rate?.change(over: seconds)
    }
  }
}
