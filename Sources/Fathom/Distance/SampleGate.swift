/// The common handling of late and widely spaced samples in all smoothers.
struct SampleGate: Sendable {
  /// The place of an accepted sample in the sequence.
  enum Step: Equatable {
    /// The first sample, or the first after a gap: earlier samples are discarded.
    case first
    /// A sample that follows the last by `interval` seconds, 0 or more.
    case next(interval: Double)
  }

  let restartAfter: Double
  private var last: Timestamp?

  init(restartAfter: Double) {
    precondition(restartAfter > 0, "restartAfter is not positive")
    self.restartAfter = restartAfter
  }

  /// Returns the place of a sample at `time`; nil for a late one, which leaves the gate unchanged.
  @inline(__always)
  mutating func step(to time: Timestamp) -> Step? {
    guard let last else {
      self.last = time
      return .first
    }
    let interval = time.seconds(since: last)
    if interval.magnitude > restartAfter {
      self.last = time
      return .first
    }
    guard interval >= 0 else { return nil }
    self.last = time
    return .next(interval: interval)
  }

  /// Returns a measured distance with its place; nil for an absent or late one, which leaves the gate
  /// unchanged.
  @inline(__always)
  mutating func admit(
    _ distance: Double?, at time: Timestamp
  ) -> (measured: Double, step: Step)? {
    guard let distance, let measured = MeasuredDistance.validated(distance),
      let step = step(to: time)
    else { return nil }
    return (measured, step)
  }

  mutating func reset() { last = nil }
}

/// The mean of the ranges with the same time stamp, which methods without a noise model process as
/// one range.
struct InstantMean: Sendable {
  private(set) var value: Double
  private var count = 1.0

  init(_ value: Double) { self.value = value }

  /// Adds a range of the same instant; equal ranges give their value bitwise.
  mutating func add(_ other: Double) {
    count += 1
    value += (other - value) / count
  }
}
