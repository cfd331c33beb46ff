import Fathom

/// The anchors whose positions a log has.
struct LogAnchors: Sendable {
  var declared = DeclaredAnchors()
  /// Notes for the user.
  var notes: [String] = []
  /// Whether anchors and ranges are in a plane, in which the tags are too.
  var isPlanar = false

  /// Reads the positions in all of the log in `input`, of the given format.
  ///
  /// The position that most lines state counts: a damaged line can state another. A text that is
  /// not a name declares no anchor; ranges to it are rejected. Too many anchors are an error.
  init(
    _ input: StoredInput, _ format: LogFormat, options: RecordingOptions
  ) throws(RecordingError) {
    guard format.hasAnchors, var parser = LogParser(format, options: options) else { return }
    var text = try TextBlocks(input)
    var names = NameTable()
    var positions: [[(position: Vector<3>, lines: Int)]] = []
    while true {
      let (taken, anchors) = parser.anchors(of: text.block, isLast: text.isLast)
      for anchor in anchors where RangeField.problem(ofName: anchor.name) == nil {
        let place = Int(names.place(of: anchor.name))
        if place == positions.count { positions.append([]) }
        if let index = positions[place].firstIndex(where: { $0.position == anchor.position }) {
          positions[place][index].lines += 1
        } else if positions[place].count < Self.mostPositions,
          (0..<3).allSatisfy({ RecordingLimits.reasonTooFar(anchor.position[$0]) == nil })
        {
          positions[place].append((anchor.position, 1))
        }
      }
      if let reason = RecordingLimits.reasonTooMany(tags: 1, anchors: names.count) {
        throw .badData(path: input.path, line: nil, reason: reason)
      }
      if text.isLast { break }
      try text.advance(taking: taken)
    }
    for (name, found) in zip(names.names, positions) {
      guard let best = found.max(by: { $0.lines < $1.lines }) else { continue }
      declared.names.append(name)
      declared.anchors.append(Anchor(position: best.position))
      let others = found.reduce(0) { $0 + $1.lines } - best.lines
      if others > 0 {
        notes.append(
          "anchor \(Excerpt.quoted(name)) has other positions in \(others) of"
            + " \(others + best.lines) lines; the most frequent is used")
      }
    }
    isPlanar =
      format == .librsf && !declared.anchors.isEmpty
      && declared.anchors.allSatisfy { $0.position[2] == 0 }
    if isPlanar { notes.append("anchors and ranges are in the plane: the height is 0") }
    if !declared.names.isEmpty {
      notes.insert("anchors: \(declared.names.count), with positions from the log", at: 0)
    }
  }

  /// Different positions of one anchor that are counted.
  private static let mostPositions = 100
}
