/// The columns of a ranges file and their units.
struct RangesLayout {
  /// Format of the file.
  var format = LogFormat.csv
  /// Why the format was recognised, for the user.
  var reason = "the header names its columns"
  private(set) var header: CSVHeader
  let delimiter: Delimiter
  let decimalSeparator: DecimalSeparator
  /// How rows state their time.
  let times: RowTimes
  /// Columns of the distances to the anchors, if the file has one row per epoch; otherwise empty.
  let anchorColumns: [AnchorColumn]
  let timeUnit: TimeUnit
  /// The counter that the times are, if it can wrap; nil for other times.
  let counter: DeviceCounter?
  let distanceUnit: DistanceUnit
  /// Columns of optional numbers, in the order of ``RangeQuantity``; those of a direction only if the
  /// file has all three.
  let numbers: [NumberColumn]
  /// Notes on the header.
  let notes: [String]
  /// What a user should look into: a column that may be the time, in a file whose times are made up.
  private(set) var warnings: [String] = []
  /// What to try if the columns of distances are called like none of the declared anchors; empty otherwise.
  private(set) var anchorAdvice = ""

  /// A column of optional numbers.
  struct NumberColumn {
    let quantity: RangeQuantity
    /// Index in the row, from 0.
    let field: Int
    /// Power of ten of its unit in the SI unit.
    var exponent = 0
    /// Unit of an angle; radians for all other numbers, which are not converted.
    var angleUnit = AngleUnit.radians
    /// Whether the header or the caller states the unit.
    var isUnitStated = true
    /// Name of the unit; nil for numbers without one.
    var unit: String?

    /// Creates a column in SI units.
    init(_ quantity: RangeQuantity, field: Int) {
      (self.quantity, self.field) = (quantity, field)
      switch quantity.column.quantity {
      case .length: unit = DistanceUnit.metres.rawValue
      case .angle: unit = AngleUnit.radians.rawValue
      case .level: unit = "dBm"
      default: unit = nil
      }
    }
  }

