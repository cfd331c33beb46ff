import Fathom
import FathomRecordings
import Yams

/// Reads a scenario file.
///
/// The keys, their units and their defaults are in the article Simulation of the catalogue.
/// Whatever is unknown, missing, of the wrong type or impossible is an error with its line: a
/// misspelt key that was silently ignored would make another recording than the one asked for.
public enum ScenarioReader {
  /// Rows that one scenario can make, of ranges as of truth: more is a slip of the pen.
  static let mostRows = 10_000_000.0

  /// Bytes of the name of a scenario; with what is put behind it, file systems take 255.
  static let longestName = 200

  /// Aliases (`*name`) that one scenario can have.
  ///
  /// Each may stand for two others and so on: what is short to write would never end to read. So few
  /// cannot make more than a hundred thousand values.
  static let mostAliases = 32

  /// The scenario that `text` (YAML) describes.
  ///
  /// - Parameters:
  ///   - text: the content of the file.
  ///   - directory: the folder that paths in it are relative to; empty for the working one.
  /// - Returns: the scenario, every value of which has been checked.
  /// - Throws: ``ScenarioError`` for the first fault found, also where a file that the scenario names
  ///   cannot be read.
  public static func scenario(
    from text: String, directory: String = ""
  ) throws(ScenarioError) -> Scenario {
    let root = try ScenarioSection(
      try document(text), path: "",
      keys: [
        "name", "seed", "duration_s", "truth_rate_hz", "height_m", "anchors", "tags", "links",
        "phone", "polling", "noise", "walls", "radio", "clock", "delivery", "events",
      ])
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
      walls: try walls(root),
      radio: try radio(root),
      clock: try clock(root),
      delivery: try delivery(root),
      events: try events(root, duration: frame.duration))
    guard
      frame.duration * scenario.polling.rate
        * Double(setting.linksPerInstant(scenario.polling.mode)) <= mostRows,
      frame.duration * scenario.truthRate * Double(setting.truthPerInstant) <= mostRows
    else {
      throw root.impossible("duration_s", "is too long: more than 10 million rows")
    }
    return scenario
  }

  /// The name of the scenario, which folders are named after.
  private static func name(_ root: ScenarioSection) throws(ScenarioError) -> String {
    let name = try root.identifier("name")
    guard !name.contains("/"), !name.hasPrefix(".") else {
      throw root.impossible("name", "must do as the name of a folder: no slash, no leading dot")
    }
    guard name.utf8.count <= longestName else {
      throw root.impossible("name", "must not be longer than \(longestName) bytes")
    }
    return name
  }

  private static func document(_ text: String) throws(ScenarioError) -> Node {
    let length = text.utf8.count
    guard length <= RecordingLimits.longestSettings else {
      throw .syntax(
        line: 1, reason: "\(length) bytes are more than \(RecordingLimits.longestSettings)")
    }
    // An asterisk may mean something else, so that more are counted than there are.
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
      return .syntax(line: context.mark.line, reason: "key given twice: \(names)")
    default:
      return .syntax(line: 1, reason: error.description)
    }
  }

  // MARK: Who measures what

  private static func setting(
    _ root: ScenarioSection, _ frame: ScenarioFrame
  ) throws(ScenarioError) -> Scenario.Setting {
    guard root.has("phone") else { return .anchored(try anchored(root, frame)) }
    for key in ["anchors", "tags", "links", "height_m"] where root.has(key) {
      throw root.impossible(key, "cannot stand beside phone")
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

/// What every part of a scenario file is read against.
struct ScenarioFrame {
  /// The folder that paths are relative to.
  let directory: String
  /// Length of the recording, seconds.
  let duration: Double
  /// What random trajectories follow from.
  let seed: UInt64
  /// Known height of the tags, metres; nil where they have none.
  let height: Double?

  /// The path of the file that the scenario calls `name`.
  func path(of name: String) -> String {
    name.hasPrefix("/") ? name : OutputFile.path(of: name, in: directory)
  }
}

extension Scenario.Setting {
  /// Ranges that one instant of the schedule makes at most.
  func linksPerInstant(_ mode: Scenario.Polling.Mode) -> Int {
    switch (self, mode) {
    case (.anchored(let anchored), .scan): anchored.anchors.count * anchored.tags.count
    case (.anchored(let anchored), .differences): anchored.anchors.count
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
