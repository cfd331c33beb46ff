import FathomRecordings

/// The message about wrong usage, completed by what the parser does not say.
///
/// The parser reports one fault. An argument that is missing, or a value that is out of range, hides an option
/// that does not exist, which mostly is the cause.
struct UsageError {
  /// The options of the subcommand, with their hyphens.
  private let known: Set<String>
  /// The subcommands that have an option which this one lacks.
  private let others: [String: [String]]

  /// Creates the message for a subcommand by its `help`, in which its options stand, and those of
  /// `others`.
  init(help: String, others: [(name: String, help: String)] = []) {
    known = Self.options(in: help)
    var owners: [String: [String]] = [:]
    for other in others {
      for option in Self.options(in: other.help) where !known.contains(option) {
        owners[option, default: []].append(other.name)
      }
    }
    self.others = owners
  }

  /// Returns the options that stand in `help`: `  -o, --output <dir>   Folder ...`.
  private static func options(in help: String) -> Set<String> {
    var names: Set<String> = []
    for line in help.split(separator: "\n") where line.hasPrefix("  -") {
      for word in line.split(separator: " ") {
        guard word.hasPrefix("-") || word.hasPrefix("<") else { break }
        for name in word.split(whereSeparator: { $0 == "," || $0 == "/" })
        where name.hasPrefix("-") {
          names.insert(String(name))
        }
      }
    }
    return names
  }

  /// Returns `text`, the parser's message, with a line for each argument that looks like an option that does not exist.
  func completing(_ text: String, _ arguments: [String]) -> String {
    var parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let first = parts.first else { return text }
    let label = first.hasPrefix("Error: ") ? "Error: " : ""
    let found = unknown(arguments)
    // The parser's own line about an option, whose suggestion may be another option. Of `-output` it names a
    // single letter.
    let named = found.first { first.contains("'\($0)'") }
    if first.contains("Unknown option '"),
      let name = named ?? found.first(where: { !$0.hasPrefix("--") && $0.utf8.count > 2 })
    {
      parts[0] = label + message(about: name)
    }
    let lines = found.map { message(about: $0) }.filter { !parts[0].hasSuffix($0) }
    // The usage comes last.
    parts.insert(contentsOf: lines.map { label + $0 }, at: 1)
    if let hint = Self.decimalHint(first) { parts[0] += hint }
    return parts.joined(separator: "\n")
  }

  private func message(about name: String) -> String {
    let what = "Unknown option '\(name)'"
    if let owners = others[name] {
      return what + ": it is one of fathom \(owners.prefix(3).joined(separator: ", "))"
    }
    return what + (suggestion(for: name).map { ". Did you mean '\($0)'?" } ?? "")
  }

  /// Returns the arguments that look like options but are not, each once.
  func unknown(_ arguments: [String]) -> [String] {
    var found: [String] = []
    for argument in arguments.prefix(while: { $0 != "--" }) {
      let name = String(argument.prefix { $0 != "=" })
      // Negative numbers, also lists such as -5,-5,5,5, are values.
      guard name.hasPrefix("-"), name.first(where: { $0 != "-" })?.isLetter == true,
        Double(name) == nil, !name.contains(","), !known.contains(name), !isShort(name),
        !found.contains(name)
      else { continue }
      found.append(name)
    }
    return found
  }

  /// Whether `name` is a short option with its value, `-oresults`.
  private func isShort(_ name: String) -> Bool {
    !name.hasPrefix("--") && known.contains(String(name.prefix(2))) && !known.contains("-\(name)")
  }

  /// Returns the option that `name` probably means; nil without a similar one.
  func suggestion(for name: String) -> String? {
    // One hyphen before a long name, and a capital for a small letter.
    for form in ["-\(name)", name.lowercased()] where known.contains(form) { return form }
    guard name.hasPrefix("--") else { return nil }
    let near = known.filter { $0.hasPrefix("--") }
      .map { (name: $0, distance: Excerpt.distance($0, name.lowercased())) }
      .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    if let near, near.distance <= max(1, min(3, name.utf8.count / 4)) { return near.name }
    // The beginning of a single option.
    let longer = known.filter { name.utf8.count > 3 && $0.hasPrefix(name.lowercased()) }
    return longer.count == 1 ? longer.first : nil
  }

  /// Returns what to write instead of a number with a decimal comma; nil if `message` is not about one.
  private static func decimalHint(_ message: String) -> String? {
    guard let match = message.firstMatch(of: /The value '(-?\d+,\d+)' is invalid/) else {
      return nil
    }
    let number = match.output.1.replacing(",", with: ".")
    return ": numbers have a decimal point, \(number)"
  }
}
