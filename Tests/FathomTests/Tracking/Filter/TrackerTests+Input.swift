import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Rejected ranges, and properties that hold for any input.
extension TrackerTests {
  // MARK: Rejected ranges

  /// Adds ranges that must be rejected to the walk of a tracker, but not to that of a copy.
  ///
  /// Both stay bitwise equal; the test stops at the first difference.
  private func expectNoChange(
    from intruders: (SimulatedWalk.Range) -> [(distance: Double, sigma: Double?, anchor: Int)],
    earlier seconds: Double = 0, outcome: TrackUpdate.Outcome, _ comment: Comment
  ) throws {
    var generator = SeededGenerator(seed: 341)
    var tracker = try Tracker(anchors: SimulatedWalk.room)
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

  @Test func rejectsInvalidDistances() throws {
    for distance in [Double.nan, .infinity, -.infinity, -1, 0, -0.0, 3.5e38] {
      try expectNoChange(
        from: { [(distance, nil, $0.anchor)] }, outcome: .invalid, "\(distance) m")
    }
  }

  @Test func rejectsUnknownAnchors() throws {
    for anchor in [-1, SimulatedWalk.room.count, .min, .max] {
      try expectNoChange(from: { _ in [(3, nil, anchor)] }, outcome: .invalid, "anchor \(anchor)")
    }
  }

  @Test func rejectsInvalidSigmas() throws {
    for sigma in [Double.nan, .infinity, -0.1, 0] {
      #expect(throws: Never.self, "sigma \(sigma)") {
        try expectNoChange(
          from: { [($0.distance + 0.1, sigma, $0.anchor)] }, outcome: .invalid, "sigma \(sigma)")
      }
    }
  }

  /// The same range with a valid sigma is no duplicate of the rejected one.
  @Test func acceptsARangeAfterItsRejection() throws {
    var generator = SeededGenerator(seed: 342)
    var tracker = try Tracker(anchors: SimulatedWalk.room)
    for range in Self.strollInSpace.ranges(to: 1, using: &generator) { tracker.update(range) }
    var twin = tracker
    let refused = tracker.update(distance: 4, sigma: .nan, anchor: 2, at: instant(1))
    #expect(refused.outcome == .invalid)
    let again = tracker.update(distance: 4, sigma: 0.1, anchor: 2, at: instant(1))
    #expect(again == twin.update(distance: 4, sigma: 0.1, anchor: 2, at: instant(1)))
    // Also within one instant, after other ranges.
    _ = tracker.update(distance: 5, sigma: .nan, anchor: 3, at: instant(1))
    let other = tracker.update(distance: 5, sigma: 0.1, anchor: 3, at: instant(1))
    #expect(other == twin.update(distance: 5, sigma: 0.1, anchor: 3, at: instant(1)))
  }

  @Test func rejectsLateRanges() throws {
    for seconds in [1e-9, 0.01, 1, 1e9] {
      try expectNoChange(
        from: { [($0.distance, nil, $0.anchor), (3, 0.2, 0)] }, earlier: seconds, outcome: .late,
        "\(seconds) s late")
    }
  }

  @Test func rejectsDuplicateRanges() throws {
    try expectNoChange(
      from: { [($0.distance, nil, $0.anchor), ($0.distance, 0.3, $0.anchor)] },
      outcome: .duplicate, "twice")
  }

  @Test func acceptsRangesThatDifferInAnchorDistanceOrTime() throws {
    var generator = SeededGenerator(seed: 343)
    var tracker = try Tracker(anchors: SimulatedWalk.room)
    for range in Self.strollInSpace.ranges(to: 1, using: &generator) { tracker.update(range) }
    for (distance, anchor, seconds) in [
      (4.0, 0, 1.0), (4.0, 1, 1.0), (4.1, 1, 1.0), (4.1, 1, 2.0), (4.1, 2, 2.0),
    ] {
      let update = tracker.update(distance: distance, anchor: anchor, at: instant(seconds))
      #expect(update.innovation != nil, "\(distance) m from \(anchor) at \(seconds) s")
    }
    #expect(tracker.update(distance: 4.1, anchor: 1, at: instant(2)).outcome == .duplicate)
  }

