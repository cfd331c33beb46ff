import Fathom

/// A setting, which has the same name, unit and limits wherever it is given: as an option of the tool,
/// in a file, through C or from Python.
package struct Setting<Root>: Sendable {
  /// The value of a setting, for a command.
  package enum Value: Equatable, Sendable {
    /// Numbers in the unit of the key; none for a value that is not given.
    case numbers([Double])
    /// Words, each of which is given with an option of its own.
    case words([String])
  }

  /// Key in `recording.json`, in summaries, in C and in Python, with the unit.
  package let key: String
  /// Name of the option, without the dashes, which is also the name of the parameter in Python.
  package let option: String
  /// Limits of a number, in the unit of the key; nil for a word.
  package let limits: ClosedRange<Double>?
  /// The possible words; empty for a number or a free text.
  package let words: [String]
  /// Whether the option is in degrees and the key in radians.
  package let isAngle: Bool
  /// The value among all settings.
  package let value: @Sendable (Root) -> Value
  /// What is wrong with the value, with a blank or colon to follow its name; nil for a valid one.
  private let problem: @Sendable (Root) -> String?

  /// A setting that is a number.
  package static func number(
    _ key: String, _ option: String, _ limits: ClosedRange<Double>, isAngle: Bool = false,
    _ value: @escaping @Sendable (Root) -> Double?
  ) -> Self {
    Setting(
      key: key, option: option, limits: limits, words: [], isAngle: isAngle,
      value: { .numbers(value($0).map { [$0] } ?? []) }, problem: { _ in nil })
  }

  /// A setting that is one of the words of an enumeration.
  package static func word<Word: RawRepresentable<String> & CaseIterable & SendableMetatype>(
    _ key: String, _ option: String, _ value: @escaping @Sendable (Root) -> Word?
  ) -> Self {
    Setting(
      key: key, option: option, limits: nil, words: Word.allCases.map(\.rawValue), isAngle: false,
      value: { .words(value($0).map { [$0.rawValue] } ?? []) }, problem: { _ in nil })
  }

  /// A setting that is a list of names, or of other texts.
  package static func texts(
    _ key: String, _ option: String, _ value: @escaping @Sendable (Root) -> [String]
  ) -> Self {
    Setting(
      key: key, option: option, limits: nil, words: [], isAngle: false,
      value: { .words(value($0)) }, problem: { _ in nil })
  }

  /// A setting with a structure and a rule of its own.
  package static func structured(
    _ key: String, _ option: String, limits: ClosedRange<Double>? = nil,
    _ value: @escaping @Sendable (Root) -> Value,
    problem: @escaping @Sendable (Root) -> String?
  ) -> Self {
    Setting(
      key: key, option: option, limits: limits, words: [], isAngle: false, value: value,
      problem: problem)
  }

  /// Returns why the value in `settings` is invalid; nil for a valid one.
  package func fault(in settings: Root, at door: SettingDoor) -> String? {
    let name = door == .options ? "--\(option)" : key
    if let problem = problem(settings) { return "\(name)\(problem)" }
    guard let limits, case .numbers(let numbers) = value(settings),
      !numbers.allSatisfy(limits.contains)
    else { return nil }
    let unit = door == .options && isAngle ? 180 / Double.pi : 1
    return (limits.lowerBound * unit...limits.upperBound * unit).violation(by: name)
  }
}

/// The place at which a setting is given, which decides how a message names it.
package enum SettingDoor: Sendable {
  /// Options of the tool.
  case options
  /// Files, C and Python.
  case keys
}

/// Settings that are in a table.
package protocol TabulatedSettings {
  /// All settings.
  static var table: [Setting<Self>] { get }
}

extension TabulatedSettings {
  /// Returns why the first invalid setting is so; nil when all are valid.
  package func fault(at door: SettingDoor) -> String? {
    for setting in Self.table {
      if let fault = setting.fault(in: self, at: door) { return fault }
    }
    return nil
  }
}

extension ClosedRange<Double> {
  /// Returns the message about a number called `name` that is out of these limits.
  package func violation(by name: String) -> String {
    "\(name) must be from \(Self.text(lowerBound)) to \(Self.text(upperBound))"
  }

  /// Returns six digits of a limit, which is rarely a round number in both units of an angle.
  private static func text(_ limit: Double) -> String {
    if let integer = Int(exactly: limit) { return "\(integer)" }
    var scale = 1.0
    while (limit * scale).magnitude < 1e5 { scale *= 10 }
    return "\((limit * scale).rounded() / scale)"
  }
}

/// The tables of settings as JSON, for other languages.
package struct SettingsDescription: Encodable, Sendable {
  private let processing = ProcessingSettings.table.map(Row.init)
  private let reading = RecordingOptions.table.map(Row.init)

  private struct Row: Encodable {
    var key: String
    var option: String
    var least: Double?
    var greatest: Double?
    var words: [String]?

    init<Root>(_ setting: Setting<Root>) {
      (key, option) = (setting.key, setting.option)
      (least, greatest) = (setting.limits?.lowerBound, setting.limits?.upperBound)
      words = setting.words.isEmpty ? nil : setting.words
    }
  }

  /// Creates the description.
  package init() {}

  /// The possible words of the setting with `key`; empty unless it is a word.
  static func words(of key: String) -> [String] {
    let description = SettingsDescription()
    return (description.processing + description.reading).first { $0.key == key }?.words ?? []
  }
}
