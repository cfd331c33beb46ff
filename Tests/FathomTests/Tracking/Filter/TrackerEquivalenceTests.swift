import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// With one mode and independent normal errors a tracker equals the filter of Filtering/: two
/// implementations of one solution.
@Suite struct TrackerEquivalenceTests {
  @Test(.releaseOnly, arguments: [nil, 1.2])
  func matchesTheExtendedKalmanFilter(_ height: Double?) throws {
    for seed in UInt64(3001)...3005 {
      var generator = SeededGenerator(seed: seed)
      let walk = SimulatedWalk(
        anchors: SimulatedWalk.room,
        path: height == nil ? SimulatedWalk.stroll : SimulatedWalk.levelStroll)
      var configuration = Tracker.Configuration.textbook
      configuration.height = height
      var tracker = try Tracker(anchors: walk.anchors, configuration: configuration)
      let motion = tracker.configuration.modes.motion
      var start = TrackInitiation(anchorCount: walk.anchors.count)
      var filter: ExtendedKalmanFilter<6>?
      var time = instant(0)
      var worst = 0.0
      for range in walk.ranges(to: 30, using: &generator) {
        let update = tracker.update(range)
        if filter == nil {
          let found = start.add(
            RangeMeasurement(
              time: range.time, anchor: range.anchor, distance: range.distance, sigma: 0.1),
            anchors: walk.anchors, configuration: tracker.configuration)
          guard let found else { continue }
          #expect(update.outcome == .started)
          try Self.begin(&filter, from: found, motion: motion, anchors: walk.anchors)
        } else {
          filter?.predict(by: motion, over: range.time.seconds(since: time))
          let innovation = try required(
            filter?.update(
              Vector<1>([range.distance]),
              of: RangeModel(anchor: walk.anchors[range.anchor].position),
              noise: Matrix([[0.01]])))
          let reported = try #require(update.innovation)
          worst = max(
            worst, (reported.residual[0] - innovation.residual[0]).magnitude,
            (reported.covariance[0, 0] - innovation.covariance[0, 0]).magnitude,
            ((update.logLikelihood ?? .nan) - innovation.logLikelihood).magnitude)
        }
        time = range.time
        let state = try #require(filter).state
        let estimate = try #require(tracker.estimate(at: time))
        for axis in 0..<3 {
          worst = max(worst, (estimate.position[axis] - state.mean[axis]).magnitude)
          worst = max(worst, (estimate.velocity[axis] - state.mean[axis + 3]).magnitude)
          for other in 0..<3 {
            let away = estimate.covariance[axis, other] - state.covariance[axis, other]
            worst = max(worst, away.magnitude)
          }
        }
      }
      #expect(filter != nil && worst < 1e-9, "seed \(seed): \(worst)")
    }
  }

  /// Processes the ranges of the start one by one.
  private static func begin(
    _ filter: inout ExtendedKalmanFilter<6>?, from found: TrackInitiation.Found,
    motion: ConstantVelocity, anchors: [Anchor]
  ) throws {
    var started = ExtendedKalmanFilter(state: found.state)
    var time = try #require(found.ranges.first).time
    for range in found.ranges {
      started.predict(by: motion, over: range.time.seconds(since: time))
      try started.update(
        Vector<1>([range.distance]), of: RangeModel(anchor: anchors[range.anchor].position),
        noise: Matrix([[0.01]]))
      time = range.time
    }
    filter = started
  }
}
