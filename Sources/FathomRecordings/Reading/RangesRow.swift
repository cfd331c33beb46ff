import Fathom

/// Why a row is set aside.
struct RowFault: Error {
  /// The column at fault as the file calls it; empty for the row as a whole.
  var column = ""
  /// The reason in words: what is wrong, then after a colon the text concerned.
  var reason: String
}

/// The cells of one row, read as what they are to be.
///
/// Optional cells: an empty one is absent, and so are the words and values that devices write for
/// "not available"; anything else that is not what it should be condemns the row.
struct RangesRow {
  let scanner: CSVScanner
  let layout: RangesLayout
  let options: RecordingOptions

  /// Names longer than this, in bytes, are damage rather than names.
  static let longestName = 255

  // MARK: Required cells

  /// Throws where the row cannot be split into as many fields as the header has.
  func checkShape() throws(RowFault) {
    switch scanner.fault {
    case .unclosedQuote:
      throw RowFault(
        reason:
          "a quote is not closed; the row ends with its line, line \(scanner.lineAfter) is next")
    case .textAfterQuote:
      throw RowFault(reason: "text follows a closing quote")
    case nil: break
    }
    let count = scanner.fields.count
    let expected = layout.header.names.count
    if count != expected {
      let fields = count == 1 ? "1 field" : "\(count) fields"
      throw RowFault(reason: "row has \(fields), the header has \(expected)")
    }
  }

  /// When the row was recorded.
  func time() throws(RowFault) -> Timestamp {
    guard let (match, field) = cell(.time) else { throw RowFault(reason: "there is no time") }
    guard let number = number(field) else { throw notANumber(match, field) }
    guard let nanoseconds = number.nanoseconds(from: layout.timeUnit) else {
      throw fault(match, "is out of range", field)
    }
    return Timestamp(nanoseconds: nanoseconds)
  }

  /// The distance in metres.
  func distance() throws(RowFault) -> Double {
    guard let (match, field) = cell(.distance) else {
      throw RowFault(reason: "there is no distance")
    }
    guard let number = number(field) else { throw notANumber(match, field) }
    let value = number.value(in: scanner.bytes, scaledBy: layout.distanceUnit.exponent)
    switch absence(of: value, number) {
    case nil: return value
    case .negative: throw fault(match, "is negative", field, isQuoted: false)
    case .zero:
      throw fault(match, "is zero", field, isQuoted: false, hint: "most devices write it for none")
    case .sentinel where value.isInfinite: throw fault(match, "is out of range", field)
    case .sentinel, .notANumber:
      throw fault(match, "is what devices write for none", field, isQuoted: false)
    }
  }

  /// Whether the row has no distance: nothing, or what devices write for none.
  func lacksDistance() throws(RowFault) -> Bool {
    guard let (match, field) = cell(.distance), !field.isEmpty else { return true }
    guard let number = number(field) else {
      if isAbsentWord(field) { return true }
      throw notANumber(match, field)
    }
    return absence(of: number.value(in: scanner.bytes), number) != nil
  }

  /// The cell of a name, which is a good one; nil where the column does not exist or, unless it is
  /// required, the cell is empty.
  func name(_ column: RangesColumn, isRequired: Bool) throws(RowFault) -> CSVField? {
    guard let match = layout[column] else { return nil }
    let field = scanner.fields[match.field]
    if field.isEmpty {
      if isRequired { throw RowFault(column: match.given, reason: "\(match.given) is missing") }
      return nil
    }
    if field.range.count > Self.longestName {
      throw RowFault(
        column: match.given, reason: "\(match.given) is longer than \(Self.longestName) bytes")
    }
    var isPlain = true
    for index in field.range {
      let byte = scanner.bytes[index]
      if byte == 0 { throw fault(match, "contains a NUL byte", field) }
      if byte >= 0x80 { isPlain = false }
    }
    if !isPlain, String(validating: scanner.bytes[field.range], as: UTF8.self) == nil {
      throw fault(match, "is not valid UTF-8", field)
    }
    return field
  }

  /// The event; nil where the row has none.
  func event() throws(RowFault) -> SessionEvent? {
    guard let (match, field) = cell(.event), !field.isEmpty else { return nil }
    let word = word(field)
    if let event = SessionEvent.allCases.first(where: { $0.rawValue == word }) { return event }
    let known = SessionEvent.allCases.map(\.rawValue).joined(separator: ", ")
    throw fault(match, "is not known", field, hint: known)
  }

  // MARK: Optional cells, NaN where absent

  /// A number, multiplied by 10 to the power of `scale`.
  func number(_ column: RangesColumn, scaledBy scale: Int = 0) throws(RowFault) -> Double {
    guard let (match, field) = cell(column), !field.isEmpty else { return .nan }
    guard let number = number(field) else {
      if isAbsentWord(field) { return .nan }
      throw notANumber(match, field)
    }
    let value = number.value(in: scanner.bytes, scaledBy: scale)
    return absence(of: value.magnitude, number) == .sentinel ? .nan : value
  }

  /// The standard deviation of the distance, metres; zero counts as absent.
  func sigma() throws(RowFault) -> Double {
    let value = try number(.sigma, scaledBy: layout.sigmaUnit.exponent)
    if value < 0, let (match, field) = cell(.sigma) {
      throw fault(match, "is negative", field, isQuoted: false)
    }
    return value == 0 ? .nan : value
  }

