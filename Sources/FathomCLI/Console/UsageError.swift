import ArgumentParser
import FathomRecordings

/// The message about wrong usage, completed by what the parser does not say.
///
/// The parser reports one fault. An argument that is missing, or a value that is out of range, hides an option
/// that does not exist, which mostly is the cause.
struct UsageError {
  /// The options of the subcommand, with their hyphens.
  private let known: Set<String>

  /// Creates the message for the options that occur in `help`, the help of a subcommand.
  init(help: String) {
    var names: Set<String> = []
    for line in help.split(separator: "\n") where line.hasPrefix("  -") {
      // Names stand before the description: `  -o, --output <dir>   Folder ...`.
      for word in line.split(separator: " ") {
        guard word.hasPrefix("-") || word.hasPrefix("<") else { break }
        for name in word.split(whereSeparator: { $0 == "," || $0 == "/" }) where name.hasPrefix("-") {
          names.insert(String(name))
        }
      }
    }
    known = names
  }

  /// Returns `text`, which begins with the parser's message, with a line for each argument that looks like an
  /// option and is none, unless `text` already names it.
  func completing(_ text: String, _ arguments: [String]) -> String {
    let found = unknown(arguments).filter { !text.contains("'\($0)'") }
    guard !found.isEmpty else { return text }
    let lines = found.map { name in
      "Error: Unknown option '\(name)'" + (suggestion(for: name).map { ". Did you mean '\($0)'?" } ?? "")
    }
    // The usage comes last.
    var parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    parts.insert(contentsOf: lines, at: min(1, parts.count))
    return parts.joined(separator: "\n")
  }

  /// Returns the arguments that look like options and are none, each once.
  func unknown(_ arguments: [String]) -> [String] {
    var found: [String] = []
    for argument in arguments.prefix(while: { $0 != "--" }) {
      guard argument.hasPrefix("-"), argument.dropFirst().contains(where: \.isLetter) else { continue }
      let name = String(argument.prefix { $0 != "=" })
      // Negative numbers such as -1e3 and -inf are values.
      guard Double(name) == nil, name.count == 2 || name.hasPrefix("--"), !known.contains(name),
        !found.contains(name)
      else { continue }
      found.append(name)
    }
    return found
  }

  /// Returns the option that `name` probably means; nil without a similar one.
  func suggestion(for name: String) -> String? {
    let near = known.filter { $0.hasPrefix("--") }
      .map { (name: $0, distance: Excerpt.distance($0, name.lowercased())) }
      .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    if let near, near.distance <= max(1, min(3, name.utf8.count / 3)) { return near.name }
    // The beginning of a single option.
    let longer = known.filter { name.utf8.count > 3 && $0.hasPrefix(name.lowercased()) }
    if longer.count == 1 { return longer.first }
    // A capital for a small letter.
    return known.contains(name.lowercased()) ? name.lowercased() : nil
  }
}
