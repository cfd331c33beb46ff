import Fathom

/// The declared names of anchors, with which names that are spelt differently can be compared.
package struct AnchorSpellings: Sendable {
  private let names: [String]
  /// Index in ``names`` of the first name of each normal form.
  private let places: [String: Int]

  /// Creates the spellings of `names`.
  package init(_ names: [String]) {
    self.names = names
    places = Dictionary(
      names.enumerated().map { (Self.normal($0.element), $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the declared name that differs from `name` only in case, blanks, leading zeros, `0x`
  /// or a decimal `.0`; nil without one.
  package func near(_ name: String) -> String? { places[Self.normal(name)].map { names[$0] } }

  /// Returns the declared names as the end of a message, shortened if there are many.
  var list: String { "declared: \(Excerpt.list(names))" }

  /// Returns the form that all spellings of a name have in common.
  ///
  /// `1.0` is written by programs that hold a column of integers with gaps as numbers.
  private static func normal(_ name: String) -> String {
    var text = name.lowercased().filter { !$0.isWhitespace }[...]
    if text.hasPrefix("0x") { text = text.dropFirst(2) }
    if let point = text.lastIndex(of: "."), point > text.startIndex,
      text[text.index(after: point)...].allSatisfy({ $0 == "0" }),
      text[..<point].allSatisfy(\.isNumber)
    {
      text = text[..<point]
    }
    while text.count > 1, text.first == "0" { text = text.dropFirst() }
    return String(text)
  }
}

/// The rows of a file that were rejected because they name anchors that are not declared.
struct UndeclaredAnchors: Sendable, Equatable {
  /// Number of rows.
  private(set) var rows = 0
  /// Line of the first row.
  private(set) var firstLine = 0
  /// Names in order of first appearance, at most ``mostNames``.
  private(set) var names: [String] = []
  /// All names, at most ``mostTags``, among which those of tags are searched.
  private(set) var allNames: Set<String> = []

  /// Number of names that are kept for messages.
  private static let mostNames = 64
  /// Number of names among which those of tags are found.
  private static let mostTags = 10_000

  /// Counts a row at `line` that names `name`.
  mutating func append(_ name: String, line: Int) {
    if rows == 0 { firstLine = line }
    rows += 1
    add(name)
  }

  /// Counts the rows of the next part of the file, whose lines begin after `lines` others.
  mutating func append(contentsOf next: UndeclaredAnchors, afterLines lines: Int) {
    if rows == 0 { firstLine = next.firstLine + lines }
    rows += next.rows
    for name in next.names { add(name) }
    for name in next.allNames where allNames.count < Self.mostTags { allNames.insert(name) }
  }

  private mutating func add(_ name: String) {
    if names.count < Self.mostNames, !names.contains(name) { names.append(name) }
    if allNames.count < Self.mostTags { allNames.insert(name) }
  }

  /// Returns the reason for rejecting a row that names `name`.
  ///
  /// The text before the colon is the same for all rows, so that they are counted together.
  static func reason(_ name: String, _ declared: AnchorSpellings) -> String {
    let near = declared.near(name).map { " (is it \(Excerpt.quoted($0))?)" } ?? ""
    return "the anchor is not declared: \(Excerpt.quoted(name))\(near)"
  }

  /// Returns a message with the undeclared names, their near matches and the declared names; nil
  /// without rows.
  func message(_ declared: AnchorSpellings) -> String? {
    guard rows > 0 else { return nil }
    let shown = names.prefix(8).map { name in
      let near = declared.near(name).map { " (is it \(Excerpt.quoted($0))?)" } ?? ""
      return Excerpt.quoted(name) + near
    }
    let more = names.count > shown.count ? " and more" : ""
    return (rows == 1 ? "1 row names an anchor that is" : "\(rows) rows name anchors that are")
      + " not declared: \(shown.joined(separator: ", "))\(more); \(declared.list)"
  }
}
