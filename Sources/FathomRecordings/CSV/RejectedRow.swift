import Fathom

/// A row that was set aside, with its place and the reason.
public struct RejectedRow: Sendable, Equatable {
  /// Physical line in the file, 1 for the header.
  public var line: Int
  /// Name of the column at fault; empty where the row as a whole is.
  public var column: String
  /// Why, in words.
  public var reason: String
  /// The row's text, shortened where it is very long.
  public var text: String

  /// A row set aside at `line`.
  public init(line: Int, column: String, reason: String, text: String) {
    self.line = line
    self.column = column
    self.reason = reason
    self.text = text
  }
}

extension RejectedRow {
  /// The reason without the text concerned and without hints, the same for all rows of one kind.
  var kind: String {
    let end = reason.firstRange(of: ": ")?.lowerBound ?? reason.endIndex
    return String(reason[..<end])
  }
}

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
