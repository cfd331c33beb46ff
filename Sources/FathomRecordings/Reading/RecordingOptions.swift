/// How to read a recording where its header does not say, or says it wrongly.
public struct RecordingOptions: Sendable, Equatable, Codable {
  /// Columns by the name the file gives them: `["time": "Timestamp", "distance": "Dist[m]"]`.
  ///
  /// A key is a column's own name or one of its other known names, with or without unit.
  public var columns: [String: String] = [:]
  /// Unit of the distance column; nil: as its name says, else metres.
  public var distanceUnit: DistanceUnit?
  /// Unit of the angle columns; nil: as their names say, else radians.
  public var angleUnit: AngleUnit?
  /// Unit of the time column; nil: as its name says, else seconds.
  public var timeUnit: TimeUnit?
  /// What stands between whole and fraction in numbers.
  public var decimalSeparator: DecimalSeparator = .point
  /// What stands between the fields of the ranges file; nil: detected from its header.
  public var delimiter: Delimiter?
  /// Whether a distance of exactly zero is a measurement; most devices write it for none.
  public var zeroIsDistance = false

  /// The options that suit a recording in Fathom's own layout.
  public init() {}
}

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

/// What stands between whole and fraction in a number.
public enum DecimalSeparator: String, Sendable, Hashable, CaseIterable, Codable {
  /// `2.31`
  case point = "."
  /// `2,31`
  case comma = ","

  /// The separator as a byte.
  @inlinable
  package var byte: UInt8 { self == .point ? UInt8(ascii: ".") : UInt8(ascii: ",") }
}

/// What stands between the fields of a row.
public enum Delimiter: String, Sendable, Hashable, CaseIterable, Codable {
  /// A comma.
  case comma = ","
  /// A semicolon, usual beside decimal commas.
  case semicolon = ";"
  /// A tab.
  case tab = "\t"

  /// The delimiter as a byte.
  @inlinable
  package var byte: UInt8 {
    switch self {
    case .comma: UInt8(ascii: ",")
    case .semicolon: UInt8(ascii: ";")
    case .tab: UInt8(ascii: "\t")
    }
  }
}
