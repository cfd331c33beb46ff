import Fathom

/// A table of a recording besides its ranges: rows below a header, or below names that its reader gives.
///
/// What the caller states holds for it: names of columns and the decimal separator.
struct NumericTable {
  private(set) var scanner: CSVScanner
  let header: CSVHeader
  /// Notes for the user on what is assumed.
  private(set) var notes: [String] = []
  let decimalSeparator: DecimalSeparator
  private let timeUnit: TimeUnit?
  private let lengthUnit: DistanceUnit?

  /// Reads the header of `source`, a text in CSV or JSON.
  ///
  /// `columns` are the known columns, nil for those of the kind. With `isMain`, the table is the
  /// one that the caller names, whose options state units and the delimiter, too. `headerless`
  /// returns the names of the columns of a table whose first row, with the given cells, is no
  /// header; nil if it is one.
  init(
    _ source: ByteSource, _ kind: TableKind, columns: [ColumnName]? = nil,
    options: RecordingOptions = RecordingOptions(), isMain: Bool = false,
    headerless: ([String]) -> [String]? = { _ in nil }
  ) throws(RecordingError) {
    let columns = columns ?? kind.columns
    let source = try source.table(kind)
    let isTranscoded = source.lines != nil
    let delimiter = isTranscoded ? .comma : isMain ? options.delimiter : nil
    let given = kind.renames(
      options.columns.filter { isMain || $0.key.hasPrefix(kind.rawValue + ".") })
    let sample = RowSample(
      Array(source.bytes.prefix(RowSample.headCount)), delimiter: delimiter, columns: given,
      headerless: { isTranscoded ? nil : headerless($0) })
    scanner = try CSVScanner(atHeaderOf: source, delimiter: delimiter)
    let advice = { ColumnAdvice(sample, kind).text($0) }
    let header: CSVHeader
    if let names = sample.names {
      header = try CSVHeader(
        names: names, columns: columns, path: source.path, line: nil, advice: advice)
      if given.isEmpty {
        notes.append(
          "\(source.name): no header; its columns are read as \(names.joined(separator: ","))")
      }
      scanner.resume(at: 0, line: 1)
    } else {
      let renames = kind.renames(options.columns, among: isMain ? nil : sample.firstCells)
      header = try CSVHeader(
        at: scanner, columns: columns, renames: renames.filter { Int($0.key) == nil },
        units: sample.units ?? [], path: source.path, advice: advice)
      if sample.units != nil { _ = scanner.next() }
      notes += [sample.titleNote, header.unitsNote(among: columns)].compactMap { note in
        note.map { "\(source.name): \($0)" }
      }
    }
    self.header = header
    scanner.fieldCount = header.names.count
    let numbers = columns.indices.filter {
      columns[$0].quantity != .none && columns[$0].quantity != .time
    }
    let separator: DecimalSeparator =
      isTranscoded
      ? .point
      : sample.decimalSeparator(
        numbers.compactMap { header.matches[$0]?.field },
        beside: columns.indices.filter { columns[$0].quantity == .time }.compactMap {
          header.matches[$0]?.field
        }, stated: options.decimalSeparator)
    decimalSeparator = separator
    if separator == .comma, options.decimalSeparator == .point {
      notes.append(
        "\(source.name): numbers have a decimal comma (--decimal states another separator)")
    }
    var timeUnit = isMain ? options.timeUnit : nil
    if timeUnit == nil, let place = columns.firstIndex(where: { $0.quantity == .time }),
      let match = header.matches[place], match.unit == nil,
      let first = sample.numbers(match.field, separator: separator).first(where: \.isFinite),
      let unit = TimeUnit.ofInstant(first), unit != .seconds
    {
      timeUnit = unit
      notes.append(
        "\(source.name): column \(match.given) is read in \(unit.rawValue), by its magnitude")
    }
    self.timeUnit = timeUnit
    lengthUnit = isMain ? options.distanceUnit : nil
  }

  /// Moves to the next row; returns false at the end.
  mutating func next() -> Bool { scanner.next() }

  /// The current row.
  var row: NumericRow {
    NumericRow(
      scanner: scanner, header: header, decimalSeparator: decimalSeparator, timeUnit: timeUnit,
      lengthUnit: lengthUnit)
  }

  /// The current row as one that is rejected for `fault`.
  func rejected(_ fault: RowFault) -> RejectedRow {
    RejectedRow(
      line: scanner.line, column: fault.column, reason: fault.reason,
      text: Excerpt.text(scanner.bytes[scanner.row]))
  }
}
