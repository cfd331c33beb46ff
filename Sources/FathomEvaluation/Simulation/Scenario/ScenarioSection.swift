import FathomRecordings
import Yams

/// A mapping of a scenario file.
///
/// Its keys are known, and its values are checked when they are read.
struct ScenarioSection {
  /// The valid range of a number.
  enum Bounds {
    case coordinate, positive, notNegative, share, angle, bearing
    case degreesOfFreedom, delay, driftPPM, frequency, level, slope, exponent

    var range: ClosedRange<Double> {
      switch self {
      case .coordinate: -1e6...1e6
      case .positive: 1e-6...1e6
      case .notNegative: 0...1e6
      case .share: 0...1
      case .angle: 0...3.141_592_653_589_793
      case .bearing: -100...100
      case .degreesOfFreedom: 0.5...1e6
      case .delay: -1e-6...1e-6
      case .driftPPM: -1e5...1e5
      case .frequency: 1e6...1e12
      case .level: -300...300
      case .slope: 0.01...100
      case .exponent: 0...20
      }
    }

    var requirement: String {
      self == .angle
        ? "must be from 0 to pi"
        : "must be from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
    }

    /// Returns the number in decimal notation, without an exponent.
    private static func text(_ bound: Double) -> String {
      if let whole = Int64(exactly: bound) { return "\(whole)" }
      return bound == 1e-6 ? "0.000001" : bound == -1e-6 ? "-0.000001" : "\(bound)"
    }
  }

  /// Line of the file where the section begins.
  let line: Int
  private let values: [String: Node]
  private let lines: [String: Int]
  private let path: String

  /// Reads the mapping at `node`; throws when it is not a mapping or has another key than `keys`.
  ///
  /// `path` is that from the top, empty for the whole file. A message lists `keys` in their order.
  init(_ node: Node, path: String, keys: [String]) throws(ScenarioError) {
    let line = node.mark?.line ?? 1
    guard case .mapping(let mapping) = node else {
      throw .wrongType(
        line: line, key: path.isEmpty ? "the scenario" : path, expected: "a mapping of keys")
    }
    self.line = line
    self.path = path
    var values: [String: Node] = [:]
    var lines: [String: Int] = [:]
    for (key, value) in mapping {
      let name = key.scalar?.string ?? "a key that is not text"
      let keyLine = key.mark?.line ?? line
      guard keys.contains(name) else {
        throw .unknownKey(
          line: keyLine, key: Self.joined(path, Excerpt.plain(name)), known: keys)
      }
      values[name] = value
      lines[name] = keyLine
    }
    self.values = values
    self.lines = lines
  }

  private static func joined(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : "\(path).\(name)"
  }

  /// Returns the full path of the key `name`.
  func key(_ name: String) -> String { Self.joined(path, name) }

  /// Returns whether the key is present.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// Returns the line of the key `name`, or that of the section when the key is absent.
  func line(of name: String) -> Int { lines[name] ?? line }

  /// Returns an error that names this key and its line.
  func impossible(_ name: String, _ reason: String) -> ScenarioError {
    .impossible(line: line(of: name), key: key(name), reason: reason)
  }

  private func node(_ name: String) throws(ScenarioError) -> Node {
    guard let node = values[name] else { throw .missingKey(line: line, key: key(name)) }
    return node
  }

  /// Returns the number at `name`; `absent` replaces a missing key.
  func number(
    _ name: String, _ bounds: Bounds, absent: Double? = nil
  ) throws(ScenarioError) -> Double {
    if let absent, !has(name) { return absent }
    return try Self.number(try node(name), key: key(name), line: line(of: name), bounds)
  }

  private static func number(
    _ node: Node, key: String, line: Int, _ bounds: Bounds
  ) throws(ScenarioError) -> Double {
    // Parsed by Swift, because Yams also reads 1:30 as ninety.
    guard case .scalar(let scalar) = node, scalar.style == .plain,
      let value = Double(scalar.string)
    else {
      throw .wrongType(line: line, key: key, expected: "a number")
    }
    guard bounds.range.contains(value) else {
      throw .impossible(
        line: line, key: key, reason: "\(bounds.requirement), not \(Excerpt.plain(scalar.string))")
    }
    return value
  }

