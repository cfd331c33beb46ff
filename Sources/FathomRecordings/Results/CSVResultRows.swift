import Fathom

/// Writes rows of `NAME.positions.csv`: the columns of ``PositionField``, with the fast kernels for
/// groups of numbers.
struct CSVPositionRows: Sendable {
  private let statuses = FieldTable(PositionColumns.Status.words.map { Array($0.utf8) })
  /// Additional columns; nil without them.
  var geodetic: GeodeticColumns?
  /// Whether rows have the columns of the other position.
  var hasAlternative = false

  /// Appends the row of a position of the object at index `name` of `names`.
  @inline(__always)
  func append(
    _ position: PositionRow, name: Int, of names: FieldTable, _ times: inout TimeColumn,
    to row: inout CSVBuffer
  ) {
    row.writeRow(most: Self.most + names.longest) { cursor in
      cursor.append(position.time, of: &times)
      cursor.append(name, of: names)
      cursor.appendWithFourDecimals(
        position.position[0], position.position[1], position.position[2])
      cursor.appendWithEightDecimals(position.covariance.withPositiveDigits)
      cursor.append(position.used)
      cursor.append(position.rejected)
      cursor.append(Int(position.status.rawValue), of: statuses)
      if let geodetic {
        let values = geodetic.values(of: position.position)
        cursor.append(values.latitude, decimals: 9)
        cursor.append(values.longitude, decimals: 9)
        cursor.append(values.altitude, decimals: 4)
      }
      if hasAlternative {
        let other = position.alternative ?? .undetermined
        cursor.appendWithFourDecimals(other[0], other[1], other[2])
      }
    }
  }

  /// Eighteen numbers with their commas, one word, and the 16 bytes that every field needs.
  private static let most = 18 * (FixedDecimal.mostBytes + 1) + 48
}

/// Writes rows of `NAME.distances.csv`: the columns of ``DistanceField``.
struct CSVDistanceRows: Sendable {
  /// Combined quality and zone fields; the index is 3 × the quality's code + the zone's code.
  private let verdicts = FieldTable(
    MeasurementQuality.words.flatMap { quality in
      DistanceColumns.Zone.words.map { Array("\(quality),\($0)".utf8) }
    })
  private let decisions = FieldTable(DistanceColumns.Decision.words.map { Array($0.utf8) })

  /// Appends a row.
  @inline(__always)
  func append(
    _ values: DistanceRow, tags: FieldTable, anchors: FieldTable, _ times: inout TimeColumn,
    to row: inout CSVBuffer
  ) {
    let result = values.result
    row.writeRow(most: Self.most + tags.longest + anchors.longest) { cursor in
      cursor.append(values.time, of: &times)
      cursor.append(Int(values.tag), of: tags)
      cursor.append(Int(values.anchor), of: anchors)
      cursor.appendWithFourDecimals(values.distance, result.smoothed, result.sigma)
      cursor.append(3 * Int(result.quality.rawValue) + Int(result.zone.rawValue), of: verdicts)
      if values.azimuth.isNaN, values.elevation.isNaN {
        cursor.appendEmpty()
        cursor.appendEmpty()
      } else {
        cursor.append(values.azimuth, decimals: 6)
        cursor.append(values.elevation, decimals: 6)
      }
      cursor.append(Int(result.decision.rawValue), of: decisions)
    }
  }

  /// Six numbers with their commas, the words, and the 16 bytes that every field needs.
  private static let most = 6 * (FixedDecimal.mostBytes + 1) + 64
}
