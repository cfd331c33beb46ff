import Fathom

/// The row that a scanner is at, its cells read as what they are to be.
///
/// It holds the scanner and moves with it, so that no row costs a copy of anything.
///
/// Optional cells: an empty one is absent, and so are the words and values that devices write for
/// "not available"; anything else that is not what it should be condemns the row.
struct RangesRow {
  private(set) var scanner: CSVScanner
  let layout: RangesLayout
  /// The decimal separator.
  let separator: UInt8
  private let zeroIsDistance: Bool
  /// The field of each column, by its raw value; negative where the file lacks it.
  private let places: [Int]
  private let fieldCount: Int
  private let timeUnit: TimeUnit
  private let distanceScale: Int

  /// Names longer than this, in bytes, are damage rather than names.
  static let longestName = RecordingLimits.longestName

  /// How far from 1 the length of a direction may be: generous to few digits.
  static let directionTolerance = 0.1

  /// The row that `scanner` is at, in a file of the given layout.
  init(scanner: CSVScanner, layout: RangesLayout, options: RecordingOptions) {
    self.scanner = scanner
    self.layout = layout
    separator = options.decimalSeparator.byte
    zeroIsDistance = options.zeroIsDistance
    places = RangesColumn.allCases.map { layout[$0]?.field ?? -1 }
    fieldCount = layout.header.names.count
    timeUnit = layout.timeUnit
    distanceScale = layout.distanceUnit.exponent
  }

  /// Moves to the next row; false at the end.
  mutating func next() -> Bool { scanner.next() }

  /// Goes on at `place`: simple rows before it were taken otherwise.
  mutating func resume(at place: RangesPosition) {
    scanner.resume(at: place.position, line: place.line)
  }

  // MARK: Required cells

  /// Throws where the row cannot be split into as many fields as the header has.
  func checkShape() throws(RowFault) {
    switch scanner.fault {
    case .unclosedQuote:
      throw RowFault(
        reason: "a quote is not closed: the row is taken to end with its line, "
          + "line \(scanner.lineAfter) is read on its own")
    case .textAfterQuote:
      throw RowFault(reason: "text follows a closing quote")
    case .tooManyFields:
      throw RowFault(reason: "row has more than \(RecordingLimits.mostColumns) fields")
    case .tooLong:
      throw RowFault(reason: "row is longer than \(RecordingLimits.longestRow) bytes")
    case nil: break
    }
    let count = scanner.fields.count
    if count != fieldCount {
      let fields = count == 1 ? "1 field" : "\(count) fields"
      throw RowFault(reason: "row has \(fields), the header has \(fieldCount)")
    }
  }

  /// When the row was recorded.
  func time() throws(RowFault) -> Timestamp {
    guard let field = cell(.time) else { throw fault(.time, "is missing") }
    guard let number = number(field) else {
      if scanner.bytes[field.range].contains(UInt8(ascii: ":")) {
        throw fault(.time, "is not a number", field, hint: "times of day are not read")
      }
      throw notANumber(.time, field)
    }
    guard let nanoseconds = number.nanoseconds(from: timeUnit) else {
      // Milliseconds since 1970, taken for seconds, lie beyond the range.
      let unit = TimeUnit.allCases.first { number.nanoseconds(from: $0) != nil }
      throw fault(
        .time, "is out of range", field,
        hint: unit.map { "in \($0.rawValue)? try --time-unit \($0.rawValue)" })
    }
    return Timestamp(nanoseconds: nanoseconds)
  }

  /// The distance in metres.
  func distance() throws(RowFault) -> Double {
    guard let field = cell(.distance) else { throw fault(.distance, "is missing") }
    guard let number = number(field) else { throw notANumber(.distance, field) }
    let value = number.value(in: scanner.bytes, scaledBy: distanceScale)
    switch absence(of: value, number) {
    case nil: return value
    case .sentinel where value.isInfinite, .notANumber:
      throw fault(.distance, "is out of range", field)
    case .sentinel: throw fault(.distance, "is what devices write for none", field)
    case .negative: throw fault(.distance, "is negative", field)
    case .zero:
      throw fault(.distance, "is zero", field, hint: "which most devices write for none")
    }
  }

