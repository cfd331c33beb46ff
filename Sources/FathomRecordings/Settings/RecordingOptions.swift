/// Options for reading a recording whose header lacks or misstates its layout.
public struct RecordingOptions: Sendable, Equatable, Codable {
  /// Names of columns in the file, by known column: `["time": "Timestamp", "distance": "Dist[m]"]`.
  ///
  /// A key is a column's own name or one of its alternative names, with or without unit.
  public var columns: [String: String] = [:]
  /// Unit of the distance column; nil for the unit in its name, or metres.
  public var distanceUnit: DistanceUnit?
  /// Unit of the angle columns; nil for the unit in their names, or radians.
  public var angleUnit: AngleUnit?
  /// Unit of the time column; nil for the unit in its name, or seconds.
  public var timeUnit: TimeUnit?
  /// Decimal separator of numbers.
  public var decimalSeparator: DecimalSeparator = .point
  /// Delimiter of fields in the ranges file; nil to detect it from the header.
  public var delimiter: Delimiter?
  /// Whether a distance of exactly zero is a measurement; most devices write zero for a failed one.
  public var zeroIsDistance = false
  /// Format of the ranges file; nil to recognise it by content.
  public var format: LogFormat?
  /// Rate of the epochs of a file without times, in hertz; nil for the usual rate of the device, or
  /// 1 Hz.
  public var epochRate: Double?
  /// Duration of a block for logs whose time is the number of the block, in seconds; nil for 0.2 s.
  public var blockDuration: Double?
  /// Names in the column of the anchors that are tags: found when the file is read first, before it is read
  /// again with them.
  var tagAnchors: [String] = []

  /// Creates options for a recording in Fathom's own layout.
  public init() {}
}

extension RecordingOptions: TabulatedSettings {
  /// The rates of epochs and of positions, in hertz.
  static let rates = 1e-3...1e6

  /// All options, in the order of a command.
  package static let table: [Setting<RecordingOptions>] = [
    .word("format", "format") { $0.format },
    .structured("columns", "columns") { options in
      let pairs = options.columns.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      return .words(pairs.isEmpty ? [] : [pairs.joined(separator: ",")])
    } problem: { _ in
      nil
    },
    .word("distance_unit", "distance-unit") { $0.distanceUnit },
    .word("angle_unit", "angle-unit") { $0.angleUnit },
    .word("time_unit", "time-unit") { $0.timeUnit },
    .word("decimal_separator", "decimal") { $0.decimalSeparator },
    .texts("delimiter", "delimiter") { $0.delimiter.map { [$0.name] } ?? [] },
    .number("epoch_rate", "rate", rates) { $0.epochRate },
    .number("block_duration", "block-duration", 1e-4...3600) { $0.blockDuration },
  ]
}
