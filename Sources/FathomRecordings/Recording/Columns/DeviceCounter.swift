import Fathom

/// A counter of a device, which begins again at zero after a power of two.
struct DeviceCounter: Sendable, Equatable {
  /// Number of bits: 32 for milliseconds and microseconds, 40 for the ticks of a DW1000.
  let bits: Int
  let unit: TimeUnit
  /// Name of the column, for the note.
  let name: String
  /// Nanoseconds after which the counter begins again.
  private let period: Int64
  /// The parts of the period before and after a wrap: an eighth, nine minutes of microseconds; a
  /// quarter of the ticks, 4 s, whose gaps are longer beside the period.
  private let edge: Int64

  /// The first value, from which times are counted if the counter is about to begin again; otherwise 0.
  private var origin: Int64 = 0
  private var latest: Int64?
  private var wraps: Int64 = 0
  private var greatest: Int64 = 0

  /// Creates the counter in the column `name`; nil if counters of `unit` do not wrap.
  init?(_ unit: TimeUnit, name: String) {
    switch unit {
    case .milliseconds: (bits, period) = (32, (1 << 32) * 1_000_000)
    case .microseconds: (bits, period) = (32, (1 << 32) * 1000)
    // 2⁴⁰ / (128 x 499.2 MHz).
    case .ticks: (bits, period) = (40, 17_207_401_026)
    case .seconds, .nanoseconds: return nil
    }
    edge = unit == .ticks ? period / 4 : period / 8
    (self.unit, self.name) = (unit, name)
  }

  /// Counts times from the value `first` if the counter is about to begin again after it.
  ///
  /// Its zero then means nothing. Ticks always are about to begin again.
  mutating func begin(at first: Double) {
    let scale = unit == .milliseconds ? 1e6 : unit == .microseconds ? 1e3 : 625.0 / 39_936
    guard let first = Int64(exactly: (first * scale).rounded(.down)) else { return }
    if unit == .ticks || first > period - edge { origin = first }
  }

  /// Note on the origin of the times; nil if it is that of the counter.
  var originNote: String? {
    origin == 0
      ? nil
      : "column \(name) is a counter of \(bits) bits: times are counted from its first row"
  }

  /// Whether all of `numbers` are values that the counter can have.
  func accepts(_ numbers: [Double]) -> Bool {
    let end = Double(sign: .plus, exponent: bits, significand: 1)
    return numbers.allSatisfy { $0 >= 0 && $0 < end }
  }

  /// Returns the time `nanoseconds` of a row continued over the wraps before it.
  ///
  /// A step from the last part of the period to the first is a wrap, the opposite step a late row from
  /// before it. Other steps back are left: rows can be sorted by anchor, and devices restart.
  @inline(__always)
  mutating func continued(_ nanoseconds: Int64) -> Int64 {
    defer { latest = nanoseconds }
    if let latest {
      if latest > period - edge, nanoseconds < edge {
        wraps += 1
        greatest = max(greatest, wraps)
      } else if nanoseconds > period - edge, latest < edge, wraps > 0 {
        wraps -= 1
      }
    }
    return nanoseconds &+ wraps &* period &- origin
  }

  /// Note for the user; nil if the counter did not wrap.
  var note: String? {
    if greatest == 0 { return nil }
    let times = greatest == 1 ? "once" : "\(greatest) times"
    return "column \(name) is a counter of \(bits) bits in \(unit.rawValue), which begins again"
      + " \(times): continued"
  }
}