  /// Whether the row has no distance: nothing, or what devices write for none.
  func lacksDistance() throws(RowFault) -> Bool {
    guard let field = cell(.distance), !field.isEmpty else { return true }
    guard let number = number(field) else {
      if absentWord(field) != nil { return true }
      throw notANumber(.distance, field)
    }
    return absence(of: number.value(in: scanner.bytes, scaledBy: distanceScale), number) != nil
  }

  /// The field of a name, which is a good one; nil where the file has no such column or, unless
  /// it is required, the cell is empty.
  func name(_ column: RangesColumn, isRequired: Bool) throws(RowFault) -> CSVField? {
    let place = places[column.rawValue]
    guard place >= 0 else { return nil }
    let field = scanner.fields[place]
    if field.isEmpty {
      if isRequired { throw fault(column, "is missing") }
      return nil
    }
    if field.range.count > Self.longestName {
      throw fault(column, "is longer than \(Self.longestName) bytes")
    }
    var isASCII = true
    for index in field.range {
      let byte = scanner.bytes[index]
      if byte == 0 { throw fault(column, "contains a NUL byte", field) }
      if byte >= 0x80 { isASCII = false }
    }
    if !isASCII, String(validating: scanner.bytes[field.range], as: UTF8.self) == nil {
      throw fault(column, "is not valid UTF-8", field)
    }
    return field
  }

  /// The event; nil where the row has none.
  func event() throws(RowFault) -> SessionEvent? {
    guard let field = cell(.event), !field.isEmpty else { return nil }
    if let event = SessionEvent(rawValue: word(field)) { return event }
    let known = SessionEvent.allCases.map(\.rawValue).joined(separator: ", ")
    throw fault(.event, "is not known", field, hint: known)
  }

  // MARK: Optional cells, NaN where absent

  /// A number, multiplied by 10 to the power of `scale`.
  func number(_ column: RangesColumn, scaledBy scale: Int = 0) throws(RowFault) -> Double {
    guard let field = cell(column), !field.isEmpty else { return .nan }
    guard let number = number(field) else {
      if absentWord(field) != nil { return .nan }
      throw notANumber(column, field)
    }
    let value = number.value(in: scanner.bytes, scaledBy: scale)
    return absence(of: value, number) == .sentinel ? .nan : value
  }

  /// The standard deviation of the distance, metres; zero counts as absent.
  func sigma() throws(RowFault) -> Double {
    let value = try number(.sigma, scaledBy: layout.sigmaUnit.exponent)
    if value < 0, let field = cell(.sigma) { throw fault(.sigma, "is negative", field) }
    return value == 0 ? .nan : value
  }

  /// An angle in radians.
  func angle(_ column: RangesColumn) throws(RowFault) -> Double {
    let value = try number(column)
    return value.isNaN ? value : (layout.angleUnits[column] ?? .radians).radians(value)
  }

  /// The direction, absent as a whole or there as a whole; all zeros count as absent.
  func direction() throws(RowFault) -> (x: Double, y: Double, z: Double) {
    let x = try number(.directionX)
    let y = try number(.directionY)
    let z = try number(.directionZ)
    if x.isNaN, y.isNaN, z.isNaN { return (.nan, .nan, .nan) }
    if x.isNaN { throw fault(.directionX, "is missing beside the other components") }
    if y.isNaN { throw fault(.directionY, "is missing beside the other components") }
    if z.isNaN { throw fault(.directionZ, "is missing beside the other components") }
    if x == 0, y == 0, z == 0 { return (.nan, .nan, .nan) }
    let length = (x * x + y * y + z * z).squareRoot()
    guard (length - 1).magnitude <= Self.directionTolerance else {
      let rounded = (length * 1000).rounded() / 1000
      throw RowFault(
        column: layout[.directionX]?.given ?? "",
        reason: "the direction is no unit vector: its length is \(rounded)")
    }
    return (x, y, z)
  }

  /// The raw value of the vertical estimate; 0, unknown, where absent.
  func verticalEstimate() throws(RowFault) -> UInt8 {
    guard let field = cell(.verticalEstimate), !field.isEmpty else { return 0 }
    switch word(field) {
    case "unknown", "0": return 0
    case "same", "1": return 1
    case "above", "2": return 2
    case "below", "3": return 3
    case "aboveorbelow", "above_or_below", "4": return 4
    default:
      if absentWord(field) != nil { return 0 }
      throw fault(
        .verticalEstimate, "is not known", field,
        hint: "0 to 4, or unknown, same, above, below, aboveOrBelow")
    }
  }

