import Fathom

/// The current row of a scanner, with its cells parsed by meaning.
///
/// It owns the scanner and moves with it, so that a row causes no copies.
///
/// An optional cell is absent when it is empty or contains a word or value that devices write for
/// "not available". Any other invalid cell makes the row invalid.
struct RangeTextRow {
  private(set) var scanner: CSVScanner
  let layout: RangesLayout
  /// The decimal separator.
  let separator: UInt8
  private let zeroIsDistance: Bool
  /// Field index of each column, by ``RangeField/index``; negative when the file lacks the column.
  private let places: [Int]
  private let fieldCount: Int
  private let timeUnit: TimeUnit
  private let distanceScale: Int

  /// Creates a view of the current row of `scanner`, in a file of the given layout.
  init(scanner: CSVScanner, layout: RangesLayout, options: RecordingOptions) {
    self.scanner = scanner
    self.layout = layout
    separator = options.decimalSeparator.byte
    zeroIsDistance = options.zeroIsDistance
    places = RangeField.allCases.map { layout[$0]?.field ?? -1 }
    fieldCount = layout.header.names.count
    timeUnit = layout.timeUnit
    distanceScale = layout.distanceUnit.exponent
    self.scanner.fieldCount = fieldCount
  }

  /// Moves to the next row; returns false at the end.
  mutating func next() -> Bool { scanner.next() }

  /// Continues at `place`: the rows before it have been parsed by ``FastRowParser``.
  mutating func resume(at place: RangesPosition) {
    scanner.resume(at: place.position, line: place.line)
  }

  // MARK: Required cells

  /// Throws when the row cannot be split into the number of fields of the header.
  func checkShape() throws(RowFault) {
    switch scanner.fault {
    case .unclosedQuote:
      throw RowFault(
        reason: "a quote is not closed: the row ends with its line, and "
          + "line \(scanner.lineAfter) is parsed separately")
    case .textAfterQuote:
      throw RowFault(reason: "text follows a closing quote")
    case let fault?: throw RowFault(fault)
    case nil: break
    }
    let count = scanner.fields.count
    if count != fieldCount {
      let fields = count == 1 ? "1 field" : "\(count) fields"
      throw RowFault(reason: "row has \(fields), the header has \(fieldCount)")
    }
  }

  /// Returns the time of the row.
  func time() throws(RowFault) -> Timestamp {
    guard let field = cell(.time) else { throw fault(.time, "is missing") }
    guard let number = number(field) else {
      if scanner.bytes[field.range].contains(UInt8(ascii: ":")) {
        throw fault(.time, "is not a number", field, hint: "a time of day has seconds: 12:30:00")
      }
      throw notANumber(.time, field)
    }
    guard let nanoseconds = number.nanoseconds(from: timeUnit) else {
      // Milliseconds since 1970, read as seconds, are beyond the range.
      let unit = TimeUnit.decimal.first { number.nanoseconds(from: $0) != nil }
      throw fault(
        .time, "is out of range", field,
        hint: unit.map { "in \($0.rawValue)? try --time-unit \($0.rawValue)" })
    }
    return Timestamp(nanoseconds: nanoseconds)
  }

  /// Returns the time of the row, written as a date or time of day.
  func clock() throws(RowFault) -> ClockText {
    guard let field = cell(.time), !field.isEmpty else { throw fault(.time, "is missing") }
    let (begin, end) = (field.range.lowerBound, field.range.upperBound)
    if layout.times == .digits {
      guard let clock = ClockText(digits: scanner.bytes, field.range) else {
        throw fault(.time, "is not a time HHMMSSmmm", field)
      }
      return clock
    }
    if case .divided(let rest) = layout.times {
      let nanoseconds = number(scanner.trimmed(scanner.fields[rest]))?.nanoseconds(
        from: .nanoseconds)
      guard let seconds = number(field)?.nanoseconds(from: .seconds), let nanoseconds,
        case let (time, overflow) = seconds.addingReportingOverflow(nanoseconds), !overflow
      else { throw fault(.time, "is not a number of seconds and one of nanoseconds", field) }
      return ClockText(nanoseconds: time, isTimeOfDay: false, end: end)
    }
    if layout.times == .days {
      guard let days = number(field)?.nanoseconds(from: .seconds),
        case let (time, overflow) = days.multipliedReportingOverflow(by: 86_400), !overflow
      else { throw fault(.time, "is not a number of days", field) }
      // 1970 is 25 569 days after the end of 1899.
      return ClockText(
        nanoseconds: time &- 25_569 * DayCounter.nanosecondsPerDay, isTimeOfDay: false, end: end)
    }
    guard let clock = ClockText(scanner.bytes, from: begin, upTo: end), clock.end == end else {
      throw fault(.time, "is not a date or time of day", field)
    }
    return clock
  }

