import Fathom

/// A rejected row, with its line and the reason.
public struct RejectedRow: Sendable, Equatable {
  /// Physical line in the file, 1 for the header.
  public var line: Int
  /// Name of the invalid column; empty when the whole row is invalid.
  public var column: String
  /// Reason, as shown to the user.
  public var reason: String
  /// Text of the row, shortened when it is very long.
  public var text: String

  /// Creates a record of a row rejected at `line`.
  public init(line: Int, column: String, reason: String, text: String) {
    self.line = line
    self.column = column
    self.reason = reason
    self.text = text
  }
}

extension RejectedRow {
  /// Reason without the row's text and hints, the same for all rows with the same problem.
  var kind: String {
    // By bytes: a file may have millions of rejected rows.
    let bytes = reason.utf8
    let end = bytes.indices.first { index in
      bytes[index] == UInt8(ascii: ":")
        && bytes[bytes.index(after: index)...].first == UInt8(ascii: " ")
    }
    return end.map { String(reason[..<$0]) } ?? reason
  }
}

/// The reason for which a row is rejected.
///
/// Reasons have the form `COLUMN PROBLEM: TEXT (HINT)`, where COLUMN is the name in the file. The
/// part before the colon is the same for all rows with the same problem.
struct RowFault: Error {
  /// Name of the invalid column in the file; empty when the whole row is invalid.
  var column = ""
  /// Reason, as shown to the user.
  var reason: String
}

extension RowFault {
  /// Creates the fault of a row that cannot be split into fields.
  init(_ fault: CSVFault) {
    switch fault {
    case .unclosedQuote, .textAfterQuote: reason = "the row's quotes do not match"
    case .tooManyFields: reason = "row has more than \(RecordingLimits.mostColumns) fields"
    case .tooLong: reason = "row is longer than \(RecordingLimits.longestRow) bytes"
    case .notJSON(let fault): reason = fault.reason
    }
  }
}
