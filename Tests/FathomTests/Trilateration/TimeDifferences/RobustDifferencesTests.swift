import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Time differences and pseudo-ranges with outliers, priors, bounds and heights.
@Suite struct RobustDifferencesTests {
  private static let corners: [Vector<3>] = [
    Vector([0, 0, 0.2]), Vector([12, 0, 3]), Vector([12, 9, 0.2]), Vector([0, 9, 3]),
    Vector([6, 0, 4]), Vector([6, 9, 0]), Vector([0, 4.5, 0]), Vector([12, 4.5, 4]),
  ]
  private static let tag = Vector<3>([5, 4, 1.8])

  private func star(_ arrivals: [Double], from reference: Int = 0) -> [TimeDifference] {
    arrivals.indices.filter { $0 != reference }.map {
      TimeDifference(first: $0, second: reference, difference: arrivals[$0] - arrivals[reference])
    }
  }

  private func allPairs(_ arrivals: [Double]) -> [TimeDifference] {
    arrivals.indices.flatMap { first in
      (first + 1..<max(arrivals.count, first + 1)).map {
        TimeDifference(first: first, second: $0, difference: arrivals[first] - arrivals[$0])
      }
    }
  }

  /// The reference or another arrival is late by a little, by metres, or by more than any baseline.
  @Test(arguments: [0, 3, 6], [2.0, 8, 60])
  func oneLateArrivalOfEightIsDiscounted(_ wrong: Int, _ late: Double) throws {
    var arrivals = Self.corners.map { ($0 - Self.tag).length }
    arrivals[wrong] += late
    var own = TimeDifferences.Options()
    own.differenceSigma = 0.05
    for (differences, options) in [
      (star(arrivals), TimeDifferences.Options()), (allPairs(arrivals), TimeDifferences.Options()),
      (star(arrivals, from: 5), TimeDifferences.Options()), (star(arrivals), own),
    ] {
      let result = try TimeDifferences.solve(
        differences: differences, anchors: Self.corners, options: options)
      let position = try #require(result.fix.position)
      // At most a standard deviation, which is 0.3 m without one of the arrivals.
      #expect((position - Self.tag).length < (late < 5 ? 0.25 : 0.12), "\(position)")
      #expect(result.fix.verdict == .unique)
      let named = differences.indices.filter {
        differences[$0].first == wrong || differences[$0].second == wrong
      }
      #expect(Set(result.fix.discounted).isSuperset(of: named))
      if options.differenceSigma == 0 {
        #expect(result.discountedArrivals == [wrong])
        let contribution = try #require(result.arrivals[wrong])
        #expect(isClose(contribution.residual, late, within: 0.2))
        #expect(Set(result.impossible).isSubset(of: named))
        #expect(late < 20 || !result.impossible.isEmpty)
        #expect(Set(result.fix.discounted) == Set(named))
      }
    }
    let pseudo = try PseudoRanges.solve(ranges: arrivals.map { $0 - 40 }, anchors: Self.corners)
    #expect((try #require(pseudo.fix.position) - Self.tag).length < (late < 5 ? 0.25 : 0.12))
    #expect(isClose(try #require(pseudo.offset), -40, within: 0.1))
    #expect(pseudo.fix.discounted == [wrong] && pseudo.fix.verdict == .unique)
    var options = PseudoRanges.Options()
    options.loss = .squared
    let squares = try PseudoRanges.solve(
      ranges: arrivals.map { $0 - 40 }, anchors: Self.corners, options: options)
    #expect(squares.fix.verdict != .unique)
  }

  @Test func twoLateArrivalsOfEightAreDiscounted() throws {
    var generator = SeededGenerator(seed: 91)
    var found = 0
    for _ in 0..<40 {
      let tag = Vector<3>([
        generator.uniform(in: 2...10), generator.uniform(in: 2...7), generator.uniform(in: 0.5...2),
      ])
      var arrivals = Self.corners.map { ($0 - tag).length + 0.05 * generator.normal() }
      let first = Int(8 * generator.uniform())
      let second = (first + 1 + Int(7 * generator.uniform())) % 8
      for wrong in [first, second] { arrivals[wrong] += generator.uniform(in: 3...20) }
      let result = try TimeDifferences.solve(
        differences: star(arrivals), anchors: Self.corners)
      let error = try #require(result.fix.position) - tag
      if error.length < 0.6, result.discountedArrivals == [first, second].sorted() { found += 1 }
    }
    // Six correct arrivals leave a redundancy of two; occasionally another six agree.
    #expect(found >= 35, "seed 91: \(found) of 40")
  }

