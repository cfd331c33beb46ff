// A robot whose ranges and wheels come from two drivers.
//
// The drivers here are simulated: the robot drives in a circle, and the ranges stop for ten seconds. A real
// one replaces `drive(into:)` by callbacks of its radio and its wheels that yield to the same continuation:
// readings are then in the order in which they arrive.

import Fathom

/// A reading of one of the drivers.
enum Reading: Sendable {
  case range(RangeMeasurement)
  case wheels(OdometryIncrement)
}

let anchors = [
  Anchor(position: Vector([0, 0, 2.4])), Anchor(position: Vector([8, 0, 2.1])),
  Anchor(position: Vector([8, 6, 2.4])),
  Anchor(position: Vector([0, 6, 2.1])),
]

/// The true position at a time in seconds: a circle of 2 m, in 20 s.
func position(at seconds: Double) -> Vector<3> {
  let angle = Angle(radians: 0.314 * seconds)
  return Vector([4 + 2 * angle.cosine, 3 + 2 * angle.sine, 0.3])
}

/// Simulates a minute of both drivers: 20 ranges and 10 increments a second.
func drive(into readings: AsyncStream<Reading>.Continuation) {
  for step in 0..<1200 {
    let seconds = 0.05 * Double(step)
    guard let time = Timestamp(seconds: seconds), let before = Timestamp(seconds: seconds - 0.1)
    else {
      continue
    }
    if step % 2 == 0 {
      // The arc of 0.1 s, and the turn on it.
      readings.yield(
        .wheels(
          OdometryIncrement(
            begin: before, end: time, forward: 0.0628, turn: Angle(radians: 0.0314))))
    }
    if (30..<40).contains(seconds) { continue }
    let anchor = step % 4
    let noise = 0.05 * Double(step * 7919 % 11 - 5) / 3
    let distance = (position(at: seconds) - anchors[anchor].position).length + noise
    readings.yield(.range(RangeMeasurement(time: time, anchor: anchor, distance: distance)))
  }
  readings.finish()
}

var configuration = TrackerConfiguration()
configuration.height = 0.3
configuration.odometry = OdometryErrors()
var tracker = try Tracker(anchors: anchors, configuration: configuration)

let (readings, continuation) = AsyncStream.makeStream(of: Reading.self)
Task { drive(into: continuation) }
var second = 0.0
for await reading in readings {
  let time: Timestamp
  switch reading {
  case .range(let range):
    time = range.time
    _ = tracker.update(range)
  case .wheels(let increment):
    time = increment.end
    _ = tracker.update(increment)
  }
  guard time.seconds >= second, let estimate = tracker.estimate(at: time) else { continue }
  let error = (estimate.position - position(at: time.seconds)).length
  let sigma = (estimate.covariance[0, 0] + estimate.covariance[1, 1]).squareRoot()
  print("\(Int(second)) s: error \(Int(1000 * error)) mm, sigma \(Int(1000 * sigma)) mm")
  second += 5
}
