import Fathom

/// Writes rows of `NAME.positions.csv`.
struct PositionRows: Sendable {
  private let timeDecimals: Int
  private let statuses = FieldTable(PositionColumns.Status.self, place: \.place)

  /// Rows whose times have so many decimals.
  init(timeDecimals: Int) { self.timeDecimals = timeDecimals }

  /// Appends the positions of several tags, each in order of time, in one order of time; those of one
  /// instant are in the order of the tags.
  ///
  /// - Parameters:
  ///   - tags: the positions of each.
  ///   - row: the text so far, at the beginning of a row.
  func append(_ tags: [PositionColumns], to row: inout CSVRow) {
    var names = NameFields()
    // Mostly all positions of a tag have the same name.
    var current = tags.map { ($0.tag.first ?? "", $0.count > 0 ? names.place(of: $0.tag[0]) : 0) }
    var order = OrderOfTime(tags.map(\.time))
    while let (tag, index) = order.next() {
      if tags[tag].tag[index] != current[tag].0 {
        current[tag] = (tags[tag].tag[index], names.place(of: tags[tag].tag[index]))
      }
      append(tags[tag], at: index, name: current[tag].1, of: names.table, to: &row)
    }
  }

  @inline(__always)
  private func append(
    _ columns: PositionColumns, at index: Int, name: Int, of names: FieldTable,
    to row: inout CSVRow
  ) {
    row.writeRow(most: Self.most + names.longest) { cursor in
      cursor.append(columns.time[index], decimals: timeDecimals)
      cursor.append(name, of: names)
      let position = columns.position[index]
      cursor.append(position[0], decimals: 4)
      cursor.append(position[1], decimals: 4)
      cursor.append(position[2], decimals: 4)
      let covariance = columns.covariance[index]
      cursor.append(covariance[0, 0], decimals: 8)
      cursor.append(covariance[0, 1], decimals: 8)
      cursor.append(covariance[0, 2], decimals: 8)
      cursor.append(covariance[1, 1], decimals: 8)
      cursor.append(covariance[1, 2], decimals: 8)
      cursor.append(covariance[2, 2], decimals: 8)
      cursor.append(columns.used[index])
      cursor.append(columns.rejected[index])
      cursor.append(columns.status[index].place, of: statuses)
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
