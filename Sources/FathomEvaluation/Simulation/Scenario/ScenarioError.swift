/// Why a scenario file cannot be simulated, with the line and the key at fault.
///
/// Keys are written with their way from the top: `anchors[2].x` is the x of the third anchor.
public enum ScenarioError: Error, Sendable, Equatable {
  /// The text is not YAML.
  case syntax(line: Int, reason: String)
  /// A key that no scenario has at this place; `known` are those it can have.
  case unknownKey(line: Int, key: String, known: [String])
  /// A key that cannot be left out.
  case missingKey(line: Int, key: String)
  /// A value of the wrong type; `expected` says which it should be.
  case wrongType(line: Int, key: String, expected: String)
  /// A value of the right type that cannot be.
  case impossible(line: Int, key: String, reason: String)

  /// Line in the file, 1 for the first.
  public var line: Int {
    switch self {
    case .syntax(let line, _), .unknownKey(let line, _, _), .missingKey(let line, _),
      .wrongType(let line, _, _), .impossible(let line, _, _):
      line
    }
  }

  /// What is wrong, in words, without the line.
  public var reason: String {
    switch self {
    case .syntax(_, let reason): "not YAML: \(reason)"
    case .unknownKey(_, let key, let known):
      "\(key) is not known here (known: \(known.joined(separator: ", ")))"
    case .missingKey(_, let key): "\(key) is missing"
    case .wrongType(_, let key, let expected): "\(key) must be \(expected)"
    case .impossible(_, let key, let reason): "\(key) \(reason)"
    }
  }
}

extension ScenarioError: CustomStringConvertible {
  /// `line: reason`, to be put behind the name of the file and a colon.
  public var description: String { "\(line): \(reason)" }
}
