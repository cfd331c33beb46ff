import Fathom

/// A line of a device log.
struct LogLine: Sendable {
  /// Cursor after the host's time stamp.
  var cursor: TokenCursor
  /// The whole line, without its end.
  let whole: Range<Int>
  /// Physical line, from 1.
  let number: Int
  /// Time that a terminal program or logger wrote in front of the line.
  let host: HostTime?

  /// Creates the line in `range` of `bytes`.
  init(_ bytes: [UInt8], _ range: Range<Int>, number: Int, host: HostTime?) {
    (whole, self.number, self.host) = (range, number, host)
    cursor = TokenCursor(bytes, range)
  }

  /// Creates the line in `range` of `bytes`, with the time stamp at its beginning.
  init(_ bytes: [UInt8], _ range: Range<Int>, number: Int) {
    whole = range
    self.number = number
    cursor = TokenCursor(bytes, range)
    cursor.consumeBlanks()
    host = HostTime(&cursor)
    cursor.consumeBlanks()
  }

  /// Cursor at the beginning of the line, for formats whose first field is a number.
  var wholeCursor: TokenCursor { cursor.part(whole) }
}

/// A time stamp in front of a line.
struct HostTime: Sendable, Equatable {
  /// Nanoseconds since 1970 or another origin, or since midnight.
  var nanoseconds: Int64
  /// Whether the stamp is a time of day without a date.
  var isTimeOfDay: Bool

  /// Takes the time stamp at `cursor`; nil, with the cursor unmoved, without one.
  ///
  /// The stamp is a date, a time of day, or a number, which may stand in square brackets. Signs
  /// such as `->`, `:`, `,`, `;` and `|` may follow.
  init?(_ cursor: inout TokenCursor) {
    guard let first = cursor.next,
      first == UInt8(ascii: "[") || first &- UInt8(ascii: "0") < 10
        // A month, as in `Jun 11 12:33:48`.
        || first &- UInt8(ascii: "A") < 26 && cursor.peek(3) == UInt8(ascii: " ")
    else { return nil }
    var stamp = cursor
    let isBracketed = stamp.consume(UInt8(ascii: "["))
    stamp.consumeBlanks()
    if let text = ClockText(stamp.bytes, from: stamp.position, upTo: stamp.end) {
      nanoseconds = text.nanoseconds
      isTimeOfDay = text.isTimeOfDay
      stamp.position = text.end
      // Zephyr groups the digits of a fraction: `[00:00:05.123,456]`.
      if isBracketed, stamp.consume(UInt8(ascii: ",")) {
        let micros = stamp.consume { $0 == UInt8(ascii: "]") }
        guard micros.count == 3, let value = stamp.integer(in: micros) else { return nil }
        nanoseconds += 1000 * value
      }
    } else {
      let digits = stamp.consume {
        $0 &- UInt8(ascii: "0") >= 10 && $0 != UInt8(ascii: ".")
      }
      guard
        let number = DecimalNumber(
          stamp.bytes, digits, decimalSeparator: UInt8(ascii: ".")),
        let unit = TimeUnit.ofInstant(number.value(in: stamp.bytes)),
        let value = number.nanoseconds(from: unit)
      else { return nil }
      nanoseconds = value
      isTimeOfDay = false
    }
    stamp.consumeBlanks()
    if isBracketed, !stamp.consume(UInt8(ascii: "]")) { return nil }
    var isSeparated = isBracketed || stamp.position > 0 && Self.isBlank(stamp, before: 1)
    if stamp.consume("->") {
      isSeparated = true
    } else if let byte = stamp.next, Self.separators.contains(byte) {
      stamp.position += 1
      isSeparated = true
    }
    guard isSeparated else { return nil }
    stamp.consumeBlanks()
    cursor = stamp
  }

  private static let separators: [UInt8] = [
    UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "|"),
    UInt8(ascii: ">"),
  ]

  private static func isBlank(_ cursor: TokenCursor, before count: Int) -> Bool {
    let byte = cursor.bytes[cursor.position - count]
    return byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}

extension TimeUnit {
  /// Returns the unit in which the number `value` is an instant, by its magnitude; nil if it is
  /// not finite.
  ///
  /// Times since 1970 are 10⁹ in seconds, and each smaller unit has a thousand times more. A number
  /// below 10¹¹ is in seconds: it could be the year 5138 at most.
  static func ofInstant(_ value: Double) -> TimeUnit? {
    guard value.isFinite else { return nil }
    switch value.magnitude {
    case ..<1e11: return .seconds
    case ..<1e14: return .milliseconds
    case ..<1e17: return .microseconds
    default: return .nanoseconds
    }
  }
}

/// A reader of one format of device logs, which is given the lines one after the other.
///
/// It keeps only the state of an unfinished measurement, so that the lines can come from a file as
/// well as from a device.
protocol LogLineReader: Sendable {
  /// Creates a reader at the beginning of a log.
  init()
  /// Reads the next line.
  mutating func read(_ line: LogLine, into rows: inout LogRows)
  /// Ends an unfinished measurement at the end of the log.
  mutating func finish(into rows: inout LogRows)
  /// Returns a reader at the beginning of the log whose head this one has read.
  func restarted() -> Self
}

extension LogLineReader {
  mutating func finish(into rows: inout LogRows) {}
  func restarted() -> Self { Self() }
}

extension Double {
  /// Returns the angle of this many degrees in radians.
  var degreesInRadians: Double { self * .pi / 180 }
}