  /// Creates the layout from the header at `scanner` and the caller's options; throws without a
  /// column of distances.
  ///
  /// The scanner is before the first row if `sample` has names; `sample` is nil to decide by the
  /// header alone. Columns can have the names `declared` of anchors.
  init(
    at scanner: CSVScanner, options: RecordingOptions, path: String, declared: [String] = [],
    sample: RowSample? = nil
  ) throws(RecordingError) {
    let renames = TableKind.ranges.renames(options.columns)
    func header(
      _ columns: [ColumnName], _ sample: RowSample?
    ) throws(RecordingError) -> CSVHeader {
      let advice = { missing in
        sample.map { ColumnAdvice($0, .ranges, declared: declared).text(missing) } ?? ""
      }
      if let names = sample?.names {
        return try CSVHeader(names: names, columns: columns, path: path, line: nil, advice: advice)
      }
      return try CSVHeader(
        at: scanner, columns: columns, renames: renames, units: sample?.units ?? [], path: path,
        advice: advice)
    }
    var notes = [sample?.titleNote].compactMap(\.self)
    // A file can lack times, and one row per epoch has other columns of distances.
    var found = try header(RangeField.optionalColumns, sample)
    if let sample, !declared.isEmpty {
      notes += found.assignAnchors(sample, declared: declared, stated: renames)
    }
    let taken = Set(found.matches.compactMap { $0?.field })
    // A row with decimal numbers is data, although one of its cells is called like an anchor.
    let isHeader = !found.names.contains { $0.contains(".") && Double($0) != nil }
    var anchorColumns =
      found.matches[RangeField.distance.index] == nil && isHeader
      ? AnchorColumn.all(of: found.namesWithUnits, except: taken, declared: declared) : []
    notes += [found.unitsNote(among: RangeField.columns)].compactMap(\.self)
    if found.matches[RangeField.distance.index] == nil, anchorColumns.isEmpty {
      _ = try header(RangeField.columns, sample)
    }
    // The caller's unit takes precedence over that in a name.
    if let unit = options.distanceUnit {
      for place in anchorColumns.indices { anchorColumns[place].unit = unit }
    }
    self.anchorColumns = anchorColumns
    if !anchorColumns.isEmpty { found.ignore(except: taken.union(anchorColumns.map(\.field))) }
    notes += found.guessNotes(stated: renames)
    delimiter = Delimiter.allCases.first { $0.byte == scanner.delimiter } ?? .comma
    let lengths = [found.matches[RangeField.distance.index]?.field].compactMap { $0 }
    let metres = DistanceUnit.metres
    let areMetres =
      (options.distanceUnit ?? metres) == metres
      && (lengths.isEmpty
        ? !anchorColumns.isEmpty && anchorColumns.allSatisfy { $0.unit == metres }
        : found.matches[RangeField.distance.index]?.unit == metres.rawValue)
    let decimalSeparator =
      sample?.decimalSeparator(
        ofRanges: lengths + anchorColumns.map(\.field),
        beside: [found.matches[RangeField.time.index]?.field].compactMap(\.self),
        areMetres: areMetres, stated: options.decimalSeparator)
      ?? options.decimalSeparator
    self.decimalSeparator = decimalSeparator
    if decimalSeparator == .comma, options.decimalSeparator == .point {
      notes.append("numbers have a decimal comma (--decimal states another separator)")
    }
    if !anchorColumns.isEmpty {
      notes.append(
        "one row per epoch, with a column for each of the anchors"
          + " \(Excerpt.list(anchorColumns.map(\.anchor)))")
      let other = anchorColumns.first { !found.names[$0.field].contains($0.anchor) }
      if let other {
        notes.append(
          "columns are anchors by their numbers: \(Excerpt.quoted(found.names[other.field])) is"
            + " \(Excerpt.quoted(other.anchor))")
      }
    }
    notes += found.removeUnknownTicks(sample, stated: options.timeUnit)
    let isTicks = found.isTicks(sample, stated: options.timeUnit)
    if isTicks == false {
      notes += found.removeUnknownCounter()
    }
    if let sample, found.matches[RangeField.time.index] == nil {
      warnings = ColumnAdvice(sample, .ranges, declared: declared).ignoredTimes(among: found)
    }
    let rest =
      found.restOfTimes.flatMap { rest in
        sample?.isWhole(rest.field) == true ? rest : nil
      }
    if let rest {
      notes.append(rest.note)
      found.ignore(found.ignored.filter { $0 != found.names[rest.field] })
    }
    let header = found
    self.header = header

    /// Returns the caller's unit, or the one in the column's name, or `usual`.
    func unit<Unit: RawRepresentable<String> & Equatable>(
      of column: RangeField, _ asked: Unit?, _ usual: Unit
    ) -> Unit {
      guard let match = header.matches[column.index] else { return asked ?? usual }
      let named = match.unit.flatMap { Unit(rawValue: $0) }
      if let asked, let named, asked != named {
        notes.append("column \(match.given) is read in \(asked.rawValue), as requested")
      }
      return asked ?? named ?? usual
    }
    let statedUnit = header.matches[RangeField.time.index]?.unit
    let time = header.matches[RangeField.time.index]
    let guess = time.flatMap { sample?.times($0.field, separator: decimalSeparator) }
    let isStated = options.timeUnit != nil || statedUnit != nil
    let times: RowTimes =
      switch rest.map({ RowTimes.divided($0.field) }) ?? guess?.times {
      case nil: time == nil ? .none : .number
      case .digits where isStated: .number
      case let found?: found
      }
    self.times = times
    let usualUnit = isTicks == true ? .ticks : guess?.unit ?? .seconds
    timeUnit = unit(of: .time, options.timeUnit, usualUnit)
    if let time {
      let name = time.given
      switch times {
      case .number where !isStated && usualUnit == .ticks:
        notes.append(
          "column \(name) is read in ticks of 15.65 ps, by its magnitude (--time-unit states another"
            + " unit)")
      case .number where !isStated && usualUnit != .seconds:
        notes.append(
          "column \(name) is read in \(usualUnit.rawValue), by its magnitude (--time-unit states"
            + " another)")
      case .number where options.timeUnit == nil && statedUnit == TimeUnit.ticks.rawValue:
        notes.append(
          "column \(name) is read in ticks of 15.65 ps (--time-unit states another unit)")
      case .number where !isStated && usualUnit == .seconds:
        if let step = sample?.medianStep(time.field, separator: decimalSeparator),
          step >= Self.longSteps
        {
          notes.append(
            "column \(name) is read in s, and most rows are \(step) s apart; --time-unit states another"
              + " unit")
        }
      case .clock:
        notes.append("column \(name) has dates or times of day")
        if let cell = sample?.cells(time.field).first, ClockText.hasOpenOrder(cell) {
          notes.append(
            "dates such as \(Excerpt.text(cell, limit: 24)) are read as month, day, year")
        }
      case .days:
        notes.append("column \(name) is read as the days since 1900 of a spreadsheet")
      case .digits:
        notes.append(
          "column \(name) is read as times of day, HHMMSSmmm (--time-unit states a unit)")
      default: break
      }
    }
    counter = times == .number ? Self.counter(timeUnit, time, sample, decimalSeparator) : nil
    notes += [counter?.originNote].compactMap { $0 }
    let inCells = sample.flatMap { header.unitInCells($0) }
    if let inCells { notes.append(inCells.note) }
    let distanceUnit = unit(of: .distance, options.distanceUnit, inCells?.unit ?? .metres)
    anchorAdvice = anchorColumns.advice(declared: declared, names: header.names, time: time?.field)
    self.distanceUnit = distanceUnit
    var numbers: [NumberColumn] = []
    for quantity in RangeQuantity.allCases {
      let name = RangeField.number(quantity)
      guard let match = header.matches[name.index] else { continue }
      var column = NumberColumn(quantity, field: match.field)
      switch quantity.column.quantity {
      case .length:
        // Sigma and true distance without a unit of their own use the unit of distances.
        let unit = unit(of: name, nil, quantity == .height ? .metres : distanceUnit)
        (column.exponent, column.unit) = (unit.exponent, unit.rawValue)
      case .angle:
        column.angleUnit = unit(of: name, options.angleUnit, .radians)
        column.unit = column.angleUnit.rawValue
        column.isUnitStated = options.angleUnit != nil || match.unit != nil
      default: break
      }
      numbers.append(column)
    }
    notes += [Self.removeIncompleteDirection(from: &numbers)].compactMap { $0 }
    self.numbers = numbers
    if !header.ignored.isEmpty {
      notes.append("ignored columns: \(Excerpt.list(header.ignored))")
    }
    self.notes = notes
  }

