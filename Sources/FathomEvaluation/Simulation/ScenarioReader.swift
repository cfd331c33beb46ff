import Fathom
import Yams

/// Reads a scenario file.
///
/// The keys, their units and their defaults are in the article Simulation of the catalogue. Whatever is unknown,
/// missing, of the wrong type or impossible is an error with its line: a misspelt key that was
/// silently ignored would make another recording than the one asked for.
public enum ScenarioReader {
  /// Rows that one scenario can make, of ranges as of truth: more is a slip of the pen.
  static let mostRows = 10_000_000.0

  /// The scenario that `text` (YAML) describes.
  ///
  /// - Throws: ``ScenarioError`` for the first fault found.
  public static func scenario(from text: String) throws(ScenarioError) -> Scenario {
    let root = try ScenarioSection(
      try document(text), path: "",
      keys: [
        "name", "seed", "duration_s", "truth_rate_hz", "height_m", "anchors", "tags", "phone",
        "polling", "noise", "events",
      ])
    let duration = try root.number("duration_s", .positive)
    let setting = try setting(root)
    let scenario = Scenario(
      name: try root.identifier("name"),
      seed: try root.wholeNumber("seed", in: 0...UInt64.max),
      duration: duration,
      truthRate: try root.number("truth_rate_hz", .positive, absent: 10),
      setting: setting,
      polling: try polling(root),
      noise: try noise(root),
      events: try events(root, duration: duration))
    guard
      duration * scenario.polling.rate * Double(setting.linksPerInstant(scenario.polling.mode))
        <= mostRows, duration * scenario.truthRate * Double(setting.truthPerInstant) <= mostRows
    else {
      throw root.impossible("duration_s", "is too long: more than 10 million rows")
    }
    return scenario
  }

  private static func document(_ text: String) throws(ScenarioError) -> Node {
    let node: Node?
    do {
      node = try Yams.compose(yaml: text)
    } catch let error as YamlError {
      throw syntaxError(error, in: text)
    } catch {
      throw .syntax(line: 1, reason: "\(error)")
    }
    guard let node else { throw .missingKey(line: 1, key: "name") }
    return node
  }