  /// A held value is a repeated reading until errors have had time to change, counted from the last
  /// accepted range.
  @Test func rejectsHeldValuesWithinTheRepetitionTime() throws {
    var generator = SeededGenerator(seed: 344)
    var tracker = try Tracker(anchors: SimulatedWalk.room)
    for range in Self.strollInSpace.ranges(to: 1, using: &generator) { tracker.update(range) }
    var trusting = Tracker.Configuration()
    trusting.errors.repetitionTime = 0
    var other = try Tracker(anchors: SimulatedWalk.room, configuration: trusting)
    generator = SeededGenerator(seed: 344)
    for range in Self.strollInSpace.ranges(to: 1, using: &generator) { other.update(range) }
    for (seconds, isHeld) in [
      (1.0, false), (1.3, true), (1.6, true), (1.999, true), (2.0, false), (2.5, true),
    ] {
      let outcome = tracker.update(distance: 4, anchor: 1, at: instant(seconds)).outcome
      #expect((outcome == .duplicate) == isHeld, "\(seconds) s")
      // With a repetition time of 0 it is accepted.
      let update = other.update(distance: 4, anchor: 1, at: instant(seconds))
      #expect(update.innovation != nil, "\(seconds) s")
    }
  }

  // MARK: Any input

  @Test func equalInputGivesBitwiseEqualOutput() throws {
    func output() throws -> [(TrackUpdate, TrackEstimate?)] {
      var generator = SeededGenerator(seed: 381)
      var tracker = try Tracker(anchors: SimulatedWalk.room)
      return Self.strollInSpace.ranges(to: 5, using: &generator).map { range in
        (tracker.update(range), tracker.estimate(at: range.time.advanced(bySeconds: 0.01)))
      }
    }
    let (first, second) = (try output(), try output())
    #expect(first.count == 200)
    #expect(zip(first, second).allSatisfy { $0 == $1 })
    #expect(first.last?.1 != nil)
  }

  /// Numbers of any size, times that jump, stand still and go back; forty trackers.
  ///
  /// Only the first violation of each property is kept.
  @Test(arguments: [UInt64](391...398))
  func anyInputGivesFiniteEstimates(_ seed: UInt64) throws {
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
      var tracker = try Tracker(anchors: anchors, configuration: configuration)
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
    // Half of the possible number: ranges that contradict each other do not start a track.
    #expect(estimates > 500, "seed \(seed)")
    #expect(notFinite == nil, "seed \(seed)")
    #expect(asymmetric == nil, "seed \(seed)")
    #expect(negative == nil, "seed \(seed)")
  }

  /// A standard deviation given with a range replaces the configured one, in all parts of the error.
  @Test(arguments: [0.02, 0.5])
  func theSigmaOfARangeReplacesTheConfiguredOne(_ sigma: Double) throws {
    var generator = SeededGenerator(seed: 4420)
    let walk = SimulatedWalk(
      anchors: SimulatedWalk.room, path: SimulatedWalk.stroll, sigma: sigma)
    var configuration = Tracker.Configuration()
    var given = try Tracker(anchors: walk.anchors, configuration: configuration)
    configuration.errors.sigma = sigma
    var configured = try Tracker(anchors: walk.anchors, configuration: configuration)
    for range in walk.ranges(to: 20, using: &generator) {
      _ = given.update(
        distance: range.distance, sigma: sigma, anchor: range.anchor, at: range.time)
      configured.update(range)
      guard let one = given.estimate(at: range.time) else { continue }
      let other = try #require(configured.estimate(at: range.time))
      #expect((one.position - other.position).length < 1e-9, "seed 4420")
      #expect(isClose(one.covariance.trace, other.covariance.trace, within: 1e-9), "seed 4420")
    }
    #expect(given.estimate(at: instant(20)) != nil)
  }
}