  /// Interval between rows from which seconds are doubtful as the unit of times, in seconds.
  ///
  /// Milliseconds at 20 Hz have this interval. At half of it, slow recordings would be noted too.
  private static let longSteps = 50.0

  /// Returns the counter in the column `time` in `unit`; nil for other values.
  private static func counter(
    _ unit: TimeUnit, _ time: CSVHeader.Match?, _ sample: RowSample?, _ separator: DecimalSeparator
  ) -> DeviceCounter? {
    guard let time, let sample, var counter = DeviceCounter(unit, name: time.given),
      sample.isWhole(time.field)
    else { return nil }
    let numbers = sample.numbers(time.field, separator: separator)
    guard counter.accepts(numbers) else { return nil }
    counter.begin(at: numbers.first ?? 0)
    return counter
  }

  /// Creates the layout of a device log, whose columns are those that its ranges can have.
  init(_ format: LogFormat, reason: String) {
    self.init(
      [.time, .tag, .anchor, .distance] + format.quantities.map { RangeField.number($0) })
    self.format = format
    self.reason = reason
  }

  /// Creates the layout of rows with the columns `fields`, under their own names and in SI units.
  init(_ fields: [RangeField]) {
    header = CSVHeader(columns: RangeField.columns, present: fields.map(\.index))
    (delimiter, decimalSeparator, times, anchorColumns) = (.comma, .point, .number, [])
    (timeUnit, distanceUnit, counter) = (.seconds, .metres, nil)
    var numbers: [NumberColumn] = []
    for (place, field) in fields.enumerated() {
      if case .number(let quantity) = field { numbers.append(.init(quantity, field: place)) }
    }
    notes = [Self.removeIncompleteDirection(from: &numbers)].compactMap { $0 }
    self.numbers = numbers
  }

  /// Removes the components of a direction that are not all there; returns a note about it.
  private static func removeIncompleteDirection(from columns: inout [NumberColumn]) -> String? {
    let missing = RangeQuantity.direction.filter { component in
      !columns.contains { $0.quantity == component }
    }
    if missing.isEmpty || missing.count == RangeQuantity.direction.count { return nil }
    columns.removeAll { RangeQuantity.direction.contains($0.quantity) }
    let names = missing.map(\.name).joined(separator: ", ")
    return "the direction columns are ignored: missing \(names)"
  }

  /// Bytes of the longest name of a column that is looked for.
  private static let longestCell = 1024

