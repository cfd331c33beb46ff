import Fathom

extension RangesChunkParser {
  /// Parses the complete lines of `block` of a device log; returns the number of bytes taken.
  ///
  /// - Parameters:
  ///   - log: parser of the log.
  ///   - block: text of the log.
  ///   - isLast: whether the log ends with it.
  ///   - path: name of the log in messages.
  ///   - zeroIsDistance: whether a distance of zero is a measurement.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` when the log has more names than one
  ///   recording can have.
  mutating func takeLines(
    _ log: inout LogParser, of block: [UInt8], isLast: Bool, path: String, zeroIsDistance: Bool
  ) throws(RecordingError) -> Int {
    let taken = log.readLines(of: block, isLast: isLast)
    defer { log.removeRows() }
    let rows = log.rows
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
      take(
        range, at: times[range.epoch], timeline: &log.timeline, zeroIsDistance: zeroIsDistance)
      if let reason = reasonTooManyNames {
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
  ///   - outcome: time of its epoch.
  ///   - timeline: times of the log, for ranges whose epoch is a round.
  ///   - zeroIsDistance: whether a distance of zero is a measurement.
  private mutating func take(
    _ range: LogRange, at outcome: LogTimeline.Outcome, timeline: inout LogTimeline,
    zeroIsDistance: Bool
  ) {
    func rejected(_ reason: String) -> RejectedLogRow {
      RejectedLogRow(
        line: range.line, reason: reason,
        text: "anchor \(Excerpt.text(range.anchor, limit: 40)), \(range.distance) m")
    }
    if let reason = MeasuredDistance.reasonAbsent(range.distance, zeroIsDistance: zeroIsDistance) {
      return reject(rejected(reason))
    }
    guard Self.isName(range.tag), Self.isName(range.anchor) else {
      return reject(rejected("the name of the tag or anchor is not a name"))
    }
    if case .failure(let reason) = outcome { return reject(rejected(reason)) }
    let tag = names.tags.place(of: range.tag.isEmpty ? Self.onlyName[...] : range.tag)
    let anchor: Int32
    if range.anchor.isEmpty, format.declared == 1 {
      anchor = 0
    } else {
      anchor = names.anchors.place(of: range.anchor.isEmpty ? Self.onlyName[...] : range.anchor)
      noteUndeclared(anchor, line: range.line)
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