  /// Returns the distance in the column of an anchor, in metres; nil if it is absent.
  func distance(in column: AnchorColumn) throws(RowFault) -> Double? {
    let field = scanner.trimmed(scanner.fields[column.field])
    if field.isEmpty || absentWord(field) != nil { return nil }
    func fault(_ what: String) -> RowFault {
      RowFault(
        column: layout.header.names[column.field],
        reason:
          "\(layout.header.names[column.field]) \(what): \(Excerpt.quoted(scanner.bytes[field.range]))"
      )
    }
    guard let number = number(field) else {
      var found = fault("is not a number")
      found.reason += decimalHint(field).map { " (\($0))" } ?? ""
      throw found
    }
    let scale = (column.unit ?? layout.distanceUnit).exponent
    let value = number.value(in: scanner.bytes, scaledBy: scale)
    switch absence(of: value, number) {
    case nil: return value
    // Most devices write zero, -1 or a sentinel for no measurement.
    case .zero, .sentinel, .notANumber: return nil
    case .negative where number.value(in: scanner.bytes) == -1: return nil
    case .negative: throw fault("is negative")
    }
  }

  /// Returns the distance, in metres.
  func distance() throws(RowFault) -> Double {
    guard let field = cell(.distance) else { throw fault(.distance, "is missing") }
    guard let number = number(field) else { throw notANumber(.distance, field) }
    let value = number.value(in: scanner.bytes, scaledBy: distanceScale)
    guard let absence = absence(of: value, number) else { return value }
    let (what, hint) = absence.problem(of: value)
    throw fault(.distance, what, field, hint: hint)
  }

  /// Whether the row has no distance: the cell is missing or empty, or its value is not a distance,
  /// such as zero or a sentinel.
  func lacksDistance() throws(RowFault) -> Bool {
    guard let field = cell(.distance), !field.isEmpty else { return true }
    guard let number = number(field) else {
      if absentWord(field) != nil { return true }
      throw notANumber(.distance, field)
    }
    return absence(of: number.value(in: scanner.bytes, scaledBy: distanceScale), number) != nil
  }

  /// Returns a valid name; nil when the file lacks the column or, unless the name is required, the
  /// cell is empty.
  func name(_ column: RangeField, isRequired: Bool) throws(RowFault) -> ArraySlice<UInt8>? {
    let place = places[column.index]
    guard place >= 0 else { return nil }
    let field = scanner.fields[place]
    if field.isEmpty, !isRequired { return nil }
    let bytes = scanner.bytes[field.range]
    if let (what, isShown) = RangeField.problem(ofName: bytes) {
      throw isShown ? fault(column, what, field) : fault(column, what)
    }
    return field.hasDoubledQuotes ? scanner.content(field)[...] : bytes
  }

  /// Returns the event; nil when the row has none.
  func event() throws(RowFault) -> SessionEvent? {
    guard let field = cell(.event), !field.isEmpty else { return nil }
    if let event = SessionEvent(rawValue: word(field)) { return event }
    let known = SessionEvent.allCases.map(\.rawValue).joined(separator: ", ")
    throw fault(.event, "is unknown", field, hint: known)
  }

  // MARK: Optional cells, NaN where absent

  /// Returns the optional numbers of the row, in SI units.
  func numbers() throws(RowFault) -> PerQuantity<Double> {
    var numbers = PerQuantity<Double>.none
    for column in layout.numbers {
      numbers[column.quantity] = try number(column)
      if column.quantity == .directionZ {
        try numbers.checkDirection { layout[.number($0)]?.given ?? $0.name }
      }
    }
    return numbers
  }

  /// Returns the number in `column`, in SI units.
  private func number(_ column: RangesLayout.NumberColumn) throws(RowFault) -> Double {
    let field = scanner.trimmed(scanner.fields[column.field])
    if field.isEmpty { return .nan }
    guard let number = number(field) else {
      if let value = column.quantity.value(of: word(field)) { return value }
      if absentWord(field) != nil { return .nan }
      if column.quantity == .verticalEstimate {
        throw fault(
          .number(.verticalEstimate), "is unknown", field, hint: RangeQuantity.verticalEstimates)
      }
      throw notANumber(.number(column.quantity), field)
    }
    let value = number.value(in: scanner.bytes, scaledBy: column.exponent)
    if absence(of: value, number) == .sentinel { return .nan }
    return column.angleUnit.radians(
      try column.quantity.checked(
        value, unitHint: column.isUnitStated ? nil : "degrees? try --angle-unit deg",
        name(of: .number(column.quantity)),
        Excerpt.text(scanner.bytes[field.range], limit: 40)))
  }

