import Fathom

/// The newest instant of a live tag, and whether all of its measurements have come.
struct LiveInstant: Sendable {
  /// Whether the position of the instant is still to be output.
  private(set) var isOpen = false
  private var time: Timestamp?
  /// Number of measurements at the instant, and the usual number at one.
  private var count = 0
  private var usual: Int?

  /// Counts a measurement at `time`, which is that of the instant or later.
  mutating func add(at time: Timestamp) {
    if self.time != time {
      // Falls slowly, so that an anchor that is out of reach at times does not make an instant look
      // complete.
      let before = usual ?? 0
      if self.time != nil { usual = max(count, before - (count < before ? 1 : 0)) }
      count = 0
    }
    count += 1
    self.time = time
    isOpen = true
  }

  /// Whether there are as many measurements as usual.
  var isComplete: Bool { usual.map { count >= $0 } ?? false }

  /// Notes that the position was output.
  mutating func close() { isOpen = false }
}
