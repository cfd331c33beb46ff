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