  // MARK: Pieces

  /// Returns the column's field without blanks, also inside quotes; nil when the file lacks the
  /// column.
  @inline(__always)
  private func cell(_ column: RangeField) -> CSVField? {
    let place = places[column.index]
    return place < 0 ? nil : scanner.trimmed(scanner.fields[place])
  }

  @inline(__always)
  private func number(_ field: CSVField) -> DecimalNumber? {
    DecimalNumber(scanner.bytes, field.range, decimalSeparator: separator)
      ?? DecimalNumber(
        scanner.bytes, LoggedName.content(of: scanner.bytes, field.range),
        decimalSeparator: separator)
  }

  /// Returns why `value` is not a distance; sentinels are tested in the unit of the file.
  @inline(__always)
  private func absence(of value: Double, _ number: DecimalNumber) -> AbsentDistance? {
    // Units change a sentinel by a factor of at most 1000.
    if value.magnitude > MeasuredDistance.smallestSentinel / 1e4,
      number.value(in: scanner.bytes).magnitude >= MeasuredDistance.smallestSentinel
    {
      return .sentinel
    }
    return MeasuredDistance.absence(of: value, zeroIsDistance: zeroIsDistance)
  }
}

extension RangeTextRow {
  /// Returns the name of `column` in the file; empty when the file lacks the column.
  func givenName(_ column: RangeField) -> String { layout[column]?.given ?? "" }

  private func name(of column: RangeField) -> String { layout[column]?.given ?? column.name }

  /// Returns a fault for the `field` of `column`.
  func fault(
    _ column: RangeField, _ what: String, _ field: CSVField, hint: String? = nil
  ) -> RowFault {
    let isNumber = DecimalNumber(scanner.bytes, field.range, decimalSeparator: separator) != nil
    let bytes = scanner.bytes[field.range]
    let text = isNumber ? Excerpt.text(bytes, limit: 40) : Excerpt.quoted(bytes)
    return RowFault(name(of: column), what, text, hint: hint)
  }

  /// Returns a fault for the cell of `column`.
  func fault(_ column: RangeField, _ what: String) -> RowFault {
    RowFault(name(of: column), what)
  }

  /// Returns a fault for the `field` of `column`, which is not a decimal number.
  func notANumber(_ column: RangeField, _ field: CSVField) -> RowFault {
    if field.isEmpty { return fault(column, "is missing") }
    switch absentWord(field) {
    case .missing: return fault(column, "is missing", field)
    case .notFinite: return fault(column, "is not a finite number", field)
    case nil: break
    }
    return fault(column, "is not a number", field, hint: decimalHint(field))
  }

  /// Returns which decimal separator to try for a field that is not a number; nil if none makes it one.
  private func decimalHint(_ field: CSVField) -> String? {
    let other: DecimalSeparator = separator == DecimalSeparator.point.byte ? .comma : .point
    guard DecimalNumber(scanner.bytes, field.range, decimalSeparator: other.byte) != nil else {
      let bytes = scanner.bytes[field.range]
      let isGrouped =
        bytes.first.map { $0 &- 48 < 10 } ?? false && bytes.contains(UInt8(ascii: ","))
        && bytes.count { $0 == UInt8(ascii: ".") } == 1
        && bytes.allSatisfy { $0 &- 48 < 10 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ".") }
      return isGrouped && separator == DecimalSeparator.point.byte
        ? "groups of thousands? remove their commas, as in sed -E ':a;s/\"([0-9]+),([0-9.,]+)\"/\"\\1\\2\"/;ta'"
          + " FILE > ranges.csv" : nil
    }
    return "decimal \(other == .comma ? "comma" : "point")? try --decimal \(other.rawValue)"
  }

  /// The meaning of a word that devices and programs write for "not available".
  enum AbsentWord {
    case missing
    case notFinite
  }

  /// Returns the meaning of the field as a word for "not available", ignoring case; nil when it is
  /// not such a word.
  func absentWord(_ field: CSVField) -> AbsentWord? {
    switch word(field) {
    case "na", "n/a", "null", "nil", "none": .missing
    case "nan", "-nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity": .notFinite
    default: nil
    }
  }

  /// Returns the first 64 bytes of the field in lower case.
  func word(_ field: CSVField) -> String {
    String(decoding: scanner.bytes[field.range].prefix(64), as: UTF8.self).lowercased()
  }
}
