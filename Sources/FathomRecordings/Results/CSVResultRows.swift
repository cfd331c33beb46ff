import Fathom

/// Writes rows of `NAME.positions.csv`.
struct CSVPositionRows: Sendable {
  private let statuses = FieldTable(PositionColumns.Status.self, place: \.place)
  /// Additional columns; nil without them.
  var geodetic: GeodeticColumns?
  /// Whether rows have the columns of the other position.
  var hasAlternative = false

  /// Appends a row.
  ///
  /// - Parameters:
  ///   - position: the position.
  ///   - name: index in `names` of the located object.
  ///   - names: the names of the located objects.
  ///   - times: the column of the instants.
  ///   - row: the text so far, at the beginning of a row.
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
      cursor.append(position.status.place, of: statuses)
      if let geodetic {
        let values = geodetic.values(of: position.position)
        cursor.append(values.latitude, decimals: GeodeticColumns.decimals)
        cursor.append(values.longitude, decimals: GeodeticColumns.decimals)
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

extension PositionColumns.Status {
  /// The index of the case in the table of words.
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

/// Writes rows of `NAME.distances.csv`.
struct CSVDistanceRows: Sendable {
  /// The direction in a row, radians; NaN if unknown.
  typealias Angles = (azimuth: Double, elevation: Double)

  /// Combined quality and zone fields; the index is 3 × the quality's index + the zone's index.
  private let verdicts: FieldTable
  private let decisions = FieldTable(DistanceColumns.Decision.self, place: \.place)

  /// Creates the row writer with the words of all verdicts.
  init() {
    var verdicts = [[UInt8]](repeating: [], count: 9)
    for quality in MeasurementQuality.allCases {
      for zone in DistanceColumns.Zone.allCases {
        verdicts[3 * quality.place + zone.place] = Array(
          "\(quality.rawValue),\(zone.rawValue)".utf8)
      }
    }
    self.verdicts = FieldTable(verdicts)
  }

  /// Appends a row.
  ///
  /// - Parameters:
  ///   - time: the instant at which the range was measured.
  ///   - tag: index of the tag in `tags`.
  ///   - anchor: index of the anchor in `anchors`.
  ///   - distance: the measured distance, metres.
  ///   - result: the result for the range.
  ///   - angles: its direction; nil if the recording has none.
  ///   - tags: the names of the tags.
  ///   - anchors: the names of the anchors.
  ///   - times: the column of the instants.
  ///   - row: the text so far, at the beginning of a row.
  @inline(__always)
  func append(
    time: Timestamp, tag: Int, anchor: Int, distance: Double, _ result: RangeResult,
    angles: Angles?, tags: FieldTable, anchors: FieldTable, _ times: inout TimeColumn,
    to row: inout CSVBuffer
  ) {
    row.writeRow(most: Self.most + tags.longest + anchors.longest) { cursor in
      cursor.append(time, of: &times)
      cursor.append(tag, of: tags)
      cursor.append(anchor, of: anchors)
      cursor.appendWithFourDecimals(distance, result.smoothed, result.sigma)
      cursor.append(3 * result.quality.place + result.zone.place, of: verdicts)
      if let angles {
        cursor.append(angles.azimuth, decimals: 6)
        cursor.append(angles.elevation, decimals: 6)
      } else {
        cursor.appendEmpty()
        cursor.appendEmpty()
      }
      cursor.append(result.decision.place, of: decisions)
    }
  }

  /// Six numbers with their commas, the words, and the 16 bytes that every field needs.
  private static let most = 6 * (FixedDecimal.mostBytes + 1) + 64
}

extension MeasurementQuality {
  /// The index of the case in the table of words.
  @inline(__always)
  fileprivate var place: Int {
    switch self {
    case .unknown: 0
    case .good: 1
    case .close: 2
    }
  }
}

extension DistanceColumns.Zone {
  /// The index of the case in the table of words.
  @inline(__always)
  fileprivate var place: Int {
    switch self {
    case .inner: 0
    case .outer: 1
    case .outside: 2
    }
  }
}

extension DistanceColumns.Decision {
  /// The index of the case in the table of words.
  @inline(__always)
  fileprivate var place: Int {
    switch self {
    case .used: 0
    case .discounted: 1
    case .nonLineOfSight: 2
    case .starting: 3
    case .duplicate: 4
    case .unused: 5
    }
  }
}
