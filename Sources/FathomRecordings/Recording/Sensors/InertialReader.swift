import Fathom

/// A reader of `imu.csv`: `time_s,acc_x_mps2,…,gyro_x_radps,…` and optionally `tag`.
///
/// Units are those of the column names: m/s², g or mg, and rad/s or deg/s. Without them, gravity tells
/// the unit of the acceleration.
enum InertialReader {
  private static let tag = 1
  private static let acceleration = 2
  private static let rotation = 5

  static let table = TableKind.inertial

  /// The rows of a file as readings.
  struct Table: Sendable {
    /// The readings by tag, in order of time; the name is empty for a file without tags.
    var rows: [String: [InertialMeasurement]]
    var note: String
  }

  private static let gravity = 9.80665
  /// The units of an acceleration without one, with their factors.
  private static let units: [(name: String, factor: Double)] = [
    ("m/s²", 1), ("g", gravity), ("mg", gravity / 1000),
  ]

  /// Reads the inertial data in `source`.
  ///
  /// ## Edge cases
  /// A row with an empty cell is rejected, and so is one with more than 100 g or 100 rad/s. An
  /// acceleration without a unit is in the unit in which its median length is gravity. A rotation
  /// rate without one is in rad/s, or in deg/s if more than one in twenty would be faster than 6
  /// rad/s. Throws when the header lacks a column, no row can be used, or the unit of the
  /// acceleration cannot be found.
  static func read(
    _ source: ByteSource, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> Table {
    let (table, header, headerLine) = try rows(of: source, options)
    let forceUnit = header.matches[acceleration]?.unit
    let rateUnit = header.matches[rotation]?.unit
    try table.requireUsable(source.path)
    var notes = [table.note(source.name, "inertial readings")]
    let all = table.rows.values.flatMap { $0 }
    var (forces, rates) = (1.0, 1.0)
    if forceUnit == nil {
      let lengths = all.map { $0.acceleration.length }.sorted()
      let median = lengths[lengths.count / 2]
      guard
        let (unit, factor) = Self.units.first(where: {
          (0.5...2).contains($0.factor * median / gravity)
        })
      else {
        throw .badData(
          path: source.path, line: headerLine,
          reason: "the unit of the acceleration is unknown: its median length is"
            + " \(median), which is gravity neither in m/s² nor in g; name the columns"
            + " acc_x_mps2 or acc_x_g, and do not take gravity off")
      }
      forces = factor
      notes.append("accelerations are in \(unit): gravity has that length")
    }
    if rateUnit == nil {
      let speeds = all.map { $0.rotation.length }.sorted()
      let isDegrees = speeds[speeds.count - 1 - speeds.count / 20] > 6
      if isDegrees { rates = .pi / 180 }
      notes.append(
        "rotation rates are taken to be in \(isDegrees ? "deg/s" : "rad/s"); name the columns"
          + " gyro_x_dps or gyro_x_radps")
    }
    let rows = table.rows.mapValues { rows in
      rows.sortedByTime(\.time)
        .map { $0.scaled(acceleration: forces, rotation: rates) }
        .filter(\.isUsable)
    }
    return Table(rows: rows, note: notes.joined(separator: "; "))
  }

  /// Reads the rows of `source`, a part of a stream: the names of its columns must state the units.
  static func rows(
    withUnits source: ByteSource
  ) throws(RecordingError) -> SensorRows<InertialMeasurement> {
    let (table, header, line) = try rows(of: source)
    for (column, names) in [
      (acceleration, "acc_x_mps2 or acc_x_g"), (rotation, "gyro_x_radps or gyro_x_dps"),
    ] where header.matches[column]?.unit == nil {
      let given = header.matches[column]?.given ?? ""
      throw .badData(
        path: source.path, line: line,
        reason: "the unit of \(Excerpt.quoted(given)) is unknown; in a stream its name must state"
          + " it: \(names)")
    }
    return table
  }

  /// Reads the rows of `source`, in the order of the file; those without a unit are not scaled.
  private static func rows(
    of source: ByteSource, _ options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> (
    rows: SensorRows<InertialMeasurement>, header: CSVHeader, headerLine: Int
  ) {
    var rows = try NumericTable(source, table, options: options)
    let header = rows.header
    let headerLine = rows.scanner.line
    let forceUnit = header.matches[acceleration]?.unit
    let rateUnit = header.matches[rotation]?.unit
    var days = DayCounter()
    let table = SensorRows<InertialMeasurement>(&rows) { row throws(RowFault) in
      let time = try row.time(0, &days)
      let name = try row.tag(tag)
      var reading = InertialMeasurement(time: time, acceleration: .zero, rotation: .zero)
      for axis in 0..<3 {
        reading.acceleration[axis] = try row.number(acceleration + axis)
        reading.rotation[axis] = try row.number(rotation + axis)
      }
      let scaled = reading.scaled(
        acceleration: forceUnit.flatMap(accelerationFactor) ?? 1,
        rotation: rateUnit.map(rotationFactor) ?? 1)
      guard (forceUnit == nil && rateUnit == nil) || scaled.isUsable else {
        throw RowFault(reason: "the acceleration or the rotation rate is too large for any tag")
      }
      return (name, scaled)
    }
    return (table, header, headerLine)
  }

  private static func accelerationFactor(_ unit: String) -> Double? {
    switch unit {
    case "g": gravity
    case "mg": gravity / 1000
    default: 1
    }
  }

  private static func rotationFactor(_ unit: String) -> Double { unit == "dps" ? .pi / 180 : 1 }
}

extension InertialMeasurement {
  fileprivate func scaled(acceleration: Double, rotation: Double) -> Self {
    Self(
      time: time, acceleration: acceleration * self.acceleration,
      rotation: rotation * self.rotation)
  }
}
