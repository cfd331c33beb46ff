/// An error in a scenario file, with its line and key.
///
/// Keys are written with their path from the top: `anchors[2].x` is the x of the third anchor.
public enum ScenarioError: Error, Sendable, Equatable {
  /// The text is not valid YAML.
  case syntax(line: Int, reason: String)
  /// An unknown key; `known` lists the keys that are allowed at this place.
  case unknownKey(line: Int, key: String, known: [String])
  /// A required key is missing.
  case missingKey(line: Int, key: String)
  /// A value of the wrong type; `expected` names the right one.
  case wrongType(line: Int, key: String, expected: String)
  /// A value of the right type that is out of range or contradictory.
  case impossible(line: Int, key: String, reason: String)

  /// Line in the file; the first line is 1.
  public var line: Int {
    switch self {
    case .syntax(let line, _), .unknownKey(let line, _, _), .missingKey(let line, _),
      .wrongType(let line, _, _), .impossible(let line, _, _):
      line
    }
  }

  /// The error as text, without the line.
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
  /// `line: reason`, to follow the file name and a colon.
  public var description: String { "\(line): \(reason)" }
}
