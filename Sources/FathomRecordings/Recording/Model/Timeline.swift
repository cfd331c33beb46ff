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

extension RangeColumns {
  /// The range at `index`; a standard deviation that is not positive counts as unknown, and so does a
  /// level that is no number.
  func measurement(at index: Int) -> RangeMeasurement {
    let sigma = sigma?[index] ?? .nan
    return RangeMeasurement(
      time: time[index], anchor: Int(anchor[index]), distance: distance[index],
      sigma: sigma > 0 ? sigma : nil, rssi: Self.known(rssi?[index]),
      firstPathRSSI: Self.known(firstPathRSSI?[index]))
  }

  private static func known(_ level: Double?) -> Double? {
    level.flatMap { $0.isNaN ? nil : $0 }
  }
}

extension Recording {
  /// The ranges of one tag in order of time.
  func ranges(ofTag tag: Int) -> [RangeMeasurement] {
    let order = ranges.orderByTime() ?? Array(ranges.time.indices)
    return order.filter { Int(ranges.tag[$0]) == tag }.map { ranges.measurement(at: $0) }
  }
}
