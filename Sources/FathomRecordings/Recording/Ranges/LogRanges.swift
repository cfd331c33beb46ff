import Fathom

extension RangesChunkParser {
  /// Parses the complete lines of a block of a device log.
  ///
  /// - Parameters:
  ///   - log: parser of the log.
  ///   - block: text of the log.
  ///   - isLast: whether the log ends with it.
  ///   - path: name of the log in messages.
  ///   - zeroIsDistance: whether a distance of zero is a measurement.
  /// - Returns: Number of bytes taken.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` when the log has more names than one
  ///   recording can have.
  mutating func takeLines(
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
      let count = names.tags.count + names.anchors.count
      take(
        range, rows.names, at: times[range.epoch], timeline: &log.timeline,
        zeroIsDistance: zeroIsDistance)
      if names.tags.count + names.anchors.count > count, let reason = reasonTooManyNames {
        throw .badData(path: path, line: range.line, reason: reason)
      }
    }
    for row in rows.rejected[next...] { reject(row) }
    return taken
  }

  /// Why the names are too many for one recording; nil when they are not.
  private var reasonTooManyNames: String? {
    RecordingLimits.reasonTooMany(tags: names.tags.count, anchors: names.anchors.count)
  }

  /// Appends a rejected row of a log.
  private mutating func reject(_ row: RejectedLogRow) {
    file.rowsRead += 1
    reject(RejectedRow(line: row.line, column: "", reason: row.reason, text: row.text))
  }

  /// Appends a range of a log, or rejects it.
  ///
  /// - Parameters:
  ///   - range: the range.
  ///   - known: names in the log.
  ///   - outcome: time of its epoch.
  ///   - timeline: times of the log, for ranges whose epoch is a round.
  ///   - zeroIsDistance: whether a distance of zero is a measurement.
  private mutating func take(
    _ range: LogEntry, _ known: NameTable, at outcome: LogTimeline.Outcome,
    timeline: inout LogTimeline,
    zeroIsDistance: Bool
  ) {
    func rejected(_ reason: String) -> RejectedLogRow {
      RejectedLogRow(
        line: range.line, reason: reason,
        text: "anchor \(range.anchor < 0 ? "" : Excerpt.plain(known.name(at: range.anchor))),"
          + " \(range.distance) m")
    }
    if let reason = MeasuredDistance.reasonAbsent(range.distance, zeroIsDistance: zeroIsDistance) {
      return reject(rejected(reason))
    }
    if case .failure(let reason) = outcome { return reject(rejected(reason)) }
    guard let tag = place(range.tag, known, .tag), let anchor = place(range.anchor, known, .anchor)
    else { return reject(rejected("the name of the tag or anchor is not a name")) }
    if anchor < 0 {
      let name = range.anchor < 0 ? "" : known.name(at: range.anchor)
      undeclared.append(name, line: range.line)
      return reject(rejected(UndeclaredAnchors.reason(name, format.spellings)))
    }
    var outcome = outcome
    if case .round = outcome { outcome = timeline.timeOfRound(tag: tag, anchor: anchor) }
    guard case .time(let time) = outcome else {
      return reject(rejected("the time exceeds 292 years"))
    }
    file.rowsRead += 1
    file.ranges.time.append(time)
    file.ranges.tag.append(tag)
    file.ranges.anchor.append(anchor)
    file.ranges.distance.append(range.distance)
    file.ranges.line.append(range.line)
    file.ranges.sigma?.append(range.sigma > 0 ? range.sigma : .nan)
    file.ranges.azimuth?.append(range.azimuth)
    file.ranges.elevation?.append(range.elevation)
    file.ranges.rssi?.append(range.rssi)
    file.ranges.firstPathRSSI?.append(range.firstPathRSSI)
    file.ranges.nonLineOfSight?.append(range.nonLineOfSight)
  }

  /// Returns the index, in the tags or anchors of the recording, of the name at `index` of `known`;
  /// nil if it is not a name, and -1 for an anchor that is not declared while others are.
  private mutating func place(
    _ index: Int32, _ known: NameTable, _ column: RangesColumn
  ) -> Int32? {
    if index < 0 {
      // Without a name there is at most one declared anchor, to which the range then belongs.
      if column == .anchor, format.declared == 1 { return 0 }
      return column == .tag
        ? names.tags.place(of: Self.onlyName[...]) : names.anchors.place(of: Self.onlyName[...])
    }
    let place = Int(index)
    let places = column == .tag ? logTags : logAnchors
    if place < places.count, places[place] >= 0 { return places[place] }
    let name = Array(known.name(at: index).utf8)[...]
    guard Self.isName(name) else { return nil }
    let found: Int32
    if column == .tag {
      found = names.tags.place(of: name)
    } else if format.declared == 0 {
      found = names.anchors.place(of: name)
    } else {
      found =
        names.anchors.withLookUp { view in
          name.withUnsafeBufferPointer { view.place(of: $0) }
        } ?? -1
    }
    if column == .tag {
      logTags += Array(repeating: -1, count: max(0, place + 1 - logTags.count))
      logTags[place] = found
    } else {
      logAnchors += Array(repeating: -1, count: max(0, place + 1 - logAnchors.count))
      logAnchors[place] = found
    }
    return found
  }

  private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
    name.count <= RecordingLimits.longestName
      && (name.allSatisfy { $0 != 0 && $0 < 0x80 }
        || (!name.contains(0) && String(validating: name, as: UTF8.self) != nil))
  }
}

extension MeasuredDistance {
  /// Returns why `value` is not a distance, for messages; nil when it is one.
  fileprivate static func reasonAbsent(_ value: Double, zeroIsDistance: Bool) -> String? {
    switch absence(of: value, zeroIsDistance: zeroIsDistance) {
    case nil: nil
    case .notANumber: "the distance is missing"
    case .sentinel: "the distance is a sentinel for a failed measurement"
    case .negative: "the distance is negative"
    case .zero: "the distance is zero: most devices write zero for a failed measurement"
    }
  }
}
