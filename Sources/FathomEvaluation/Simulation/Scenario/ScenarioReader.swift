import Fathom
import FathomRecordings
import Yams

/// A reader of scenario files.
///
/// The article Simulation of the documentation catalogue lists the keys, their units and defaults.
/// An unknown or missing key, a wrong type and an impossible value are errors with a line number.
/// Ignoring a misspelt key would silently change the recording.
public enum ScenarioReader {
  /// Maximum number of rows of a scenario, for ranges and truth each.
  ///
  /// More indicates a mistake.
  static let mostRows = 10_000_000.0

  /// Maximum number of steps of all trajectories together, which are held in memory.
  ///
  /// A step needs about 64 bytes. A point of a path counts as ``stepsPerWaypoint`` steps in each lap.
  static let mostSteps = 4_000_000.0

  /// Steps that a point of a path counts as: the path has up to four pieces for it.
  static let stepsPerWaypoint = 8.0

  /// Maximum number of tags of a scenario.
  static let mostTags = 10_000

  /// Maximum length of a scenario name, bytes.
  ///
  /// File systems allow 255, including the suffixes added to it.
  static let longestName = 200

  /// Maximum number of aliases (`*name`) in a scenario.
  ///
  /// Nested aliases multiply: a short text can expand without limit. This limit keeps the expansion
  /// below a hundred thousand values.
  static let mostAliases = 32

  /// Returns the scenario that `text` (YAML) describes.
  ///
  /// - Parameters:
  ///   - text: the content of the file.
  ///   - directory: the folder that paths in the text are relative to; empty for the working
  ///     directory.
  /// - Returns: the scenario, with every value checked.
  /// - Throws: ``ScenarioError`` for the first error found, including a file that the scenario
  ///   names and that cannot be read.
  public static func scenario(
    from text: String, directory: String = ""
  ) throws(ScenarioError) -> Scenario {
    let root = try ScenarioSection(
      try document(text), path: "",
      keys: [
        "name", "seed", "duration_s", "truth_rate_hz", "height_m", "bounds_m", "anchors", "tags",
        "links", "phone", "polling", "noise", "walls", "radio", "clock", "delivery", "events",
        "poses",
      ] + sensorKeys)
    let frame = ScenarioFrame(
      directory: directory, duration: try root.number("duration_s", .positive),
      seed: try root.wholeNumber("seed", in: 0...UInt64.max),
      height: root.has("height_m") ? try root.number("height_m", .coordinate) : nil)
    let setting = try setting(root, frame)
    let polling = try polling(root, setting)
    let scenario = Scenario(
      name: try name(root),
      seed: frame.seed,
      duration: frame.duration,
      truthRate: try root.number("truth_rate_hz", .positive, absent: 10),
      setting: setting,
      polling: polling,
      noise: try noise(root, polling),
      sensors: try sensors(root, duration: frame.duration, tags: setting.tagCount),
      walls: try walls(root),
      radio: try radio(root),
      clock: try clock(root),
      delivery: try delivery(root),
      events: try events(root, duration: frame.duration),
      poses: try poses(root, setting, duration: frame.duration))
    if polling.between == .tags, scenario.delivery != .immediate {
      throw root.impossible("delivery", "cannot be combined with ranges between tags")
    }
    guard
      frame.duration * scenario.polling.rate
        * Double(setting.linksPerInstant(scenario.polling.mode)) <= mostRows,
      frame.duration * scenario.truthRate * Double(setting.truthPerInstant) <= mostRows
    else {
      throw root.impossible("duration_s", "is too long: more than 10 million rows")
    }
    return scenario
  }

  /// Reads the name of the scenario, which also names folders.
  private static func name(_ root: ScenarioSection) throws(ScenarioError) -> String {
    let name = try root.identifier("name")
    guard !name.contains("/"), !name.hasPrefix(".") else {
      throw root.impossible("name", "must be usable as a folder name: no slash, no leading dot")
    }
    guard name.utf8.count <= longestName else {
      throw root.impossible("name", "must be at most \(longestName) bytes long")
    }
    return name
  }

  private static func document(_ text: String) throws(ScenarioError) -> Node {
    let length = text.utf8.count
    guard length <= RecordingLimits.longestSettings else {
      throw .syntax(
        line: 1,
        reason: "the file has \(length) bytes, the limit is \(RecordingLimits.longestSettings)")
    }
    // Asterisks can have other meanings, so this count is an upper bound.
    guard text.utf8.count(where: { $0 == UInt8(ascii: "*") }) <= mostAliases else {
      throw .syntax(line: 1, reason: "there are more than \(mostAliases) aliases (asterisks)")
    }
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
      let names = Excerpt.list(duplicates)
      return .syntax(line: context.mark.line, reason: "duplicate key: \(names)")
    default:
      return .syntax(line: 1, reason: error.description)
    }
  }

  // MARK: Who measures what

  private static func setting(
    _ root: ScenarioSection, _ frame: ScenarioFrame
  ) throws(ScenarioError) -> Scenario.Setting {
    guard root.has("phone") else { return .anchored(try anchored(root, frame)) }
    for key in ["anchors", "tags", "links", "height_m", "bounds_m"] where root.has(key) {
      throw root.impossible(key, "cannot be combined with phone")
    }
    return .phone(try phone(root, frame))
  }

  private static func phone(
    _ root: ScenarioSection, _ frame: ScenarioFrame
  ) throws(ScenarioError) -> Scenario.Phone {
    let section = try root.section(
      "phone",
      keys: ["id", "accessory"] + trajectoryKeys + [
        "facing", "wobble_rad", "wobble_period_s", "field_of_view_rad", "direction_sigma_rad",
      ])
    let accessory = try section.section("accessory", keys: ["id", "x", "y", "z"])
    let wobble = try section.number("wobble_rad", .angle, absent: 0)
    return Scenario.Phone(
      tag: Scenario.Tag(
        name: try section.identifier("id"), trajectory: try trajectory(section, frame, tag: 0)),
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
}

/// The number of steps of the trajectories that have been read.
final class TrajectorySteps {
  private var count = 0.0

  /// Counts `steps` more; returns false if that is more than ``ScenarioReader/mostSteps``.
  func reserve(_ steps: Double) -> Bool {
    count += steps
    return count <= ScenarioReader.mostSteps
  }
}

/// The context in which every part of a scenario file is read.
struct ScenarioFrame {
  /// Steps of all trajectories.
  let steps = TrajectorySteps()
  /// Folder that paths are relative to.
  let directory: String
  /// Length of the recording, seconds.
  let duration: Double
  /// Seed of the random trajectories.
  let seed: UInt64
  /// Known height of the tags, metres; nil when the height is unknown.
  let height: Double?

  /// Returns the path of the file that the scenario calls `name`.
  func path(of name: String) -> String {
    name.hasPrefix("/") ? name : OutputFile.path(of: name, in: directory)
  }
}

extension Scenario.Setting {
  /// Returns the maximum number of ranges at one instant of the schedule.
  func linksPerInstant(_ mode: Scenario.Polling.Mode) -> Int {
    switch (self, mode) {
    case (.anchored(let anchored), .scan):
      (anchored.anchors.count + anchored.tags.count) * anchored.tags.count
    case (.anchored(let anchored), .differences): anchored.anchors.count
    default: 1
    }
  }

  /// Number of rows at one instant of truth.
  var truthPerInstant: Int {
    switch self {
    case .anchored(let anchored): anchored.tags.count
    case .phone: 1
    }
  }
}