  /// Returns the whole number at `name`; `absent` replaces a missing key.
  func wholeNumber(
    _ name: String, in range: ClosedRange<UInt64>, absent: UInt64? = nil
  ) throws(ScenarioError) -> UInt64 {
    if let absent, !has(name) { return absent }
    guard case .scalar(let scalar) = try node(name), scalar.style == .plain,
      let value = UInt64(scalar.string)
    else {
      throw .wrongType(
        line: line(of: name), key: key(name), expected: "a whole number of 0 or more")
    }
    guard range.contains(value) else {
      throw impossible(
        name, "must be from \(range.lowerBound) to \(range.upperBound), not \(value)")
    }
    return value
  }

  /// Returns the identifier at `name`: text that needs no quoting in a CSV file.
  func identifier(_ name: String) throws(ScenarioError) -> String {
    guard case .scalar(let scalar) = try node(name) else {
      throw .wrongType(line: line(of: name), key: key(name), expected: "a name")
    }
    let text = scalar.string
    guard let first = text.first, let last = text.last else {
      throw impossible(name, "must not be empty")
    }
    guard text.utf8.count <= RecordingLimits.longestName else {
      throw impossible(name, "must be at most \(RecordingLimits.longestName) bytes long")
    }
    let quoted = text.unicodeScalars.contains {
      $0 == "," || $0 == "\"" || $0.properties.generalCategory == .control
    }
    guard !quoted, !first.isWhitespace, !last.isWhitespace, first != "#" else {
      throw impossible(
        name, "must have no comma, quote, control character, leading # or surrounding space")
    }
    return text
  }

  /// Returns the case of `Choice` whose raw value is at `name`; `absent` replaces a missing key.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, absent: Choice? = nil
  ) throws(ScenarioError) -> Choice where Choice.RawValue == String {
    if let absent, !has(name) { return absent }
    guard case .scalar(let scalar) = try node(name), let value = Choice(rawValue: scalar.string)
    else {
      let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw .wrongType(line: line(of: name), key: key(name), expected: "one of \(names)")
    }
    return value
  }

  /// Returns the numbers at `name`: one number or a list of at least one.
  ///
  /// `absent` replaces a missing key.
  func numbers(
    _ name: String, _ bounds: Bounds, absent: [Double]? = nil
  ) throws(ScenarioError) -> [Double] {
    if let absent, !has(name) { return absent }
    guard case .sequence(let sequence) = try node(name) else {
      return [try number(name, bounds)]
    }
    guard !sequence.isEmpty else { throw impossible(name, "must not be empty") }
    var numbers: [Double] = []
    for (index, node) in sequence.enumerated() {
      numbers.append(
        try Self.number(
          node, key: "\(key(name))[\(index)]", line: node.mark?.line ?? line(of: name), bounds))
    }
    return numbers
  }

  /// Returns the file path at `name`, which must not be empty.
  func text(_ name: String) throws(ScenarioError) -> String {
    guard case .scalar(let scalar) = try node(name), !scalar.string.isEmpty else {
      throw .wrongType(line: line(of: name), key: key(name), expected: "the path of a file")
    }
    return scalar.string
  }

  /// Returns which of the keys `names` is present; throws unless exactly one is.
  func only(of names: [String]) throws(ScenarioError) -> String {
    let present = names.filter(has)
    guard let first = present.first else {
      throw .missingKey(line: line, key: key("(one of \(names.joined(separator: ", ")))"))
    }
    if present.count > 1 {
      throw impossible(present[1], "cannot be combined with \(first)")
    }
    return first
  }

  /// Returns whether the value at `name` is a mapping.
  func isMapping(_ name: String) -> Bool {
    if case .mapping = values[name] { true } else { false }
  }

  /// Returns the section at `name`, with the given allowed keys.
  func section(_ name: String, keys: [String]) throws(ScenarioError) -> ScenarioSection {
    try ScenarioSection(try node(name), path: key(name), keys: keys)
  }

  /// Returns the sections of the list at `name`, each with the given allowed keys; at least one.
  func sections(_ name: String, keys: [String]) throws(ScenarioError) -> [ScenarioSection] {
    guard case .sequence(let sequence) = try node(name) else {
      throw .wrongType(line: line(of: name), key: key(name), expected: "a list")
    }
    guard !sequence.isEmpty else { throw impossible(name, "must not be empty") }
    var sections: [ScenarioSection] = []
    for (index, node) in sequence.enumerated() {
      sections.append(
        try ScenarioSection(node, path: "\(key(name))[\(index)]", keys: keys))
    }
    return sections
  }
}
