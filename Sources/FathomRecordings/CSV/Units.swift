/// A unit of distance in a file.
public enum DistanceUnit: String, Sendable, Hashable, CaseIterable, Codable {
  /// Metres.
  case metres = "m"
  /// Centimetres.
  case centimetres = "cm"
  /// Millimetres.
  case millimetres = "mm"

  /// The power of ten that leads to metres.
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
  /// Radians times 90: a defect in circulation, written by apps that took 90 for 180/π when they
  /// meant degrees [Qorvo guide].
  case radiansTimes90 = "rad90"

  /// The angle `value`, in this unit, as radians.
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

  /// The power of ten that leads to nanoseconds.
  var nanosecondExponent: Int {
    switch self {
    case .seconds: 9
    case .milliseconds: 6
    case .microseconds: 3
    case .nanoseconds: 0
    }
  }
}
