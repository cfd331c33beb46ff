import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct TrackInitiationTests {
  private let tag = Vector<3>([3, 2, 1.2])

  /// One range more than unknowns would show that one is wrong, two show which.
  @Test func twoRedundantRangesStartATrack() throws {
    for (height, needed) in [(nil, 5), (1.2, 4)] {
      var start = TrackInitiation(anchorCount: SimulatedWalk.room.count)
      var configuration = Tracker.Configuration()
      configuration.height = height
      for index in 0..<needed {
        let found = add(
          index, to: &start, seconds: 0.1 * Double(index), configuration: configuration)
        #expect((found != nil) == (index == needed - 1), "range \(index + 1) of \(needed)")
        if let found {
          #expect((position(of: found.state) - tag).length < 1e-6)
          #expect(found.alternative == nil)
        }
      }
    }
  }

  @Test func rangesOfOneAnchorCountOnce() {
    var start = TrackInitiation(anchorCount: SimulatedWalk.room.count)
    for step in 0..<40 {
      let found = add(step % 2, to: &start, seconds: 0.1 * Double(step))
      #expect(found == nil, "range \(step)")
    }
  }

  /// Three anchors and three unknowns: without redundancy the start waits.
  @Test func startsAfterOneWindowWithoutRedundancy() throws {
    var start = TrackInitiation(anchorCount: SimulatedWalk.room.count)
    for step in 0..<20 {
      #expect(add(step % 3, to: &start, seconds: 0.1 * Double(step)) == nil, "range \(step)")
    }
    let found = try required(add(2, to: &start, seconds: 2))
    #expect(found.alternative != nil)
  }

  @Test func ignoresRangesOlderThanTheWindow() throws {
    var start = TrackInitiation(anchorCount: SimulatedWalk.room.count)
    for index in 0..<3 { #expect(add(index, to: &start, seconds: 0.1 * Double(index)) == nil) }
    // Two of the three have become too old: two remain, then three, then four.
    #expect(add(3, to: &start, seconds: 2.15) == nil)
    #expect(add(4, to: &start, seconds: 5) == nil)
    #expect(add(5, to: &start, seconds: 5.1) == nil)
    #expect(add(0, to: &start, seconds: 10) == nil)
  }

  /// An isolated early range does not begin the window for other anchors.
  @Test func isolatedEarlyRangeDoesNotBeginTheWindow() throws {
    var start = TrackInitiation(anchorCount: SimulatedWalk.ceiling.count)
    #expect(add(0, to: &start, seconds: 0, anchors: SimulatedWalk.ceiling) == nil)
    for index in 0..<3 {
      #expect(
        add(index, to: &start, seconds: 100 + 0.1 * Double(index), anchors: SimulatedWalk.ceiling)
          == nil,
        "three ranges that nothing checks, \(0.1 * Double(index)) s after a silence")
    }
  }

  /// A range that its anchor's bias makes negative is invalid and adds no redundancy.
  ///
  /// The circles of the two others miss each other by 5 cm, which gives one position.
  @Test func invalidDistancesAddNoRedundancy() {
    let anchors = [(0.0, 0.0), (10.0, 0.0), (0.0, 8.0)].map {
      Anchor(position: Vector([$0.0, $0.1, 1.2]))
    }
    var configuration = Tracker.Configuration()
    configuration.height = 1.2
    var start = TrackInitiation(anchorCount: 3)
    for (index, distance) in [4, 5.95, -0.2].enumerated() {
      let found = start.add(
        range(distance, anchor: index, seconds: 0.1 * Double(index)), anchors: anchors,
        configuration: configuration)
      #expect(found == nil, "range \(index + 1)")
    }
  }

  @Test func mirrorImageWaitsOneWindowAndSelectsTheLowerSide() throws {
    var start = TrackInitiation(anchorCount: SimulatedWalk.ceiling.count)
    for step in 0..<20 {
      let found = add(
        step % 4, to: &start, seconds: 0.1 * Double(step), anchors: SimulatedWalk.ceiling)
      #expect(found == nil, "range \(step)")
    }
    let found = try required(
      add(0, to: &start, seconds: 2, anchors: SimulatedWalk.ceiling))
    #expect(found.alternative != nil)
    #expect((position(of: found.state) - tag).length < 1e-6)
  }

  /// Of two mirror images behind a wall of anchors, the more likely one is selected: a small
  /// difference in height says nothing.
  @Test func mirrorImageBehindAWallSelectsTheLikelierSide() throws {
    for (side, seed) in [(1.0, UInt64(313)), (-1, 314), (1, 315), (-1, 316)] {
      var generator = SeededGenerator(seed: seed)
      // A wall that leans by 3°.
      let anchors = [(0.0, 0.5), (8.0, 0.4), (8.0, 2.8), (0.0, 2.9)].map {
        Anchor(position: Vector([$0.0, 0.05 * $0.1, $0.1]))
      }
      let tag = Vector<3>([3, 4 * side, 1.2])
      let distances = anchors.map { ($0.position - tag).length + 0.05 * generator.normal() }
      let fix = try Trilateration.solve(
        ranges: distances, anchors: anchors.map(\.position), sigmas: [0.1, 0.1, 0.1, 0.1])
      let position = try #require(fix.position)
      #expect(fix.alternative != nil)
      var start = TrackInitiation(anchorCount: 4)
      var found: TrackInitiation.Found?
      for step in 0..<8 where found == nil {
        found = start.add(
          range(distances[step % 4], anchor: step % 4, seconds: step < 4 ? 0 : 2),
          anchors: anchors, configuration: Tracker.Configuration())
      }
      let state = try #require(found).state
      #expect((self.position(of: state) - position).length < 1e-9, "seed \(seed)")
    }
  }

  /// A known side selects one image at once; without redundancy the start still waits.
  @Test(arguments: AnchorSide.allCases)
  func knownSideDoesNotWait(_ side: AnchorSide) throws {
    var configuration = Tracker.Configuration()
    configuration.side = side
    for (count, isRedundant) in [(4, true), (3, false)] {
      var start = TrackInitiation(anchorCount: SimulatedWalk.ceiling.count)
      var found: TrackInitiation.Found?
      for step in 0..<count {
        #expect(found == nil)
        found = add(
          step, to: &start, seconds: 0.1 * Double(step), anchors: SimulatedWalk.ceiling,
          configuration: configuration)
      }
      #expect((found != nil) == isRedundant)
      guard let found else { continue }
      #expect(found.alternative == nil)
      var expected = tag
      if side == .above { expected[2] = 6 - tag[2] }
      #expect((position(of: found.state) - expected).length < 1e-6)
    }
  }

  /// With a known height, a tag beside a line of anchors has a mirror image at the same height.
  @Test func reportsAMirrorImageInThePlane() throws {
    let line = (0..<4).map { Anchor(position: Vector([3 * Double($0), 0, 2.5])) }
    var configuration = Tracker.Configuration()
    configuration.height = 1.2
    var start = TrackInitiation(anchorCount: 4)
    for step in 0..<20 {
      let found = add(
        step % 4, to: &start, seconds: 0.1 * Double(step), anchors: line,
        configuration: configuration)
      #expect(found == nil, "range \(step)")
    }
    let found = try required(
      add(0, to: &start, seconds: 2, anchors: line, configuration: configuration))
    #expect(found.alternative != nil)
    #expect(found.state.mean[2] == 1.2)
    #expect(isClose(found.state.mean[1].magnitude, 2, within: 1e-6))
  }

  /// The prior covariance is (JᵀJ)⁻¹ σ² at the prior position, plus an allowance for common range
  /// errors: 2 m, or a quarter of the distance to the mirror image.
  ///
  /// The variances of mirror images are equal; their correlations across the plane of the anchors
  /// are opposite.
  @Test func covarianceBelongsToTheSelectedSide() throws {
    var generator = SeededGenerator(seed: 311)
    for _ in 0..<50 {
      let tag = Vector<3>([
        generator.uniform(in: -2...4), generator.uniform(in: -2...3), generator.uniform(in: 0...2),
      ])
      var gathered = TrackInitiation(anchorCount: SimulatedWalk.ceiling.count)
      var found: TrackInitiation.Found?
      for index in 0..<8 {
        let anchor = SimulatedWalk.ceiling[index % 4]
        found = gathered.add(
          range(
            (anchor.position - tag).length, sigma: 0.05, anchor: index % 4,
            seconds: index < 4 ? 0 : 2),
          anchors: SimulatedWalk.ceiling, configuration: Tracker.Configuration())
        if found != nil { break }
      }
      let start = try #require(found, "seed 311: \(tag)")
      let prior = start.state
      let position = position(of: prior)
      let apart = start.alternative.map { ($0 - position).length } ?? .infinity
      let limit = min(2, apart / 4)
      var information = DenseMatrix(rows: 3, columns: 3)
      for anchor in SimulatedWalk.ceiling {
        let offset = position - anchor.position
        for row in 0..<3 {
          for column in 0..<3 {
            information[row, column] +=
              offset[row] * offset[column] / (offset.length * offset.length)
          }
        }
      }
      let expected = try DenseCholesky(information).solve(.identity(3))
      for row in 0..<3 {
        for column in 0..<3 {
          // The fix assumes Cauchy errors, whose covariance is somewhat less than that of normal
          // ones; the same factor applies to all elements.
          let own = prior.covariance[row, column] - (row == column ? limit * limit : 0)
          let scale = 0.0025 * (expected[row, row] * expected[column, column]).squareRoot()
          try #require(
            isClose(own, 0.0025 * expected[row, column], within: 0.1 * scale),
            "seed 311: \(row), \(column) at \(position)")
        }
      }
    }
  }

  /// Three anchors around the tag, 120° apart: JᵀJ = 1.5.
  ///
  /// The ranges contribute 0.1² / 1.5, up to the weights of the fix, and the allowance is 2².
  @Test func startHasAStandardDeviationOfTwoMetres() throws {
    let height = 0.75.squareRoot()
    let anchors = [(1.0, 0.0), (-0.5, height), (-0.5, -height)].map {
      Anchor(position: Vector([5 * $0.0, 5 * $0.1, 1.2]))
    }
    var configuration = Tracker.Configuration()
    configuration.height = 1.2
    func started(persistent seconds: Double, error: Double) throws -> Gaussian<6> {
      var start = TrackInitiation(anchorCount: 3)
      var found: TrackInitiation.Found?
      for index in 0..<3 {
        #expect(found == nil)
        found = start.add(
          range(5 + error, anchor: index, seconds: seconds * Double(index) / 2), anchors: anchors,
          configuration: configuration)
      }
      return try #require(found).state
    }
    for axis in 0..<2 {
      let prompt = try started(persistent: 0, error: 0)
      #expect(isClose(prompt.covariance[axis, axis], 0.01 / 1.5 + 4, within: 0.001))
      #expect(prompt.mean[axis + 3] == 0 && prompt.covariance[axis + 3, axis + 3] == 4)
      // Age and small errors change it by no more than the fix does.
      let slow = try started(persistent: 1.5, error: 0)
      #expect(slow == prompt)
      let lucky = try started(persistent: 0, error: 0.05)
      #expect(isClose(lucky.covariance[axis, axis], 0.01 / 1.5 + 4, within: 0.001))
    }
  }

  /// The filter processes the ranges of the start once each and in order: the newest of each
  /// anchor.
  @Test func returnsTheRangesOfTheStartInOrderOfTime() throws {
    var start = TrackInitiation(anchorCount: SimulatedWalk.room.count)
    for (step, anchor) in [0, 1, 0, 2, 3].enumerated() {
      #expect(add(anchor, to: &start, seconds: 0.08 * Double(step)) == nil)
    }
    let found = try required(add(4, to: &start, seconds: 0.4))
    #expect(found.ranges.map(\.anchor) == [1, 0, 2, 3, 4])
    #expect(found.ranges.map(\.time) == [0.08, 0.16, 0.24, 0.32, 0.4].map(instant))
  }

  /// Also in the plane of the anchors, where the variance across it is limited explicitly.
  @Test func covarianceIsExactlySymmetric() throws {
    var generator = SeededGenerator(seed: 312)
    for _ in 0..<100 {
      let tilt = Vector<3>([generator.normal(), generator.normal(), 1])
      let anchors = SimulatedWalk.ceiling.map { anchor in
        var position = anchor.position
        position[2] -= 0.1 * (tilt[0] * position[0] + tilt[1] * position[1])
        return Anchor(position: position)
      }
      // Between two anchors, at a third of the distance.
      let tag = anchors[0].position + (1.0 / 3) * (anchors[2].position - anchors[0].position)
      var start = TrackInitiation(anchorCount: anchors.count)
      var found: TrackInitiation.Found?
      for step in 0..<2 {
        for (index, anchor) in anchors.enumerated() where found == nil {
          found = start.add(
            range((anchor.position - tag).length, anchor: index, seconds: 2 * Double(step)),
            anchors: anchors, configuration: Tracker.Configuration())
        }
      }
      let covariance = try #require(found).state.covariance
      try #require(covariance == covariance.transposed(), "seed 312")
    }
  }

  /// A range 3 m too long of one anchor, or another 3 m too short: the ranges hardly distinguish
  /// the positions, but no further range of these anchors mirrors one to the other.
  @Test func otherExplanationIsNoMirrorImage() throws {
    let anchors = [[0, 0, 0.5], [8, 0, 2.5], [8, 6, 0.4], [0, 6, 2.4]].map {
      Anchor(position: Vector<3>($0))
    }
    let tag = Vector<3>([3, 2, 1])
    var configuration = Tracker.Configuration()
    configuration.height = 1
    let ranges = anchors.enumerated().map {
      ($1.position - tag).length + ($0 == 2 ? 3 : 0)
    }
    var options = PositionOptions()
    options.height = 1
    let fix = try Trilateration.solve(
      ranges: ranges, anchors: anchors.map(\.position), options: options)
    #expect(fix.verdict == .two)
    var start = TrackInitiation(anchorCount: 4)
    var found: TrackInitiation.Found?
    for (index, distance) in ranges.enumerated() {
      found = start.add(
        range(distance, anchor: index, seconds: 0.1 * Double(index)), anchors: anchors,
        configuration: configuration)
    }
    let state = try required(found).state
    #expect((position(of: state) - tag).length < 0.05)
    #expect(found?.alternative == nil)
  }

  /// A range of unknown error adds no information: three others and it determine no position.
  @Test func rangesOfUnknownErrorDoNotStartATrack() throws {
    var start = TrackInitiation(anchorCount: SimulatedWalk.room.count)
    for step in 0..<40 {
      let index = step % 3
      let distance = (SimulatedWalk.room[index].position - tag).length
      let found = start.add(
        range(
          distance, sigma: index == 1 ? 3e38 : 0.1, anchor: index, seconds: 0.1 * Double(step)),
        anchors: SimulatedWalk.room, configuration: Tracker.Configuration())
      #expect(found == nil, "range \(step)")
    }
  }

  @Test func knownHeightHasNoVariance() throws {
    var configuration = Tracker.Configuration()
    configuration.height = 1.2
    var start = TrackInitiation(anchorCount: SimulatedWalk.room.count)
    _ = add(0, to: &start, seconds: 0, configuration: configuration)
    _ = add(1, to: &start, seconds: 0.5, configuration: configuration)
    let prior = try required(add(2, to: &start, seconds: 1, configuration: configuration)).state
    #expect(prior.mean[2] == 1.2 && prior.mean[5] == 0)
    for axis in 0..<6 {
      #expect(prior.covariance[2, axis] == 0 && prior.covariance[5, axis] == 0)
      #expect(prior.covariance[axis, 2] == 0 && prior.covariance[axis, 5] == 0)
    }
    #expect(prior.covariance[0, 0] > 1 && prior.covariance[3, 3] == 4)
  }

  // MARK: Harness

  /// Adds the exact range from ``tag`` to the anchor at `index`.
  private func add(
    _ index: Int, to start: inout TrackInitiation, seconds: Double,
    anchors: [Anchor] = SimulatedWalk.room,
    configuration: Tracker.Configuration = Tracker.Configuration()
  ) -> TrackInitiation.Found? {
    start.add(
      range((anchors[index].position - tag).length, anchor: index, seconds: seconds),
      anchors: anchors, configuration: configuration)
  }

  private func range(
    _ distance: Double, sigma: Double = 0.1, anchor: Int, seconds: Double
  ) -> RangeMeasurement {
    RangeMeasurement(time: instant(seconds), anchor: anchor, distance: distance, sigma: sigma)
  }

  private func position(of state: Gaussian<6>) -> Vector<3> {
    Vector([state.mean[0], state.mean[1], state.mean[2]])
  }
}
