import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct TrackerTests {
  static let strollInSpace = SimulatedWalk(
    anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
  static let strollOnTheFloor = SimulatedWalk(
    anchors: SimulatedWalk.ceiling, path: SimulatedWalk.levelStroll)

  static var inThePlane: Tracker.Configuration {
    var configuration = Tracker.Configuration()
    configuration.height = 1.2
    configuration.modes.motion.verticalDensity = 0
    return configuration
  }

  /// An estimate is the same with and without a copy of the tracker, and changes nothing.
  @Test func estimatesInPlaceMatchThoseOfACopy() throws {
    var generator = SeededGenerator(seed: 327)
    var tracker = try Tracker(anchors: SimulatedWalk.room)
    var other = tracker
    #expect(tracker.estimate(at: Timestamp(nanoseconds: 0)) == nil)
    for range in Self.strollInSpace.ranges(to: 10, using: &generator) {
      let update = tracker.update(range)
      #expect(update == other.update(range))
      for seconds in [-0.1, 0, 0.3, 5] {
        let time = range.time.advanced(bySeconds: seconds)
        let estimate = other.estimate(at: time)
        #expect((estimate != nil) == (tracker.hasStarted && time >= tracker.time))
        guard let estimate else { continue }
        #expect(tracker.estimateInPlace(at: time) == estimate)
      }
    }
    #expect(tracker.estimate(at: tracker.time) != nil)
  }

  /// The outcome alone equals that of the full update.
  @Test func outcomesMatchThoseOfUpdates() throws {
    var generator = SeededGenerator(seed: 328)
    var tracker = try Tracker(anchors: SimulatedWalk.room)
    var other = tracker
    for (index, range) in Self.strollInSpace.ranges(to: 10, using: &generator).enumerated() {
      // Also outliers, invalid, repeated and late ranges.
      let distance = index % 17 == 0 ? range.distance + 5 : index % 19 == 0 ? 0 : range.distance
      for delay in index % 23 == 0 ? [0, 0, -1] : [0.0] {
        let time = range.time.advanced(bySeconds: delay)
        let update = tracker.update(
          distance: distance, sigma: nil, anchor: range.anchor, at: time)
        let outcome = other.process(
          distance: distance, sigma: nil, anchor: range.anchor, at: time)
        #expect(outcome == update.outcome)
        #expect(other.normalizedSquare == update.innovation?.normalizedSquare)
      }
    }
    #expect(tracker.hasStarted)
  }

  // MARK: Accuracy and consistency

  /// At most the error of a single range of 0.1 m in the plane.
  ///
  /// In space, the heights of the anchors spread over 2.6 m only, which makes z twice as uncertain.
  ///
  /// Two fifths of the variance are correlated over a second, as assumed; that part averages out
  /// little.
  @Test func tracksAWalkInThePlane() throws {
    var walk = Self.strollOnTheFloor
    walk.correlatedShare = 0.4
    try expectAccuracy(
      of: try Tracker(anchors: SimulatedWalk.ceiling, configuration: Self.inThePlane), on: walk,
      seed: 321, unknowns: 2, rootMeanSquare: 0.10)
  }

  @Test func tracksAWalkInSpace() throws {
    var walk = Self.strollInSpace
    walk.correlatedShare = 0.4
    try expectAccuracy(
      of: try Tracker(anchors: SimulatedWalk.room), on: walk, seed: 322, unknowns: 3,
      rootMeanSquare: 0.20)
  }

  /// Tracks a minute of walking.
  ///
  /// A walk is smoother than the assumed acceleration, and Student-t weights lose some information
  /// on normal errors. Errors are therefore somewhat smaller than predicted. Squares of a third of
  /// their degrees of freedom would indicate a meaningless covariance.
  private func expectAccuracy(
    of tracker: Tracker, on walk: SimulatedWalk, seed: UInt64, unknowns: Double,
    rootMeanSquare: Double
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var tracker = tracker
    var squares = (error: 0.0, claimed: 0.0, normalized: 0.0)
    var count = 0.0
    for range in walk.ranges(to: 60, using: &generator) {
      tracker.update(range)
      guard range.time.seconds > 3 else { continue }
      let estimate = try #require(tracker.estimate(at: range.time))
      let error = estimate.position - range.truth
      squares.error += error.dot(error)
      squares.claimed += estimate.covariance.trace
      squares.normalized += try #require(estimate.normalizedSquare(of: range.truth))
      #expect(estimate.status == .tracking)
      count += 1
    }
    #expect(count > 2000)
    #expect((squares.error / count).squareRoot() < rootMeanSquare, "seed \(seed)")
    #expect(squares.error < squares.claimed, "seed \(seed)")
    let normalized = squares.normalized / count
    #expect(normalized > unknowns / 3 && normalized < unknowns * 1.2, "seed \(seed)")
  }

  /// Truth from the motion model, normal errors, no down-weighting: only the linearisation remains.
  ///
  /// Three instants a second apart count in each of 60 walks. The mean of 180 squares with three
  /// degrees of freedom each has a standard error of √(6/180) = 0.18, or less than twice that if
  /// the instants of a walk were fully correlated. 0.8 is more than two of the latter, four of the
  /// former.
  @Test(.releaseOnly) func normalizedErrorsAreThreeForTheAssumedMotion() throws {
    var generator = SeededGenerator(seed: 323)
    var configuration = Tracker.Configuration.textbook
    configuration.startVelocitySigma = 0.5
    let step = 0.05
    let noise = WhiteNoiseAcceleration(density: 0.5).noise(over: step)
    let root = try #require(Cholesky(noise)).factor
    var sum = 0.0
    var count = 0.0
    for _ in 0..<60 {
      var tracker = try Tracker(anchors: SimulatedWalk.room, configuration: configuration)
      var place = Vector<3>([5, 4, 1.5])
      var velocity = 0.5 * Vector<3>.random(using: &generator)
      for index in 0..<100 {
        let anchor = index % SimulatedWalk.room.count
        let distance = (place - SimulatedWalk.room[anchor].position).length
        let time = instant(step * Double(index))
        _ = tracker.update(
          distance: max(0.01, distance + 0.1 * generator.normal()), anchor: anchor, at: time)
        if index >= 59, index % 20 == 19 {
          let estimate = try #require(tracker.estimate(at: time))
          sum += try #require(estimate.normalizedSquare(of: place))
          count += 1
        }
        for axis in 0..<3 {
          let shock = root * Vector<2>.random(using: &generator)
          place[axis] += step * velocity[axis] + shock[0]
          velocity[axis] += shock[1]
        }
      }
    }
    #expect(count == 180)
    #expect(isClose(sum / count, 3, within: 0.8), "seed 323")
  }

  // MARK: Start

  @Test func hasNoEstimateBeforeTheStart() throws {
    for (anchors, configuration, unknowns) in [
      (SimulatedWalk.room, Tracker.Configuration(), 3), (SimulatedWalk.room, Self.inThePlane, 2),
    ] {
      var generator = SeededGenerator(seed: 331)
      let walk = SimulatedWalk(anchors: anchors, path: SimulatedWalk.levelStroll)
      var tracker = try Tracker(anchors: anchors, configuration: configuration)
      #expect(tracker.estimate(at: instant(0)) == nil)
      for (index, range) in walk.ranges(to: 1, using: &generator).enumerated() {
        let outcome = tracker.update(range).outcome
        let estimate = tracker.estimate(at: range.time)
        // One range more than unknowns shows that one is wrong, two which.
        if index <= unknowns {
          #expect(outcome == .starting && estimate == nil)
        } else if index == unknowns + 1 {
          #expect(outcome == .started && estimate?.status == .tracking)
        } else {
          #expect(outcome != .starting && outcome != .started && estimate != nil)
        }
      }
    }
  }

  @Test func startsAfterAWindowWithoutRedundancy() throws {
    var generator = SeededGenerator(seed: 332)
    let three = Array(SimulatedWalk.room.prefix(3))
    let walk = SimulatedWalk(anchors: three, path: SimulatedWalk.stroll)
    var tracker = try Tracker(anchors: three)
    var started: Timestamp?
    for range in walk.ranges(to: 3, using: &generator) {
      if tracker.update(range).outcome == .started { started = range.time }
      #expect((tracker.estimate(at: range.time) == nil) == (started == nil))
    }
    #expect(try #require(started) == instant(2))
  }

  @Test func reportsAMirrorImageAndSelectsTheLowerSide() throws {
    var generator = SeededGenerator(seed: 333)
    let walk = SimulatedWalk(anchors: SimulatedWalk.ceiling, path: SimulatedWalk.stroll)
    var tracker = try Tracker(anchors: SimulatedWalk.ceiling)
    var seen = 0
    for range in walk.ranges(to: 10, using: &generator) {
      tracker.update(range)
      guard let estimate = tracker.estimate(at: range.time) else { continue }
      seen += 1
      #expect(estimate.status == .ambiguous)
      #expect(estimate.position[2] < 3)
    }
    #expect(seen > 300)
    let estimate = try #require(tracker.estimate(at: instant(9.975)))
    #expect((estimate.position - SimulatedWalk.stroll(9.975)).length < 0.5, "seed 333")
  }

  /// ``TrackEstimate/Status/ambiguous`` means that the mirror image explains the ranges equally
  /// well.
  @Test func anchorOffThePlaneEndsTheAmbiguity() throws {
    var generator = SeededGenerator(seed: 334)
    let anchors = SimulatedWalk.ceiling + [Anchor(position: Vector([5, 4, 0.2]))]
    let walk = SimulatedWalk(anchors: anchors, path: SimulatedWalk.stroll)
    var tracker = try Tracker(anchors: anchors)
    for range in walk.ranges(to: 4, using: &generator) where range.anchor < 4 {
      tracker.update(range)
    }
    #expect(tracker.estimate(at: instant(4))?.position[2] ?? .nan < 3)
    for range in walk.ranges(from: 4, to: 10, using: &generator) { tracker.update(range) }
    let estimate = try #require(tracker.estimate(at: instant(9.975)))
    #expect(estimate.status == .tracking)
  }

  // MARK: Known quantities

  @Test func subtractsBiasAndScaleOfAnAnchor() throws {
    var generator = SeededGenerator(seed: 371)
    let skewed = SimulatedWalk.room.enumerated().map { index, anchor in
      Anchor(
        position: anchor.position, bias: 0.2 * Double(index) - 0.3,
        scale: 1 + 0.02 * Double(index))
    }
    var tracker = try Tracker(anchors: skewed)
    var plain = try Tracker(anchors: SimulatedWalk.room)
    for range in Self.strollInSpace.ranges(to: 5, using: &generator) {
      var measured = range
      measured.distance =
        skewed[range.anchor].scale * range.distance + skewed[range.anchor].bias
      tracker.update(measured)
      plain.update(range)
      let (one, other) = (tracker.estimate(at: range.time), plain.estimate(at: range.time))
      #expect((one == nil) == (other == nil))
      if let one, let other { #expect((one.position - other.position).length < 1e-9) }
    }
    #expect(tracker.estimate(at: instant(5)) != nil)
  }

  @Test func uncertainAnchorsIncreaseTheCovariance() throws {
    var generator = SeededGenerator(seed: 372)
    let uncertain = SimulatedWalk.room.map {
      Anchor(position: $0.position, positionSigma: 0.3)
    }
    var tracker = try Tracker(anchors: uncertain)
    var plain = try Tracker(anchors: SimulatedWalk.room)
    for range in Self.strollInSpace.ranges(to: 5, using: &generator) {
      tracker.update(range)
      plain.update(range)
    }
    let wide = try #require(tracker.estimate(at: instant(4.975))).covariance
    let narrow = try #require(plain.estimate(at: instant(4.975))).covariance
    // Noise of √(0.1² + 0.3²), ten times the variance: a factor between less than one and ten.
    for axis in 0..<3 { #expect(wide[axis, axis] > 2 * narrow[axis, axis]) }
  }

  @Test func keepsAKnownHeightPermanently() throws {
    try expectKnownHeight(Self.inThePlane)
  }

  /// ``TrackEstimate/covariance`` is zero along z for a given height, without other settings.
  @Test func knownHeightNeedsNoOtherSettings() throws {
    var configuration = Tracker.Configuration()
    configuration.height = 1.2
    try expectKnownHeight(configuration)
  }

  private func expectKnownHeight(_ configuration: Tracker.Configuration) throws {
    var generator = SeededGenerator(seed: 373)
    var tracker = try Tracker(anchors: SimulatedWalk.ceiling, configuration: configuration)
    var ranges = Self.strollOnTheFloor.ranges(to: 5, using: &generator)
    // A jump that triggers the outlier streak, then a gap.
    let elsewhere = SimulatedWalk(
      anchors: SimulatedWalk.ceiling, path: { _ in Vector([9, 7.5, 1.2]) })
    ranges += elsewhere.ranges(from: 5, to: 8, using: &generator)
    ranges += elsewhere.ranges(from: 30, to: 32, using: &generator)
    var seen = 0
    for range in ranges {
      if range.time == instant(31) { tracker.interrupt() }
      tracker.update(range)
      for ahead in [0, 1, 100] {
        let time = range.time.advanced(bySeconds: Double(ahead))
        guard let estimate = tracker.estimate(at: time) else { continue }
        seen += 1
        try #require(estimate.position[2] == 1.2 && estimate.velocity[2] == 0)
        for axis in 0..<3 {
          try #require(estimate.covariance[2, axis] == 0 && estimate.covariance[axis, 2] == 0)
        }
      }
    }
    #expect(seen > 1000)
  }

  // MARK: Harness

  /// A tracker that has tracked the stroll in space up to 10 s, starting `seconds` before.
  func tracker(
    after seconds: Double, configuration: Tracker.Configuration = Tracker.Configuration()
  ) throws -> Tracker {
    var generator = SeededGenerator(seed: 399)
    var tracker = try Tracker(anchors: SimulatedWalk.room, configuration: configuration)
    let ranges = Self.strollInSpace.ranges(from: 10 - seconds, to: 10, using: &generator)
    for range in ranges { tracker.update(range) }
    return tracker
  }
}
