/// Counts of the rows of a ranges file, for notes.
struct RowCounts {
  private var rows = 0
  private var ranges = 0
  private var commentLines = 0
  private var isSeen: [Bool] = []
  private var unseenCount = 0
  private var tagNames: [String] = []
  private var anchorNames: [String] = []

  /// Counts the next rows.
  mutating func count(_ file: ParsedRanges) {
    rows += file.rowsRead
    ranges += file.ranges.count
    commentLines += file.commentLines
    tagNames = file.tagNames
    anchorNames = file.anchorNames
    unseenCount += file.anchorNames.count - isSeen.count
    isSeen += Array(repeating: false, count: file.anchorNames.count - isSeen.count)
    if unseenCount == 0 { return }
    for anchor in file.ranges.anchor where !isSeen[Int(anchor)] {
      isSeen[Int(anchor)] = true
      unseenCount -= 1
      if unseenCount == 0 { return }
    }
  }

  /// Returns notes for the user on a file of the given layout, which they call `source`.
  func notes(
    _ layout: RangesLayout, declared: [String], source: String = "ranges file"
  ) -> [String] {
    var notes = layout.notes
    if commentLines > 0 {
      let lines = commentLines == 1 ? "1 comment line" : "\(commentLines) comment lines"
      notes.append("\(lines) skipped")
    }
    if let note = SpreadsheetFormula.note(on: tagNames + anchorNames) { notes.append(note) }
    if layout[.tag] == nil { notes.append("no column tag: one tag, called 0") }
    if layout.format.hasColumns, layout.times == .none {
      notes.append(
        "no column time: "
          + (layout.anchorColumns.isEmpty
            ? "a round of the anchors is an epoch" : "a row is an epoch")
          + " (--rate states the rate of epochs; by default 1 Hz)")
    }
    if layout[.anchor] == nil, layout.anchorColumns.isEmpty {
      notes.append("no column anchor: one anchor, called \(declared.first ?? "0")")
    }
    if rows == 0 {
      notes.append("the \(source) has no rows")
    } else if ranges == 0 {
      notes.append("the \(source) has no usable ranges")
    }
    let unseen = declared.indices.filter { !isSeen.indices.contains($0) || !isSeen[$0] }
    if !unseen.isEmpty {
      notes.append("declared anchors without ranges: \(Excerpt.list(unseen.map { declared[$0] }))")
    }
    return notes
  }
}

/// Names that a spreadsheet would interpret as formulas when it opens a results file.
///
/// Names are kept unchanged, because other files are joined by them; the user is warned instead.
package enum SpreadsheetFormula {
  /// Whether a spreadsheet evaluates `name` instead of displaying it.
  ///
  /// ## Edge cases
  /// A number with a sign is not a formula for spreadsheets either.
  package static func isFormula(_ name: String) -> Bool {
    switch name.utf8.first {
    case UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "\t"), UInt8(ascii: "\r"): true
    case UInt8(ascii: "+"), UInt8(ascii: "-"): Double(name) == nil && name.utf8.count > 1
    default: false
    }
  }

  /// Returns a note on those of `names` that are formulas; nil when there are none.
  package static func note(on names: [String]) -> String? {
    let formulas = names.filter(isFormula)
    if formulas.isEmpty { return nil }
    return "spreadsheets interpret these names as formulas: \(Excerpt.list(formulas));"
      + " import the results as text"
  }
}
