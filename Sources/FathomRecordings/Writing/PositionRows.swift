import Fathom

/// Writes rows of `NAME.positions.csv`.
struct PositionRows: Sendable {
  private let statuses = FieldTable(PositionColumns.Status.self, place: \.place)

  /// Appends a row.
  ///
  /// - Parameters:
  ///   - position: the position.
  ///   - name: place in `names` of what was located.
  ///   - names: the names of what is located.
  ///   - times: the column of the instants.
  ///   - row: the text so far, at the beginning of a row.
  @inline(__always)
  func append(
    _ position: PositionRow, name: Int, of names: FieldTable, _ times: inout TimeColumn,
    to row: inout CSVRow
  ) {
    row.writeRow(most: Self.most + names.longest) { cursor in
      cursor.append(position.time, of: &times)
      cursor.append(name, of: names)
      cursor.appendWithFourDecimals(
        position.position[0], position.position[1], position.position[2])
      cursor.appendWithEightDecimals(position.covariance)
      cursor.append(position.used)
      cursor.append(position.rejected)
      cursor.append(position.status.place, of: statuses)
    }
  }

  /// Twelve numbers with their commas, a word, and the 16 bytes that a field takes in any case.
  private static let most = 12 * (FixedDecimal.mostBytes + 1) + 48
}

extension PositionColumns.Status {
  /// Its place among the words of a table.
  @inline(__always)
  fileprivate var place: Int {
    switch self {
    case .fix: 0
    case .inconsistent: 1
    case .ambiguous: 2
    case .tracking: 3
    case .coasting: 4
    case .starting: 5
    case .relative: 6
    }
  }
}
