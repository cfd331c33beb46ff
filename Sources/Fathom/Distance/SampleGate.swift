/// The rules that all smoothers share about absent, late and widely spaced samples.
struct SampleGate: Sendable {
  /// Where an accepted sample stands.
  enum Step: Equatable {
    /// The first one, or the first after a gap: what came before is void.
    case first
    /// One that follows the last by `interval` seconds, 0 or more.
    case next(interval: Double)
  }

  let restartAfter: Double
  private var last: Timestamp?

  init(restartAfter: Double) {
    precondition(restartAfter > 0, "restartAfter is not positive")
    self.restartAfter = restartAfter
  }

  /// Where a sample at `time` stands; nil for a late one, which leaves the gate as it was.
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

  mutating func reset() { last = nil }
}

/// The mean of the ranges of one instant, which methods without a noise model count as one range.
struct InstantMean: Sendable {
  private(set) var value: Double
  private var count = 1.0

  init(_ value: Double) { self.value = value }

  /// Takes one more range of the instant; equal ranges give their value to the bit.
  mutating func add(_ other: Double) {
    count += 1
    value += (other - value) / count
  }
}
