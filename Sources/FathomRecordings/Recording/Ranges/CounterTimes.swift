import Fathom

extension ParsedRanges {
  /// Continues the times of the rows from the given ones on over the wraps of `counter`, in the order
  /// of the file.
  mutating func continueTimes(
    _ counter: inout DeviceCounter, from start: (ranges: Int, tagRanges: Int, events: Int)
  ) {
    var (range, tagRange, event) = start
    if tagRange == tagRanges.line.count, event == events.count {
      ranges.time.withUnsafeMutableBufferPointer { times in
        for index in range..<times.count {
          times[index] = Timestamp(nanoseconds: counter.continued(times[index].nanoseconds))
        }
      }
      return
    }
    while true {
      let lines = [
        range < ranges.line.count ? ranges.line[range] : .max,
        tagRange < tagRanges.line.count ? tagRanges.line[tagRange] : .max,
        event < events.count ? events[event].line : .max,
      ]
      guard let line = lines.min(), line < .max else { return }
      if line == lines[0] {
        ranges.time[range] = counter.continued(ranges.time[range])
        range += 1
      } else if line == lines[1] {
        tagRanges.time[tagRange] = counter.continued(tagRanges.time[tagRange])
        tagRange += 1
      } else {
        events[event].time = counter.continued(events[event].time)
        event += 1
      }
    }
  }

  /// Number of rows of each kind, for ``continueTimes(_:from:)``.
  var counts: (ranges: Int, tagRanges: Int, events: Int) {
    (ranges.count, tagRanges.line.count, events.count)
  }
}

extension DeviceCounter {
  fileprivate mutating func continued(_ time: Timestamp) -> Timestamp {
    Timestamp(nanoseconds: continued(time.nanoseconds))
  }
}
