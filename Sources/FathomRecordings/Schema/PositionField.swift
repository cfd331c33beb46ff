import Fathom

/// A column of the table of positions, `NAME.positions.csv`.
package enum PositionField: Hashable, Sendable {
  case time
  /// The located object: the tag or, without anchors, the accessory.
  case tag
  /// `x_m`, `y_m`, `z_m`, by axis.
  case coordinate(Int)
  /// `sxx`, `sxy`, `sxz`, `syy`, `syz`, `szz`, by row and column: the upper triangle, m².
  case covariance(Int, Int)
  /// The numbers of ranges that contributed, and that did not.
  case used, rejected
  case status
  /// WGS84, degrees and metres.
  case latitude, longitude, altitude
  /// `alt_x_m`, `alt_y_m`, `alt_z_m`, by axis: the other position of an ambiguous one.
  case alternative(Int)

  /// The upper triangle of the covariance, row by row.
  static let covariance: [Self] = (0..<3).flatMap { row in
    (row..<3).map { .covariance(row, $0) }
  }

  private static let axes = ["x", "y", "z"]
}

/// A row of the table of positions.
package struct LocatedRow: Sendable {
  var position: PositionRow
  /// Index of the located object's name.
  var name: Int32
  /// The position on WGS84; only for text.
  var geodetic = GeodeticPosition(latitude: .nan, longitude: .nan, altitude: .nan)

  /// Creates a row for columns in memory.
  init(_ position: PositionRow, name: Int) {
    (self.position, self.name) = (position, Int32(name))
  }

  /// Creates a row for text, with the digits of the covariance and the values of `geodetic`.
  init(_ position: PositionRow, name: Int, textWith geodetic: GeodeticColumns?) {
    self.init(position, name: name)
    self.position.covariance = position.covariance.withPositiveDigits
    if let geodetic { self.geodetic = geodetic.values(of: position.position) }
  }
}

extension PositionField: ResultField {
  package static let allCases: [Self] =
    [.time, .tag] + (0..<3).map { .coordinate($0) } + covariance
    + [.used, .rejected, .status, .latitude, .longitude, .altitude]
    + (0..<3).map { .alternative($0) }

  package static var emptyRow: LocatedRow {
    LocatedRow(.starting(at: Timestamp(nanoseconds: 0), used: 0, rejected: 0), name: 0)
  }

  package var name: String {
    switch self {
    case .time: "time_s"
    case .tag: "tag"
    case .coordinate(let axis): "\(Self.axes[axis])_m"
    case .covariance(let row, let column): "s\(Self.axes[row])\(Self.axes[column])"
    case .used: "ranges_used"
    case .rejected: "ranges_rejected"
    case .status: "status"
    case .latitude: "latitude_deg"
    case .longitude: "longitude_deg"
    case .altitude: "altitude_m"
    case .alternative(let axis): "alt_\(Self.axes[axis])_m"
    }
  }

  package var content: ResultContent {
    switch self {
    case .time: .time
    case .tag: .name(.located)
    case .coordinate, .altitude, .alternative: .number(decimals: 4)
    case .covariance: .number(decimals: 8)
    // 0.1 mm on the ground.
    case .latitude, .longitude: .number(decimals: 9)
    case .used, .rejected: .count
    case .status: .word
    }
  }

  package var words: [String] { self == .status ? PositionColumns.Status.words : [] }

  package var extra: ExtraColumns? {
    switch self {
    case .latitude, .longitude, .altitude: .geodetic
    case .alternative: .alternative
    default: nil
    }
  }

  @inline(__always)
  package func value(in row: LocatedRow) -> ResultValue {
    switch self {
    case .time: .time(row.position.time)
    case .tag: .name(row.name)
    case .coordinate(let axis): .number(row.position.position[axis])
    case .covariance(let first, let second): .number(row.position.covariance[first, second])
    case .used: .count(row.position.used)
    case .rejected: .count(row.position.rejected)
    case .status: .word(row.position.status.code)
    case .latitude: .number(row.geodetic.latitude)
    case .longitude: .number(row.geodetic.longitude)
    case .altitude: .number(row.geodetic.altitude)
    case .alternative(let axis): .number(row.position.alternative?[axis] ?? .nan)
    }
  }

  package func set(_ value: ResultValue, in row: inout LocatedRow) {
    switch (self, value) {
    case (.time, .time(let time)): row.position.time = time
    case (.tag, .name(let name)): row.name = name
    case (.coordinate(let axis), .number(let number)): row.position.position[axis] = number
    case (.covariance(let first, let second), .number(let number)):
      row.position.covariance[first, second] = number
      row.position.covariance[second, first] = number
    case (.used, .count(let count)): row.position.used = count
    case (.rejected, .count(let count)): row.position.rejected = count
    case (.status, .word(let code)):
      row.position.status = PositionColumns.Status(code: code) ?? row.position.status
    case (.alternative(let axis), .number(let number)) where !number.isNaN:
      row.position.alternative = row.position.alternative ?? .undetermined
      row.position.alternative?[axis] = number
    default: break
    }
  }
}
