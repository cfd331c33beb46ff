import Fathom

/// A column of a table of results.
///
/// The cases are the only list of the columns: CSV, JSON Lines, the reader of results, and the
/// columns for C, Python and Arrow follow it and its order.
package protocol ResultField: CaseIterable, Hashable, Sendable where AllCases == [Self] {
  /// A row of the table.
  associatedtype Row

  /// A row without values.
  static var emptyRow: Row { get }

  /// Name and content.
  var column: ResultColumn { get }

  /// Returns the cell of `row`.
  func value(in row: Row) -> ResultValue
  /// Replaces the cell of `row`; a value of another kind, and a column that is derived from others,
  /// changes nothing.
  func set(_ value: ResultValue, in row: inout Row)
}

/// The name and the content of a column of a table of results.
package struct ResultColumn: Sendable {
  /// Name in files.
  package let name: String
  package let content: Content
  /// The words of a column of words, in the order of their codes; empty for others.
  package var words: [String] = []
  /// The value of `--with` that adds the column to files; nil if files always have it.
  package var extra: ExtraColumns?

  /// The kind of the cells of a column.
  package enum Content: Sendable, Hashable {
    /// Seconds in text, nanoseconds in memory.
    case time
    /// A name; in memory its index.
    case name(ResultNames)
    /// A number, NaN if undetermined, with this number of decimals in text.
    case number(decimals: Int)
    /// A number of ranges.
    case count
    /// One of the words of the column; in memory its code.
    case word
  }

  /// Name in memory, such as `time_ns` instead of `time_s`.
  package var storedName: String { content == .time ? "time_ns" : name }
}

/// A cell of a table of results.
package enum ResultValue: Sendable {
  case time(Timestamp)
  /// An index among the names of the column.
  case name(Int32)
  case number(Double)
  case count(Int)
  /// The code of a word.
  case word(UInt8)
}

/// The lists of names that results refer to; raw values are the codes in `fathom.h`.
package enum ResultNames: Int, Sendable, CaseIterable {
  case tag, anchor
  /// The located objects: the tags or, without anchors, the accessories.
  case located
}

extension ResultField {
  /// The columns of a file with `extra` columns.
  static func fields(with extra: [ExtraColumns] = []) -> [Self] {
    allCases.filter { field in field.column.extra.map(extra.contains) ?? true }
  }

  /// The header of a CSV file with `extra` columns.
  static func header(with extra: [ExtraColumns] = []) -> String {
    fields(with: extra).map(\.column.name).joined(separator: ",")
  }

  /// The columns that are kept in memory: all except those that are computed from others as text.
  package static var stored: [Self] { fields(with: [.alternative]) }
}

/// A word of results: a code of one byte in memory, a word in files.
///
/// The raw values are the codes, which count from 0 in the order of the cases.
public protocol ResultWord: RawRepresentable<UInt8>, CaseIterable, Hashable, Sendable {
  /// The words of all cases, in the order of their codes.
  static var words: [String] { get }
}

extension ResultWord {
  /// The word in files.
  public var word: String { Self.words[Int(rawValue)] }
}

extension MeasurementQuality: ResultWord {
  /// The words of all cases, in the order of their codes.
  public static let words = ["unknown", "good", "close"]
}
