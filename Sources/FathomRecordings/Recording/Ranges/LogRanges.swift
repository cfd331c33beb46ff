import Fathom

extension RangesChunkParser {
  /// Parses the complete lines of a block of a device log; returns the number of bytes taken.
  ///
  /// With `zeroIsDistance`, a distance of zero is a measurement. Throws when the log has more names
  /// than one recording can have.
  mutating func processLines(
    _ log: inout LogParser, of block: [UInt8], isLast: Bool, path: String, zeroIsDistance: Bool
  ) throws(RecordingError) -> Int {
    let taken = log.readLines(of: block, isLast: isLast)
    // Moved out and back, so that its memory is kept.
    var rows = LogRows()
    swap(&rows, &log.rows)
    defer {
      rows.removeAll()
      swap(&rows, &log.rows)
    }
    guard rows.names.count <= RecordingLimits.mostTags + RecordingLimits.mostAnchors else {
      throw .badData(path: path, line: nil, reason: "more than \(rows.names.count) names")
    }
    var times: [LogTimeline.Outcome] = []
    times.reserveCapacity(rows.epochs.count)
    for epoch in rows.epochs { times.append(log.timeline.time(of: epoch)) }
    var next = 0
    for range in rows.ranges {
      // Rejected rows stay in the order of the file.
      while next < rows.rejected.count, rows.rejected[next].line < range.line {
        reject(rows.rejected[next])
        next += 1
      }
      let count = sink.names.tags.count + sink.names.anchors.count
      process(
        range, rows.names, at: times[range.epoch], timeline: &log.timeline,
        zeroIsDistance: zeroIsDistance)
      if sink.names.tags.count + sink.names.anchors.count > count,
        let reason = sink.reasonTooManyNames
      {
        throw .badData(path: path, line: range.line, reason: reason)
      }
    }
    for row in rows.rejected[next...] { reject(row) }
    return taken
  }

  /// Appends a rejected row of a log.
  private mutating func reject(_ row: RejectedLogRow) {
    sink.reject(RejectedRow(line: row.line, column: "", reason: row.reason, text: row.text))
  }

  /// Passes a range of a log to the sink, or rejects it.
  ///
  /// `outcome` is the time of its epoch, `timeline` the times of the log, for ranges whose epoch is
  /// a round.
  private mutating func process(
    _ range: LogEntry, _ known: NameTable, at outcome: LogTimeline.Outcome,
    timeline: inout LogTimeline, zeroIsDistance: Bool
  ) {
    do throws(RowFault) {
      let absence = MeasuredDistance.absence(of: range.distance, zeroIsDistance: zeroIsDistance)
      if let (what, hint) = absence?.problem(of: range.distance) {
        throw RowFault(reason: "the distance \(what)" + (hint.map { ": \($0)" } ?? ""))
      }
      if case .failure(let reason) = outcome { throw RowFault(reason: reason) }
      // Names are added once both are known to be names, and the anchor to be declared.
      let tagName = try Self.newName(range.tag, of: known, places: logTags)
      let anchor = try anchor(range, known)
      let tag = tag(range.tag, tagName)
      var outcome = outcome
      if case .round = outcome { outcome = timeline.timeOfRound(tag: tag, anchor: anchor) }
      guard case .time(let time) = outcome else {
        throw RowFault(reason: "the time exceeds 292 years")
      }
      sink.append(
        at: time, tag: tag, peer: .anchor(anchor), distance: range.distance, line: range.line,
        range.numbers)
    } catch {
      reject(
        RejectedLogRow(
          line: range.line, reason: error.reason,
          text: "anchor \(range.anchor < 0 ? "" : Excerpt.plain(known.name(at: range.anchor))),"
            + " \(range.distance) m"))
    }
  }

  /// Returns the index of the tag at `index` in the log, called `name` if it is new.
  private mutating func tag(_ index: Int32, _ name: ArraySlice<UInt8>?) -> Int32 {
    guard let name else { return index < 0 ? sink.tag(nil) : logTags[Int(index)] }
    let place = sink.tag(name)
    Self.note(place, of: index, in: &logTags)
    return place
  }

  /// Returns the index of the anchor of `range`, whose name is one of `known`.
  private mutating func anchor(_ range: LogEntry, _ known: NameTable) throws(RowFault) -> Int32 {
    let index = range.anchor
    guard let name = try Self.newName(index, of: known, places: logAnchors) else {
      if index >= 0 { return logAnchors[Int(index)] }
      return try sink.anchor(
        sink.rules.declaredCount > 1 ? RangesNames.only : nil, column: "", line: range.line)
    }
    let place = try sink.anchor(name, column: "", line: range.line)
    Self.note(place, of: index, in: &logAnchors)
    return place
  }

  /// Returns the name at `index` of a log, which has no place yet; nil when it has one, and without a
  /// name.
  private static func newName(
    _ index: Int32, of known: NameTable, places: [Int32]
  ) throws(RowFault) -> ArraySlice<UInt8>? {
    if index < 0 || (Int(index) < places.count && places[Int(index)] >= 0) { return nil }
    let name = Array(known.name(at: index).utf8)[...]
    guard RangeField.problem(ofName: name) == nil else {
      throw RowFault(reason: "the name of the tag or anchor is not a name")
    }
    return name
  }

  private static func note(_ place: Int32, of index: Int32, in places: inout [Int32]) {
    places += Array(repeating: -1, count: max(0, Int(index) + 1 - places.count))
    places[Int(index)] = place
  }
}
