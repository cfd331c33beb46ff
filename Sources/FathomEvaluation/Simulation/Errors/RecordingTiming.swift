import Fathom
import FathomRecordings

/// The clock that stamps the measurements; ground truth has the true time.
///
/// It reads t (1 + drift) + offset + jitter, where t is the true time since the start. The jitter
/// is normally distributed and drawn once for each instant of the schedule.
package struct RecordingClock: Sendable, Equatable {
  /// Offset from true time at the start, seconds; positive when the clock is ahead.
  package var offset = 0.0
  /// Rate error, seconds per second; 1e-6 is one part per million.
  package var drift = 0.0
  /// Standard deviation of the error of a single time stamp, seconds.
  package var jitter = 0.0

  /// A clock without error.
  package static let exact = RecordingClock()

  /// Returns the clock reading at `seconds`; `deviate` is the standard normal number of the jitter.
  func reading(at seconds: Double, deviate: Double = 0) -> Double {
    seconds + (drift * seconds + offset + jitter * deviate)
  }
}

/// The transport of measurements to the file, which may delay some behind later ones.
///
/// Delivery changes the order of rows and keeps their time stamps.
package struct Delivery: Sendable, Equatable {
  /// Share of measurements that are late, from 0 to 1.
  package var lateShare = 0.0
  /// Longest delay, seconds.
  ///
  /// Delays are uniformly distributed from 0 to this value.
  package var longestDelay = 0.0

  /// Delivery without delay.
  package static let immediate = Delivery()

  /// Returns when a measurement of `time` is written, given two random numbers from 0 to 1.
  func arrival(of time: Timestamp, lateness: Double, delay: Double) -> Timestamp {
    lateness < lateShare ? time.advanced(bySeconds: delay * longestDelay) : time
  }

  /// Sorts the ranges of `recording` and their line numbers by `arrivals`, one per range.
  ///
  /// Events arrive without delay.
  static func reorder(_ recording: inout Recording, arrivals: [Timestamp]) {
    let order = Self.order(of: arrivals)
    let ranges = recording.ranges
    recording.ranges.time = order.map { ranges.time[$0] }
    recording.ranges.tag = order.map { ranges.tag[$0] }
    recording.ranges.anchor = order.map { ranges.anchor[$0] }
    recording.ranges.distance = order.map { ranges.distance[$0] }
    for quantity in ranges.quantities {
      recording.ranges[quantity] = ranges[quantity].map { column in order.map { column[$0] } }
    }
    var event = 0
    for (place, range) in order.enumerated() {
      while event < recording.events.count, recording.events[event].time <= arrivals[range] {
        recording.events[event].line = 2 + place + event
        event += 1
      }
      recording.ranges.line[place] = 2 + place + event
    }
    for index in event..<recording.events.count {
      recording.events[index].line = 2 + order.count + index
    }
  }

  /// Returns the indices of `arrivals` sorted by time; equal times keep their order.
  static func order(of arrivals: [Timestamp]) -> [Int] {
    arrivals.indices.sorted { (arrivals[$0], $0) < (arrivals[$1], $1) }
  }
}
