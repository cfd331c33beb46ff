/// The columns that a ranges file can have.
enum RangesColumn: Int, CaseIterable {
  case time, tag, anchor, distance, sigma
  case azimuth, elevation, horizontalAngle
  case directionX, directionY, directionZ
  case verticalEstimate, rssi, firstPathRSSI, nonLineOfSight, trueDistance, event

  /// The names of the columns, in the order of the cases.
  static let names = allCases.map(\.name)

  private var name: ColumnName {
    switch self {
    case .time: .init("time_s", ["time", "timestamp", "t"], .time, isRequired: true)
    case .tag: .init("tag", ["tag", "tag_id", "tagid"])
    case .anchor:
      .init(
        "anchor",
        ["anchor", "anchor_id", "anchorid", "accessory", "accessory_id", "peer", "peer_id"])
    case .distance: .init("distance_m", ["distance", "range", "dist"], .length, isRequired: true)
    case .sigma: .init("sigma_m", ["sigma", "distance_sigma", "range_sigma"], .length)
    case .azimuth: .init("azimuth_rad", ["azimuth"], .angle)
    case .elevation: .init("elevation_rad", ["elevation"], .angle)
    case .horizontalAngle:
      .init("horizontal_angle_rad", ["horizontal_angle", "horizontalangle"], .angle)
    case .directionX: .init("direction_x", ["direction_x", "directionx"])
    case .directionY: .init("direction_y", ["direction_y", "directiony"])
    case .directionZ: .init("direction_z", ["direction_z", "directionz"])
    case .verticalEstimate:
      .init(
        "vertical_estimate",
        ["vertical_estimate", "verticalestimate", "vertical_direction_estimate"])
    case .rssi: .init("rssi_dbm", ["rssi"], .level)
    case .firstPathRSSI:
      .init("rssi_first_path_dbm", ["rssi_first_path", "first_path_rssi"], .level)
    case .nonLineOfSight: .init("nlos", ["nlos"])
    case .trueDistance: .init("truth_distance_m", ["truth_distance", "true_distance"], .length)
    case .event: .init("event", ["event"])
    }
  }
}

/// Where the columns of one ranges file are and in which units.
struct RangesLayout {
  let header: CSVHeader
  let delimiter: Delimiter
  let timeUnit: TimeUnit
  let distanceUnit: DistanceUnit
  let sigmaUnit: DistanceUnit
  let trueDistanceUnit: DistanceUnit
  /// Units of azimuth, elevation and horizontal angle.
  let angleUnits: [RangesColumn: AngleUnit]
  /// Whether all three components of a direction are there.
  let hasDirection: Bool
  /// Remarks about the header.
  let notes: [String]

  /// The layout that the header at `scanner` and the caller's options give together.
  init(at scanner: CSVScanner, options: RecordingOptions, path: String) throws(RecordingError) {
    let header = try CSVHeader(
      at: scanner, columns: RangesColumn.names, renames: options.columns, path: path)
    self.header = header
    delimiter = Delimiter.allCases.first { $0.byte == scanner.delimiter } ?? .comma
    var notes: [String] = []

    /// The caller's unit, else the one in the column's name, else `usual`.
    func unit<Unit: RawRepresentable<String> & Equatable>(
      of column: RangesColumn, _ asked: Unit?, _ usual: Unit
    ) -> Unit {
      guard let match = header.matches[column.rawValue] else { return asked ?? usual }
      let named = match.unit.flatMap { Unit(rawValue: $0) }
      if let asked, let named, asked != named {
        notes.append("column \(match.given) is read in \(asked.rawValue), as asked")
      }
      return asked ?? named ?? usual
    }
    timeUnit = unit(of: .time, options.timeUnit, .seconds)
    let distanceUnit = unit(of: .distance, options.distanceUnit, .metres)
    self.distanceUnit = distanceUnit
    // Sigma and true distance without units of their own go with the distances.
    sigmaUnit = unit(of: .sigma, nil, distanceUnit)
    trueDistanceUnit = unit(of: .trueDistance, nil, distanceUnit)
    var angleUnits: [RangesColumn: AngleUnit] = [:]
    for column in [RangesColumn.azimuth, .elevation, .horizontalAngle] {
      angleUnits[column] = unit(of: column, options.angleUnit, .radians)
    }
    self.angleUnits = angleUnits

    let directions = [RangesColumn.directionX, .directionY, .directionZ]
    let absent = directions.filter { header.matches[$0.rawValue] == nil }
    hasDirection = absent.isEmpty
    if !absent.isEmpty, absent.count < directions.count {
      let names = absent.map { RangesColumn.names[$0.rawValue].name }.joined(separator: ", ")
      notes.append("the direction columns are ignored: \(names) is missing")
    }
    if !header.ignored.isEmpty {
      notes.append("ignored columns: \(Excerpt.list(header.ignored))")
    }
    self.notes = notes
  }

  /// The unit that the numbers of `column` are read in; nil where they have none.
  func unit(of column: RangesColumn) -> String? {
    switch column {
    case .time: timeUnit.rawValue
    case .distance: distanceUnit.rawValue
    case .sigma: sigmaUnit.rawValue
    case .trueDistance: trueDistanceUnit.rawValue
    case .azimuth, .elevation, .horizontalAngle: angleUnits[column]?.rawValue
    case .rssi, .firstPathRSSI: "dBm"
    default: nil
    }
  }

  /// Where `column` is; nil where the file lacks it.
  subscript(column: RangesColumn) -> CSVHeader.Match? { header.matches[column.rawValue] }
}

/// What is known of names when a run of rows begins.
struct RangesNames {
  /// The tags, and the anchors.
  var tags: NameTable
  var anchors: NameTable
  /// Anchors at this place and beyond are not declared; rows that name them are left to ``RangesRow``.
  var declaredAnchors: Int
  /// Place of the tag where the file has no column for it; nil: not named yet.
  var onlyTag: Int32? = nil
  /// Place of the anchor where the file has no column for it; nil: not named yet.
  var onlyAnchor: Int32? = nil
}

/// Where in a text a reader stands.
struct RangesPosition {
  /// Offset of the first byte that is not taken.
  var position: Int
  /// Its line.
  var line: Int
}
