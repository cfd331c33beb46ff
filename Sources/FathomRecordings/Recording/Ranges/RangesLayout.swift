/// The known columns of a ranges file.
enum RangesColumn: Int, CaseIterable {
  case time, tag, anchor, distance, sigma
  case azimuth, elevation, horizontalAngle
  case directionX, directionY, directionZ
  case verticalEstimate, rssi, firstPathRSSI, nonLineOfSight, trueDistance, height, event

  /// Names of the columns, in the order of the cases.
  static let names = allCases.map(\.name)
  /// The same, none of which is required.
  static let optionalNames = names.map {
    ColumnName($0.name, $0.stems, $0.quantity, isRequired: false)
  }

  private var name: ColumnName {
    switch self {
    case .time:
      .init(
        "time_s",
        [
          "time", "timestamp", "t", "timestamp_unix", "unix_time", "time_unix", "unix", "epoch",
          "timestamp_iso", "datetime", "date_time",
        ], .time, isRequired: true)
    case .tag: .init("tag", ["tag", "tag_id", "tagid"])
    case .anchor:
      .init(
        "anchor",
        [
          "anchor", "anchor_id", "anchorid", "accessory", "accessory_id", "peer", "peer_id",
          "tanchor",
        ])
    case .distance:
      .init("distance_m", ["distance", "range", "dist", "observed"], .length, isRequired: true)
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
    case .trueDistance:
      .init("truth_distance_m", ["truth_distance", "true_distance", "expected"], .length)
    case .height: .init("height_m", ["height", "tag_height"], .length)
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
  let decimalSeparator: DecimalSeparator
  /// How rows state their time.
  let times: RowTimes
  /// Columns of the distances to the anchors, if the file has one row per epoch; otherwise empty.
  let anchorColumns: [AnchorColumn]
  let timeUnit: TimeUnit
  let distanceUnit: DistanceUnit
  let sigmaUnit: DistanceUnit
  let trueDistanceUnit: DistanceUnit
  let heightUnit: DistanceUnit
  /// Units of azimuth, elevation and horizontal angle.
  let angleUnits: [RangesColumn: AngleUnit]
  /// Whether the file has all three components of a direction.
  let hasDirection: Bool
  /// Columns of angles whose unit the header or the caller states.
  let statedAngles: Set<RangesColumn>
  /// Notes on the header.
  let notes: [String]

  /// Creates the layout from the header at `scanner` and the caller's options.
  ///
  /// - Parameters:
  ///   - scanner: scanner at the header; before the first row if `sample` has names.
  ///   - options: names, units and separators given by the caller.
  ///   - path: path of the file, for messages.
  ///   - declared: names of the declared anchors, which columns can have as names.
  ///   - sample: the first rows; nil to decide by the header alone.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` when there is no column of distances.
  init(
    at scanner: CSVScanner, options: RecordingOptions, path: String, declared: [String] = [],
    sample: RowSample? = nil
  ) throws(RecordingError) {
    func header(
      _ columns: [ColumnName], _ sample: RowSample?
    ) throws(RecordingError) -> CSVHeader {
      if let names = sample?.names {
        return try CSVHeader(names: names, columns: columns, path: path, line: nil)
      }
      return try CSVHeader(at: scanner, columns: columns, renames: options.columns, path: path)
    }
    // A file can lack times, and one row per epoch has other columns of distances.
    var found = try header(RangesColumn.optionalNames, sample)
    let taken = Set(found.matches.compactMap { $0?.field })
    let anchorColumns =
      found.matches[RangesColumn.distance.rawValue] == nil
      ? AnchorColumn.all(of: found.names, except: taken, declared: declared) : []
    if found.matches[RangesColumn.distance.rawValue] == nil, anchorColumns.isEmpty {
      _ = try header(RangesColumn.names, sample)
    }
    self.anchorColumns = anchorColumns
    if !anchorColumns.isEmpty { found.ignore(except: taken.union(anchorColumns.map(\.field))) }
    let header = found
    self.header = header
    delimiter = Delimiter.allCases.first { $0.byte == scanner.delimiter } ?? .comma
    var notes: [String] = []
    let lengths = [header.matches[RangesColumn.distance.rawValue]?.field].compactMap { $0 }
    let decimalSeparator =
      options.decimalSeparator == .point
      ? sample?.decimalSeparator(lengths + anchorColumns.map(\.field)) ?? .point : .comma
    self.decimalSeparator = decimalSeparator
    if decimalSeparator != options.decimalSeparator {
      notes.append("numbers have a decimal comma (--decimal states another separator)")
    }
    if !anchorColumns.isEmpty {
      notes.append(
        "one row per epoch, with a column for each of the anchors"
          + " \(Excerpt.list(anchorColumns.map(\.anchor)))")
    }

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
    let statedUnit = header.matches[RangesColumn.time.rawValue]?.unit
    let time = header.matches[RangesColumn.time.rawValue]
    let guess = time.flatMap { sample?.times($0.field, separator: decimalSeparator) }
    let isStated = options.timeUnit != nil || statedUnit != nil
    let times: RowTimes =
      switch guess?.times {
      case nil: time == nil ? .none : .number
      case .digits where isStated: .number
      case let found?: found
      }
    self.times = times
    let usualUnit = guess?.unit ?? .seconds
    timeUnit = unit(of: .time, options.timeUnit, usualUnit)
    if let time {
      let name = time.given
      switch times {
      case .number where !isStated && usualUnit != .seconds:
        notes.append(
          "column \(name) is read in \(usualUnit.rawValue), by its magnitude (--time-unit states"
            + " another)")
      case .number where !isStated && usualUnit == .seconds:
        if let step = sample?.medianStep(time.field, separator: decimalSeparator),
          step >= Self.longSteps
        {
          notes.append(
            "column \(name) is read in s, and most rows are \(step) s apart; --time-unit states another"
              + " unit")
        }
      case .clock: notes.append("column \(name) has dates or times of day")
      case .digits:
        notes.append(
          "column \(name) is read as times of day, HHMMSSmmm (--time-unit states a unit)")
      default: break
      }
    }
    let distanceUnit = unit(of: .distance, options.distanceUnit, .metres)
    self.distanceUnit = distanceUnit
    // Sigma and true distance without a unit of their own use the unit of distances.
    sigmaUnit = unit(of: .sigma, nil, distanceUnit)
    trueDistanceUnit = unit(of: .trueDistance, nil, distanceUnit)
    heightUnit = unit(of: .height, nil, .metres)
    var angleUnits: [RangesColumn: AngleUnit] = [:]
    for column in [RangesColumn.azimuth, .elevation, .horizontalAngle] {
      angleUnits[column] = unit(of: column, options.angleUnit, .radians)
    }
    self.angleUnits = angleUnits
    statedAngles = Set(
      angleUnits.keys.filter {
        options.angleUnit != nil || header.matches[$0.rawValue]?.unit != nil
      })

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

  /// Interval between rows from which seconds are doubtful as the unit of times, in seconds.
  ///
  /// Milliseconds at 20 Hz have this interval. At half of it, slow recordings would be noted too.
  private static let longSteps = 50.0

  /// Creates the layout of a device log, whose columns are those that its ranges can have.
  init(log format: LogFormat, reason: String) {
    self.format = format
    self.reason = reason
    header = CSVHeader(
      columns: RangesColumn.names,
      present: ([.time, .tag, .anchor, .distance] + format.columns).map(\.rawValue))
    delimiter = .comma
    (timeUnit, distanceUnit, sigmaUnit, trueDistanceUnit) = (.seconds, .metres, .metres, .metres)
    heightUnit = .metres
    angleUnits = [.azimuth: .radians, .elevation: .radians]
    hasDirection = false
    decimalSeparator = .point
    (times, anchorColumns, statedAngles) = (.number, [], [])
    notes = []
  }

  /// Whether `head` begins with a row that names the columns of a ranges file.
  static func isHeader(
    _ head: [UInt8], options: RecordingOptions, declared: [String]
  ) -> Bool {
    if !options.columns.isEmpty { return true }
    let bytes = head.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(head.dropFirst(3)) : head
    var scanner = CSVScanner(
      bytes, delimiter: options.delimiter ?? CSVScanner.detectedDelimiter(of: bytes))
    guard scanner.next() else { return true }
    // A line of a log with a word that is also the name of a column has numbers, too.
    if let layout = try? RangesLayout(at: scanner, options: options, path: ""),
      !layout.header.names.contains(where: { $0.contains(".") && Double($0) != nil })
    {
      return true
    }
    // Columns called like declared anchors.
    guard !declared.isEmpty,
      let layout = try? RangesLayout(at: scanner, options: options, path: "", declared: declared)
    else { return false }
    return !layout.anchorColumns.isEmpty
  }

  /// Returns the unit of the numbers in `column`; nil when they have none.
  func unit(of column: RangesColumn) -> String? {
    switch column {
    case .time: timeUnit.rawValue
    case .distance: distanceUnit.rawValue
    case .sigma: sigmaUnit.rawValue
    case .trueDistance: trueDistanceUnit.rawValue
    case .height: heightUnit.rawValue
    case .azimuth, .elevation, .horizontalAngle: angleUnits[column]?.rawValue
    case .rssi, .firstPathRSSI: "dBm"
    default: nil
    }
  }

  /// Whether a row depends on the rows before it.
  var needsContext: Bool { times != .number }

  /// Match of `column`; nil when the file lacks it.
  subscript(column: RangesColumn) -> CSVHeader.Match? { header.matches[column.rawValue] }
}

/// The known names at the start of a run of rows.
struct RangesNames {
  /// Names of tags and of anchors.
  var tags: NameTable
  var anchors: NameTable
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
