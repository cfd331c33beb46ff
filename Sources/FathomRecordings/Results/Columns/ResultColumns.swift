import Fathom

/// The results of a recording as columns of numbers, for callers in other languages.
///
/// Names are indices into ``names(_:)``, words are those into ``ResultColumn/words``. NaN marks an
/// undetermined number. The numbers are those of the result files, before rounding.
package struct ResultColumns: Sendable {
  /// The rows of `NAME.positions.csv`.
  package let positions: ColumnTable<PositionField>
  /// The rows of `NAME.distances.csv`.
  package let distances: ColumnTable<DistanceField>
  /// The rows of `NAME.zones.csv`.
  package let zones: ZoneColumns
  /// The rejected rows that are kept; see ``RecordingLimits/mostKeptRejected``.
  package let rejected: RejectedRows
  /// Counts, rates, consistency, diagnoses and warnings.
  package let summary: RecordingSummary
  /// What the text of the results depends on besides the columns.
  let outline: RecordingOutline
  let settings: ProcessingSettings

  /// Returns the names that the columns refer to.
  package func names(_ kind: ResultNames) -> [String] {
    switch kind {
    case .tag: outline.tagNames
    case .anchor: outline.anchorNames
    case .located: TargetNames(outline).names
    }
  }
}