  /// An angle in radians.
  func angle(_ column: RangesColumn) throws(RowFault) -> Double {
    (layout.angleUnits[column] ?? .radians).radians(try number(column))
  }

  /// The direction, absent as a whole or there as a whole; all zeros count as absent.
  func direction() throws(RowFault) -> (x: Double, y: Double, z: Double) {
    let x = try number(.directionX)
    let y = try number(.directionY)
    let z = try number(.directionZ)
    let absent = [x, y, z].count(where: \.isNaN)
    if absent == 3 || (x == 0 && y == 0 && z == 0) { return (.nan, .nan, .nan) }
    if absent > 0 {
      let column: RangesColumn = x.isNaN ? .directionX : y.isNaN ? .directionY : .directionZ
      let given = layout[column]?.given ?? ""
      throw RowFault(column: given, reason: "\(given) is missing beside the other components")
    }
    let length = (x * x + y * y + z * z).squareRoot()
    // Generous to few digits, and still far from a vector that is no direction.
    guard (length - 1).magnitude <= 0.1 else {
      let rounded = (length * 1000).rounded() / 1000
      throw RowFault(
        column: layout[.directionX]?.given ?? "",
        reason: "the direction is no unit vector: its length is \(rounded)")
    }
    return (x, y, z)
  }

  /// The raw value of the vertical estimate; 0, unknown, where absent.
  func verticalEstimate() throws(RowFault) -> UInt8 {
    guard let (match, field) = cell(.verticalEstimate), !field.isEmpty else { return 0 }
    switch word(field) {
    case "unknown", "0": return 0
    case "same", "1": return 1
    case "above", "2": return 2
    case "below", "3": return 3
    case "aboveorbelow", "above_or_below", "4": return 4
    default:
      if isAbsentWord(field) { return 0 }
      throw fault(
        match, "is not known", field, hint: "0 to 4, or unknown, same, above, below, aboveOrBelow")
    }
  }

  /// The mark of an obstructed path, 0 to 1; 255 is unknown [Android stack].
  func nonLineOfSight() throws(RowFault) -> Double {
    guard let (match, field) = cell(.nonLineOfSight), !field.isEmpty else { return .nan }
    switch word(field) {
    case "false": return 0
    case "true": return 1
    default: break
    }
    let value = try number(.nonLineOfSight)
    if value == 255 { return .nan }
    if value < 0 || value > 1 { throw fault(match, "is not between 0 and 1", field) }
    return value
  }

  // MARK: Pieces

  /// The column's place and its cell without blanks, also inside quotes.
  private func cell(_ column: RangesColumn) -> (Header.Match, CSVField)? {
    guard let match = layout[column] else { return nil }
    return (match, scanner.trimmed(scanner.fields[match.field]))
  }

  private func number(_ field: CSVField) -> DecimalNumber? {
    DecimalNumber(scanner.bytes, field.range, decimalSeparator: options.decimalSeparator.byte)
  }

  /// Why `value` is no distance, where sentinels are judged in the unit of the file.
  private func absence(of value: Double, _ number: DecimalNumber) -> AbsentDistance? {
    // Units change a sentinel by a thousand at most.
    if value.magnitude > MeasuredDistance.smallestSentinel / 1e4,
      number.value(in: scanner.bytes).magnitude >= MeasuredDistance.smallestSentinel
    {
      return .sentinel
    }
    return MeasuredDistance.absence(of: value, zeroIsDistance: options.zeroIsDistance)
  }

  /// The field in small letters.
  private func word(_ field: CSVField) -> String {
    String(decoding: scanner.bytes[field.range].prefix(64), as: UTF8.self).lowercased()
  }

  private func isAbsentWord(_ field: CSVField) -> Bool {
    switch word(field) {
    case "nan", "na", "n/a", "null", "nil", "none", "inf", "-inf", "+inf", "infinity", "-infinity",
      "+infinity":
      true
    default: false
    }
  }

  // MARK: Reasons

  private func fault(
    _ match: Header.Match, _ what: String, _ field: CSVField, isQuoted: Bool = true,
    hint: String? = nil
  ) -> RowFault {
    let bytes = scanner.bytes[field.range]
    let text = isQuoted ? Excerpt.quoted(bytes) : Excerpt.text(bytes, limit: 40)
    let hint = hint.map { " (\($0))" } ?? ""
    return RowFault(column: match.given, reason: "\(match.given) \(what): \(text)\(hint)")
  }

  /// Why the field, which is no decimal number, is none.
  private func notANumber(_ match: Header.Match, _ field: CSVField) -> RowFault {
    if field.isEmpty { return RowFault(column: match.given, reason: "\(match.given) is missing") }
    if isAbsentWord(field) {
      let isMissing = word(field).hasPrefix("n") && word(field) != "nan"
      return fault(match, isMissing ? "is missing" : "is not a finite number", field)
    }
    let other: DecimalSeparator = options.decimalSeparator == .point ? .comma : .point
    let wouldDo =
      DecimalNumber(scanner.bytes, field.range, decimalSeparator: other.byte) != nil
    let hint: String? =
      wouldDo
      ? "decimal \(other == .comma ? "comma" : "point")? try --decimal \(other.rawValue)" : nil
    return fault(match, "is not a number", field, hint: hint)
  }
}
