import Fathom

/// A slice of a recording, in order of time.
struct RecordingSlice: Sendable {
  /// Ranges of the slice.
  let ranges: RangeColumns
  /// Events of the whole recording.
  let events: [RecordedEvent]
  /// Ranges and events of the slice in order; events by their index in ``events``.
  let entries: [Timeline.Entry]
  /// Indices in ``entries`` by tag.
  let places: [[Int32]]
  /// Number of entries of the recording before this slice.
  let ordinal: Int
  /// Time before which all ranges and events are known.
  private(set) var watermark: Timestamp

  /// Creates a slice, with its entries separated for `tagCount` tags.
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

  /// Creates a slice of the entries of one tag, whose places are not looked up.
  init(
    of ranges: RangeColumns, events: [RecordedEvent], entries: [Timeline.Entry], ordinal: Int,
    watermark: Timestamp
  ) {
    (self.ranges, self.events, self.entries) = (ranges, events, entries)
    (self.ordinal, self.watermark) = (ordinal, watermark)
    places = []
  }

  /// Returns the slice for a part of the entries of a tag; the next one is at `time` or later.
  func upTo(_ time: Timestamp) -> RecordingSlice {
    var part = self
    part.watermark = min(time, watermark)
    return part
  }

  /// Returns the time of the entry at `place`.
  func time(at place: Int32) -> Timestamp {
    switch entries[Int(place)] {
    case .range(let index): ranges.time[index]
    case .event(let index): events[index].time
    }
  }
}

/// A reader that divides a recording into slices.
struct RecordingSliceReader {
  private var ranges: TimeOrderedRanges
  private let outline: RecordingOutline
  private var nextEvent = 0
  private var ordinal = 0
  private var isDone = false

  /// Creates a reader of `ranges`, which belong to a recording with the given outline.
  init(_ ranges: TimeOrderedRanges, of outline: RecordingOutline) {
    self.ranges = ranges
    self.outline = outline
  }

  /// The ranges file with the checksum of the bytes read so far; nil when no file is read.
  var source: SourceFile? { ranges.source }

  /// Returns the next slice; nil after the last.
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
