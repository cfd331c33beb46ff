import Fathom

/// A slice of a recording, in order of time.
struct RecordingSlice: Sendable {
  /// The ranges.
  let ranges: RangeColumns
  /// The events of the whole recording.
  let events: [RecordedEvent]
  /// What happened, in order; events by their places in ``events``.
  let entries: [Timeline.Entry]
  /// The places in ``entries`` of those of each tag.
  let places: [[Int32]]
  /// Entries of the recording before these.
  let ordinal: Int
  /// The instant before which everything is known now.
  let watermark: Timestamp

  /// The slice with the entries of `tagCount` tags told apart.
  init(
    ranges: RangeColumns, events: [RecordedEvent], entries: [Timeline.Entry], tagCount: Int,
    ordinal: Int, watermark: Timestamp
  ) {
    (self.ranges, self.events, self.entries) = (ranges, events, entries)
    (self.ordinal, self.watermark) = (ordinal, watermark)
    var places = [[Int32]](repeating: [], count: tagCount)
    for (place, entry) in entries.enumerated() {
      let tag =
        switch entry {
        case .range(let index): ranges.tag[index]
        case .event(let index): events[index].tag
        }
      places[Int(tag)].append(Int32(place))
    }
    self.places = places
  }
}

/// Divides a recording into slices.
struct RecordingSliceReader {
  private var ranges: TimeOrderedRanges
  private let outline: RecordingOutline
  private var nextEvent = 0
  private var ordinal = 0
  private var isDone = false

  /// The slices of `ranges`, of a recording with the outline given.
  init(_ ranges: TimeOrderedRanges, of outline: RecordingOutline) {
    self.ranges = ranges
    self.outline = outline
  }

  /// The file with the check sum of what was taken in so far; nil where no file is read.
  var source: SourceFile? { ranges.source }

  /// The slice that follows; nil after the last.
  ///
  /// - Throws: what ``TimeOrderedRanges/next()`` throws.
  mutating func next() throws(RecordingError) -> RecordingSlice? {
    if isDone { return nil }
    let columns = try ranges.next()
    isDone = columns == nil
    let timeline = Timeline(
      columns?.time ?? [], events: outline.events, next: &nextEvent, isLast: isDone)
    defer { ordinal += timeline.entries.count }
    let last = columns?.time.last ?? outline.last ?? Timestamp(nanoseconds: 0)
    return RecordingSlice(
      ranges: columns ?? RangeColumns(), events: outline.events, entries: timeline.entries,
      tagCount: outline.tagNames.count, ordinal: ordinal, watermark: last)
  }
}
