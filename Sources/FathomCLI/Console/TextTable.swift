import FathomRecordings

/// A table of text: columns of numbers are aligned right, columns of words left.
struct TextTable {
  private var rows: [[String]]
  private let isNumber: [Bool]

  /// Creates a table with `headings` and `rows`.
  ///
  /// A trailing `#` of a heading marks a column of numbers.
  init(_ headings: [String], rows: [[String]] = []) {
    isNumber = headings.map { $0.hasSuffix("#") }
    self.rows = [headings.map { $0.hasSuffix("#") ? String($0.dropLast()) : $0 }]
    for row in rows { append(row) }
  }

  /// Adds a row.
  ///
  /// Control characters are escaped here, before the widths of columns are computed.
  mutating func append(_ row: [String]) { rows.append(row.map { Excerpt.plain($0, limit: 400) }) }

  /// Whether the table has no rows below the headings.
  var isEmpty: Bool { rows.count == 1 }

  /// The lines of the table, without white space at their ends.
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
  /// Returns the count with its noun: `1 range`, `2 ranges`.
  func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}

extension Double {
  /// The number in its shortest form: a whole number has no decimals.
  var plainText: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }

  /// Returns the number with a fixed number of decimals; `-` if it is not finite.
  func text(decimals: Int) -> String {
    guard isFinite else { return "-" }
    var bytes: [UInt8] = []
    FixedDecimal.append(self, decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
