import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct MovingReceiverTests {
  /// Returns a trajectory with changing heights, which spans the whole space.
  private func trajectory(_ count: Int) -> [Vector<3>] {
    (0..<count).map { index in
      let part = Double(index) / Double(count)
      let angle = Angle(radians: 9 * part)
      return Vector([(4 + 2 * part) * angle.cosine, 5 * angle.sine, 1 + 2 * angle.sine * part])
    }
  }

  @Test func exactRangesGiveExactPosition() throws {
    var generator = SeededGenerator(seed: 81)
    for _ in 0..<20 {
      let tag = Vector<3>([
        generator.uniform(in: -8...8), generator.uniform(in: -8...8), generator.uniform(in: 0...3),
      ])
      let fix = try MovingReceiver.solve(
        trajectory(25).map { PosedRange(position: $0, range: ($0 - tag).length) })
      #expect((try #require(fix.position) - tag).length < 1e-7, "seed 81: \(tag)")
      #expect(fix.verdict == .unique)
      #expect(fix.discounted.isEmpty)
    }
  }

  /// Poses are no anchors, which usually hang above their tags: a radio may be above or below a
  /// trajectory, and the likelier image comes first.
  @Test(arguments: [-1.6, 1.6])
  func likelierImageComesFirst(_ rise: Double) throws {
    let observations = trajectory(40).enumerated().map { index, place in
      let carried = Vector<3>([place[0], place[1], 1 + 0.02 * Double(index % 3)])
      return PosedRange(position: carried, range: (carried - Vector([1, 2, 1 + rise])).length)
    }
    let fix = try MovingReceiver.solve(observations)
    #expect(fix.verdict == .two)
    #expect(abs(try #require(fix.position)[2] - 1 - rise) < 1e-6)
  }

  /// A known side is kept although the other image is likelier.
  @Test(arguments: [-1.6, 1.6], AnchorSide.allCases)
  func aKnownSideIsKept(_ rise: Double, _ side: AnchorSide) throws {
    let tag = Vector<3>([1, 2, 1 + rise])
    let observations = trajectory(40).enumerated().map { index, place in
      let carried = Vector<3>([place[0], place[1], 1 + 0.02 * Double(index % 3)])
      return PosedRange(position: carried, range: (carried - tag).length)
    }
    var options = MovingReceiver.Options()
    options.side = side
    let fix = try MovingReceiver.solve(observations, options: options)
    let position = try #require(fix.position)
    let height = position[2]
    #expect(fix.verdict == .unique && fix.alternatives.isEmpty)
    #expect(side == .above ? height > 1.5 : height < 0.5, "\(height)")
    // The residuals are those of the reported position.
    let first = try #require(fix.contributions[0])
    let expected = observations[0].range - (observations[0].position - position).length
    #expect(isClose(first.residual, expected, within: 1e-9))
    #expect((fix.covariance?[2, 2] ?? 0) > 0)
  }

  @Test func planarTrajectoryLeavesMirrorImage() throws {
    let tag = Vector<3>([1, 2, 0.4])
    let observations = trajectory(20).map { place in
      let carried = Vector<3>([place[0], place[1], 1.3])
      return PosedRange(position: carried, range: (carried - tag).length)
    }
    let both = try MovingReceiver.solve(observations)
    #expect(both.verdict == .two)
    let heights = [try #require(both.position)[2], try #require(both.alternative)[2]].sorted()
    // 1.3 ∓ 0.9.
    #expect(isClose(heights[0], 0.4, within: 1e-6))
    #expect(isClose(heights[1], 2.2, within: 1e-6))
    var options = MovingReceiver.Options()
    options.height = 0.4
    let fix = try MovingReceiver.solve(observations, options: options)
    #expect(fix.verdict == .unique && fix.position?[2] == 0.4)
    #expect((try #require(fix.position) - tag).length < 1e-7)
  }

  @Test func straightTrajectoryLeavesCircle() throws {
    let observations = (0..<10).map { index in
      PosedRange(
        position: Vector([Double(index), 0, 1]), range: (Double(index * index) + 4).squareRoot())
    }
    let fix = try MovingReceiver.solve(observations)
    #expect(fix.verdict == .continuum && fix.position == nil)
  }

  @Test func outlierRangesAreDiscounted() throws {
    var generator = SeededGenerator(seed: 82)
    for trial in 0..<10 {
      let tag = Vector<3>([
        generator.uniform(in: -8...8), generator.uniform(in: -8...8), generator.uniform(in: 0...3),
      ])
      var wrong: Set<Int> = []
      let observations = trajectory(40).enumerated().map { index, place in
        var range = (place - tag).length + 0.05 * generator.normal()
        // Three in ten are late by metres.
        if index % 10 < 3 {
          range += generator.uniform(in: 1...6)
          wrong.insert(index)
        }
        return PosedRange(position: place, range: range, sigma: 0.05)
      }
      let fix = try MovingReceiver.solve(observations)
      let error = try #require(fix.position) - tag
      #expect(error.length < 0.25, "seed 82, trial \(trial): \(error)")
      #expect(wrong.isSubset(of: Set(fix.discounted)), "seed 82, trial \(trial)")
      #expect(fix.discounted.count <= wrong.count + 3, "seed 82, trial \(trial)")
      #expect(
        fix.contributions.indices.allSatisfy {
          ((fix.contributions[$0]?.weight ?? 0) < 0.5) == fix.discounted.contains($0)
        })
      var options = MovingReceiver.Options()
      options.loss = .squared
      let leastSquares = try MovingReceiver.solve(observations, options: options)
      #expect(leastSquares.verdict == .inconsistent)
      #expect(
        (try #require(leastSquares.position) - tag).length > error.length, "seed 82, trial \(trial)"
      )
    }
  }

  @Test func poseVarianceCountsAlongLineOfSight() throws {
    // Six poses on the axes at 5 m around the tag: JᵀWJ = 2 w I. Along x the poses have σ = 0.3 m
    // along the line of sight: 1 / (2 · 1/(0.01 + 0.09)) = 0.05. Along y it is only across the line
    // of sight, without effect: 0.005.
    let spread = Matrix<3, 3>([[0.09, 0, 0], [0, 0, 0], [0, 0, 0]])
    let places: [Vector<3>] = [
      Vector([5, 0, 0]), Vector([-5, 0, 0]), Vector([0, 5, 0]), Vector([0, -5, 0]),
      Vector([0, 0, 5]), Vector([0, 0, -5]),
    ]
    var options = MovingReceiver.Options()
    options.loss = .squared
    // The variance across the line of sight makes ranges of 5 m too long by 0.09 / 10 m.
    let fix = try MovingReceiver.solve(
      places.enumerated().map { index, place in
        PosedRange(
          position: place, range: index < 2 ? 5 : 5.009, sigma: 0.1, positionCovariance: spread)
      }, options: options)
    let covariance = try #require(fix.covariance)
    #expect(try #require(fix.position).length < 1e-9)
    #expect(try #require(fix.misfit) < 1e-6)
    // Along x slightly less: at 0.22 m from the centre the distances across increase as well.
    #expect(isClose(covariance[0, 0] / 0.05, 0.95, within: 0.01))
    #expect(isClose(covariance[1, 1] / 0.005, 1, within: 0.01))
    #expect(isClose(covariance[2, 2] / 0.005, 1, within: 0.01))
  }

  @Test func rejectsOrThrowsForInvalidInput() throws {
    let tag = Vector<3>([1, 2, 0.4])
    var observations = trajectory(12).map { PosedRange(position: $0, range: ($0 - tag).length) }
    observations.insert(PosedRange(position: .zero, range: .nan), at: 2)
    observations.append(PosedRange(position: .zero, range: -1))
    let fix = try MovingReceiver.solve(observations)
    #expect(fix.discounted == [2, 13])
    #expect((try #require(fix.position) - tag).length < 1e-7)
    #expect(throws: TrilaterationError.sigmaNotPositive(index: 0)) {
      try MovingReceiver.solve([PosedRange(position: .zero, range: 1, sigma: -1)])
    }
    #expect(throws: TrilaterationError.anchorNotFinite(index: 0)) {
      try MovingReceiver.solve([PosedRange(position: Vector([.nan, 0, 0]), range: 1)])
    }
    #expect(try MovingReceiver.solve([]).verdict == .tooFew)
  }

  /// Returns forty poses along 1.4 loops, with a height that oscillates 2.8 times by ±`rise`
  /// metres.
  private func undulating(_ rise: Double) -> [Vector<3>] {
    (0..<40).map { index in
      let angle = Angle(radians: 0.225 * Double(index))
      let double = Angle(radians: 0.45 * Double(index))
      return Vector([
        (4 + 0.05 * Double(index)) * angle.cosine, 5 * angle.sine, 1.3 + rise * double.sine,
      ])
    }
  }

  private static let geometries: [(rise: Double, height: Double, isGood: Bool)] = [
    (1.5, 0.4, true), (1.5, 1.2, true), (0.6, -1, false),
    (0.3, 0.4, false), (0.3, 1.2, false), (0.15, 0.4, false), (0.15, -1, false),
  ]

  /// The squared errors of 2000 trajectories, with exact poses and with poses of σ = 0.2 m per
  /// axis.
  ///
  /// On trajectories with large height changes they match the covariance. On nearly planar ones
  /// with a radio close to the plane, one of the two positions is correct in 98 % of the cases, and
  /// the errors then match to 20 %.
  @Test(.releaseOnly, arguments: geometries.indices)
  func errorsMatchTheirCovariance(_ geometry: Int) throws {
    let (rise, height, isGood) = Self.geometries[geometry]
    let tag = Vector<3>([1, 2, height])
    for spread in [0, 0.2] {
      var generator = SeededGenerator(seed: 830 + UInt64(geometry))
      var squares: [Double] = []
      var missed = 0
      for _ in 0..<repetitions(600, long: 2000) {
        let observations = undulating(rise).map { place in
          let error: Vector<3> = Vector([
            generator.normal(), generator.normal(), generator.normal(),
          ])
          return PosedRange(
            position: place + spread * error,
            range: (place - tag).length + 0.1 * generator.normal(),
            positionCovariance: spread > 0 ? spread * spread * .identity : nil)
        }
        let fix = try MovingReceiver.solve(observations)
        var error = try #require(fix.position) - tag
        var covariance = try #require(fix.covariance)
        if let other = fix.alternative, (other - tag).length < error.length {
          error = other - tag
          covariance = try #require(fix.alternativeCovariance)
        }
        let square = error.dot(try #require(Cholesky(covariance)).solve(error))
        // With three degrees of freedom a value above one hundred is impossible by chance: the
        // mirror image.
        if square > 100 { missed += 1 } else { squares.append(square) }
      }
      let found = try #require(Consistency(normalizedSquares: squares, degreesOfFreedom: 3))
      print("trajectory \(geometry), poses \(spread): NEES \(found.meanPerDof), missed \(missed)")
      if isGood {
        #expect(missed == 0, "geometry \(geometry)")
        #expect(abs(found.meanPerDof - 1) < 0.06, "geometry \(geometry): \(found.meanPerDof)")
      } else {
        #expect(missed <= 40, "geometry \(geometry): \(missed)")
        #expect(abs(found.meanPerDof - 1) < 0.2, "geometry \(geometry): \(found.meanPerDof)")
      }
    }
  }

  @Test func priorKnowledgeSelectsMirrorImage() throws {
    let tag = Vector<3>([1, 2, 0.4])
    let observations = trajectory(20).map { place in
      let carried = Vector<3>([place[0], place[1], 1.3])
      return PosedRange(position: carried, range: (carried - tag).length)
    }
    let floor = PositionBounds<3>(lower: Vector([-9, -9, 0]), upper: Vector([9, 9, 1.3]))
    let bounded = try MovingReceiver.solve(observations, within: floor)
    #expect(bounded.verdict == .unique && bounded.alternative == nil)
    #expect((try #require(bounded.position) - tag).length < 1e-6)
    let prior = try #require(PositionPrior<3>(position: Vector([0, 0, 0]), sigma: 3))
    let withPrior = try MovingReceiver.solve(observations, prior: prior)
    #expect((try #require(withPrior.position) - tag).length < 0.05)
    var options = MovingReceiver.Options()
    (options.height, options.heightSigma) = (0.5, 0.1)
    let soft = try MovingReceiver.solve(observations, options: options)
    let height = try #require(soft.position)[2]
    #expect(height > 0.39 && height < 0.5)
    #expect(try #require(soft.covariance)[2, 2] > 0)
  }

  @Test func positionsAreFiniteForExtremeInput() throws {
    var generator = SeededGenerator(seed: 84)
    let special = [0, 1, -1, 1e-300, 1e30, 1e155, 1e300, 5, 5]
    for _ in 0..<300 {
      func number() -> Double { special[Int(generator.uniform() * 9)] }
      let observations = (0..<6).map { _ in
        PosedRange(
          position: Vector([number(), number(), number()]), range: number(),
          positionCovariance: generator.uniform() < 0.5 ? nil : abs(number()) * .identity)
      }
      guard let fix = try? MovingReceiver.solve(observations) else { continue }
      #expect(fix.position?.isFinite ?? true, "seed 84: \(observations)")
      #expect(fix.alternative?.isFinite ?? true, "seed 84: \(observations)")
    }
  }
}
