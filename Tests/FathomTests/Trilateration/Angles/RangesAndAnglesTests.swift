import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct RangesAndAnglesTests {
  /// Returns the measurements of `tag` by an anchor, with errors in standard deviations.
  private func sighting(
    from anchor: Vector<3>, facing heading: Angle, of tag: Vector<3>,
    errors: (range: Double, azimuth: Double, elevation: Double) = (0, 0, 0)
  ) -> Sighting {
    var sighting = Sighting(anchor: anchor, orientation: Sighting.upright(facing: heading))
    let seen = SightingResiduals(sighting).view(of: tag)
    sighting.range = seen.distance + errors.range * sighting.rangeSigma
    sighting.azimuth =
      FullSphere.azimuth(right: seen.right, ahead: seen.ahead)
      + errors.azimuth * sighting.azimuthSigma
    sighting.elevation =
      FullSphere.elevation(right: seen.right, up: seen.up, ahead: seen.ahead)
      + errors.elevation * sighting.elevationSigma
    return sighting
  }

  @Test func rangeAndAnglesOfOneAnchorSuffice() throws {
    // From (1, 2, 3), facing +y: 30° to the right and 20° up at 5 m is right 5 cos 20° sin 30° =
    // 2.349, ahead 5 cos 20° cos 30° = 4.069, up 5 sin 20° = 1.710; right of +y is +x.
    var one = Sighting(
      anchor: Vector([1, 2, 3]), orientation: Sighting.upright(facing: Angle(degrees: 90)))
    one.range = 5
    one.azimuth = Angle(degrees: 30)
    one.elevation = Angle(degrees: 20)
    let result = try RangesAndAngles.solve([one])
    let position = try #require(result.fix.position)
    #expect(isClose(position[0], 1 + 2.349_232, within: 1e-6))
    #expect(isClose(position[1], 2 + 4.068_988, within: 1e-6))
    #expect(isClose(position[2], 3 + 1.710_101, within: 1e-6))
    #expect(result.fix.verdict == .unique)
    // Along the line of sight 0.1 m; across it 3° at 4.698 m, up 3° at 5 m.
    let covariance = try #require(result.fix.covariance)
    let arc = Double.pi / 60
    let trace = 0.01 + (4.698_463 * arc) * (4.698_463 * arc) + (5 * arc) * (5 * arc)
    #expect(isClose(covariance.trace, trace, within: 1e-6))
  }

  @Test func derivativesAgreeWithCentralDifferences() throws {
    var generator = SeededGenerator(seed: 71)
    let step = 1e-5
    for trial in 0..<200 {
      let anchor = 5 * Vector<3>.random(using: &generator)
      let tag = 5 * Vector<3>.random(using: &generator)
      var one = sighting(
        from: anchor, facing: Angle(degrees: generator.uniform(in: -180...180)), of: tag)
      one.anchorCovariance = Matrix([[0.04, 0.01, 0], [0.01, 0.02, 0], [0, 0, 0.03]])
      let rows = SightingResiduals(one)
      guard rows.view(of: tag).across > 0.5 else { continue }
      #expect(rows.displacements.count == 3)
      var options = PositionOptions()
      (options.height, options.heightSigma) = (1, trial % 2 == 0 ? 0.2 : nil)
      options.loss = .squared
      let known = try PositionAssumptions<3>(
        options, PositionPrior(position: tag, sigma: 2), nil)
      let equations = SightingEquations(
        [rows], known, turnSigma: trial % 3 == 0 ? nil : Angle(degrees: 20)
      ).equations()
      var at = [Double](repeating: 0, count: equations.unknowns)
      for axis in 0..<known.free { at[axis] = tag[axis] - anchor[axis] }
      for index in known.free..<at.count { at[index] = generator.normal() }
      let slopes = equations.slopes(at)
      for column in at.indices {
        var (ahead, behind) = (at, at)
        ahead[column] += step
        behind[column] -= step
        let pairs = zip(equations.residuals(ahead), equations.residuals(behind))
        for (row, pair) in pairs.enumerated() {
          let slope = (pair.1 - pair.0) / (ahead[column] - behind[column])
          #expect(isClose(slopes[row, column], slope, within: 1e-5), "seed 71, trial \(trial)")
        }
      }
    }
  }

  /// Three anchors with all measurements, one of which is an outlier.
  @Test(arguments: 0..<3)
  func oneWrongMeasurementIsDiscounted(_ kind: Int) throws {
    let tag = Vector<3>([3, 3, 1])
    var sightings = [Vector<3>([0, 0, 2]), Vector([8, 0, 1]), Vector([4, 7, 3])].map {
      sighting(from: $0, facing: Angle(degrees: 60), of: tag)
    }
    switch kind {
    case 0: sightings[1].range = (sightings[1].range ?? 0) + 6
    case 1: sightings[1].azimuth = (sightings[1].azimuth ?? .zero) + Angle(degrees: 130)
    default: sightings[1].elevation = (sightings[1].elevation ?? .zero) + Angle(degrees: 50)
    }
    let result = try RangesAndAngles.solve(sightings)
    #expect((try #require(result.fix.position) - tag).length < 0.05)
    #expect(result.fix.verdict == .unique && result.fix.discounted == [1])
    let weights = [
      result.fix.contributions[1]?.weight, result.azimuths[1]?.weight, result.elevations[1]?.weight,
    ]
    for (place, weight) in weights.enumerated() {
      #expect((try #require(weight) < 0.05) == (place == kind))
    }
    // Three coordinates, determined by nine measurements.
    let influences =
      result.fix.contributions.compactMap { $0?.influence }
      + result.azimuths.compactMap { $0?.influence }
      + result.elevations.compactMap { $0?.influence }
    #expect(isClose(influences.reduce(0, +), 3, within: 1e-6))
    var options = RangesAndAngles.Options()
    options.loss = .squared
    #expect(try RangesAndAngles.solve(sightings, options: options).fix.verdict == .inconsistent)
  }

  @Test func bearingsAreMeasuredFromXAxis() throws {
    // From the origin at 30° from the x axis towards y and 45° up, 4 m: (2.449, 1.414, 2.828).
    var one = Sighting.bearing(
      from: .zero, azimuth: Angle(degrees: 30), elevation: Angle(degrees: 45))
    one.range = 4
    let position = try #require(try RangesAndAngles.solve([one]).fix.position)
    #expect((position - Vector([2.449_490, 1.414_214, 2.828_427])).length < 1e-5)
  }

  @Test func priorsResolveAmbiguity() throws {
    let tag = Vector<3>([3, 1, 2])
    var one = sighting(from: Vector([0, 0, 1]), facing: .zero, of: tag)
    one.elevation = nil
    // A range and an azimuth leave an arc; a prior of the height selects a position above or below.
    var options = RangesAndAngles.Options()
    (options.height, options.heightSigma) = (2.05, 0.05)
    let soft = try RangesAndAngles.solve([one], options: options)
    #expect((try #require(soft.fix.position) - tag).length < 0.1)
    let prior = try #require(PositionPrior<3>(position: Vector([3, 1, 1.5]), sigma: 0.5))
    let withPrior = try RangesAndAngles.solve([one], prior: prior)
    #expect((try #require(withPrior.fix.position) - tag).length < 0.5)
  }

  @Test func positionsAreFiniteForExtremeInput() throws {
    var generator = SeededGenerator(seed: 74)
    let special: [Double] = [0, 1, -1, 1e-300, 1e30, 1e155, 1e300, .nan, .infinity]
    for trial in 0..<200 {
      func number() -> Double {
        generator.uniform() < 0.6
          ? generator.uniform(in: -5...5) : special[Int(generator.uniform() * 9)]
      }
      let sightings = (0..<3).map { _ in
        Sighting(
          anchor: Vector([number(), number(), number()]),
          orientation: Sighting.upright(facing: .zero), range: number(),
          azimuth: Angle(radians: number()), elevation: Angle(radians: number()),
          anchorCovariance: generator.uniform() < 0.5 ? nil : abs(number()) * .identity)
      }
      var options = RangesAndAngles.Options()
      if trial % 2 == 1 { options.headingSigma = Angle(degrees: trial % 4 == 1 ? 2 : 180) }
      guard let result = try? RangesAndAngles.solve(sightings, options: options) else { continue }
      #expect(result.turn?.isFinite ?? true, "seed 74, trial \(trial): \(sightings)")
      #expect(result.fix.position?.isFinite ?? true, "seed 74, trial \(trial): \(sightings)")
      #expect(result.fix.covariance?.isFinite ?? true, "seed 74, trial \(trial): \(sightings)")
    }
  }

  @Test func exactMeasurementsGiveExactPosition() throws {
    var generator = SeededGenerator(seed: 72)
    for trial in 0..<120 {
      let tag = Vector<3>([
        generator.uniform(in: -9...9), generator.uniform(in: -9...9), generator.uniform(in: 0...4),
      ])
      var sightings = (0..<3).map { _ in
        sighting(
          from: Vector([
            generator.uniform(in: -9...9), generator.uniform(in: -9...9),
            generator.uniform(in: 0...4),
          ]), facing: Angle(degrees: generator.uniform(in: -180...180)), of: tag)
      }
      for index in sightings.indices {
        switch trial % 4 {
        case 0: sightings[index].range = nil
        case 1: (sightings[index].azimuth, sightings[index].elevation) = (nil, nil)
        case 2: sightings[index].elevation = nil
        default:
          if index == 0 { sightings[index].range = nil } else { sightings[index].azimuth = nil }
        }
      }
      let result = try RangesAndAngles.solve(sightings)
      let position = try #require(result.fix.position, "seed 72, trial \(trial)")
      let other = result.fix.alternative ?? position
      if trial % 4 == 1, result.fix.verdict == .unique {
        // Near the plane of three anchors, both images are one answer with the covariance of both.
        let offset = tag - position
        let covariance = try #require(result.fix.covariance)
        let root = try #require(Cholesky(covariance), "seed 72, trial \(trial)")
        #expect(offset.dot(root.solve(offset)) < 25, "seed 72, trial \(trial): \(result.fix)")
        continue
      }
      #expect(
        min((position - tag).length, (other - tag).length) < 1e-6,
        "seed 72, trial \(trial): \(tag) \(result.fix)")
    }
  }

  @Test func angleResidualsAreWrapped() throws {
    // The tag is directly behind the anchor, where azimuths jump from π to -π: one measures 179°,
    // the other -179° from the same position. The mean is behind, not ahead.
    let anchor = Vector<3>([0, 0, 1])
    var first = Sighting(anchor: anchor, orientation: Sighting.upright(facing: .zero))
    first.range = 4
    first.azimuth = Angle(degrees: 179)
    first.elevation = .zero
    var second = first
    second.azimuth = Angle(degrees: -179)
    let result = try RangesAndAngles.solve([first, second])
    let position = try #require(result.fix.position)
    #expect((position - Vector([-4, 0, 1])).length < 1e-6)
    #expect(isClose(try #require(result.azimuthResiduals[0]).degrees, -1, within: 1e-6))
    #expect(isClose(try #require(result.azimuthResiduals[1]).degrees, 1, within: 1e-6))
    #expect(isClose(try #require(result.elevationResiduals[0]).degrees, 0, within: 1e-6))
  }

  @Test func reportsUndeterminedProblems() throws {
    let tag = Vector<3>([3, 1, 2])
    var one = sighting(from: Vector([0, 0, 1]), facing: .zero, of: tag)
    one.elevation = nil
    let few = try RangesAndAngles.solve([one])
    #expect(few.fix.verdict == .tooFew && few.fix.position == nil)
    // The same sighting twice: more rows than unknowns, but still an arc.
    let arc = try RangesAndAngles.solve([one, one])
    #expect(arc.fix.verdict == .continuum && arc.fix.position == nil)
    // A known height selects one point of the arc.
    var options = RangesAndAngles.Options()
    options.height = 2
    let fix = try RangesAndAngles.solve([one], options: options).fix
    #expect((try #require(fix.position) - tag).length < 1e-7)
    #expect(fix.position?[2] == 2 && fix.covariance?[2, 2] == 0)
  }

  @Test func rejectsOrThrowsForInvalidInput() throws {
    let tag = Vector<3>([3, 1, 2])
    let good = sighting(from: Vector([0, 0, 1]), facing: .zero, of: tag)
    var empty = good
    (empty.range, empty.azimuth, empty.elevation) = (-1, Angle(radians: .nan), nil)
    let result = try RangesAndAngles.solve([empty, good])
    #expect(result.fix.discounted == [0])
    #expect(result.fix.residuals[0] == nil && result.fix.residuals[1] != nil)
    #expect((try #require(result.fix.position) - tag).length < 1e-7)
    var bad = good
    bad.azimuthSigma = .zero
    #expect(throws: TrilaterationError.sigmaNotPositive(index: 0)) {
      try RangesAndAngles.solve([bad])
    }
    bad = good
    bad.anchor[1] = .infinity
    #expect(throws: TrilaterationError.anchorNotFinite(index: 1)) {
      try RangesAndAngles.solve([good, bad])
    }
    #expect(try RangesAndAngles.solve([]).fix.verdict == .tooFew)
  }

  /// Three anchors with random, correlated position errors of 0.2 m, 0.1 m and 0.05 m.
  @Test(.releaseOnly) func covarianceIncludesAnchorUncertainty() throws {
    var generator = SeededGenerator(seed: 73)
    let spread = Matrix<3, 3>([[0.04, 0.01, 0], [0.01, 0.01, 0], [0, 0, 0.0025]])
    // L with L Lᵀ = spread: rows (0.2), (0.05, √0.0075), (0, 0, 0.05).
    let lower = [[0.2, 0, 0], [0.05, 0.0075.squareRoot(), 0], [0, 0, 0.05]]
    let anchors: [Vector<3>] = [Vector([0, 0, 2]), Vector([8, 0, 1]), Vector([4, 7, 3])]
    let tag = Vector<3>([3, 3, 1])
    var squares: [Double] = []
    var naive: [Double] = []
    for _ in 0..<3000 {
      let sightings = anchors.enumerated().map { index, anchor in
        var one = sighting(
          from: anchor, facing: Angle(degrees: 60 + 120 * Double(index)), of: tag,
          errors: (generator.normal(), generator.normal(), generator.normal()))
        let normal = [generator.normal(), generator.normal(), generator.normal()]
        for row in 0..<3 {
          for column in 0...row { one.anchor[row] += lower[row][column] * normal[column] }
        }
        one.anchorCovariance = spread
        return one
      }
      func square(_ sightings: [Sighting]) throws -> Double {
        let fix = try RangesAndAngles.solve(sightings).fix
        let error = try #require(fix.position) - tag
        let covariance = try #require(fix.covariance)
        return error.dot(try #require(Cholesky(covariance)).solve(error))
      }
      squares.append(try square(sightings))
      naive.append(
        try square(
          sightings.map {
            var one = $0
            one.anchorCovariance = nil
            return one
          }))
    }
    let consistency = try #require(Consistency(normalizedSquares: squares, degreesOfFreedom: 3))
    let without = try #require(Consistency(normalizedSquares: naive, degreesOfFreedom: 3))
    print("ranges and angles: NEES \(consistency.meanPerDof) in \(consistency.bounds99),")
    print("with anchors assumed exact \(without.meanPerDof)")
    #expect(consistency.bounds99.contains(consistency.meanPerDof), "seed 73")
    #expect(without.meanPerDof > 1.5)
  }
}
