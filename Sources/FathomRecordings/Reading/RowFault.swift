/// Why a row is set aside.
///
/// Reasons read `COLUMN WHAT: TEXT (HINT)`, where COLUMN is the file's own name for it; what stands
/// before the colon is the same for all rows of one kind.
struct RowFault: Error {
  /// The column at fault as the file calls it; empty for the row as a whole.
  var column = ""
  /// The reason in words.
  var reason: String
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
