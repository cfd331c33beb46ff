import FathomRecordings
import Foundation

/// What goes to the terminal: data to standard output, messages to standard error.
enum Console {
  /// Writes a line of data.
  static func print(_ line: String) {
    write(printable(line) + "\n", to: .standardOutput)
  }

  /// Writes a message for the user.
  static func message(_ line: String) {
    write(printable(line) + "\n", to: .standardError)
  }

  /// `text` without the characters that would move the cursor or worse: names of files and radios
  /// come from anywhere.
  ///
  /// They are written as JSON writes them, since some of what is printed is JSON; ends of lines and tabs
  /// stay.
  static func printable(_ text: String) -> String {
    func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x0A, 0x09: true
      case 0..<0x20, 0x7F..<0xA0: false
      default: true
      }
    }
    guard !text.unicodeScalars.allSatisfy(isHarmless) else { return text }
    var clean = ""
    for scalar in text.unicodeScalars {
      if isHarmless(scalar) {
        clean.unicodeScalars.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16)
        clean += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      }
    }
    return clean
  }

  /// Writes text to `handle`; a reader that has gone away is no error.
  static func write(_ text: String, to handle: FileHandle) {
    try? handle.write(contentsOf: Data(text.utf8))
  }

  /// Whether messages go to a terminal that moves its cursor.
  static var isInteractive: Bool {
    isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }
}

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
