import Fathom

/// A recording that is replayed as a live stream, in order of time.
package struct LiveReplay {
  private let prescan: RecordingPrescan
  private var ranges: TimeOrderedRanges
  /// The ranges that were read but not returned, from ``next`` on.
  private var block = RangeColumns()
  private var next = 0
  private var nextEvent = 0
  private var returned = 0
  /// What is known besides the ranges.
  package let site: LiveSite

  /// Ranges and events that follow each other.
  package struct Batch: Sendable {
    var table: ParsedRanges
  }

  /// Reads the recording at `path`, a folder or a ranges file, once, for its names.
  ///
  /// An anchors file at `anchors` replaces its own. Throws without a usable row.
  package init(
    _ path: String, anchors: String?, options: RecordingOptions
  ) throws(RecordingError) {
    let metadata = try RecordingMetadata(path, anchors: anchors, options: options)
    prescan = try RecordingPrescan(metadata, options: options, keepsCalibration: false)
    try prescan.outline.requireRows(ProcessingSettings(), isStrict: false)
    ranges = try prescan.ranges()
    var info: ByteSource?
    if FoundFile.isFolderOrArchive(path),
      let settings = try FoundFile.first(of: ["recording.json"], in: path)
    {
      info = try ByteSource(path: settings, mostBytes: RecordingLimits.longestSettings)
    }
    site = try LiveSite(
      metadata.recording, declared: metadata.declared, info: info, folder: path)
  }

  /// Notes for the user on the recording.
  package var notes: [String] {
    prescan.outline.notes + prescan.outline.warnings + [site.floorPlanNote].compactMap { $0 }
  }

  /// Gives `pipeline` the names and the decimals of the recording.
  package func prepare(_ pipeline: inout LivePipeline) { pipeline.adopt(prescan.outline) }

  /// The time of the next range; nil at the end.
  package mutating func nextTime() throws(RecordingError) -> Timestamp? {
    while next >= block.count {
      guard let more = try ranges.next() else { return nil }
      (block, next) = (more, 0)
    }
    return block.time[next]
  }

  /// Returns the next ranges before `limit`, and the events before them; nil at the end.
  ///
  /// Without a limit, returns as many as are in memory.
  package mutating func next(before limit: Timestamp?) throws(RecordingError) -> Batch? {
    guard try nextTime() != nil else { return nil }
    var end = block.count
    if let limit {
      end = next
      while end < block.count, block.time[end] < limit { end += 1 }
    }
    var table = ParsedRanges(layout: prescan.layout)
    table.tagNames = prescan.outline.tagNames
    table.anchorNames = prescan.outline.anchorNames
    table.ranges = next == 0 && end == block.count ? block : block.gathered(Array(next..<end)[...])
    if returned == 0 { table.rejected = prescan.outline.rejected }
    returned += end - next
    next = end
    addEvents(to: &table)
    return Batch(table: table)
  }

  /// Adds the events before the ranges of `table`, whose lines then state the order.
  private mutating func addEvents(to table: inout ParsedRanges) {
    let events = prescan.outline.events
    guard !events.isEmpty else { return }
    for index in 0..<table.ranges.count {
      table.ranges.line[index] = 2 * index + 2
      while nextEvent < events.count, events[nextEvent].time <= table.ranges.time[index] {
        var event = events[nextEvent]
        event.line = 2 * index + 1
        table.events.append(event)
        nextEvent += 1
      }
    }
  }
}

extension LivePipeline {
  /// Processes ranges of a recording that is replayed.
  package mutating func process(_ batch: LiveReplay.Batch) -> LiveResults { process(batch.table) }
}
