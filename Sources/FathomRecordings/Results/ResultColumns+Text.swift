import Fathom

/// A file of results, for ``ResultColumns/text(of:)``.
package enum ResultText: Int32, Sendable, CaseIterable {
  /// `NAME.positions.csv`.
  case positions = 0
  /// `NAME.distances.csv`.
  case distances = 1
  /// `NAME.rejected.csv`.
  case rejected = 2
  /// `NAME.zones.csv`.
  case zones = 3
  /// `NAME.summary.json`.
  case summary = 4
}

extension ResultColumns {
  /// Returns the text of a file of results, byte for byte that of `fathom process`.
  ///
  /// The summary has no paths and checksums of files, and the table of rejected rows has those that
  /// are kept.
  package func text(of table: ResultText) -> [UInt8] {
    lazy var formatter = ResultFormatter(outline, settings)
    switch table {
    case .positions: return formatter.text(of: positions).bytes
    case .distances: return formatter.text(of: distances).bytes
    case .rejected: return ResultWriter.rejected(rejected)
    case .zones: return formatter.headers.zones.bytes + formatter.text(of: zones).bytes
    case .summary: return ResultWriter.summary(summary)
    }
  }

  /// The summary as one line of JSON.
  package var summaryLine: String { ResultWriter.line(of: summary) }
}
