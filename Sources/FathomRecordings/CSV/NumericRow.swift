import Fathom

/// A row of a file with a header, parsed into times, lengths, numbers and names.
///
/// Columns are indexed in the order of the list with which the header was matched.
struct NumericRow {
  private let scanner: CSVScanner
  private let header: CSVHeader
  private let separator: UInt8
  private let timeUnit: TimeUnit?
  private let lengthUnit: DistanceUnit?

  /// Creates a view of the current row of `scanner`, below `header`.
  ///
  /// `timeUnit` and `lengthUnit` replace the units in the names of columns.
  init(
    scanner: CSVScanner, header: CSVHeader, decimalSeparator: DecimalSeparator = .point,
    timeUnit: TimeUnit? = nil, lengthUnit: DistanceUnit? = nil
  ) {
    self.scanner = scanner
    self.header = header
    separator = scanner.isTranscoded ? DecimalSeparator.point.byte : decimalSeparator.byte
    (self.timeUnit, self.lengthUnit) = (timeUnit, lengthUnit)
  }

  /// Throws when the row and the header differ in their number of fields, or the row has a fault.
  func check() throws(RowFault) {
    if let fault = scanner.fault { throw RowFault(fault) }
    guard scanner.fields.count == header.names.count else {
      throw RowFault(
        reason: "row has \(scanner.fields.count) fields, the header has \(header.names.count)")
    }
  }

  /// Returns the time in `column`, in seconds unless the column's name states another unit.
  func time(_ column: Int) throws(RowFault) -> Timestamp {
    let (field, number) = try decimal(column)
    let named = header.matches[column]?.unit.flatMap { TimeUnit(rawValue: $0) }
    let unit = timeUnit ?? named ?? .seconds
    guard let nanoseconds = number.nanoseconds(from: unit) else {
      throw fault(column, "exceeds 292 years", field)
    }
    return Timestamp(nanoseconds: nanoseconds)
  }

  /// Returns the time in `column`, a number, a date or a time of day; `days` counts the midnights
  /// that times of day pass.
  func time(_ column: Int, _ days: inout DayCounter) throws(RowFault) -> Timestamp {
    if let match = header.matches[column] {
      let field = scanner.trimmed(scanner.fields[match.field])
      let end = field.range.upperBound
      if let clock = ClockText(scanner.bytes, from: field.range.lowerBound, upTo: end),
        clock.end == end
      {
        return Timestamp(
          nanoseconds: clock.isTimeOfDay ? days.unfold(clock.nanoseconds) : clock.nanoseconds)
      }
    }
    return try time(column)
  }

  /// Returns the length in `column` in metres, converted from the unit in the column's name.
  func length(_ column: Int) throws(RowFault) -> Double {
    let named = header.matches[column]?.unit.flatMap { DistanceUnit(rawValue: $0) }
    let unit = lengthUnit ?? named ?? .metres
    return try value(column, scaledBy: unit.exponent)
  }

  /// Returns the coordinate in `column` in metres, like a length.
  ///
  /// Squares and differences of coordinates must stay finite: a coordinate is at most
  /// ``RecordingLimits/farthest``.
  func coordinate(_ column: Int) throws(RowFault) -> Double {
    let value = try length(column)
    if let reason = RecordingLimits.reasonTooFar(value) {
      let name = header.matches[column]?.given ?? ""
      throw RowFault(column: name, reason: "\(name) \(reason)")
    }
    return value
  }

  /// Returns the coordinate in `column`; nil when the cell is empty or the file lacks the column.
  func optionalCoordinate(_ column: Int) throws(RowFault) -> Double? {
    try optionalLength(column) == nil ? nil : try coordinate(column)
  }

  /// Returns the length in `column`; nil when the cell is empty or the file lacks the column.
  func optionalLength(_ column: Int) throws(RowFault) -> Double? {
    isEmpty(column) ? nil : try length(column)
  }

  /// Returns the angle in `column` in radians, converted from the unit in the column's name.
  func angle(_ column: Int) throws(RowFault) -> Double {
    let unit = header.matches[column]?.unit.flatMap { AngleUnit(rawValue: $0) } ?? .radians
    return unit.radians(try number(column))
  }

  /// Returns the number in `column`.
  func number(_ column: Int) throws(RowFault) -> Double { try value(column, scaledBy: 0) }

  /// Returns the number in `column`; nil when the cell is empty or the file lacks the column.
  func optionalNumber(_ column: Int) throws(RowFault) -> Double? {
    isEmpty(column) ? nil : try value(column, scaledBy: 0)
  }

  /// Returns whether the cell of `column` is empty or the file lacks the column.
  func isEmpty(_ column: Int) -> Bool {
    guard let match = header.matches[column] else { return true }
    return scanner.trimmed(scanner.fields[match.field]).isEmpty
  }

  /// Returns the text in `column`; empty when the file lacks the column.
  func text(_ column: Int) -> String {
    guard let match = header.matches[column] else { return "" }
    return String(decoding: scanner.content(scanner.fields[match.field]), as: UTF8.self)
  }

  /// Returns the name of the tag in `column`, or `only` where the table has no such column.
  ///
  /// JSON objects that lack the key are like a table without the column.
  func tag(_ column: Int, orElse only: String = "") throws(RowFault) -> String {
    guard let match = header.matches[column] else { return only }
    if scanner.isTranscoded, scanner.content(scanner.fields[match.field]).isEmpty { return only }
    return try name(column)
  }

  /// Returns the name in `column`: valid UTF-8 without NUL, of 1 to ``RecordingLimits/longestName``
  /// bytes.
  func name(_ column: Int) throws(RowFault) -> String {
    guard let match = header.matches[column] else { throw RowFault(reason: "no such column") }
    let content = scanner.content(scanner.fields[match.field])
    if content.isEmpty {
      throw RowFault(column: match.given, reason: "\(match.given) is missing")
    }
    guard content.count <= RecordingLimits.longestName, !content.contains(0),
      let name = String(validating: content, as: UTF8.self)
    else {
      throw RowFault(
        column: match.given,
        reason:
          "\(match.given) is not a name of at most \(RecordingLimits.longestName) bytes in UTF-8: "
          + Excerpt.quoted(content[...]))
    }
    return name
  }

  private func value(_ column: Int, scaledBy exponent: Int) throws(RowFault) -> Double {
    let (field, number) = try decimal(column)
    let value = number.value(in: scanner.bytes, scaledBy: exponent)
    guard value.isFinite else { throw fault(column, "is not a finite number", field) }
    return value
  }

  private func decimal(_ column: Int) throws(RowFault) -> (CSVField, DecimalNumber) {
    guard let match = header.matches[column] else { throw RowFault(reason: "no such column") }
    let field = scanner.trimmed(scanner.fields[match.field])
    if field.isEmpty {
      throw RowFault(column: match.given, reason: "\(match.given) is missing")
    }
    guard let number = DecimalNumber(scanner.bytes, field.range, decimalSeparator: separator) else {
      throw fault(column, "is not a number", field)
    }
    return (field, number)
  }

  private func fault(_ column: Int, _ what: String, _ field: CSVField) -> RowFault {
    let name = header.matches[column]?.given ?? ""
    let text = Excerpt.quoted(scanner.bytes[field.range])
    return RowFault(column: name, reason: "\(name) \(what): \(text)")
  }
}