  /// The mark of an obstructed path, 0 to 1; 255 is unknown [Android stack].
  func nonLineOfSight() throws(RowFault) -> Double {
    guard let field = cell(.nonLineOfSight), !field.isEmpty else { return .nan }
    guard number(field) != nil else {
      switch word(field) {
      case "false": return 0
      case "true": return 1
      default: return try number(.nonLineOfSight)
      }
    }
    let value = try number(.nonLineOfSight)
    if value == 255 { return .nan }
    if value < 0 || value > 1 { throw fault(.nonLineOfSight, "is not between 0 and 1", field) }
    return value
  }

  // MARK: Pieces

  /// The column's field without blanks, also inside quotes; nil where the file lacks the column.
  @inline(__always)
  private func cell(_ column: RangesColumn) -> CSVField? {
    let place = places[column.rawValue]
    return place < 0 ? nil : scanner.trimmed(scanner.fields[place])
  }

  @inline(__always)
  private func number(_ field: CSVField) -> DecimalNumber? {
    DecimalNumber(scanner.bytes, field.range, decimalSeparator: separator)
  }

  /// Why `value` is no distance, where sentinels are judged in the unit of the file.
  @inline(__always)
  private func absence(of value: Double, _ number: DecimalNumber) -> AbsentDistance? {
    // Units change a sentinel by a thousand at most.
    if value.magnitude > MeasuredDistance.smallestSentinel / 1e4,
      number.value(in: scanner.bytes).magnitude >= MeasuredDistance.smallestSentinel
    {
      return .sentinel
    }
    return MeasuredDistance.absence(of: value, zeroIsDistance: zeroIsDistance)
  }
}

extension RangesRow {
  /// What is wrong with the `field` of `column`.
  func fault(
    _ column: RangesColumn, _ what: String, _ field: CSVField, hint: String? = nil
  ) -> RowFault {
    let isNumber = DecimalNumber(scanner.bytes, field.range, decimalSeparator: separator) != nil
    let bytes = scanner.bytes[field.range]
    let text = isNumber ? Excerpt.text(bytes, limit: 40) : Excerpt.quoted(bytes)
    return fault(column, "\(what): \(text)" + (hint.map { " (\($0))" } ?? ""))
  }

  /// What is wrong with the cell of `column`.
  func fault(_ column: RangesColumn, _ what: String) -> RowFault {
    let name = layout[column]?.given ?? RangesColumn.names[column.rawValue].name
    return RowFault(column: name, reason: "\(name) \(what)")
  }

  /// Why the `field` of `column`, which is no decimal number, is none.
  func notANumber(_ column: RangesColumn, _ field: CSVField) -> RowFault {
    if field.isEmpty { return fault(column, "is missing") }
    switch absentWord(field) {
    case .missing: return fault(column, "is missing", field)
    case .notFinite: return fault(column, "is not a finite number", field)
    case nil: break
    }
    let other: DecimalSeparator = separator == DecimalSeparator.point.byte ? .comma : .point
    guard DecimalNumber(scanner.bytes, field.range, decimalSeparator: other.byte) != nil else {
      return fault(column, "is not a number", field)
    }
    return fault(
      column, "is not a number", field,
      hint: "decimal \(other == .comma ? "comma" : "point")? try --decimal \(other.rawValue)")
  }

  /// What a word that devices and programs write for "not available" says.
  enum AbsentWord {
    case missing
    case notFinite
  }

  /// Which word for "not available" the field is, in any letters; nil where it is none.
  func absentWord(_ field: CSVField) -> AbsentWord? {
    switch word(field) {
    case "na", "n/a", "null", "nil", "none": .missing
    case "nan", "-nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity": .notFinite
    default: nil
    }
  }

  /// The field in small letters.
  func word(_ field: CSVField) -> String {
    String(decoding: scanner.bytes[field.range].prefix(64), as: UTF8.self).lowercased()
  }
}
