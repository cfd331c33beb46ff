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

  /// Name in files.
  var name: String { get }
  /// The kind of its cells.
  var content: ResultContent { get }
  /// The words of a column of words, in the order of their codes; empty for others.
  var words: [String] { get }
  /// The value of `--with` that adds the column to files; nil if files always have it.
  var extra: ExtraColumns? { get }

  /// Returns the cell of `row`.
  func value(in row: Row) -> ResultValue
  /// Replaces the cell of `row`; a value of another kind, and a column that is derived from others,
  /// changes nothing.
  func set(_ value: ResultValue, in row: inout Row)
}

/// The kind of the cells of a column.
package enum ResultContent: Sendable, Hashable {
  /// Seconds in text, nanoseconds in memory.
  case time
  /// A name; in memory its index.
  case name(ResultNames)
  /// A number, NaN if undetermined, with this number of decimals in text.
  case number(decimals: Int)
  /// A number of ranges.
  case count
  /// One of the words of the column; in memory its index.
  case word
}

/// A cell of a table of results.
package enum ResultValue: Sendable {
  case time(Timestamp)
  /// An index among the names of the column.
  case name(Int32)
  case number(Double)
  case count(Int)
  /// An index among the words of the column.
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
    allCases.filter { field in field.extra.map(extra.contains) ?? true }
  }

  /// The header of a CSV file with `extra` columns.
  static func header(with extra: [ExtraColumns] = []) -> String {
    fields(with: extra).map(\.name).joined(separator: ",")
  }

  /// The columns that are kept in memory: all except those that are computed from others as text.
  package static var stored: [Self] { allCases.filter { $0.extra != .geodetic } }

  /// Name in memory, such as `time_ns` instead of `time_s`.
  package var storedName: String { content == .time ? "time_ns" : name }
}

/// A word of results: an enumeration without associated values, whose raw values are the words.
package protocol ResultWord: RawRepresentable<String>, CaseIterable, Hashable, Sendable
where AllCases == [Self] {}

extension ResultWord {
  /// All words, in the order of their codes.
  package static var words: [String] { allCases.map(\.rawValue) }

  /// The index of the case among all.
  ///
  /// The ABI of Swift numbers the cases of such an enumeration in the order of their declaration.
  @inline(__always)
  var code: UInt8 { unsafeBitCast(self, to: UInt8.self) }

  /// Creates the case with the given code; nil if there is none.
  init?(code: UInt8) {
    let cases = Self.allCases
    guard cases.indices.contains(Int(code)) else { return nil }
    self = cases[Int(code)]
  }
}

extension PositionColumns.Status: ResultWord {}
extension DistanceColumns.Zone: ResultWord {}
extension DistanceColumns.Decision: ResultWord {}
extension MeasurementQuality: ResultWord {}