  /// Whether `head` begins with a row that names the columns of a ranges file.
  static func isHeader(
    _ head: [UInt8], options: RecordingOptions, declared: [String]
  ) -> Bool {
    if !TableKind.ranges.renames(options.columns).isEmpty { return true }
    let bytes = head.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(head.dropFirst(3)) : head
    var scanner = CSVScanner(
      bytes, delimiter: options.delimiter ?? CSVScanner.detectedDelimiter(of: bytes))
    guard scanner.next() else { return true }
    // Text of any length can stand where a header is looked for: comparing it with names would cost more
    // than reading it.
    guard scanner.row.count <= RecordingLimits.longestRow,
      scanner.fields.allSatisfy({ $0.range.count <= longestCell })
    else { return false }
    // A line of pairs, such as `distance: 3.2`, has a colon or an equals sign behind a name, and numbers.
    let cells = scanner.fields.map { bytes[$0.range] }
    if cells.contains(where: { $0.last == UInt8(ascii: ":") || $0.contains(UInt8(ascii: "=")) }),
      cells.contains(where: { $0.first.map { $0 &- UInt8(ascii: "0") < 10 } ?? false })
    {
      return false
    }
    // A line of a log with a word that is also the name of a column has numbers, too.
    if let layout = try? RangesLayout(at: scanner, options: options, path: ""),
      !layout.header.names.contains(where: { $0.contains(".") && Double($0) != nil })
    {
      return true
    }
    // Columns called like declared anchors: with one of them alone, it can be a line that names an anchor.
    guard !declared.isEmpty,
      let layout = try? RangesLayout(at: scanner, options: options, path: "", declared: declared)
    else { return false }
    return layout.anchorColumns.count > 1
      || !layout.anchorColumns.isEmpty && layout[RangeField.time] != nil
  }

  /// Returns the unit of the numbers in `column`; nil when they have none.
  func unit(of column: RangeField) -> String? {
    switch column {
    case .time: timeUnit.rawValue
    case .distance: distanceUnit.rawValue
    case .number(let quantity): numbers.first { $0.quantity == quantity }?.unit
    case .tag, .anchor, .event: nil
    }
  }

  /// Whether a row depends on the rows before it.
  var needsContext: Bool { times != .number }

  /// Match of `column`; nil when the file lacks it.
  subscript(column: RangeField) -> CSVHeader.Match? { header.matches[column.index] }
}

/// Ranges behind another table in the same file.
struct SecondTable {
  /// Kind of the first table; nil if it is not known.
  private let first: TableKind?
  /// Lines of the headers, from 1.
  private let firstLine: Int
  private let line: Int

  /// Lines that are compared with the names of columns, each of which costs 0.2 ms.
  private static let mostComparisons = 64

  /// Finds the header of ranges below the first table at the beginning of a file, `head`; nil without one.
  init?(_ head: [UInt8], options: RecordingOptions) {
    var begin = 0
    var number = 0
    var comparisons = 0
    var found: (kind: TableKind?, line: Int)?
    while begin < head.count, comparisons < Self.mostComparisons {
      let end = head[begin...].firstIndex(of: UInt8(ascii: "\n")) ?? head.count
      let line = Array(head[begin..<end])
      number += 1
      begin = end + 1
      // A header begins with a letter; rows of data mostly have a number.
      guard let letter = line.first(where: { $0 > 0x22 }), letter != UInt8(ascii: "#"),
        letter == UInt8(ascii: "%") || letter | 0x20 &- UInt8(ascii: "a") < 26
      else { continue }
      if let found {
        comparisons += 1
        guard RangesLayout.namesColumns(line, options: options, declared: []) else { continue }
        (first, firstLine, self.line) = (found.kind, found.line, number)
        return
      }
      let sample = RowSample(line, delimiter: options.delimiter, columns: [:])
      found = (TableKind.of(keys: sample.firstCells, renames: [:]), number)
    }
    return nil
  }

  /// Why the file at `path` cannot be read, and how it is divided.
  func error(_ path: String) -> RecordingError {
    let name = first.map(\.fileName) ?? "first.csv"
    return .badData(
      path: path, line: line,
      reason: "the file has two tables: \(first.map { "\($0.rawValue) from" } ?? "one from") line"
        + " \(firstLine), and ranges from line \(line); write each into a file of its own, as in"
        + " head -n \(line - 1) FILE > \(name) and tail -n +\(line) FILE > ranges.csv")
  }
}
