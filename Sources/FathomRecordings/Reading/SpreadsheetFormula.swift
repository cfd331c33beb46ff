/// Names that a spreadsheet would take for formulas when it opens a file of results.
///
/// Names are kept to the byte, since other files are joined by them; who opens results in a
/// spreadsheet is warned instead.
package enum SpreadsheetFormula {
  /// Whether a spreadsheet evaluates `name` rather than shows it.
  ///
  /// ## Edge cases
  /// What begins with a sign and is a number is one for spreadsheets too, and harmless.
  package static func isFormula(_ name: String) -> Bool {
    switch name.utf8.first {
    case UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "\t"), UInt8(ascii: "\r"): true
    case UInt8(ascii: "+"), UInt8(ascii: "-"): Double(name) == nil && name.utf8.count > 1
    default: false
    }
  }

  /// A note on those of `names` that are formulas; nil where none is.
  package static func note(on names: [String]) -> String? {
    let formulas = names.filter(isFormula)
    if formulas.isEmpty { return nil }
    return "spreadsheets take these names for formulas: \(Excerpt.list(formulas));"
      + " import the results as text"
  }
}
