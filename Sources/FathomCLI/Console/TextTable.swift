import FathomRecordings

/// Columns of text, aligned: numbers to the right, words to the left.
struct TextTable {
  private var rows: [[String]]
  private let isNumber: [Bool]

  /// A table of the given headings; a heading with a trailing `#` is of a column of numbers.
  init(_ headings: [String]) {
    isNumber = headings.map { $0.hasSuffix("#") }
    rows = [headings.map { $0.hasSuffix("#") ? String($0.dropLast()) : $0 }]
  }

  /// Adds a row; control characters are escaped here, where the width of cells still counts them.
  mutating func append(_ row: [String]) { rows.append(row.map { Excerpt.plain($0, limit: 400) }) }

  /// Whether there is nothing below the headings.
  var isEmpty: Bool { rows.count == 1 }

  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return isNumber[column] ? space + row[column] : row[column] + space
      }
      return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }
    .joined(separator: "\n")
  }
}

extension Int {
  /// The count with its noun: `1 range`, `2 ranges`.
  func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}

extension Double {
  /// The number as people write it: without decimals where it has none.
  var plainText: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }

  /// The number with a fixed number of decimals, `-` where it is not determined.
  func text(decimals: Int) -> String {
    guard isFinite else { return "-" }
    var bytes: [UInt8] = []
    FixedDecimal.append(self, decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
