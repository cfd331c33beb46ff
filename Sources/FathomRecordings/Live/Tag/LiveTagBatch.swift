import Fathom

/// The measurements and events of a stream that are processed together.
struct LiveTagBatch: Sendable {
  /// A measurement or an event of a batch.
  enum Entry: Sendable {
    /// The range at an index of the batch.
    case range(Int)
    /// The event at an index of the batch.
    case event(Int)
    /// The measurement at an index of the batch that is no range.
    case reading(Int)
  }

  /// A measurement that is no range.
  struct Reading: Sendable {
    /// Index of the tag.
    var tag: Int
    /// The number of ranges of the batch that came before.
    var place: Int
    var measurement: TimedMeasurement
  }

  /// The results of one tag.
  struct Results {
    /// The result of each range of the tag in the batch; nil for rejected ones.
    var ranges: [RangeResult?] = []
    var positions: [PositionRow] = []
    var zoneEvents: [LinkZoneEvent] = []
  }

  /// Ranges of one tag that pass through its pipeline together.
  struct Run {
    /// Indices of the ranges in the batch, and of their results.
    private(set) var rows: [Int] = []
    private(set) var places: [Int] = []
    /// Whether one of them came late and is sorted in.
    var isReordering = false

    /// Adds the range at index `row` of the batch, which is the tag's range at index `place`.
    mutating func append(_ row: Int, at place: Int) {
      rows.append(row)
      places.append(place)
    }

    /// Begins the next run.
    mutating func removeAll() {
      rows.removeAll(keepingCapacity: true)
      places.removeAll(keepingCapacity: true)
      isReordering = false
    }
  }

  let ranges: RangeColumns
  let events: [RecordedEvent]
  let readings: [Reading]

  /// Creates a batch of ranges with the events and other measurements among them.
  init(_ ranges: RangeColumns, events: [RecordedEvent], readings: [Reading]) {
    (self.ranges, self.events, self.readings) = (ranges, events, readings)
  }

  /// Returns the entries in the order of their arrival.
  func entries() -> [Entry] {
    var entries: [Entry] = []
    entries.reserveCapacity(ranges.count + events.count + readings.count)
    var (nextEvent, nextReading) = (0, 0)
    for index in 0..<ranges.count {
      while nextReading < readings.count, readings[nextReading].place <= index {
        entries.append(.reading(nextReading))
        nextReading += 1
      }
      while nextEvent < events.count, events[nextEvent].line < ranges.line[index] {
        entries.append(.event(nextEvent))
        nextEvent += 1
      }
      entries.append(.range(index))
    }
    entries += events.indices[nextEvent...].map { .event($0) }
    return entries + readings.indices[nextReading...].map { .reading($0) }
  }
}
