import Fathom

/// One row of a file whose columns were found by name: instants, lengths, plain numbers, names.
///
/// Columns are counted in the order in which the header was asked for them.
struct NumericRow {
  private let scanner: CSVScanner
  private let header: CSVHeader
  private let separator: UInt8

  /// The row that `scanner` is at, below `header`.
  init(
    scanner: CSVScanner, header: CSVHeader, decimalSeparator: DecimalSeparator = .point
  ) {
    self.scanner = scanner
    self.header = header
    separator = decimalSeparator.byte
  }

  /// Fails where the row has another number of fields than the header, or quotes that do not match.
  func check() throws(RowFault) {
    switch scanner.fault {
    case .unclosedQuote, .textAfterQuote:
      throw RowFault(reason: "the row's quotes do not match")
    case .tooManyFields:
      throw RowFault(reason: "row has more than \(RecordingLimits.mostColumns) fields")
    case .tooLong:
      throw RowFault(reason: "row is longer than \(RecordingLimits.longestRow) bytes")
    case nil: break
    }
    guard scanner.fields.count == header.names.count else {
      throw RowFault(
        reason: "row has \(scanner.fields.count) fields, the header has \(header.names.count)")
    }
  }

  /// The instant in `column`, in seconds unless its name says otherwise.
  func time(_ column: Int) throws(RowFault) -> Timestamp {
    let (field, number) = try decimal(column)
    let unit = header.matches[column]?.unit.flatMap { TimeUnit(rawValue: $0) } ?? .seconds
    guard let nanoseconds = number.nanoseconds(from: unit) else {
      throw fault(column, "lies beyond 292 years", field)
    }
    return Timestamp(nanoseconds: nanoseconds)
  }

  /// The length in `column`, in metres unless its name says otherwise.
  func length(_ column: Int) throws(RowFault) -> Double {
    let unit = header.matches[column]?.unit.flatMap { DistanceUnit(rawValue: $0) } ?? .metres
    return try value(column, scaledBy: unit.exponent)
  }

  /// The length in `column`; nil where its cell is empty or the file has no such column.
  func optionalLength(_ column: Int) throws(RowFault) -> Double? {
    guard let match = header.matches[column] else { return nil }
    if scanner.trimmed(scanner.fields[match.field]).isEmpty { return nil }
    return try length(column)
  }

  /// The number in `column`; nil where its cell is empty or the file has no such column.
  func optionalNumber(_ column: Int) throws(RowFault) -> Double? {
    guard let match = header.matches[column] else { return nil }
    if scanner.trimmed(scanner.fields[match.field]).isEmpty { return nil }
    return try value(column, scaledBy: 0)
  }

  /// The text in `column`; empty where the file has no such column.
  func text(_ column: Int) -> String {
    guard let match = header.matches[column] else { return "" }
    return String(decoding: scanner.content(scanner.fields[match.field]), as: UTF8.self)
  }

  /// The name in `column`, which must be there, in UTF-8, and not absurdly long.
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
          "\(match.given) is no name of at most \(RecordingLimits.longestName) bytes in UTF-8: "
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
