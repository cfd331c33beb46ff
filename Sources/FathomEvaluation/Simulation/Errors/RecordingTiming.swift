import Fathom
import FathomRecordings

/// The clock that stamps the measurements, whereas truth has the true time.
///
/// It reads t (1 + drift) + offset + jitter, with t the true time since the start and a normally
/// distributed jitter for each instant of the schedule.
package struct RecordingClock: Sendable, Equatable {
  /// What it is ahead by at the start, seconds.
  package var offset = 0.0
  /// What it gains per second, seconds; 1e-6 is one part per million.
  package var drift = 0.0
  /// Standard deviation of single time stamps, seconds.
  package var jitter = 0.0

  /// A clock that is right.
  package static let exact = RecordingClock()

  /// What it reads at `seconds`, with `deviate` the standard normal number behind the jitter.
  func reading(at seconds: Double, deviate: Double = 0) -> Double {
    seconds + (drift * seconds + offset + jitter * deviate)
  }
}

/// How measurements reach the file: some late, behind younger ones.
///
/// Their time stamps stay what they are.
package struct Delivery: Sendable, Equatable {
  /// Share of measurements that are late, 0 to 1.
  package var lateShare = 0.0
  /// Longest delay, seconds; delays are evenly distributed from 0 to it.
  package var longestDelay = 0.0

  /// Everything at once.
  package static let immediate = Delivery()

  /// When a measurement of `time` is written, given two random numbers from 0 to 1.
  func arrival(of time: Timestamp, lateness: Double, delay: Double) -> Timestamp {
    lateness < lateShare ? time.advanced(bySeconds: delay * longestDelay) : time
  }

  /// Puts the ranges of `recording` and their lines into the order of `arrivals`, which belong to them
  /// one by one; events arrive at once.
  static func reorder(_ recording: inout Recording, arrivals: [Timestamp]) {
    let order = Self.order(of: arrivals)
    let ranges = recording.ranges
    recording.ranges.time = order.map { ranges.time[$0] }
    recording.ranges.tag = order.map { ranges.tag[$0] }
    recording.ranges.anchor = order.map { ranges.anchor[$0] }
    recording.ranges.distance = order.map { ranges.distance[$0] }
    recording.ranges.rssi = ranges.rssi.map { column in order.map { column[$0] } }
    recording.ranges.nonLineOfSight = ranges.nonLineOfSight.map { column in
      order.map { column[$0] }
    }
    recording.ranges.direction = ranges.direction.map { direction in
      RangeColumns.DirectionColumns(
        x: order.map { direction.x[$0] }, y: order.map { direction.y[$0] },
        z: order.map { direction.z[$0] })
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

  /// The places of `arrivals` in order of time; those of one instant keep their order.
  static func order(of arrivals: [Timestamp]) -> [Int] {
    arrivals.indices.sorted { (arrivals[$0], $0) < (arrivals[$1], $1) }
  }
}
