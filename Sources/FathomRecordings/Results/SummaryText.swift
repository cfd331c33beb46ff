/// The text of a summary, in which the lists of links and tags can be very long.
///
/// The encoder needs more than a kilobyte for each element until the whole text is complete. Long
/// lists are therefore encoded in parts, which gives the same text.
enum SummaryText {
  /// Elements that are encoded at a time.
  private static let part = 1000

  /// Returns `summary` as JSON, on one line unless `isPretty`.
  static func json(_ summary: RecordingSummary, isPretty: Bool) -> String {
    var rest = summary
    var lists: [(key: String, text: String)] = []
    if summary.links.count > part {
      lists.append(("links", elements(of: summary.links, isPretty: isPretty)))
      rest.links = []
    }
    if let tags = summary.calibration, tags.count > part {
      lists.append(("calibration", elements(of: tags, isPretty: isPretty)))
      rest.calibration = []
    }
    var text = ResultWriter.json(rest, formatting: isPretty ? [.prettyPrinted] : [])
    for list in lists {
      // A text inside a string has no unescaped quotes, so only the key matches.
      let (empty, open, close) =
        isPretty
        ? ("\n  \"\(list.key)\" : [\n\n  ]", "\n  \"\(list.key)\" : [\n", "\n  ]")
        : ("\"\(list.key)\":[]", "\"\(list.key)\":[", "]")
      guard let place = text.firstRange(of: empty) else { continue }
      text.replaceSubrange(place, with: open + list.text + close)
    }
    return text
  }

  /// Returns the elements of a list at the top level, separated by commas.
  private static func elements<Element: Encodable>(of list: [Element], isPretty: Bool) -> String {
    var text = ""
    for begin in stride(from: 0, to: list.count, by: part) {
      let slice = Array(list[begin..<min(begin + part, list.count)])
      let json = ResultWriter.json(slice, formatting: isPretty ? [.prettyPrinted] : [])
      if begin > 0 { text += isPretty ? ",\n" : "," }
      guard isPretty else {
        text += json.dropFirst().dropLast()
        continue
      }
      // Without the brackets, which have lines of their own, and one level deeper.
      text += json.dropFirst(2).dropLast(2).split(separator: "\n", omittingEmptySubsequences: false)
        .map { "  " + $0 }.joined(separator: "\n")
    }
    return text
  }
}
