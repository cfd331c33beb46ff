import Fathom

/// A recording's ranges and events in one order of time, events before ranges of the same instant.
package struct Timeline: Sendable {
  /// One thing that happened.
  package enum Entry: Sendable {
    /// The range at this index of the recording.
    case range(Int)
    /// The event at this index of the recording.
    case event(Int)
  }

  /// All that happened, in order.
  package private(set) var entries: [Entry] = []

  /// The timeline of `recording`.
  package init(_ recording: Recording) {
    let events = recording.events
    let order = events.indices.sorted {
      (events[$0].time, events[$0].line) < (events[$1].time, events[$1].line)
    }
    var pending = order[...]
    append(
      recording.ranges.time, order: recording.ranges.orderByTime(), events: events, &pending)
    for index in pending { entries.append(.event(index)) }
  }

  /// The timeline of a stretch of ranges in order of time.
  ///
  /// - Parameters:
  ///   - times: the instants of the ranges.
  ///   - events: the events of the recording, in order of time.
  ///   - next: the first of them that has not happened yet; moves on.
  ///   - isLast: whether nothing but events comes after these ranges.
  init(_ times: [Timestamp], events: [RecordedEvent], next: inout Int, isLast: Bool) {
    var pending = Array(events.indices[next...])[...]
    append(times, order: nil, events: events, &pending)
    if isLast { for index in pending { entries.append(.event(index)) } }
    next = isLast ? events.count : events.count - pending.count
  }

  private mutating func append(
    _ times: [Timestamp], order: [Int]?, events: [RecordedEvent], _ pending: inout ArraySlice<Int>
  ) {
    entries.reserveCapacity(times.count + pending.count)
    for step in times.indices {
      let index = order?[step] ?? step
      while let event = pending.first, events[event].time <= times[index] {
        entries.append(.event(event))
        pending.removeFirst()
      }
      entries.append(.range(index))
    }
  }
}
