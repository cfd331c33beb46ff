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

  private static let axes = ["x", "y", "z"]
}

/// A row of the table of positions.
package struct LocatedRow: Sendable {
  var position: PositionRow
  /// Index of the located object's name.
  var name: Int32
  /// The position on WGS84, for text only.
  var geodetic: GeodeticPosition?

  /// Creates a row for columns in memory.
  init(_ position: PositionRow, name: Int) {
    (self.position, self.name) = (position, Int32(name))
  }

  /// Creates a row for text, with the digits of the covariance and the values of `geodetic`.
  init(_ position: PositionRow, name: Int, textWith geodetic: GeodeticColumns?) {
    self.init(position, name: name)
    self.position.covariance = position.covariance.withPositiveDigits
    self.geodetic = geodetic?.values(of: position.position)
  }
}

extension PositionField: ResultField {
  package static let allCases: [Self] = [
    .time, .tag, .coordinate(0), .coordinate(1), .coordinate(2), .covariance(0, 0),
    .covariance(0, 1), .covariance(0, 2), .covariance(1, 1), .covariance(1, 2), .covariance(2, 2),
    .used, .rejected, .status, .latitude, .longitude, .altitude, .alternative(0), .alternative(1),
    .alternative(2),
  ]

  package static var emptyRow: LocatedRow {
    LocatedRow(.starting(at: Timestamp(nanoseconds: 0), used: 0, rejected: 0), name: 0)
  }

  package var column: ResultColumn {
    switch self {
    case .time: .init(name: "time_s", content: .time)
    case .tag: .init(name: "tag", content: .name(.located))
    case .coordinate(let axis): .init(name: "\(Self.axes[axis])_m", content: .number(decimals: 4))
    case .covariance(let row, let column):
      .init(name: "s\(Self.axes[row])\(Self.axes[column])", content: .number(decimals: 8))
    case .used: .init(name: "ranges_used", content: .count)
    case .rejected: .init(name: "ranges_rejected", content: .count)
    case .status: .init(name: "status", content: .word, words: PositionColumns.Status.words)
    // 0.1 mm on the ground.
    case .latitude: .init(name: "latitude_deg", content: .number(decimals: 9), extra: .geodetic)
    case .longitude: .init(name: "longitude_deg", content: .number(decimals: 9), extra: .geodetic)
    case .altitude: .init(name: "altitude_m", content: .number(decimals: 4), extra: .geodetic)
    case .alternative(let axis):
      .init(name: "alt_\(Self.axes[axis])_m", content: .number(decimals: 4), extra: .alternative)
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
    case .status: .word(row.position.status.rawValue)
    case .latitude: .number(row.geodetic?.latitude ?? .nan)
    case .longitude: .number(row.geodetic?.longitude ?? .nan)
    case .altitude: .number(row.geodetic?.altitude ?? .nan)
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
      row.position.status = PositionColumns.Status(rawValue: code) ?? row.position.status
    case (.alternative(let axis), .number(let number)) where !number.isNaN:
      row.position.alternative = row.position.alternative ?? .undetermined
      row.position.alternative?[axis] = number
    default: break
    }
  }
}
