import Fathom

/// A reader of `odometry.csv` in one of three layouts, recognised by its columns.
///
/// - Increments since the last row: `forward_m,turn_rad`, and `left_m` for a vehicle that moves
///   sideways.
/// - Velocities: `v_forward_mps,turn_rate_radps`, and `v_left_mps`… of the vehicle.
/// - Speeds of two driven wheels: `v_right_mps,v_left_mps,wheel_distance_m`.
enum OdometryReader {
  private static let time = 0
  private static let tag = 1
  private static let forward = 2
  private static let left = 3
  private static let turn = 4
  private static let speed = 5
  private static let sideways = 6
  private static let rate = 7
  private static let rateDegrees = 8
  private static let rightWheel = 9
  private static let leftWheel = 10
  private static let wheelDistance = 11

  static let table = TableKind.odometry

  /// What the columns of a file are.
  private enum Layout {
    case increments, velocities, wheels
  }

  /// The rows of a file as increments.
  struct Table: Sendable {
    /// The increments by tag, in order of time; the name is empty for a file without tags.
    var rows: [String: [OdometryIncrement]]
    /// The factors that turns may have.
    var turnFactors: [Double]
    var note: String
  }

  /// A row before it is an increment.
  struct Sample: Sendable {
    var time: Timestamp
    /// Increments, or velocities per second.
    var forward: Double
    var left: Double
    var turn: Double
    /// Number of rejected rows before it: an increment since a rejected row says nothing of that
    /// before.
    var faults = 0
  }

  /// Longest time between two rows of velocities that are integrated, in seconds.
  private static let longestStep = 1.0

  /// Reads the odometry in `source`.
  ///
  /// ## Edge cases
  /// The first row of a tag gives no increment, and velocities more than a second apart are not
  /// integrated. An increment after a rejected row is not used. Rows with the time of the row
  /// before are skipped. A row with an empty cell is rejected. Whether turns are positive
  /// counter-clockwise, and whether `wheel_distance_m` is the whole distance between the wheels or
  /// half of it, is found from the ranges. Throws when the header has none of the layouts, or no
  /// row can be used.
  static func read(
    _ source: ByteSource, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> Table {
    var tail = Tail()
    let (table, increments) = try rows(of: source, after: &tail, options: options)
    try table.requireUsable(source.path)
    return Table(
      rows: increments, turnFactors: tail.turnFactors,
      note: table.note(source.name, "rows of odometry"))
  }

  /// The end of a series of rows, for those that follow.
  struct Tail: Sendable {
    /// The last row of each tag.
    fileprivate var samples: [String: Sample] = [:]
    /// Number of rejected rows so far.
    fileprivate var faults = 0
    /// The factors that turns may have.
    fileprivate(set) var turnFactors = [1.0, -1.0]

    /// The number of tags.
    var tagCount: Int { samples.count }

    /// Forgets the last rows of the tags called `names`; of all tags without names.
    mutating func forget(_ names: [String]? = nil) {
      guard let names else { return samples.removeAll() }
      for name in names { samples[name] = nil }
    }
  }

  /// Reads the rows of `source`, which follow those that end in `tail`, and the increments by tag.
  static func rows(
    of source: ByteSource, after tail: inout Tail, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> (rows: SensorRows<Sample>, increments: [String: [OdometryIncrement]])
  {
    var rows = try NumericTable(source, table, options: options)
    let header = rows.header
    func has(_ column: Int) -> Bool { header.matches[column] != nil }
    let layout: Layout
    if has(forward), has(turn) {
      layout = .increments
    } else if has(rightWheel), has(leftWheel), has(wheelDistance) {
      layout = .wheels
    } else if has(speed), has(rate) || has(rateDegrees) {
      layout = .velocities
    } else {
      throw .badData(
        path: source.path, line: rows.scanner.line,
        reason: "the header has neither forward_m and turn_rad, nor v_forward_mps and"
          + " turn_rate_radps, nor v_right_mps, v_left_mps and wheel_distance_m; found"
          + " \(Excerpt.list(header.names))")
    }
    if layout == .wheels { tail.turnFactors = [1, -1, 0.5, -0.5] }
    var days = DayCounter()
    var faults = tail.faults
    let table = SensorRows<Sample>(&rows) { row throws(RowFault) in
      // Counted until the row is complete.
      faults += 1
      let time = try row.time(self.time, &days)
      let tag = try row.tag(self.tag)
      func number(_ column: Int) throws(RowFault) -> Double { try row.number(column) }
      var sample = Sample(time: time, forward: 0, left: 0, turn: 0)
      switch layout {
      case .increments:
        sample.forward = try row.coordinate(forward)
        sample.left = try row.optionalCoordinate(left) ?? 0
        sample.turn = try row.angle(turn)
      case .velocities:
        sample.forward = try number(speed)
        sample.left = try row.optionalNumber(sideways) ?? 0
        sample.turn = has(rate) ? try number(rate) : try number(rateDegrees) * .pi / 180
      case .wheels:
        let (right, left) = (try number(rightWheel), try number(leftWheel))
        let distance = try row.coordinate(wheelDistance)
        guard distance >= 1e-3 else {
          throw RowFault(
            column: header.matches[wheelDistance]?.given ?? "",
            reason: "the distance between the wheels is \(distance) m; it must be positive")
        }
        sample.forward = (right + left) / 2
        sample.left = try row.optionalNumber(sideways) ?? 0
        sample.turn = (right - left) / distance
      }
      let limit = RecordingLimits.farthest
      guard
        sample.forward.magnitude <= limit, sample.left.magnitude <= limit,
        sample.turn.magnitude <= limit
      else { throw RowFault(reason: "the motion is too fast for any vehicle") }
      faults -= 1
      sample.faults = faults
      return (tag, sample)
    }
    tail.faults = faults
    var found: [String: [OdometryIncrement]] = [:]
    for (tag, samples) in table.rows {
      found[tag] = increments(of: samples, layout, after: &tail.samples[tag])
    }
    return (table, found)
  }

  /// Returns the increments between successive samples of one tag, of which `last` is the one before.
  private static func increments(
    of samples: [Sample], _ layout: Layout, after last: inout Sample?
  ) -> [OdometryIncrement] {
    let sorted = samples.sortedByTime(\.time)
    var result: [OdometryIncrement] = []
    result.reserveCapacity(sorted.count)
    for sample in sorted {
      guard let before = last else {
        last = sample
        continue
      }
      guard sample.time > before.time else { continue }
      last = sample
      if layout == .increments {
        guard sample.faults == before.faults else { continue }
        result.append(
          OdometryIncrement(
            begin: before.time, end: sample.time, forward: sample.forward, left: sample.left,
            turn: Angle(radians: sample.turn)))
        continue
      }
      let seconds = sample.time.seconds(since: before.time)
      guard seconds <= longestStep else { continue }
      let half = seconds / 2
      result.append(
        OdometryIncrement(
          begin: before.time, end: sample.time, forward: half * (before.forward + sample.forward),
          left: half * (before.left + sample.left),
          turn: Angle(radians: half * (before.turn + sample.turn))))
    }
    return result
  }
}
