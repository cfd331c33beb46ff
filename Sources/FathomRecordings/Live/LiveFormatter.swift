import Fathom

/// A table of a live stream.
package enum LiveTable: Sendable, Hashable {
  /// Positions.
  case positions
  /// Smoothed distances.
  case distances
  /// Entries into and exits from zones, on the floor plan and around anchors.
  case events
}

/// A format of the rows of a live stream.
package enum LiveFormat: String, Sendable, Hashable, CaseIterable {
  /// Comma-separated values, with a header per table.
  case csv
  /// One JSON object per row.
  case jsonl
  /// One point of InfluxDB line protocol per row.
  case influx
}

/// The text of some rows of a live stream, by table.
package struct LiveText: Sendable {
  /// Rows of positions.
  package var positions: [UInt8] = []
  /// Rows of distances.
  package var distances: [UInt8] = []
  /// Rows of events.
  package var events: [UInt8] = []
}

/// The results of a batch of lines.
package struct LiveResults: Sendable {
  /// Rows in the requested format.
  package var text = LiveText()
  /// Positions.
  package var positions = PositionColumns()
  /// Events of zones on the floor plan.
  package var zoneEvents = ZoneColumns()
  /// Events of zones around anchors.
  package var linkEvents: [RecordingSummary.ZoneEvent] = []
  /// Messages for the user.
  package var messages: [String] = []
  /// Number of ranges in the batch.
  package var rangeCount = 0
  /// Names of the tags that are forgotten after the batch.
  package var forgotten: [String] = []
  /// Number of usable rows of all kinds in the batch.
  package var usedCount = 0
  /// Number of rejected rows in the batch.
  package var rejectedCount = 0
  /// The first rejected row of each reason, of some reasons.
  package var rejections: [LiveRejection] = []

  /// Creates the results of an empty batch.
  package init() {}
}

/// Why a row of a live stream, or all of its rows so far, are rejected.
package struct LiveRejection: Sendable, Equatable {
  /// The reason without the row's text, the same for all rows with the same problem.
  package var kind: String
  /// The whole reason.
  package var reason: String
  /// The line of the stream, from 1; nil for all lines so far.
  package var line: Int?

  /// Creates a rejection.
  package init(kind: String, reason: String, line: Int?) {
    (self.kind, self.reason, self.line) = (kind, reason, line)
  }

  /// Returns the first row of each of the first reasons of `rows`, without the lines before a header, which
  /// ``LivePipeline/unrecognised`` is about.
  static func firsts(of rows: RejectedRows) -> [LiveRejection] {
    rows.reasons.prefix(16).filter { $0.reason != LiveBeginning.reason }.map { reason in
      let example = rows.first { $0.kind == reason.reason }
      return LiveRejection(
        kind: reason.reason, reason: example?.reason ?? reason.reason, line: reason.firstLine)
    }
  }
}

/// Formats the rows of a live stream as `process` formats those of a recording.
struct LiveFormatter: Sendable {
  private let tables: Set<LiveTable>
  private let format: LiveFormat
  private var formatter: ResultFormatter?
  private var points: LineProtocol?
  /// What ``formatter`` or ``points`` was made for; a stream has more and more names.
  private var state = (tags: -1, anchors: -1, decimals: -1)
  private let buffers = ResultBufferPool()

  init(_ tables: Set<LiveTable>, _ format: LiveFormat) {
    self.tables = tables
    self.format = format
  }

  /// The columns of the table of events.
  private static let eventsHeader = "time_s,tag,anchor,radius_m,zone,event"

  /// Returns the header lines of the tables; empty for formats without one.
  func headers(_ outline: RecordingOutline, _ settings: ProcessingSettings) -> LiveText {
    var text = LiveText()
    guard format == .csv else { return text }
    let headers = ResultFormatter(outline, settings, formats: [.csv]).headers
    if tables.contains(.positions) { text.positions = headers.positions.bytes }
    if tables.contains(.distances) { text.distances = headers.distances.bytes }
    if tables.contains(.events) { text.events = Array((Self.eventsHeader + "\n").utf8) }
    return text
  }

  /// Returns the rows of `positions`.
  mutating func text(
    of positions: PositionsByTag, _ outline: RecordingOutline, _ settings: ProcessingSettings
  ) -> [UInt8] {
    if format == .influx { return currentPoints(outline, settings).text(of: positions) }
    let text = current(outline, settings).text(of: positions)
    return format == .csv ? text.positions.bytes : text.positionLines.bytes
  }

