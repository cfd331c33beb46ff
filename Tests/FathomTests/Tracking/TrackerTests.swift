import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct TrackerTests {
  private static let strollInSpace = SimulatedWalk(
    anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
  private static let strollOnTheFloor = SimulatedWalk(
    anchors: SimulatedWalk.ceiling, path: SimulatedWalk.levelStroll)

  private static var inThePlane: Tracker.Configuration {
    var configuration = Tracker.Configuration()
    configuration.height = 1.2
    configuration.modes.motion.verticalDensity = 0
    return configuration
  }

  /// An estimate is the same whether the tracker is copied for it or not, and changes nothing.
  @Test func estimatesInPlaceAreThoseOfACopy() {
    var generator = SeededGenerator(seed: 327)
    var tracker = Tracker(anchors: SimulatedWalk.room)
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

  /// What is said at once is what the whole account of a range says.
  @Test func outcomesAreThoseOfUpdates() {
    var generator = SeededGenerator(seed: 328)
    var tracker = Tracker(anchors: SimulatedWalk.room)
    var other = tracker
    for (index, range) in Self.strollInSpace.ranges(to: 10, using: &generator).enumerated() {
      // Far off, absent, repeated and late ones too.
      let distance = index % 17 == 0 ? range.distance + 5 : index % 19 == 0 ? 0 : range.distance
      for delay in index % 23 == 0 ? [0, 0, -1] : [0.0] {
        let time = range.time.advanced(bySeconds: delay)
        let update = tracker.update(
          distance: distance, sigma: nil, anchor: range.anchor, at: time)
        let outcome = other.take(
          distance: distance, sigma: nil, anchor: range.anchor, at: time)
        #expect(outcome == update.outcome)
        #expect(other.normalizedSquare == update.innovation?.normalizedSquare)
      }
    }
    #expect(tracker.hasStarted)
  }

  // MARK: Accuracy and consistency

  /// No worse than a single range of 0.1 m in the plane; in space the heights of the anchors,
  /// spread over no more than 2.6 m, leave z twice as uncertain.
  ///
  /// Two fifths of the variance last for a second, as is assumed: of these, little averages out.
  @Test func aWalkInThePlaneIsFollowed() throws {
    var walk = Self.strollOnTheFloor
    walk.correlatedShare = 0.4
    try expectAccuracy(
      of: Tracker(anchors: SimulatedWalk.ceiling, configuration: Self.inThePlane), on: walk,
      seed: 321, unknowns: 2, rootMeanSquare: 0.10)
  }

  @Test func aWalkInSpaceIsFollowed() throws {
    var walk = Self.strollInSpace
    walk.correlatedShare = 0.4
    try expectAccuracy(
      of: Tracker(anchors: SimulatedWalk.room), on: walk, seed: 322, unknowns: 3,
      rootMeanSquare: 0.20)
  }

  /// Follows a minute of walking.
  ///
  /// A walk is smoother than the acceleration assumed, and Student-t weights take some information
  /// off normal errors, so that the errors are somewhat smaller than claimed. Squares of a third of
  /// their number of degrees of freedom would be a covariance that says nothing.
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

  /// Truth drawn from the motion model, normal errors, no discounting: the linearisation remains.
  ///
  /// 60 walks of which three instants a second apart count: the mean of 180 squares
  /// with three degrees of freedom each has a standard error of √(6/180) = 0.18, or twice that if
  /// the instants of a walk were one. 0.8 is more than two of the latter, four of the former.
  @Test(.releaseOnly) func normalizedErrorsOfTheAssumedMotionAreThree() throws {
    var generator = SeededGenerator(seed: 323)
    var configuration = Tracker.Configuration.textbook
    configuration.startVelocitySigma = 0.5
    let step = 0.05
    let noise = WhiteNoiseAcceleration(density: 0.5).noise(over: step)
    let root = try #require(Cholesky(noise)).factor
    var sum = 0.0
    var count = 0.0
    for _ in 0..<60 {
      var tracker = Tracker(anchors: SimulatedWalk.room, configuration: configuration)
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

  @Test func beforeTheStartThereIsNoEstimate() {
    for (anchors, configuration, unknowns) in [
      (SimulatedWalk.room, Tracker.Configuration(), 3), (SimulatedWalk.room, Self.inThePlane, 2),
    ] {
      var generator = SeededGenerator(seed: 331)
      let walk = SimulatedWalk(anchors: anchors, path: SimulatedWalk.levelStroll)
      var tracker = Tracker(anchors: anchors, configuration: configuration)
      #expect(tracker.estimate(at: instant(0)) == nil)
      for (index, range) in walk.ranges(to: 1, using: &generator).enumerated() {
        let outcome = tracker.update(range).outcome
        let estimate = tracker.estimate(at: range.time)
        if index < unknowns {
          #expect(outcome == .starting && estimate == nil)
        } else if index == unknowns {
          #expect(outcome == .started && estimate?.status == .tracking)
        } else {
          #expect(outcome != .starting && outcome != .started && estimate != nil)
        }
      }
    }
  }

  @Test func withoutARedundantRangeTheStartTakesAWindow() throws {
    var generator = SeededGenerator(seed: 332)
    let three = Array(SimulatedWalk.room.prefix(3))
    let walk = SimulatedWalk(anchors: three, path: SimulatedWalk.stroll)
    var tracker = Tracker(anchors: three)
    var started: Timestamp?
    for range in walk.ranges(to: 3, using: &generator) {
      if tracker.update(range).outcome == .started { started = range.time }
      #expect((tracker.estimate(at: range.time) == nil) == (started == nil))
    }
    #expect(try #require(started) == instant(2))
  }

  @Test func aMirrorImageIsReportedAndTheLowerSideTaken() throws {
    var generator = SeededGenerator(seed: 333)
    let walk = SimulatedWalk(anchors: SimulatedWalk.ceiling, path: SimulatedWalk.stroll)
    var tracker = Tracker(anchors: SimulatedWalk.ceiling)
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

  /// ``TrackEstimate/Status/ambiguous`` means that the mirror image explains the ranges as well.
  @Test func anAnchorOffThePlaneEndsTheAmbiguity() throws {
    var generator = SeededGenerator(seed: 334)
    let anchors = SimulatedWalk.ceiling + [Anchor(position: Vector([5, 4, 0.2]))]
    let walk = SimulatedWalk(anchors: anchors, path: SimulatedWalk.stroll)
    var tracker = Tracker(anchors: anchors)
    for range in walk.ranges(to: 4, using: &generator) where range.anchor < 4 {
      tracker.update(range)
    }
    #expect(tracker.estimate(at: instant(4))?.position[2] ?? .nan < 3)
    for range in walk.ranges(from: 4, to: 10, using: &generator) { tracker.update(range) }
    let estimate = try #require(tracker.estimate(at: instant(9.975)))
    #expect(estimate.status == .tracking)
  }

  // MARK: Ranges that are not used

  /// Intersperses ranges that have to be refused into the walk of a tracker, not into that of its
  /// twin.
  ///
  /// The twins stay equal to the bit; the test stops where they do not.
  private func expectNoChange(
    from intruders: (SimulatedWalk.Range) -> [(distance: Double, sigma: Double?, anchor: Int)],
    earlier seconds: Double = 0, outcome: TrackUpdate.Outcome, _ comment: Comment
  ) throws {
    var generator = SeededGenerator(seed: 341)
    var tracker = Tracker(anchors: SimulatedWalk.room)
    var twin = tracker
    for range in Self.strollInSpace.ranges(to: 2, using: &generator) {
      let (update, expected) = (tracker.update(range), twin.update(range))
      try #require(update == expected, comment)
      for (distance, sigma, anchor) in intruders(range) {
        let refused = tracker.update(
          distance: distance, sigma: sigma, anchor: anchor,
          at: range.time.advanced(bySeconds: -seconds))
        try #require(refused == TrackUpdate(outcome: outcome), comment)
      }
      for time in [range.time, range.time.advanced(bySeconds: 0.01)] {
        let isSame = tracker.estimate(at: time) == twin.estimate(at: time)
        try #require(isSame, comment)
      }
    }
    #expect(twin.estimate(at: instant(2)) != nil)
  }

  @Test func whatIsNoDistanceIsInvalid() throws {
    for distance in [Double.nan, .infinity, -.infinity, -1, 0, -0.0, 3.5e38] {
      try expectNoChange(
        from: { [(distance, nil, $0.anchor)] }, outcome: .invalid, "\(distance) m")
    }
  }

  @Test func unknownAnchorsAreInvalid() throws {
    for anchor in [-1, SimulatedWalk.room.count, .min, .max] {
      try expectNoChange(from: { _ in [(3, nil, anchor)] }, outcome: .invalid, "anchor \(anchor)")
    }
  }

  @Test func sigmasThatAreNoneAreInvalid() throws {
    for sigma in [Double.nan, .infinity, -0.1, 0] {
      #expect(throws: Never.self, "sigma \(sigma)") {
        try expectNoChange(
          from: { [($0.distance + 0.1, sigma, $0.anchor)] }, outcome: .invalid, "sigma \(sigma)")
      }
    }
  }

  /// The same range again, now with a sigma that is one, is no duplicate of what was refused.
  @Test func aRangeThatWasRefusedMayComeAgain() throws {
    var generator = SeededGenerator(seed: 342)
    var tracker = Tracker(anchors: SimulatedWalk.room)
    for range in Self.strollInSpace.ranges(to: 1, using: &generator) { tracker.update(range) }
    var twin = tracker
    let refused = tracker.update(distance: 4, sigma: .nan, anchor: 2, at: instant(1))
    #expect(refused.outcome == .invalid)
    let again = tracker.update(distance: 4, sigma: 0.1, anchor: 2, at: instant(1))
    #expect(again == twin.update(distance: 4, sigma: 0.1, anchor: 2, at: instant(1)))
    // And within one instant, when other ranges have been taken in already.
    _ = tracker.update(distance: 5, sigma: .nan, anchor: 3, at: instant(1))
    let other = tracker.update(distance: 5, sigma: 0.1, anchor: 3, at: instant(1))
    #expect(other == twin.update(distance: 5, sigma: 0.1, anchor: 3, at: instant(1)))
  }

  @Test func lateRangesAreRefused() throws {
    for seconds in [1e-9, 0.01, 1, 1e9] {
      try expectNoChange(
        from: { [($0.distance, nil, $0.anchor), (3, 0.2, 0)] }, earlier: seconds, outcome: .late,
        "\(seconds) s late")
    }
  }

  @Test func duplicatesAreRecognised() throws {
    try expectNoChange(
      from: { [($0.distance, nil, $0.anchor), ($0.distance, 0.3, $0.anchor)] },
      outcome: .duplicate, "twice")
  }

  @Test func rangesThatDifferInAnchorDistanceOrTimeAreNoDuplicates() throws {
    var generator = SeededGenerator(seed: 343)
    var tracker = Tracker(anchors: SimulatedWalk.room)
    for range in Self.strollInSpace.ranges(to: 1, using: &generator) { tracker.update(range) }
    for (distance, anchor, seconds) in [
      (4.0, 0, 1.0), (4.0, 1, 1.0), (4.1, 1, 1.0), (4.1, 1, 2.0), (4.1, 2, 2.0),
    ] {
      let update = tracker.update(distance: distance, anchor: anchor, at: instant(seconds))
      #expect(update.innovation != nil, "\(distance) m from \(anchor) at \(seconds) s")
    }
    #expect(tracker.update(distance: 4.1, anchor: 1, at: instant(2)).outcome == .duplicate)
  }

  /// A value that a device holds is no second witness before errors have had time to change, which
  /// is counted from the range that was taken in.
  @Test func heldValuesAreDuplicatesForTheRepetitionTime() throws {
    var generator = SeededGenerator(seed: 344)
    var tracker = Tracker(anchors: SimulatedWalk.room)
    for range in Self.strollInSpace.ranges(to: 1, using: &generator) { tracker.update(range) }
    var trusting = Tracker.Configuration()
    trusting.errors.repetitionTime = 0
    var other = Tracker(anchors: SimulatedWalk.room, configuration: trusting)
    generator = SeededGenerator(seed: 344)
    for range in Self.strollInSpace.ranges(to: 1, using: &generator) { other.update(range) }
    for (seconds, isHeld) in [
      (1.0, false), (1.3, true), (1.6, true), (1.999, true), (2.0, false), (2.5, true),
    ] {
      let outcome = tracker.update(distance: 4, anchor: 1, at: instant(seconds)).outcome
      #expect((outcome == .duplicate) == isHeld, "\(seconds) s")
      // Where every range is taken at its word, it is a witness.
      let update = other.update(distance: 4, anchor: 1, at: instant(seconds))
      #expect(update.innovation != nil, "\(seconds) s")
    }
  }

  // MARK: Outliers and recovery

  @Test func aBurstOfOutliersHardlyMovesTheTrack() throws {
    var generator = SeededGenerator(seed: 351)
    var tracker = Tracker(anchors: SimulatedWalk.room)
    var twin = tracker
    var discounted = 0
    var farthest = 0.0
    for range in Self.strollInSpace.ranges(to: 20, using: &generator) {
      var disturbed = range
      let isOutlier = range.anchor == 1 && range.time >= instant(10) && range.time < instant(15)
      if isOutlier { disturbed.distance += 20 }
      let outcome = tracker.update(disturbed).outcome
      twin.update(range)
      if isOutlier, case .discounted(let weight) = outcome {
        #expect(weight < 0.01)
        discounted += 1
      }
      if let estimate = tracker.estimate(at: range.time) {
        let undisturbed = try #require(twin.estimate(at: range.time))
        farthest = max(farthest, (estimate.position - undisturbed.position).length)
      }
    }
    // 5 s of a sixth of 40 ranges a second, every one of them discounted.
    #expect(discounted >= 33)
    // An anchor less: 25 cm is what its absence may do, not a fraction of 20 m.
    #expect(farthest > 0 && farthest < 0.25, "seed 351: \(farthest) m")
  }

  /// Within 6 s: measured are 4.4 s.
  ///
  /// 7.5 m are less than four standard deviations from 3.5 m² on. From 0.002 m² that takes six
  /// multiplications by four, ten ranges each, of 40 a second: 1.5 s. As much again to settle, and
  /// the rest because not every range is surprising, and because the scale of the noise rises
  /// meanwhile and has to come down again.
  @Test func aTagThatJumpsIsFoundAgain() throws {
    // From one corner of the room to the other, and to a place that is as far from anchor 4, above
    // the middle, which therefore never looks surprised.
    for (target, comment): (Vector<3>, Comment) in [
      (Vector([8, 6.5, 1.5]), "across"), (Vector([8, 2, 1]), "as far from one anchor"),
    ] {
      var generator = SeededGenerator(seed: 352)
      let walk = SimulatedWalk(
        anchors: SimulatedWalk.room, path: { $0 < 10 ? Vector([2, 2, 1]) : target })
      let recovery = try recovery(
        of: Tracker(anchors: SimulatedWalk.room), on: walk, after: 10, using: &generator)
      #expect(recovery < 6, comment)
    }
  }

  @Test func aStartAtTheWrongPlaceIsLeft() throws {
    // Half a second of ranges to another place: the track starts there, and is sure of it.
    var generator = SeededGenerator(seed: 353)
    let walk = SimulatedWalk(
      anchors: SimulatedWalk.room, path: { $0 < 0.5 ? Vector([8, 7, 2]) : Vector([2, 2, 1]) })
    let recovery = try recovery(
      of: Tracker(anchors: SimulatedWalk.room), on: walk, after: 0.5, using: &generator)
    #expect(recovery < 6)
  }

  /// Seconds from `change` until the error stays below half a metre for the 20 s that follow.
  private func recovery(
    of tracker: Tracker, on walk: SimulatedWalk, after change: Double,
    using generator: inout SeededGenerator
  ) throws -> Double {
    var tracker = tracker
    var wrong = 0.0
    var wasWrong = false
    for range in walk.ranges(to: change + 20, using: &generator) {
      tracker.update(range)
      guard range.time >= instant(change) else { continue }
      let estimate = try #require(tracker.estimate(at: range.time))
      if (estimate.position - range.truth).length > 0.5 {
        wrong = range.time.seconds - change
        wasWrong = true
      }
    }
    #expect(wasWrong)
    return wrong
  }

  // MARK: Gaps and interruptions

  @Test func longGapsHoldThePositionAndForgetTheVelocity() throws {
    let tracker = tracker(after: 10)
    let last = try #require(tracker.estimate(at: instant(9.975)))
    #expect(last.velocity.length > 0.2)
    let carried = try #require(tracker.estimate(at: instant(12)))
    #expect((carried.position - last.position - 2.025 * last.velocity).length < 1e-9)
    #expect(carried.velocity == last.velocity)
    for seconds in [13.0, 20, 1000, 1e9] {
      let held = try #require(tracker.estimate(at: instant(seconds)))
      // Mixing the modes moves nothing but roundings.
      #expect((held.position - last.position).length < 1e-12, "\(seconds) s")
      #expect(held.velocity == .zero, "\(seconds) s")
      #expect(held.status == .coasting, "\(seconds) s")
    }
  }

  @Test func theCovarianceGrowsWithTheGap() throws {
    try expectGrowth(of: tracker(after: 10))
  }

  /// A drone, and a track whose velocity nothing has told yet: what a gap leaves unknown just after
  /// ``Tracker/Configuration/longestGap`` cannot be less than just before.
  @Test func theCovarianceGrowsWithTheGapWhateverTheMotion() throws {
    var drone = Tracker.Configuration()
    drone.modes.motion = ConstantVelocity(horizontalDensity: 2, verticalDensity: 2)
    try expectGrowth(of: tracker(after: 10, configuration: drone))
    try expectGrowth(of: tracker(after: 0.101))
  }

  private func expectGrowth(of tracker: Tracker) throws {
    let last = 10.0
    var previous = try #require(tracker.estimate(at: instant(last))).covariance
    var seconds = last
    while seconds < 1e8 {
      seconds = last + max(1.07 * (seconds - last), seconds - last + 0.05)
      let covariance = try #require(tracker.estimate(at: instant(seconds))).covariance
      for axis in 0..<3 {
        #expect(covariance[axis, axis] > previous[axis, axis], "axis \(axis), \(seconds) s")
      }
      previous = covariance
    }
  }

  /// A minute, an hour, a night.
  @Test(arguments: [60.0, 3600, 36_000])
  func afterAGapTheTrackGoesOn(_ gap: Double) throws {
    var generator = SeededGenerator(seed: 361)
    var tracker = tracker(after: 10)
    let ranges = Self.strollInSpace.ranges(from: gap, to: gap + 15, using: &generator)
    for range in ranges { tracker.update(range) }
    let last = try #require(ranges.last)
    let estimate = try #require(tracker.estimate(at: last.time))
    #expect(estimate.status == .tracking)
    #expect((estimate.position - last.truth).length < 0.3, "seed 361")
  }

  @Test func anInterruptionCoastsAndThenTheTrackGoesOn() throws {
    var generator = SeededGenerator(seed: 362)
    // One mode, and covariances of the filter: modes do not mix while the velocity is followed.
    let undisturbed = tracker(after: 10, configuration: .textbook)
    var tracker = undisturbed
    tracker.interrupt()
    #expect(tracker.estimate(at: instant(9.975))?.status == .coasting)
    let before = try #require(undisturbed.estimate(at: instant(9.975)))
    for seconds in [10.0, 10.5, 12, 15] {
      let coasting = try #require(tracker.estimate(at: instant(seconds)))
      #expect(coasting.status == .coasting)
      #expect(coasting.position == before.position && coasting.velocity == .zero)
      let gap = seconds - 9.975
      for axis in 0..<3 {
        // What the motion adds, for as long as it is believed, and 2 m/s over the whole gap.
        let followed = try #require(undisturbed.estimate(at: instant(min(seconds, 12.975))))
        let grown = followed.covariance[axis, axis] + 4 * gap * gap
        #expect(isClose(coasting.covariance[axis, axis], grown, within: 1e-9))
        #expect(grown > before.covariance[axis, axis])
      }
    }
    // Within a gap that would not have been long, somewhere else.
    let walk = SimulatedWalk(
      anchors: SimulatedWalk.room, path: { _ in Vector([8, 1.5, 1]) })
    let ranges = walk.ranges(from: 12, to: 16, using: &generator)
    for (index, range) in ranges.enumerated() {
      tracker.update(range)
      if index == 0 { #expect(tracker.estimate(at: range.time)?.status == .tracking) }
    }
    let last = try #require(ranges.last)
    let estimate = try #require(tracker.estimate(at: last.time))
    #expect((estimate.position - Vector([8, 1.5, 1])).length < 0.3, "seed 362")
  }

  /// A track that starts after an interruption is supported by the ranges that it started from.
  @Test func anInterruptionBeforeAnyRangeMeansNothing() throws {
    var generator = SeededGenerator(seed: 364)
    var tracker = Tracker(anchors: SimulatedWalk.room)
    var twin = tracker
    tracker.interrupt()
    for range in Self.strollInSpace.ranges(to: 1, using: &generator) {
      let (update, expected) = (tracker.update(range), twin.update(range))
      try #require(update == expected)
      let isSame = tracker.estimate(at: range.time) == twin.estimate(at: range.time)
      try #require(isSame, "\(range.time.seconds) s")
    }
  }

  /// Ranges from before and after an interruption do not belong to one position.
  @Test func anInterruptionBeforeTheStartBeginsAnew() throws {
    var generator = SeededGenerator(seed: 363)
    var tracker = Tracker(anchors: SimulatedWalk.room)
    var twin = tracker
    for range in Self.strollInSpace.ranges(to: 0.075, using: &generator) {
      #expect(tracker.update(range).outcome == .starting)
    }
    tracker.interrupt()
    for range in Self.strollInSpace.ranges(from: 0.5, to: 1, using: &generator) {
      let (update, expected) = (tracker.update(range), twin.update(range))
      try #require(update.outcome == expected.outcome)
      let (estimate, undisturbed) = (
        tracker.estimate(at: range.time), twin.estimate(at: range.time)
      )
      try #require(estimate?.status == undisturbed?.status)
      try #require(estimate == undisturbed)
    }
    #expect(twin.estimate(at: instant(0.975))?.status == .tracking)
  }

  // MARK: What is known

  @Test func biasAndScaleOfAnAnchorAreTakenOff() throws {
    var generator = SeededGenerator(seed: 371)
    let skewed = SimulatedWalk.room.enumerated().map { index, anchor in
      Anchor(
        position: anchor.position, bias: 0.2 * Double(index) - 0.3,
        scale: 1 + 0.02 * Double(index))
    }
    var tracker = Tracker(anchors: skewed)
    var plain = Tracker(anchors: SimulatedWalk.room)
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

  @Test func uncertainAnchorsWidenTheCovariance() throws {
    var generator = SeededGenerator(seed: 372)
    let uncertain = SimulatedWalk.room.map {
      Anchor(position: $0.position, positionSigma: 0.3)
    }
    var tracker = Tracker(anchors: uncertain)
    var plain = Tracker(anchors: SimulatedWalk.room)
    for range in Self.strollInSpace.ranges(to: 5, using: &generator) {
      tracker.update(range)
      plain.update(range)
    }
    let wide = try #require(tracker.estimate(at: instant(4.975))).covariance
    let narrow = try #require(plain.estimate(at: instant(4.975))).covariance
    // Noise of √(0.1² + 0.3²), ten times the variance, between less than one and ten times.
    for axis in 0..<3 { #expect(wide[axis, axis] > 2 * narrow[axis, axis]) }
  }

  @Test func aKnownHeightStaysKnownForEver() throws {
    try expectKnownHeight(Self.inThePlane)
  }

  /// ``TrackEstimate/covariance`` is zero along z where the height was given: nothing else has to
  /// be.
  @Test func aKnownHeightIsEnough() throws {
    var configuration = Tracker.Configuration()
    configuration.height = 1.2
    try expectKnownHeight(configuration)
  }

  private func expectKnownHeight(_ configuration: Tracker.Configuration) throws {
    var generator = SeededGenerator(seed: 373)
    var tracker = Tracker(anchors: SimulatedWalk.ceiling, configuration: configuration)
    var ranges = Self.strollOnTheFloor.ranges(to: 5, using: &generator)
    // A jump for the watchdog, then a gap.
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

  // MARK: Any input

  @Test func theSameInputGivesTheSameOutputToTheBit() throws {
    func output() -> [(TrackUpdate, TrackEstimate?)] {
      var generator = SeededGenerator(seed: 381)
      var tracker = Tracker(anchors: SimulatedWalk.room)
      return Self.strollInSpace.ranges(to: 5, using: &generator).map { range in
        (tracker.update(range), tracker.estimate(at: range.time.advanced(bySeconds: 0.01)))
      }
    }
    let (first, second) = (output(), output())
    #expect(first.count == 200)
    #expect(zip(first, second).allSatisfy { $0 == $1 })
    #expect(first.last?.1 != nil)
  }

  /// Numbers of any size, times that jump, stand still and go back; forty trackers.
  ///
  /// Of every property, the first violation is kept.
  @Test(arguments: [UInt64](391...398))
  func whateverComesInOnlySoundEstimatesComeOut(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let special: [Double] = [
      0, -0.0, -1, 1e-300, 1e-9, 1e-3, 1, 1e3, 1e9, 1e20, 3.4e38, 1e300, .nan, .infinity,
      .leastNonzeroMagnitude,
    ]
    func anyNumber() -> Double { special[Int(generator.uniform() * Double(special.count))] }
    var estimates = 0
    var notFinite: String?
    var asymmetric: String?
    var negative: String?
    for _ in 0..<40 {
      var configuration = Tracker.Configuration()
      if generator.uniform() < 0.3 {
        configuration.height = 1.2
        configuration.modes.motion.verticalDensity = 0
      }
      if generator.uniform() < 0.3 { configuration.errors.degreesOfFreedom = .infinity }
      let anchors = SimulatedWalk.room.map { anchor in
        generator.uniform() < 0.8
          ? anchor
          : Anchor(
            position: anchor.position, positionSigma: generator.exponential(mean: 1),
            bias: 3 * generator.normal(), scale: generator.exponential(mean: 1))
      }
      var tracker = Tracker(anchors: anchors, configuration: configuration)
      var time = instant(0)
      for _ in 0..<60 {
        switch generator.uniform() {
        case ..<0.5: time = time.advanced(bySeconds: generator.exponential(mean: 0.1))
        case ..<0.6: time = time.advanced(bySeconds: 1e3 * generator.normal())
        case ..<0.61: time = time.advanced(bySeconds: 1e8)
        default: break
        }
        if generator.uniform() < 0.02 { tracker.interrupt() }
        let distance =
          generator.uniform() < 0.3 ? anyNumber() : generator.exponential(mean: 6)
        let sigma: Double? =
          switch generator.uniform() {
          case ..<0.6: nil
          case ..<0.8: generator.exponential(mean: 0.2)
          default: anyNumber()
          }
        let update = tracker.update(
          distance: distance, sigma: sigma, anchor: Int(generator.uniform() * 7), at: time)
        if let innovation = update.innovation,
          !innovation.residual.isFinite || !innovation.covariance.isFinite
            || innovation.normalizedSquare.isNaN || innovation.logLikelihood.isNaN
        {
          notFinite = notFinite ?? "\(distance) m ± \(sigma as Any): \(innovation)"
        }
        for ahead in [0, 1, 10, 1e6] {
          guard let estimate = tracker.estimate(at: time.advanced(bySeconds: ahead)) else {
            continue
          }
          estimates += 1
          let covariance = estimate.covariance
          var place: String { "\(distance) m ± \(sigma as Any), \(update.outcome): \(estimate)" }
          if !estimate.position.isFinite || !estimate.velocity.isFinite || !covariance.isFinite {
            notFinite = notFinite ?? place
          }
          if covariance != covariance.transposed() { asymmetric = asymmetric ?? place }
          if (0..<3).contains(where: { covariance[$0, $0] < 0 }) { negative = negative ?? place }
        }
      }
    }
    // Half as many as there could be: ranges that contradict each other do not start a track.
    #expect(estimates > 500, "seed \(seed)")
    #expect(notFinite == nil, "seed \(seed)")
    #expect(asymmetric == nil, "seed \(seed)")
    #expect(negative == nil, "seed \(seed)")
  }

  // MARK: Harness

  /// A tracker that has followed the stroll in space up to 10 s, from `seconds` before.
  private func tracker(
    after seconds: Double, configuration: Tracker.Configuration = Tracker.Configuration()
  ) -> Tracker {
    var generator = SeededGenerator(seed: 399)
    var tracker = Tracker(anchors: SimulatedWalk.room, configuration: configuration)
    let ranges = Self.strollInSpace.ranges(from: 10 - seconds, to: 10, using: &generator)
    for range in ranges { tracker.update(range) }
    return tracker
  }
}
