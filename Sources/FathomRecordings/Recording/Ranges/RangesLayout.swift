/// The known columns of a ranges file.
enum RangesColumn: Int, CaseIterable {
  case time, tag, anchor, distance, sigma
  case azimuth, elevation, horizontalAngle
  case directionX, directionY, directionZ
  case verticalEstimate, rssi, firstPathRSSI, nonLineOfSight, trueDistance, event

  /// Names of the columns, in the order of the cases.
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

/// The columns of a ranges file and their units.
struct RangesLayout {
  /// Format of the file.
  var format = LogFormat.csv
  /// Why the format was recognised, for the user.
  var reason = "the header names its columns"
  let header: CSVHeader
  let delimiter: Delimiter
  let timeUnit: TimeUnit
  let distanceUnit: DistanceUnit
  let sigmaUnit: DistanceUnit
  let trueDistanceUnit: DistanceUnit
  /// Units of azimuth, elevation and horizontal angle.
  let angleUnits: [RangesColumn: AngleUnit]
  /// Whether the file has all three components of a direction.
  let hasDirection: Bool
  /// Notes on the header.
  let notes: [String]

  /// Creates the layout from the header at `scanner` and the caller's options.
  init(at scanner: CSVScanner, options: RecordingOptions, path: String) throws(RecordingError) {
    let header = try CSVHeader(
      at: scanner, columns: RangesColumn.names, renames: options.columns, path: path)
    self.header = header
    delimiter = Delimiter.allCases.first { $0.byte == scanner.delimiter } ?? .comma
    var notes: [String] = []

    /// Returns the caller's unit, or the one in the column's name, or `usual`.
    func unit<Unit: RawRepresentable<String> & Equatable>(
      of column: RangesColumn, _ asked: Unit?, _ usual: Unit
    ) -> Unit {
      guard let match = header.matches[column.rawValue] else { return asked ?? usual }
      let named = match.unit.flatMap { Unit(rawValue: $0) }
      if let asked, let named, asked != named {
        notes.append("column \(match.given) is read in \(asked.rawValue), as requested")
      }
      return asked ?? named ?? usual
    }
    timeUnit = unit(of: .time, options.timeUnit, .seconds)
    let distanceUnit = unit(of: .distance, options.distanceUnit, .metres)
    self.distanceUnit = distanceUnit
    // Sigma and true distance without a unit of their own use the unit of distances.
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
      notes.append("the direction columns are ignored: missing \(names)")
    }
    if !header.ignored.isEmpty {
      notes.append("ignored columns: \(Excerpt.list(header.ignored))")
    }
    self.notes = notes
  }

  /// Creates the layout of a device log, whose columns are those that its ranges can have.
  init(log format: LogFormat, reason: String) {
    self.format = format
    self.reason = reason
    header = CSVHeader(
      columns: RangesColumn.names,
      present: ([.time, .tag, .anchor, .distance] + format.columns).map(\.rawValue))
    delimiter = .comma
    (timeUnit, distanceUnit, sigmaUnit, trueDistanceUnit) = (.seconds, .metres, .metres, .metres)
    angleUnits = [.azimuth: .radians, .elevation: .radians]
    hasDirection = false
    notes = []
  }

  /// Whether `head` begins with a row that names the columns of a ranges file.
  static func isHeader(_ head: [UInt8], options: RecordingOptions) -> Bool {
    if !options.columns.isEmpty { return true }
    let bytes = head.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(head.dropFirst(3)) : head
    var scanner = CSVScanner(
      bytes, delimiter: options.delimiter ?? CSVScanner.detectedDelimiter(of: bytes))
    guard scanner.next() else { return true }
    return (try? RangesLayout(at: scanner, options: options, path: "")) != nil
  }

  /// Returns the unit of the numbers in `column`; nil when they have none.
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

  /// Match of `column`; nil when the file lacks it.
  subscript(column: RangesColumn) -> CSVHeader.Match? { header.matches[column.rawValue] }
}

/// The known names at the start of a run of rows.
struct RangesNames {
  /// Names of tags and of anchors.
  var tags: NameTable
  var anchors: NameTable
  /// Index from which anchors are undeclared; rows that name them are left to ``RangesRow``.
  var declaredAnchors: Int
  /// Index of the only tag when the file has no column for it; nil before the first row.
  var onlyTag: Int32? = nil
  /// Index of the only anchor when the file has no column for it; nil before the first row.
  var onlyAnchor: Int32? = nil
}

/// A parsing position in a text.
struct RangesPosition {
  /// Offset of the first byte that has not been parsed.
  var position: Int
  /// Line of that byte.
  var line: Int
}
