import Fathom

/// Formats rows of results as JSON Lines: one object per row, with the columns of the CSV file as
/// keys.
///
/// Every row has every key, so a few rows show the whole schema. An undetermined number is `null`.
/// Numbers have the same decimals as in CSV.
struct JSONLines<Field: ResultField>: Sendable {
  /// The names that a column of names refers to, as JSON strings.
  typealias Names = (ResultNames) -> FieldTable

  private let fields: [Field]
  private let contents: [ResultColumn.Content]
  /// The key of each column.
  private let keys: FieldTable
  /// The words of each column, as JSON strings.
  private let words: [FieldTable]
  /// Maximum length of a row without its names, bytes.
  private let most: Int

  /// Creates the writer of rows with `extra` columns.
  init(with extra: [ExtraColumns] = []) {
    fields = Field.fields(with: extra)
    let columns = fields.map(\.column)
    contents = columns.map(\.content)
    keys = FieldTable(columns.map { JSONString.bytes($0.name) }, end: UInt8(ascii: ":"))
    words = columns.map { FieldTable($0.words.map(JSONString.bytes)) }
    // Braces and the newline, the 16 bytes that every field needs, and the quotes and colons of keys.
    most =
      columns.reduce(3 + 16) { $0 + $1.name.utf8.count + 3 + FixedDecimal.mostBytes + 1 }
      + words.reduce(0) { $0 + $1.longest }
  }

  /// Appends a row, whose covariance has its digits; `names` returns the names of a column.
  @inline(__always)
  func append(
    _ row: Field.Row, _ names: Names, _ times: inout TimeColumn, to text: inout CSVBuffer
  ) {
    var longest = 0
    for case .name(let kind) in contents { longest += names(kind).longest }
    text.writeObject(most: most + longest) { cursor in
      for place in fields.indices {
        cursor.append(place, of: keys)
        switch fields[place].value(in: row) {
        case .time(let time): cursor.append(time, of: &times)
        case .name(let index):
          if case .name(let kind) = contents[place] { cursor.append(Int(index), of: names(kind)) }
        case .number(let number):
          if number.isFinite, case .number(let decimals) = contents[place] {
            cursor.append(number, decimals: decimals)
          } else {
            cursor.appendNull()
          }
        case .count(let count): cursor.append(count)
        case .word(let code): cursor.append(Int(code), of: words[place])
        }
      }
    }
  }
}

/// A text as a JSON string, for texts that are written many times.
enum JSONString {
  /// Returns the bytes of `text` with quotes, backslashes and control characters escaped; all other
  /// characters remain as UTF-8.
  static func bytes(_ text: String) -> [UInt8] {
    var field = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): field += [UInt8(ascii: "\\"), byte]
      case 0..<0x20, 0x7F:
        field += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: field.append(byte)
      }
    }
    return field + [UInt8(ascii: "\"")]
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
