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
  package let entries: [Entry]
  /// Ranges that stand behind a later one in the file.
  package let outOfOrder: Int

  /// The timeline of `recording`.
  package init(_ recording: Recording) {
    let ranges = recording.ranges
    var latest = Timestamp(nanoseconds: .min)
    var outOfOrder = 0
    for time in ranges.time {
      if time < latest { outOfOrder += 1 }
      latest = max(latest, time)
    }
    self.outOfOrder = outOfOrder

    let order = ranges.orderByTime() ?? Array(ranges.time.indices)
    let events = recording.events
    let eventOrder = events.indices.sorted {
      (events[$0].time, events[$0].line) < (events[$1].time, events[$1].line)
    }
    var entries: [Entry] = []
    entries.reserveCapacity(order.count + eventOrder.count)
    var next = 0
    for index in order {
      while next < eventOrder.count, events[eventOrder[next]].time <= ranges.time[index] {
        entries.append(.event(eventOrder[next]))
        next += 1
      }
      entries.append(.range(index))
    }
    for event in eventOrder[next...] { entries.append(.event(event)) }
    self.entries = entries
  }
}