  @Test func oneWrongDifferenceOfAllPairsIsDiscounted() throws {
    let arrivals = Self.corners.map { ($0 - Self.tag).length }
    var differences = allPairs(arrivals)
    differences[9].difference += 2.5
    for own in [0, 0.05] {
      var options = TimeDifferences.Options()
      options.differenceSigma = own
      let result = try TimeDifferences.solve(
        differences: differences, anchors: Self.corners, options: options)
      #expect((try #require(result.fix.position) - Self.tag).length < 0.02)
      #expect(result.fix.discounted == [9] && result.fix.verdict == .unique)
      #expect(result.discountedArrivals.isEmpty)
    }
  }

  @Test func differencesBeyondBaselineAreImpossible() throws {
    // Two anchors 8 m apart: 8.3 m is within 3.29 · 0.1 √2 = 0.465 m of that, 8.6 m is not.
    let anchors: [Vector<2>] = [Vector([0, 0]), Vector([8, 0]), Vector([8, 8]), Vector([0, 8])]
    for (value, expected) in [(8.3, [Int]()), (8.6, [0]), (-8.6, [0])] {
      let result = try TimeDifferences.solve(
        differences: [
          TimeDifference(first: 0, second: 1, difference: value),
          TimeDifference(first: 2, second: 1, difference: 0),
          TimeDifference(first: 3, second: 1, difference: 0),
        ], anchors: anchors)
      #expect(result.impossible == expected)
      #expect(Set(result.fix.discounted).isSuperset(of: expected))
      if !expected.isEmpty { #expect(result.fix.verdict != .unique) }
    }
  }

  @Test func influencesAddUpToUnknowns() throws {
    var generator = SeededGenerator(seed: 92)
    let arrivals = Self.corners.map { ($0 - Self.tag).length + 0.1 * generator.normal() }
    var own = TimeDifferences.Options()
    own.differenceSigma = 0.1
    for loss in [RobustLoss.squared, .cauchy] {
      for options in [TimeDifferences.Options(), own] {
        var options = options
        options.loss = loss
        let result = try TimeDifferences.solve(
          differences: star(arrivals, from: 2), anchors: Self.corners, options: options)
        let influences = result.fix.contributions.compactMap { $0?.influence }
        #expect(influences.count == 7)
        // Three coordinates; discounting transfers a little information to the other measurements.
        #expect(isClose(influences.reduce(0, +), 3, within: 1e-6), "\(influences)")
      }
    }
    let pseudo = try PseudoRanges.solve(ranges: arrivals, anchors: Self.corners)
    let sum = pseudo.fix.contributions.compactMap { $0?.influence }.reduce(0, +)
    #expect(isClose(sum, 4, within: 1e-6))
  }

  @Test func priorsAndBoundsResolveAmbiguity() throws {
    let anchors = Self.corners.map { Vector<3>([$0[0], $0[1], 3]) }
    let arrivals = anchors.map { ($0 - Self.tag).length }
    let box = PositionBounds<3>(lower: Vector([0, 0, 0]), upper: Vector([12, 9, 3]))
    let bounded = try TimeDifferences.solve(
      differences: star(arrivals), anchors: anchors, within: box)
    #expect(bounded.fix.verdict == .unique && bounded.fix.alternative == nil)
    #expect((try #require(bounded.fix.position) - Self.tag).length < 1e-6)
    let prior = try #require(PositionPrior<3>(position: Vector([5, 4, 1]), sigma: 0.5))
    let withPrior = try PseudoRanges.solve(ranges: arrivals, anchors: anchors, prior: prior)
    #expect(withPrior.fix.verdict == .unique)
    let height = try #require(withPrior.fix.position)[2]
    #expect(height > 1 && height < 1.81)
    // Two arrivals and a prior: a position near the prior, on the hyperbola.
    let few = try TimeDifferences.solve(
      differences: Array(star(arrivals).prefix(1)), anchors: anchors, prior: prior)
    #expect((try #require(few.fix.position) - Self.tag).length < 1)
    var options = TimeDifferences.Options()
    (options.height, options.heightSigma) = (1.9, 0.1)
    let soft = try TimeDifferences.solve(
      differences: star(arrivals), anchors: anchors, options: options)
    #expect(soft.fix.verdict == .unique && soft.fix.unknowns == 3)
    let found = try #require(soft.fix.position)[2]
    #expect(found > 1.79 && found < 1.9)
    #expect(try #require(soft.fix.covariance)[2, 2] < 0.01)
    options.heightSigma = 0
    #expect(throws: TrilaterationError.heightSigmaNotPositive) {
      try TimeDifferences.solve(differences: star(arrivals), anchors: anchors, options: options)
    }
  }

  @Test func covariancesScaleWithResiduals() throws {
    var generator = SeededGenerator(seed: 93)
    let ranges = Self.corners.map { ($0 - Self.tag).length + 0.02 * generator.normal() }
    var options = PseudoRanges.Options()
    options.loss = .squared
    let assumed = try PseudoRanges.solve(ranges: ranges, anchors: Self.corners, options: options)
    options.scalesCovariance = true
    let scaled = try PseudoRanges.solve(ranges: ranges, anchors: Self.corners, options: options)
    // Four of eight ranges are redundant: Σ r² / 4 in units of 0.01 m².
    let squares = assumed.fix.residuals.reduce(0) { $0 + ($1 ?? 0) * ($1 ?? 0) }
    let ratio =
      try #require(scaled.fix.covariance).trace / (try #require(assumed.fix.covariance)).trace
    #expect(isClose(ratio, squares / 4 / 0.01, within: 1e-9))
  }

