/// Instants of clocks, and the encoded form.
extension Timestamp {
  /// Creates the instant `duration` after the origin, rounded to the nearest nanosecond.
  ///
  /// ## Edge cases
  /// Saturates beyond ±292 years.
  public init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let rest = (attoseconds + (attoseconds < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000
    let (sum, tooFar) = whole.addingReportingOverflow(rest)
    self.init(nanoseconds: overflow || tooFar ? (seconds < 0 ? .min : .max) : sum)
  }

  /// Creates the time that `instant` is after `origin`, both of a clock of this machine.
  ///
  /// - Parameters:
  ///   - instant: When something was measured.
  ///   - origin: The instant that all time stamps of a session count from.
  public init(_ instant: ContinuousClock.Instant, since origin: ContinuousClock.Instant) {
    self.init(origin.duration(to: instant))
  }

  /// The time since the origin.
  public var duration: Duration { .nanoseconds(nanoseconds) }
}

/// A time stamp is encoded as its number of nanoseconds.
extension Timestamp: Codable {
  /// Decodes a time stamp.
  public init(from decoder: any Decoder) throws {
    self.init(nanoseconds: try decoder.singleValueContainer().decode(Int64.self))
  }

  /// Encodes the nanoseconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(nanoseconds)
  }
}
