import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct TrackSmootherTests {
  private static let walk = SimulatedWalk(
    anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)

  // MARK: Reference solutions

  /// With anchors a kilometre away, ranges are almost linear: track and covariances are those of a
  /// forward filter and backward smoother.
  @Test func matchesTheRauchTungStriebelSmoother() throws {
    var generator = SeededGenerator(seed: 2501)
    let far = [
      (1.0, 0.1, 0.2), (-1, 0.2, -0.1), (0.1, 1, -0.2), (0, -1, 0.1), (0.2, 0, 1), (0, 0, -1),
    ]
    .map { Anchor(position: Vector([1000 * $0.0, 1000 * $0.1, 1000 * $0.2])) }
    let walk = SimulatedWalk(anchors: far, path: SimulatedWalk.stroll, rate: 10)
    let ranges = walk.ranges(to: 20, using: &generator)
    let configuration = Tracker.Configuration.textbook
    let track = try #require(
      try TrackSmoother(anchors: far, configuration: configuration).smoothed(
        ranges.map(\.measurement)))
    // The first position is almost unknown; the first velocity has 2 m/s.
    let start = Gaussian<6>(
      mean: Vector([5, 4, 1.2, 0, 0, 0]), covariance: .diagonal(Vector([1e8, 1e8, 1e8, 4, 4, 4])))
    let steps = ranges.enumerated().map { index, range in
      IteratedSmoother<6, 1>.Step(
        seconds: index == 0 ? 0 : 0.1, measurement: Vector([range.distance]),
        noise: Matrix([[0.01]]))
    }
    let expected = try IteratedSmoother<6, 1>(prior: start, tolerance: 1e-12).smoothed(
      steps, by: configuration.modes.motion,
      of: { RangeModel(anchor: far[ranges[$0].anchor].position) })
    #expect(track.estimates.count == ranges.count && track.isConverged)
    for (estimate, state) in zip(track.estimates, expected.states) {
      for axis in 0..<3 {
        #expect(isClose(estimate.position[axis], state.mean[axis], within: 1e-6))
        #expect(isClose(estimate.velocity[axis], state.mean[axis + 3], within: 1e-6))
        for other in 0..<3 {
          let value = state.covariance[axis, other]
          #expect(isClose(estimate.covariance[axis, other], value, within: 1e-6))
        }
      }
    }
    #expect(track.verdicts.allSatisfy { $0 == .used })
    #expect(track.covarianceFactor == 1 && track.bias == nil && track.scale == nil)
  }

  // MARK: Accuracy

  /// Later ranges improve the estimate.
  @Test(.releaseOnly, arguments: [UInt64](2511...2516))
  func isMoreAccurateThanTheFilter(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let ranges = Self.walk.ranges(to: 60, using: &generator)
    var tracker = try Tracker(anchors: Self.walk.anchors)
    let track = try #require(try TrackSmoother(anchors: Self.walk.anchors).smoothed(ranges))
    #expect(track.isConverged && track.verdicts.count == ranges.count)
    var squares = (filter: 0.0, smoother: 0.0)
    for range in ranges {
      tracker.update(range)
      guard range.time > instant(3) else { continue }
      let filtered = try #require(tracker.estimate(at: range.time)).position - range.truth
      let smoothed = try #require(track.estimate(at: range.time)).position - range.truth
      squares.filter += filtered.dot(filtered)
      squares.smoother += smoothed.dot(smoothed)
    }
    // A third less in every coordinate would be 0.44 in squares.
    #expect(squares.smoother < 0.6 * squares.filter, "seed \(seed): \(squares)")
  }

  @Test func keepsTheGivenHeightInThePlane() throws {
    var generator = SeededGenerator(seed: 2521)
    let walk = SimulatedWalk(anchors: SimulatedWalk.ceiling, path: SimulatedWalk.levelStroll)
    let ranges = walk.ranges(to: 20, using: &generator)
    var configuration = Tracker.Configuration()
    configuration.height = 1.2
    let smoother = try TrackSmoother(anchors: walk.anchors, configuration: configuration)
    let track = try #require(smoother.smoothed(ranges))
    for estimate in track.estimates {
      #expect(estimate.position[2] == 1.2 && estimate.velocity[2] == 0)
      for axis in 0..<3 {
        #expect(estimate.covariance[2, axis] == 0 && estimate.covariance[axis, 2] == 0)
      }
    }
    #expect(Self.rootMeanSquare(track, ranges) < 0.06)
  }

  // MARK: Stretches without ranges

  @Test func gapSeparatesTheTrack() throws {
    var generator = SeededGenerator(seed: 2531)
    let elsewhere = SimulatedWalk(
      anchors: SimulatedWalk.room, path: { _ in Vector([2, 6.5, 1]) })
    let ranges =
      Self.walk.ranges(to: 10, using: &generator)
      + elsewhere.ranges(from: 110, to: 120, using: &generator)
    let smoother = try TrackSmoother(anchors: Self.walk.anchors)
    let track = try #require(smoother.smoothed(ranges))
    #expect(Self.rootMeanSquare(track, ranges) < 0.15)
    // Each stretch is close to its separate solution.
    let alone = try #require(smoother.smoothed(Array(ranges.prefix(400))))
    let last = try #require(alone.estimates.last)
    let same = try #require(track.estimate(at: last.time))
    #expect((same.position - last.position).length < 0.02)
    // Over the gap: on a straight line, coasting, and uncertain by metres.
    let middle = try #require(track.estimate(at: instant(60)))
    #expect(middle.status == .coasting)
    #expect(middle.covariance.trace > 1000)
  }

  @Test func interruptionAllowsAnyPosition() throws {
    var generator = SeededGenerator(seed: 2532)
    let jumping = SimulatedWalk(
      anchors: SimulatedWalk.room,
      path: { $0 < 10 ? Vector([2, 2, 1]) : Vector([8, 6, 1.5]) })
    let ranges = jumping.ranges(to: 20, using: &generator)
    let smoother = try TrackSmoother(anchors: jumping.anchors)
    let informed = try #require(smoother.smoothed(ranges, interruptions: [instant(9.99)]))
    let uninformed = try #require(smoother.smoothed(ranges))
    #expect(Self.rootMeanSquare(informed, ranges) < 0.1)
    #expect(Self.rootMeanSquare(uninformed, ranges) > 2 * Self.rootMeanSquare(informed, ranges))
  }

  @Test func interruptionsOutsideTheRangesHaveNoEffect() throws {
    var generator = SeededGenerator(seed: 2533)
    let ranges = Self.walk.ranges(from: 60, to: 80, using: &generator)
    let smoother = try TrackSmoother(anchors: Self.walk.anchors)
    let track = try #require(
      smoother.smoothed(ranges, interruptions: [instant(0), instant(59), instant(200)]))
    let plain = try #require(smoother.smoothed(ranges))
    #expect(track.estimates == plain.estimates)
  }

  // MARK: Common errors

  @Test(.releaseOnly, arguments: [UInt64](2541...2544))
  func estimatesBiasAndScale(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var ranges = Self.walk.ranges(to: 60, using: &generator)
    for index in ranges.indices { ranges[index].distance = 1.06 * ranges[index].distance + 0.2 }
    var configuration = Tracker.Configuration()
    configuration.errors.biasSigma = 0.3
    configuration.errors.scaleSigma = 0.05
    let smoother = try TrackSmoother(anchors: Self.walk.anchors, configuration: configuration)
    let track = try #require(smoother.smoothed(ranges))
    let (bias, scale) = (try #require(track.bias), try #require(track.scale))
    #expect(isClose(bias.value, 0.2, within: 4 * bias.sigma), "seed \(seed): \(bias)")
    #expect(isClose(scale.value, 0.06, within: 4 * scale.sigma), "seed \(seed): \(scale)")
    #expect(bias.sigma < 0.05 && scale.sigma < 0.01)
    #expect(Self.rootMeanSquare(track, ranges) < 0.1)
  }

  /// In the plane, where six anchors are highly redundant, over five minutes.
  @Test(.releaseOnly, arguments: [UInt64](2551...2553))
  func estimatesOffsetsOfSingleAnchors(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let offsets = [0.15, 0, -0.12, 0, 0, 0.1]
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.levelStroll)
    let ranges = walk.ranges(to: 300, offsets: offsets, using: &generator)
    var configuration = Tracker.Configuration.withHeight(1.2)
    let plain = try #require(
      try TrackSmoother(anchors: walk.anchors, configuration: configuration).smoothed(ranges))
    configuration.errors.persistentSigma = 0.1
    let track = try #require(
      try TrackSmoother(anchors: walk.anchors, configuration: configuration).smoothed(ranges))
    for (found, expected) in zip(track.offsets, offsets) {
      let found = try #require(found, "seed \(seed): \(track.covarianceFactor)")
      #expect(isClose(found.value, expected, within: 4 * found.sigma), "seed \(seed): \(found)")
    }
    let error = Self.rootMeanSquare(plain, ranges)
    #expect(Self.rootMeanSquare(track, ranges) < 0.8 * error, "seed \(seed)")
  }

  @Test(.releaseOnly, arguments: [UInt64](2561...2566))
  func reportsNoOffsetsWithoutAny(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let ranges = Self.walk.ranges(to: 60, using: &generator)
    let track = try #require(try TrackSmoother(anchors: Self.walk.anchors).smoothed(ranges))
    #expect(track.offsets.count == 6 && track.offsets.allSatisfy { $0 == nil }, "seed \(seed)")
  }

  // MARK: Sides

  /// Under a ceiling with anchors, a start that crosses it for some seconds does not keep the track
  /// there unnoticed.
  @Test(.releaseOnly, arguments: [UInt64](2567...2570))
  func returnsFromTheImageOfAStretch(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let anchors = [
      (-5, -4, 3), (15, -4, 2.5), (15, 11, 3), (-5, 11, 2.5), (5, -4, 3), (5, 11, 2.4),
      (-5, 4, 2.6), (15, 4, 3),
    ].map { Anchor(position: Vector([$0.0, $0.1, $0.2])) }
    let walk = SimulatedWalk(anchors: anchors, path: SimulatedWalk.stroll)
    let ranges = walk.ranges(to: 120, using: &generator).map(\.measurement)
    var configuration = Tracker.Configuration()
    configuration.errors.persistentSigma = 0.03
    let problem = SmootherProblem(
      ranges, interruptions: [], anchors: anchors, configuration: configuration)
    let run: SmootherRun<6> = try #require(problem.run())
    let plane = try #require(AnchorPlane(through: anchors.map(\.position), isLevel: false))
    var crossed = run.withOffsets
    let stretch = crossed.states.count / 6 / 3
    for index in stretch..<stretch + 60 {
      let first = 6 * index
      let image = plane.image(
        of: Vector([crossed.states[first], crossed.states[first + 1], crossed.states[first + 2]]))
      for axis in 0..<3 { crossed.states[first + axis] = image[axis] }
    }
    var equations = crossed.emptyEquations
    let likelier = crossed.onLikelierSide(in: &equations)
    let track = try #require(likelier.solved(in: &equations)).tracks(in: &equations)[0]
    let expected = try #require(
      try TrackSmoother(anchors: anchors, configuration: configuration).smoothed(ranges))
    for (estimate, other) in zip(track.estimates, expected.estimates) {
      let away = (estimate.position - other.position).length
      #expect(away < 0.05 || estimate.status == .ambiguous, "seed \(seed): \(away) m")
    }
  }

  // MARK: Outliers

  /// Every third range comes over a reflected path, half a metre and more too long.
  @Test(.releaseOnly, arguments: [UInt64](2571...2574))
  func detectsReflectedPathsWithLittleEffect(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var ranges = Self.walk.ranges(to: 60, using: &generator)
    var isLong = [Bool](repeating: false, count: ranges.count)
    for index in ranges.indices where generator.uniform() < 0.3 {
      ranges[index].distance += 0.5 + generator.exponential(mean: 1)
      isLong[index] = true
    }
    let track = try #require(try TrackSmoother(anchors: Self.walk.anchors).smoothed(ranges))
    var (seen, wrong) = (0.0, 0.0)
    for (verdict, isLong) in zip(track.verdicts, isLong) {
      guard case .nonLineOfSight(let weight) = verdict else { continue }
      #expect(weight > 0 && weight < 0.5)
      if isLong { seen += 1 } else { wrong += 1 }
    }
    let count = Double(isLong.count { $0 })
    #expect(seen > 0.8 * count, "seed \(seed): \(seen) of \(count)")
    #expect(wrong < 0.01 * Double(ranges.count), "seed \(seed): \(wrong)")
    #expect(Self.rootMeanSquare(track, ranges) < 0.25, "seed \(seed)")
  }

  /// A range that is too short does not come over a reflected path.
  @Test func shortRangesAreDownWeightedButNotReflected() throws {
    var generator = SeededGenerator(seed: 2581)
    var ranges = Self.walk.ranges(to: 20, using: &generator)
    for index in stride(from: 5, to: ranges.count, by: 50) { ranges[index].distance = 0.05 }
    let track = try #require(try TrackSmoother(anchors: Self.walk.anchors).smoothed(ranges))
    for index in stride(from: 5, to: ranges.count, by: 50) {
      guard case .discounted(let weight) = track.verdicts[index] else {
        Issue.record("range \(index): \(track.verdicts[index])")
        continue
      }
      #expect(weight < 0.1)
    }
  }

  @Test func rejectsRepeatedAndInvalidRanges() throws {
    var generator = SeededGenerator(seed: 2582)
    let ranges = Self.walk.ranges(to: 20, using: &generator).map(\.measurement)
    var disturbed = ranges
    var copy = ranges[300]
    copy.time = copy.time.advanced(bySeconds: 0.001)
    disturbed.insert(copy, at: 301)
    for (distance, sigma, anchor) in [
      (Double.nan, nil, 0), (-1, nil, 0), (3, nil, 17), (3, nil, -1), (3, 0, 0), (3, .nan, 0),
      (3, -0.1, 0), (3, .infinity, 0),
    ] as [(Double, Double?, Int)] {
      disturbed.insert(
        RangeMeasurement(time: ranges[400].time, anchor: anchor, distance: distance, sigma: sigma),
        at: 402)
    }
    let smoother = try TrackSmoother(anchors: Self.walk.anchors)
    let plain = try #require(smoother.smoothed(ranges))
    let track = try #require(smoother.smoothed(disturbed))
    #expect(track.verdicts[301] == .duplicate)
    #expect(track.verdicts[402..<410].allSatisfy { $0 == .invalid })
    #expect(track.estimates == plain.estimates)
  }

  /// A clock that starts in 1970 and is then set: a step of fifty years, with few ranges before.
  @Test func keepsTheTrackAfterAClockChange() throws {
    var generator = SeededGenerator(seed: 2583)
    let ranges = Self.walk.ranges(to: 10, using: &generator)
    let early = ranges.prefix(2).map(\.measurement)
    let late = ranges.map { range in
      var measurement = range.measurement
      measurement.time = measurement.time.advanced(bySeconds: 1.7e9)
      return measurement
    }
    let smoother = try TrackSmoother(anchors: Self.walk.anchors)
    let plain = try #require(smoother.smoothed(late))
    let track = try #require(smoother.smoothed(early + late))
    for estimate in plain.estimates {
      let same = try #require(track.estimate(at: estimate.time))
      #expect((same.position - estimate.position).length < 1e-3)
    }
  }

  // MARK: Any input

  @Test func returnsNilWithoutAPosition() throws {
    let smoother = try TrackSmoother(anchors: SimulatedWalk.room)
    #expect(smoother.smoothed([RangeMeasurement]()) == nil)
    let one = RangeMeasurement(time: instant(0), anchor: 0, distance: 3)
    #expect(smoother.smoothed([one]) == nil)
    #expect(try TrackSmoother(anchors: []).smoothed([one]) == nil)
  }

  /// Numbers of any size in order of time: every estimate is finite.
  @Test(arguments: [UInt64](2591...2596))
  func anyInputGivesFiniteEstimates(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let special: [Double] = [
      0, -1, 1e-300, 1e-9, 1e-3, 1, 1e3, 1e9, 3.4e38, 1e300, .nan, .infinity,
    ]
    var tracks = 0
    for _ in 0..<30 {
      var configuration = Tracker.Configuration()
      if generator.uniform() < 0.3 { configuration.height = 1.2 }
      if generator.uniform() < 0.3 { configuration.errors.degreesOfFreedom = .infinity }
      if generator.uniform() < 0.5 {
        configuration.errors.biasSigma = 0.3
        configuration.errors.scaleSigma = 0.05
      }
      // Enough valid ranges for a start.
      var ranges = (0..<12).map { index in
        let anchor = index % SimulatedWalk.room.count
        let offset = SimulatedWalk.room[anchor].position - Vector([4, 3, 1.2])
        return RangeMeasurement(
          time: instant(0.05 * Double(index) - 1), anchor: anchor, distance: offset.length)
      }
      var interruptions: [Timestamp] = []
      var time = instant(0)
      for _ in 0..<80 {
        switch generator.uniform() {
        case ..<0.7: time = time.advanced(bySeconds: generator.exponential(mean: 0.1))
        case ..<0.75: time = time.advanced(bySeconds: generator.exponential(mean: 1e3))
        case ..<0.76: time = time.advanced(bySeconds: 1e8)
        default: break
        }
        if generator.uniform() < 0.02 { interruptions.append(time) }
        let isSpecial = generator.uniform() < 0.15
        ranges.append(
          RangeMeasurement(
            time: time, anchor: Int(7 * generator.uniform()),
            distance: isSpecial
              ? special[Int(generator.uniform() * Double(special.count))]
              : generator.exponential(mean: 6),
            sigma: generator.uniform() < 0.9
              ? nil : special[Int(generator.uniform() * Double(special.count))]))
      }
      let smoother = try TrackSmoother(anchors: SimulatedWalk.room, configuration: configuration)
      guard let track = smoother.smoothed(ranges, interruptions: interruptions) else { continue }
      tracks += 1
      #expect(track.verdicts.count == ranges.count)
      let isSound = track.estimates.allSatisfy { estimate in
        estimate.position.isFinite && estimate.velocity.isFinite && estimate.covariance.isFinite
          && estimate.covariance == estimate.covariance.transposed()
          && (0..<3).allSatisfy { estimate.covariance[$0, $0] >= 0 }
      }
      #expect(isSound, "seed \(seed)")
    }
    #expect(tracks > 20, "seed \(seed)")
  }

  @Test func rangesOutOfOrderAreSorted() throws {
    var generator = SeededGenerator(seed: 4410)
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
    let ranges = walk.ranges(to: 20, using: &generator).map(\.measurement)
    var mixed = ranges
    for index in mixed.indices.dropLast() where generator.uniform() < 0.4 {
      mixed.swapAt(index, min(mixed.count - 1, index + 1 + Int(generator.uniform() * 9)))
    }
    let smoother = try TrackSmoother(anchors: walk.anchors)
    let (track, other) = (
      try #require(smoother.smoothed(ranges)), try #require(smoother.smoothed(mixed))
    )
    #expect(mixed != ranges && other.estimates == track.estimates)
    for (index, range) in mixed.enumerated() {
      let place = try #require(ranges.firstIndex(of: range))
      #expect(other.verdicts[index] == track.verdicts[place])
    }
  }

  // MARK: Harness

  private static func rootMeanSquare(
    _ track: SmoothedTrack, _ ranges: [SimulatedWalk.Range]
  ) -> Double {
    var sum = 0.0
    for range in ranges {
      guard let estimate = track.estimate(at: range.time) else { return .infinity }
      let error = estimate.position - range.truth
      sum += error.dot(error)
    }
    return (sum / Double(ranges.count)).squareRoot()
  }
}

extension TrackSmoother {
  /// The track through the ranges of a walk.
  fileprivate func smoothed(
    _ ranges: [SimulatedWalk.Range], interruptions: [Timestamp] = []
  ) -> SmoothedTrack? {
    smoothed(ranges.map(\.measurement), interruptions: interruptions)
  }
}