  private static let geometries: [(anchors: [Vector<3>], tag: Vector<3>)] = [
    (corners, tag), (Array(corners.prefix(6)), Vector([6, 4, 1.2])),
    (corners.map { 2 * $0 }, Vector([14, 8, 3])), (corners, Vector([15, 6, 1.5])),
  ]

  /// Returns the normalised error squared of the better of two solutions.
  private func normalizedSquare(_ fix: PositionFix<3>, _ tag: Vector<3>) throws -> Double {
    var error = try #require(fix.position) - tag
    var covariance = try #require(fix.covariance)
    if let other = fix.alternative, (other - tag).length < error.length {
      error = other - tag
      covariance = try #require(fix.alternativeCovariance)
    }
    return error.dot(try #require(Cholesky(covariance)).solve(error))
  }

  /// 500 or 2000 draws with σ = 10 cm under Cauchy's loss.
  ///
  /// Covers differences of common arrivals, differences with independent noise of the same size,
  /// and pseudo-ranges of anchors surveyed to 10 cm per axis.
  @Test(.releaseOnly, arguments: geometries.indices)
  func errorsMatchTheirCovariance(_ geometry: Int) throws {
    let (anchors, tag) = Self.geometries[geometry]
    var generator = SeededGenerator(seed: 940 + UInt64(geometry))
    var own = TimeDifferences.Options()
    own.differenceSigma = 0.1
    let survey = anchors.map { _ -> Matrix<3, 3>? in 0.01 * .identity }
    var squares: [[Double]] = [[], [], []]
    for _ in 0..<repetitions(500, long: 2000) {
      let arrivals = anchors.map { ($0 - tag).length + 0.1 * generator.normal() }
      let shared = try TimeDifferences.solve(differences: star(arrivals), anchors: anchors)
      squares[0].append(try normalizedSquare(shared.fix, tag))
      let noisy = star(arrivals).map {
        TimeDifference(
          first: $0.first, second: $0.second, difference: $0.difference + 0.1 * generator.normal())
      }
      let independent = try TimeDifferences.solve(
        differences: noisy, anchors: anchors, options: own)
      squares[1].append(try normalizedSquare(independent.fix, tag))
      let surveyed = anchors.map { anchor in
        let error: Vector<3> = Vector([
          generator.normal(), generator.normal(), generator.normal(),
        ])
        return anchor + 0.1 * error
      }
      let pseudo = try PseudoRanges.solve(
        ranges: arrivals.map { $0 + 12 }, anchors: surveyed, covariances: survey)
      squares[2].append(try normalizedSquare(pseudo.fix, tag))
    }
    for (name, squares) in zip(["shared", "own", "surveyed"], squares) {
      let found = try #require(Consistency(normalizedSquares: squares, degreesOfFreedom: 3))
      print("\(name) \(geometry): NEES \(found.meanPerDof) in \(found.bounds99)")
      #expect(found.bounds99.contains(found.meanPerDof), "\(name), geometry \(geometry)")
    }
  }

  @Test func positionsAreFiniteForExtremeInput() throws {
    var generator = SeededGenerator(seed: 95)
    let special: [Double] = [
      0, 1, -1, 3, 1e-300, 1e-30, 1e30, 1e155, 1e300, -1e300, .nan, .infinity,
    ]
    for trial in 0..<400 {
      func number(_ finite: Bool = false) -> Double {
        if generator.uniform() < 0.5 { return generator.uniform(in: -5...5) }
        let value = special[Int(generator.uniform() * Double(special.count))]
        return finite && !value.isFinite ? 1 : value
      }
      let anchors = (0..<5).map { _ in Vector<3>([number(true), number(true), number(true)]) }
      let differences = (0..<6).map { _ in
        TimeDifference(
          first: Int(5 * generator.uniform()), second: Int(5 * generator.uniform()),
          difference: number())
      }
      var options = TimeDifferences.Options()
      options.differenceSigma = trial % 2 == 0 ? 0 : 0.1
      let solved = try? TimeDifferences.solve(
        differences: differences, anchors: anchors, options: options)
      guard let result = solved else { continue }
      let fix = result.fix
      let input = "seed 95, trial \(trial): \(differences) \(anchors)"
      #expect(fix.position?.isFinite ?? true, "\(input)")
      #expect(fix.alternative?.isFinite ?? true, "\(input)")
      #expect(fix.covariance?.isFinite ?? true, "\(input)")
      if fix.verdict == .unique { #expect(fix.position != nil, "\(input)") }
    }
  }
}
