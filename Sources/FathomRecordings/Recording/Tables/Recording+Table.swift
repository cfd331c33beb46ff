import Fathom

extension Recording {
  /// Creates a recording of rows in memory, which must have times and distances.
  ///
  /// `name` also stands for a path in messages. Without anchors, positions are relative to the
  /// device. `info` is the content of `recording.json`, such as the height of the tags. Throws for
  /// an invalid anchor or `info`, and for too many tags or anchors.
  package init(
    name: String, table: BorrowedRanges, declared: DeclaredAnchors, info: [UInt8]? = nil
  ) throws(RecordingError) {
    self.init(name: name)
    try declared.validate(name)
    if let info {
      try adopt(
        RecordingInfo(
          ByteSource(
            path: "metadata", stored: info, mostBytes: RecordingLimits.longestSettings)))
    }
    adopt(declared)
    adopt(
      try BorrowedRangesReader.read(table, name: name, declared: declared.names),
      declared: declared.names, source: "table")
  }
}

extension DeclaredAnchors {
  /// Throws if a name is empty, too long or declared twice, or if an anchor is not one that
  /// ``AnchorsReader`` would read.
  package func validate(_ path: String) throws(RecordingError) {
    var seen: Set<String> = []
    func fail(_ reason: String) -> RecordingError {
      .badData(path: path, line: nil, reason: reason)
    }
    for (name, anchor) in zip(names, anchors) {
      let quoted = Excerpt.quoted(name)
      if name.isEmpty || name.utf8.count > RecordingLimits.longestName {
        throw fail("the name of an anchor is empty or too long: \(quoted)")
      }
      if !seen.insert(name).inserted { throw fail("anchor \(quoted) is declared twice") }
      for axis in 0..<3 {
        guard anchor.position[axis].magnitude <= RecordingLimits.farthest else {
          throw fail("the position of anchor \(quoted) is missing or out of range")
        }
      }
      if let sigma = anchor.positionSigma, !(sigma >= 0 && sigma <= RecordingLimits.farthest) {
        throw fail("sigma_m of anchor \(quoted) is negative or out of range: \(sigma)")
      }
      if !(anchor.bias.magnitude <= RecordingLimits.farthest) {
        throw fail("bias_m of anchor \(quoted) is out of range: \(anchor.bias)")
      }
      if !(anchor.scale > 0 && anchor.scale.isFinite) {
        throw fail("scale of anchor \(quoted) must be positive: \(anchor.scale)")
      }
    }
    if let reason = RecordingLimits.reasonTooMany(tags: 1, anchors: names.count) {
      throw fail(reason)
    }
  }
}