  private static func syntaxError(_ error: YamlError, in text: String) -> ScenarioError {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return .syntax(line: mark.line, reason: problem)
    case .reader(let problem, let offset, _, _):
      let before = text.prefix(offset ?? 0)
      return .syntax(line: 1 + before.count { $0.isNewline }, reason: problem)
    case .duplicatedKeysInMapping(let duplicates, let context):
      let names = duplicates.joined(separator: ", ")
      return .syntax(line: context.mark.line, reason: "key given twice: \(names)")
    default:
      return .syntax(line: 1, reason: error.description)
    }
  }

  // MARK: Who measures what

  private static func setting(_ root: ScenarioSection) throws(ScenarioError) -> Scenario.Setting {
    guard root.has("phone") else { return .anchored(try anchored(root)) }
    for key in ["anchors", "tags", "height_m"] where root.has(key) {
      throw root.impossible(key, "cannot stand beside phone")
    }
    return .phone(try phone(root))
  }

  private static func anchored(_ root: ScenarioSection) throws(ScenarioError) -> Scenario.Anchored {
    let height = root.has("height_m") ? try root.number("height_m", .coordinate) : nil
    var anchors: [Scenario.NamedAnchor] = []
    for section in try root.sections("anchors", keys: ["id", "x", "y", "z", "bias_m", "scale"]) {
      let name = try section.identifier("id")
      if anchors.contains(where: { $0.name == name }) {
        throw section.impossible("id", "is the name of another anchor: \(name)")
      }
      let anchor = Anchor(
        position: try position(section),
        bias: try section.number("bias_m", .coordinate, absent: 0),
        scale: try section.number("scale", .positive, absent: 1))
      anchors.append(Scenario.NamedAnchor(name: name, anchor: anchor))
    }
    var tags: [Scenario.Tag] = []
    for section in try root.sections("tags", keys: ["id", "waypoints", "lissajous"]) {
      let name = try section.identifier("id")
      if tags.contains(where: { $0.name == name }) {
        throw section.impossible("id", "is the name of another tag: \(name)")
      }
      tags.append(Scenario.Tag(name: name, trajectory: try trajectory(section, height: height)))
    }
    return Scenario.Anchored(anchors: anchors, tags: tags, height: height)
  }

  private static func phone(_ root: ScenarioSection) throws(ScenarioError) -> Scenario.Phone {
    let section = try root.section(
      "phone",
      keys: [
        "id", "accessory", "waypoints", "lissajous", "facing", "wobble_rad", "wobble_period_s",
        "field_of_view_rad", "direction_sigma_rad",
      ])
    let accessory = try section.section("accessory", keys: ["id", "x", "y", "z"])
    let wobble = try section.number("wobble_rad", .angle, absent: 0)
    return Scenario.Phone(
      tag: Scenario.Tag(
        name: try section.identifier("id"), trajectory: try trajectory(section, height: nil)),
      accessory: try accessory.identifier("id"),
      accessoryPosition: try position(accessory),
      attitude: PhoneAttitude(
        facing: try section.choice("facing"),
        wobble: wobble,
        wobblePeriod: try section.number(
          "wobble_period_s", .positive, absent: wobble == 0 ? 1 : nil)),
      fieldOfView: try section.number("field_of_view_rad", .angle),
      directionSigma: try section.number("direction_sigma_rad", .angle))
  }

  // MARK: Ways

  private static func trajectory(
    _ section: ScenarioSection, height: Double?
  ) throws(ScenarioError) -> Trajectory {
    if section.has("waypoints") {
      if section.has("lissajous") {
        throw section.impossible("lissajous", "cannot stand beside waypoints")
      }
      return .waypoints(try waypoints(section, height: height))
    }
    let path = try section.section(
      "lissajous", keys: ["centre", "amplitude", "period_s", "phase_rad"])
    return .lissajous(
      LissajousPath(
        centre: try triple(path, "centre", .coordinate),
        amplitude: try triple(path, "amplitude", .notNegative),
        period: try triple(path, "period_s", .positive),
        phase: path.has("phase_rad") ? try triple(path, "phase_rad", .coordinate) : .zero))
  }

  private static func waypoints(
    _ section: ScenarioSection, height: Double?
  ) throws(ScenarioError) -> WaypointPath {
    let path = try section.section(
      "waypoints", keys: ["speed_mps", "acceleration_mps2", "corner_m", "laps", "points"])
    var points: [Waypoint] = []
    for point in try path.sections("points", keys: ["x", "y", "z", "stop_s"]) {
      points.append(
        Waypoint(
          position: try position(point, height: height),
          stop: try point.number("stop_s", .notNegative, absent: 0)))
    }
    return WaypointPath(
      points,
      speed: try path.number("speed_mps", .positive),
      acceleration: try path.number("acceleration_mps2", .positive),
      corner: try path.number("corner_m", .positive, absent: 0.5),
      laps: Int(try path.wholeNumber("laps", in: 1...1000, absent: 1)))
  }

  private static func position(
    _ section: ScenarioSection, height: Double? = nil
  ) throws(ScenarioError) -> Vector<3> {
    Vector<3>([
      try section.number("x", .coordinate), try section.number("y", .coordinate),
      try section.number("z", .coordinate, absent: height),
    ])
  }

  private static func triple(
    _ section: ScenarioSection, _ name: String, _ bounds: ScenarioSection.Bounds
  ) throws(ScenarioError) -> Vector<3> {
    let axes = try section.section(name, keys: ["x", "y", "z"])
    return Vector<3>([
      try axes.number("x", bounds), try axes.number("y", bounds), try axes.number("z", bounds),
    ])
  }

  // MARK: When and how badly

  private static func polling(_ root: ScenarioSection) throws(ScenarioError) -> Scenario.Polling {
    let section = try root.section("polling", keys: ["mode", "rate_hz", "jitter_s"])
    let rate = try section.number("rate_hz", .positive)
    let jitter = try section.number("jitter_s", .notNegative, absent: 0)
    guard jitter * rate < 0.5 else {
      throw section.impossible(
        "jitter_s", "must be below half the interval, that is below \(0.5 / rate), not \(jitter)")
    }
    return Scenario.Polling(
      mode: try section.choice("mode", absent: .roundRobin), rate: rate, jitter: jitter)
  }

  private static func noise(_ root: ScenarioSection) throws(ScenarioError) -> RangeNoise {
    let section = try root.section(
      "noise",
      keys: [
        "sigma_m", "outlier_share", "outlier_mean_m", "drop_out_share", "held_share",
        "quantisation_m",
      ])
    let outlierShare = try section.number("outlier_share", .share, absent: 0)
    return RangeNoise(
      sigma: try section.number("sigma_m", .notNegative),
      outlierShare: outlierShare,
      outlierMean: try section.number(
        "outlier_mean_m", .notNegative, absent: outlierShare == 0 ? 0 : nil),
      dropOutShare: try section.number("drop_out_share", .share, absent: 0),
      heldShare: try section.number("held_share", .share, absent: 0),
      quantisation: try section.number("quantisation_m", .notNegative, absent: 0))
  }

  private static func events(
    _ root: ScenarioSection, duration: Double
  ) throws(ScenarioError) -> [Scenario.Event] {
    guard root.has("events") else { return [] }
    var events: [Scenario.Event] = []
    for section in try root.sections("events", keys: ["time_s", "event"]) {
      let time = try section.number("time_s", .notNegative)
      guard time <= duration else {
        throw section.impossible("time_s", "lies behind the end at \(duration)")
      }
      if let last = events.last, time < last.time {
        throw section.impossible("time_s", "lies before the event above it")
      }
      events.append(Scenario.Event(time: time, event: try section.choice("event")))
    }
    return events
  }
}

extension Scenario.Setting {
  /// Ranges that one instant of the schedule makes at most.
  func linksPerInstant(_ mode: Scenario.Polling.Mode) -> Int {
    switch (self, mode) {
    case (.anchored(let anchored), .scan): anchored.anchors.count * anchored.tags.count
    default: 1
    }
  }

  /// Rows that one instant of truth makes.
  var truthPerInstant: Int {
    switch self {
    case .anchored(let anchored): anchored.tags.count
    case .phone: 1
    }
  }
}
