/// A unit of distance in a file.
public enum DistanceUnit: String, Sendable, Hashable, CaseIterable, Codable {
  /// Metres.
  case metres = "m"
  /// Centimetres.
  case centimetres = "cm"
  /// Millimetres.
  case millimetres = "mm"

  /// Number of units in a metre.
  var perMetre: Double {
    switch self {
    case .metres: 1
    case .centimetres: 100
    case .millimetres: 1000
    }
  }

  /// Power of ten of the unit in metres.
  var exponent: Int {
    switch self {
    case .metres: 0
    case .centimetres: -2
    case .millimetres: -3
    }
  }
}

/// A unit of angle in a file.
public enum AngleUnit: String, Sendable, Hashable, CaseIterable, Codable {
  /// Radians.
  case radians = "rad"
  /// Degrees.
  case degrees = "deg"
  /// Radians times 90: written by apps that used 90 instead of 180/π for degrees, a known defect
  /// [Qorvo guide].
  case radiansTimes90 = "rad90"

  /// Converts the angle `value` from this unit to radians.
  func radians(_ value: Double) -> Double {
    switch self {
    case .radians: value
    case .degrees: value * .pi / 180
    case .radiansTimes90: value / 90
    }
  }
}

/// A unit of time in a file.
public enum TimeUnit: String, Sendable, Hashable, CaseIterable, Codable {
  /// Seconds.
  case seconds = "s"
  /// Milliseconds.
  case milliseconds = "ms"
  /// Microseconds.
  case microseconds = "us"
  /// Nanoseconds.
  case nanoseconds = "ns"
  /// Ticks of a DW1000 or DW3000, 1 / (128 x 499.2 MHz) = 15.65 ps, in a counter of 40 bits
  /// [DW1000 user manual, 7.2.8].
  case ticks

  /// The decimal units.
  static let decimal: [TimeUnit] = [.seconds, .milliseconds, .microseconds, .nanoseconds]

  /// Number of units in a second.
  var perSecond: Double {
    switch self {
    case .seconds: 1
    case .milliseconds: 1e3
    case .microseconds: 1e6
    case .nanoseconds: 1e9
    // 128 x 499.2 MHz.
    case .ticks: 63_897_600_000
    }
  }

  /// Power of ten of the unit in nanoseconds; that of ticks is only a bound.
  var nanosecondExponent: Int {
    switch self {
    case .seconds: 9
    case .milliseconds: 6
    case .microseconds: 3
    case .nanoseconds, .ticks: 0
    }
  }
}
