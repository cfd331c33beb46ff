import Fathom

/// An instant written as text: a date with a time of day, or a time of day alone.
///
/// The accepted forms are ISO 8601, `2026-06-11T11:33:48.686+02:00`, with `T` or a blank before the
/// time, `-` or `/` in the date, and a point or comma before the fraction; `06-11 11:33:48.686` of
/// Android's logcat; `Jun 11 11:33:48` of syslog; `11.06.2026`, `11-Jun-2026` and `6/11/2026` before the time,
/// which can end with `AM` or `PM`; and `11:33:48.686`. A date without a time zone is in UTC.
struct ClockText: Sendable, Equatable {
  /// Nanoseconds since 1970, since the beginning of the year for a date without a year, or since
  /// midnight for a time of day.
  var nanoseconds: Int64
  /// Whether the text has no date.
  var isTimeOfDay: Bool
  /// Offset of the first byte after the text.
  var end: Int

  /// Parses the text that begins at `start` and ends at or before `limit`; nil without one.
  init?(_ bytes: [UInt8], from start: Int, upTo limit: Int) {
    var cursor = TokenCursor(bytes, start..<limit)
    var days: Int64?
    if let byte = cursor.next, byte | 0x20 &- UInt8(ascii: "a") < 26 {
      guard let month = cursor.month(), cursor.consumeBlanks(), let day = cursor.digits(1...2),
        cursor.consumeBlanks(), let count = Self.days(year: 1972, month: month, day: day.value)
      else { return nil }
      days = count - 730
    }
    guard let first = cursor.digits(1...4) else { return nil }
    if days != nil {
      // The hour follows.
    } else if first.count <= 2, let count = cursor.daysOfDate(after: first.value) {
      days = count
    } else if first.count == 4, let separator = cursor.consumeDateSeparator() {
      guard let month = cursor.digits(2...2), cursor.consume(separator),
        let day = cursor.digits(2...2),
        let count = Self.days(year: first.value, month: month.value, day: day.value),
        cursor.consume(UInt8(ascii: "T")) || cursor.consumeBlanks()
      else { return nil }
      days = count
    } else if first.count == 2, cursor.consume(UInt8(ascii: "-")) {
      // A leap year has all days that a date without a year can name.
      guard let day = cursor.digits(2...2), cursor.consumeBlanks(),
        let count = Self.days(year: 1972, month: first.value, day: day.value)
      else { return nil }
      days = count - 730
    }
    let hour: Int
    if days == nil || bytes[start] | 0x20 &- UInt8(ascii: "a") < 26 {
      guard first.count <= 2 else { return nil }
      hour = first.value
    } else {
      guard let value = cursor.digits(1...2) else { return nil }
      hour = value.value
    }
    guard hour < 24, cursor.consume(UInt8(ascii: ":")), let minute = cursor.digits(2...2),
      minute.value < 60
    else { return nil }
    var seconds = Int64(3600 * hour + 60 * minute.value)
    var fraction: Int64 = 0
    if cursor.consume(UInt8(ascii: ":")) {
      // A leap second counts as the next one.
      guard let second = cursor.digits(2...2), second.value <= 60 else { return nil }
      seconds += Int64(second.value)
      fraction = cursor.fractionOfSecond()
    } else if days == nil {
      // `12:30` alone can be anything.
      return nil
    }
    if hour > 0, hour <= 12, let isAfternoon = cursor.half() {
      seconds += Int64(hour % 12 - hour + (isAfternoon ? 12 : 0)) * 3600
    }
    isTimeOfDay = days == nil
    if let days {
      seconds += 86_400 * days - cursor.timeZone()
    }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, exceeds) = product.addingReportingOverflow(fraction)
    if overflow || exceeds { return nil }
    nanoseconds = sum
    end = cursor.position
  }

  /// Whether `text` begins with a date such as `6/11/2026`, whose month and day could be exchanged.
  static func hasOpenOrder(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.prefix { $0 > 0x20 }.split { $0 == UInt8(ascii: "/") || $0 == 0x2D }
    guard parts.count == 3, parts[2].count >= 4 else { return false }
    let values = parts.prefix(2).map { Int(String(decoding: $0, as: UTF8.self)) ?? 13 }
    return values.allSatisfy { $0 <= 12 } && values[0] != values[1]
  }

  /// Returns the days from 1970-01-01 to a date of the Gregorian calendar; nil for other numbers.
  static func days(year: Int, month: Int, day: Int) -> Int64? {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[month - 1] else { return nil }
    let past = year - 1
    let years = 365 * past + past / 4 - past / 100 + past / 400
    let months = lengths[..<(month - 1)].reduce(0, +)
    // 719 162 days before 1970-01-01 is 0001-01-01.
    return Int64(years + months + day - 1 - 719_162)
  }
}

extension ClockText {
  /// Parses the number HHMMSSmmm in `range`, whose leading zero may be missing.
  init?(digits bytes: [UInt8], _ range: Range<Int>) {
    let cursor = TokenCursor(bytes, range)
    guard (5...9).contains(range.count), let value = cursor.integer(in: range), value >= 0 else {
      return nil
    }
    let (hours, minutes, milliseconds) = (
      value / 10_000_000, value / 100_000 % 100, value % 100_000
    )
    guard hours < 24, minutes < 60, milliseconds < 60_000 else { return nil }
    self.init(
      nanoseconds: 1_000_000 * (3_600_000 * hours + 60_000 * minutes + milliseconds),
      isTimeOfDay: true, end: range.upperBound)
  }

