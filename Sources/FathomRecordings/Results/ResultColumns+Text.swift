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
    switch table {
    case .positions: textOfPositions()
    case .distances: textOfDistances()
    case .rejected:
      ResultWriter.rejected(rejected)
    case .zones:
      {
        let formatter = ResultFormatter(outline, settings)
        return formatter.headers.zones.bytes + formatter.text(of: zones).bytes
      }()
    case .summary: ResultWriter.summary(summary)
    }
  }

  /// The summary as one line of JSON.
  package var summaryLine: String { ResultWriter.line(of: summary) }

  private func textOfPositions() -> [UInt8] {
    let formatter = ResultFormatter(outline, settings)
    var text = formatter.headers.positions
    text.reserveCapacity(rows: positions.count, of: 120)
    formatter.append(positions, to: &text)
    return text.bytes
  }

  private func textOfDistances() -> [UInt8] {
    let formatter = ResultFormatter(outline, settings)
    var text = formatter.headers.distances
    text.reserveCapacity(rows: distances.count, of: 90)
    formatter.append(distances, to: &text)
    return text.bytes
  }
}
