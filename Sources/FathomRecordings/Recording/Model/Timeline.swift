import Fathom

/// The ranges and events of a recording in order of time; events precede simultaneous ranges.
package struct Timeline: Sendable {
  /// A range or an event.
  package enum Entry: Sendable {
    /// The range at an index of the recording.
    case range(Int)
    /// The event at an index of the recording.
    case event(Int)
  }

  /// Entries in order.
  package private(set) var entries: [Entry] = []

  /// Creates the timeline of `recording`.
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

  /// Creates the timeline of a block of ranges in order of time.
  ///
  /// `next` is the index of the first event not yet in a timeline, advanced by the call; events are
  /// in order of time. With `isLast`, no ranges follow.
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

extension RangeColumns {
  /// Returns the range at `index`; a non-positive standard deviation and a NaN level count as
  /// unknown.
  func measurement(at index: Int) -> RangeMeasurement {
    let sigma = self[.sigma]?[index] ?? .nan
    return RangeMeasurement(
      time: time[index], anchor: Int(anchor[index]), distance: distance[index],
      sigma: sigma > 0 ? sigma : nil, rssi: Self.known(self[.rssi]?[index]),
      firstPathRSSI: Self.known(self[.firstPathRSSI]?[index]))
  }

  private static func known(_ level: Double?) -> Double? {
    level.flatMap { $0.isNaN ? nil : $0 }
  }
}

extension Recording {
  /// Returns the ranges of each tag in order of time.
  func rangesByTag() -> [[RangeMeasurement]] {
    var tags = [[RangeMeasurement]](repeating: [], count: tagNames.count)
    let order = ranges.orderByTime() ?? Array(ranges.time.indices)
    for index in order { tags[Int(ranges.tag[index])].append(ranges.measurement(at: index)) }
    return tags
  }
}