  init(nanoseconds: Int64, isTimeOfDay: Bool, end: Int) {
    (self.nanoseconds, self.isTimeOfDay, self.end) = (nanoseconds, isTimeOfDay, end)
  }
}

/// The unfolding of times of day, which pass midnight.
struct DayCounter: Sendable {
  private var latest: Int64?
  private var day: Int64 = 0
  /// Number of midnights passed.
  var midnights: Int64 { day }

  static let nanosecondsPerDay: Int64 = 86_400_000_000_000

  /// Returns the nanoseconds since the first midnight of the time of day `nanoseconds`.
  ///
  /// A step back by more than half a day passes midnight; a step forward by more than half a day is
  /// a late row from before midnight.
  mutating func unfold(_ nanoseconds: Int64) -> Int64 {
    let half = Self.nanosecondsPerDay / 2
    defer { latest = nanoseconds }
    if let latest {
      if nanoseconds < latest - half {
        day += 1
      } else if nanoseconds > latest + half, day > 0 {
        day -= 1
      }
    }
    return day * Self.nanosecondsPerDay + nanoseconds
  }
}

extension TokenCursor {
  /// Takes a run of digits whose length is in `counts`; returns its value.
  fileprivate mutating func digits(_ counts: ClosedRange<Int>) -> (value: Int, count: Int)? {
    var value = 0
    var count = 0
    while let byte = next, byte &- UInt8(ascii: "0") < 10, count < counts.upperBound {
      value = 10 * value + Int(byte - UInt8(ascii: "0"))
      count += 1
      position += 1
    }
    return counts.contains(count) ? (value, count) : nil
  }

  fileprivate mutating func consumeDateSeparator() -> UInt8? {
    for separator in [UInt8(ascii: "-"), UInt8(ascii: "/")] where consume(separator) {
      return separator
    }
    return nil
  }

  /// Takes the rest of a date whose first number was `first`, and the blanks behind it: `.06.2026`,
  /// `-Jun-2026`, `/11/2026`; returns its days since 1970, and nil with the cursor unmoved without one.
  ///
  /// Between points the day comes first; otherwise the month does, unless its number is too large.
  fileprivate mutating func daysOfDate(after first: Int) -> Int64? {
    let begin = position
    guard let separator = next, ".-/".utf8.contains(separator) else { return nil }
    position += 1
    var (day, month) = (first, 0)
    if let named = self.month() {
      month = named
    } else if let second = digits(1...2) {
      let isDayFirst = separator == UInt8(ascii: ".") || first > 12
      (day, month) = isDayFirst ? (first, second.value) : (second.value, first)
    }
    guard month > 0, consume(separator), let year = digits(4...4) else {
      position = begin
      return nil
    }
    _ = consume(UInt8(ascii: ","))
    guard consume(UInt8(ascii: "T")) || consumeBlanks(),
      let days = ClockText.days(year: year.value, month: month, day: day)
    else {
      position = begin
      return nil
    }
    return days
  }

  /// Takes the first three letters of the English name of a month; returns its number.
  fileprivate mutating func month() -> Int? {
    guard end - position >= 3 else { return nil }
    let letters = bytes[position..<position + 3].map { $0 | 0x20 }
    let names = Array("janfebmaraprmayjunjulaugsepoctnovdec".utf8)
    let found = stride(from: 0, to: names.count, by: 3).first {
      names[$0..<$0 + 3].elementsEqual(letters)
    }
    guard let found else { return nil }
    position += 3
    return found / 3 + 1
  }

  /// Takes `AM` or `PM` behind a time; returns whether it is the afternoon, and nil without one.
  fileprivate mutating func half() -> Bool? {
    let begin = position
    consumeBlanks()
    if let letter = next, let second = peek(1), second | 0x20 == UInt8(ascii: "m"),
      letter | 0x20 == UInt8(ascii: "a") || letter | 0x20 == UInt8(ascii: "p"),
      peek(2).map({ $0 | 0x20 &- UInt8(ascii: "a") >= 26 }) ?? true
    {
      position += 2
      return letter | 0x20 == UInt8(ascii: "p")
    }
    position = begin
    return nil
  }

  /// Takes a decimal point or comma and digits; returns them in nanoseconds.
  fileprivate mutating func fractionOfSecond() -> Int64 {
    guard let separator = next,
      separator == UInt8(ascii: ".") || separator == UInt8(ascii: ","),
      let digit = peek(1), digit &- UInt8(ascii: "0") < 10
    else { return 0 }
    position += 1
    var unit: Int64 = 100_000_000
    var value: Int64 = 0
    while let byte = next, byte &- UInt8(ascii: "0") < 10 {
      value += unit * Int64(byte - UInt8(ascii: "0"))
      unit /= 10
      position += 1
    }
    return value
  }

  /// Takes a time zone; returns its offset in seconds east of Greenwich.
  fileprivate mutating func timeZone() -> Int64 {
    if consume(UInt8(ascii: "Z")) { return 0 }
    guard let sign = next, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return 0 }
    let start = position
    position += 1
    guard let hours = digits(2...2), hours.value <= 14 else {
      position = start
      return 0
    }
    _ = consume(UInt8(ascii: ":"))
    let minutes = digits(2...2)?.value ?? 0
    let offset = Int64(3600 * hours.value + 60 * minutes)
    return sign == UInt8(ascii: "+") ? offset : -offset
  }
}