  /// Returns the rows of the ranges that have results, in the order of their arrival.
  mutating func text(
    of ranges: RangeColumns, _ found: [[RangeResult?]], _ outline: RecordingOutline,
    _ settings: ProcessingSettings
  ) -> [UInt8] {
    var entries: [Timeline.Entry] = []
    var next = [Int](repeating: 0, count: found.count)
    for index in 0..<ranges.count {
      let tag = Int(ranges.tag[index])
      if found[tag][next[tag]] != nil { entries.append(.range(index)) }
      next[tag] += 1
    }
    let slice = RecordingSlice(
      of: ranges, events: [], entries: entries, ordinal: 0,
      watermark: Timestamp(nanoseconds: 0))
    let done = ProcessedSlice(slice: slice, results: found.map { $0.compactMap { $0 } })
    if format == .influx { return currentPoints(outline, settings).text(of: done) }
    let text = current(outline, settings).textOfDistances([done], from: buffers)
    defer { buffers.give(text) }
    return format == .csv ? text.distances.bytes : text.distanceLines.bytes
  }

  /// Returns the rows of events.
  func text(
    of zones: ZoneColumns, _ links: [RecordingSummary.ZoneEvent], decimals: Int
  ) -> [UInt8] {
    if zones.count == 0, links.isEmpty { return [] }
    if format == .influx { return LineProtocol.text(of: zones, links) }
    var row = CSVBuffer(rows: zones.count + links.count, of: 60)
    var lines = ""
    for index in 0..<zones.count {
      let kind = zones.event[index].rawValue
      guard format == .csv else {
        lines +=
          "{\"time_s\":\(FixedDecimal.text(zones.time[index], decimals: decimals)),\"tag\":\(string(zones.tag[index])),"
          + "\"zone\":\(string(zones.zone[index])),\"event\":\"\(kind)\"}\n"
        continue
      }
      row.append(zones.time[index], decimals: decimals)
      row.append(zones.tag[index])
      row.append("")
      row.append("")
      row.append(zones.zone[index])
      row.append(kind)
      row.endRow()
    }
    for link in links {
      let time = Timestamp(seconds: link.timeS) ?? Timestamp(nanoseconds: 0)
      guard format == .csv else {
        lines +=
          "{\"time_s\":\(FixedDecimal.text(time, decimals: decimals)),\"tag\":\(string(link.tag)),"
          + "\"anchor\":\(string(link.anchor)),\"radius_m\":\(link.radiusM),\"event\":\"\(link.kind)\"}\n"
        continue
      }
      row.append(time, decimals: decimals)
      row.append(link.tag)
      row.append(link.anchor)
      row.append(word: "\(link.radiusM)")
      row.append("")
      row.append(link.kind)
      row.endRow()
    }
    return format == .csv ? row.bytes : Array(lines.utf8)
  }

  private func string(_ text: String) -> String {
    String(decoding: JSONString.bytes(text), as: UTF8.self)
  }

  /// Forgets the names so far: others have their indices.
  mutating func forgetNames() { (formatter, points) = (nil, nil) }

  /// Returns the formatter for the names and the decimals so far.
  private mutating func current(
    _ outline: RecordingOutline, _ settings: ProcessingSettings
  ) -> ResultFormatter {
    let now = Self.state(of: outline)
    if let formatter, now == state { return formatter }
    let made = ResultFormatter(outline, settings, formats: [format == .csv ? .csv : .jsonl])
    (formatter, state) = (made, now)
    return made
  }

  /// Returns the formatter of points for the names so far.
  private mutating func currentPoints(
    _ outline: RecordingOutline, _ settings: ProcessingSettings
  ) -> LineProtocol {
    let now = Self.state(of: outline)
    if let points, now == state { return points }
    let made = LineProtocol(outline, settings)
    (points, state) = (made, now)
    return made
  }

  private static func state(
    of outline: RecordingOutline
  ) -> (tags: Int, anchors: Int, decimals: Int) {
    (outline.tagNames.count, outline.anchorNames.count, outline.timeDecimals)
  }
}

extension LiveText {
  /// Whether there are no rows.
  package var isEmpty: Bool { positions.isEmpty && distances.isEmpty && events.isEmpty }
}
