import Fathom

/// An optional number of a row of ranges, whatever the row comes from: a file, a log, or a table in memory.
///
/// This is the only list of these columns. Readers, writers and the C interface go through it.
public enum RangeQuantity: Int, CaseIterable, Sendable, Hashable {
  /// Standard deviation of the distance, in metres.
  case sigma
  /// Azimuth of the anchor as recorded, in radians.
  case azimuth
  /// Elevation of the anchor as recorded, in radians.
  case elevation
  /// Horizontal angle to the anchor, in radians, positive to the right.
  case horizontalAngle
  /// Component to the right of the direction to the anchor, a unit vector in the device frame.
  ///
  /// Rows have all three components or none.
  case directionX
  /// Component upwards of the direction.
  case directionY
  /// Component of the direction towards the user; a peer straight ahead has -1.
  case directionZ
  /// Raw value of the vertical estimate: unknown 0, same 1, above 2, below 3, above or below 4.
  case verticalEstimate
  /// Received signal strength (RSSI), in dBm.
  case rssi
  /// Signal strength of the first path, in dBm.
  case firstPathRSSI
  /// Recorded label: 0 for line of sight, 1 for an obstructed path.
  case nonLineOfSight
  /// True distance, in metres, when the recording provides it; never used for estimates.
  case trueDistance
  /// Measured height of the tag at the time of the range, in metres.
  case height

  /// The number of quantities, a literal for ``PerQuantity``.
  static let count = 13

  /// Name in Fathom's own files, such as `sigma_m`.
  public var name: String { column.name }

  /// Names, aliases and unit of the column.
  var column: ColumnName {
    switch self {
    // A `Std Dev` of phones is that of the samples of one measurement, not of its whole error.
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
    }
  }

  /// The components of a direction, which a row has together.
  static let direction: [RangeQuantity] = [.directionX, .directionY, .directionZ]

  /// Largest magnitude of an angle whose unit nothing states, in radians: 2π, rounded up.
  static let largestAngle = 6.3

  /// Tolerance of the length of a direction around 1: wide enough for vectors with few digits.
  static let directionTolerance = 0.1

  /// Returns the value of a word for the quantity, in lower case; nil when it is not such a word.
  func value(of word: String) -> Double? {
    switch (self, word) {
    case (.verticalEstimate, "unknown"), (.nonLineOfSight, "false"): 0
    case (.verticalEstimate, "same"), (.nonLineOfSight, "true"): 1
    case (.verticalEstimate, "above"): 2
    case (.verticalEstimate, "below"): 3
    case (.verticalEstimate, "aboveorbelow"), (.verticalEstimate, "above_or_below"): 4
    default: nil
    }
  }

  /// Returns the number to store for `value`, in SI units; NaN when it stands for "not available".
  ///
  /// - Parameters:
  ///   - value: the number; NaN if the row has none.
  ///   - unitHint: what to try if an angle is too large for radians; nil if the source states the unit, so
  ///     that angles have no limit.
  ///   - name: the name of the column in its source, for the reason.
  ///   - text: the number in its source, for the reason.
  /// - Returns: the number to store.
  /// - Throws: the reason for which the row is rejected.
  @inline(__always)
  func checked(
    _ value: Double, unitHint: String?, _ name: @autoclosure () -> String,
    _ text: @autoclosure () -> String
  ) throws(RowFault) -> Double {
    switch self {
    case .sigma:
      if value < 0 { throw RowFault(name(), "is negative", text()) }
      return value == 0 ? .nan : value
    case .azimuth, .elevation, .horizontalAngle:
      if let unitHint, value.magnitude > Self.largestAngle {
        throw RowFault(name(), "is beyond ±2π", text(), hint: unitHint)
      }
    case .verticalEstimate:
      if value.isNaN || (value >= 0 && value <= 4 && value == value.rounded()) { return value }
      throw RowFault(name(), "is unknown", text(), hint: Self.verticalEstimates)
    case .nonLineOfSight:
      // The Android stack writes 255 for unknown.
      if value == 255 { return .nan }
      if value < 0 || value > 1 { throw RowFault(name(), "must be from 0 to 1", text()) }
    case .directionX, .directionY, .directionZ, .rssi, .firstPathRSSI, .trueDistance, .height:
      break
    }
    return value
  }

  /// The known vertical estimates, for messages.
  static let verticalEstimates = "0 to 4, or unknown, same, above, below, aboveOrBelow"
}

extension PerQuantity where Value == Double {
  /// The numbers of a row that has none.
  static var none: Self { Self(repeating: .nan) }

  /// Checks that the components of the direction form a unit vector or are all absent; all zeros
  /// count as absent.
  mutating func checkDirection(_ name: (RangeQuantity) -> String) throws(RowFault) {
    let (x, y, z) = (self[.directionX], self[.directionY], self[.directionZ])
    if x.isNaN, y.isNaN, z.isNaN { return }
    for component in RangeQuantity.direction where self[component].isNaN {
      throw RowFault(name(component), "is missing although other components are present")
    }
    if x == 0, y == 0, z == 0 {
      for component in RangeQuantity.direction { self[component] = .nan }
      return
    }
    let length = (x * x + y * y + z * z).squareRoot()
    guard (length - 1).magnitude <= RangeQuantity.directionTolerance else {
      let rounded = (length * 1000).rounded() / 1000
      throw RowFault(
        column: name(.directionX),
        reason: "the direction is not a unit vector: its length is \(rounded)")
    }
  }
}

extension AbsentDistance {
  /// Returns why `value` is no distance, for the reasons of rejected rows.
  func problem(of value: Double) -> (what: String, hint: String?) {
    switch self {
    case .notANumber: ("is missing", nil)
    case .sentinel where value.isInfinite: ("is out of range", nil)
    case .sentinel: ("is a sentinel for a failed measurement", nil)
    case .negative: ("is negative", nil)
    case .zero: ("is zero", "most devices write zero for a failed measurement")
    }
  }
}
