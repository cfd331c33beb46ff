import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct PositionFixTests {
  private let room: [Vector<3>] = [
    Vector([0, 0, 0.5]), Vector([10, 0, 2.5]), Vector([10, 8, 0.4]), Vector([0, 8, 2.4]),
    Vector([5, 4, 3]), Vector([5, 0, 0.1]),
  ]

  @Test(arguments: [RobustLoss.squared, .cauchy, .gemanMcClure])
  func influencesAddUpToUnknowns(_ loss: RobustLoss) throws {
    var generator = SeededGenerator(seed: 361)
    var options = Trilateration.Options()
    options.loss = loss
    for _ in 0..<100 {
      let tag = Vector<3>([
        generator.uniform(in: 1...9), generator.uniform(in: 1...7), generator.uniform(in: 0...2),
      ])
      let ranges = room.map { ($0 - tag).length + 0.1 * generator.normal() }
      let fix = try Trilateration.solve(ranges: ranges, anchors: room, options: options)
      let influences = fix.contributions.compactMap { $0?.influence }
      #expect(influences.count == room.count)
      #expect(isClose(influences.reduce(0, +), 3, within: 0.05), "seed 361: \(influences)")
      #expect(influences.allSatisfy { $0 >= 0 && $0 <= 1 })
    }
  }

  @Test func rangesWithoutRedundancyHaveFullInfluence() throws {
    let tag = Vector<3>([3, 5, 1.2])
    let fix = try Trilateration.solve(
      ranges: room.prefix(3).map { ($0 - tag).length }, anchors: Array(room.prefix(3)))
    for contribution in fix.contributions {
      #expect(isClose(try #require(contribution?.influence), 1, within: 1e-6))
    }
  }

  /// Of 4000 fixes 95 % lie in the ellipse: 3800, standard error 14.
  @Test(arguments: [RobustLoss.squared, .cauchy])
  func confidenceEllipseContains95Percent(_ loss: RobustLoss) throws {
    var generator = SeededGenerator(seed: 362)
    var options = Trilateration.Options()
    options.loss = loss
    let anchors = room.map { Vector<2>([$0[0], $0[1]]) }
    let tag = Vector<2>([3, 5])
    var inside = 0
    for _ in 0..<4000 {
      let ranges = anchors.map { ($0 - tag).length + 0.1 * generator.normal() }
      let fix = try Trilateration.solve(ranges: ranges, anchors: anchors, options: options)
      let ellipse = try #require(fix.confidenceEllipsoid)
      let error = ellipse.directions * (try #require(fix.position) - tag)
      let (first, second) = (error[0] / ellipse.semiAxes[0], error[1] / ellipse.semiAxes[1])
      if first * first + second * second <= 1 { inside += 1 }
    }
    #expect((3730...3870).contains(inside), "seed 362: \(inside)")
  }

  @Test func semiAxesFollowFromEigenvalues() throws {
    // Variances 4 and 1 in the plane: semi-axes √(5.991 * 4) = 4.896 and √5.991 = 2.448.
    let ellipse = try #require(
      ConfidenceEllipsoid(covariance: Matrix<2, 2>.diagonal(Vector([1, 4])), unknowns: 2))
    #expect(isClose(ellipse.semiAxes[0], 4.8955, within: 1e-3))
    #expect(isClose(ellipse.semiAxes[1], 2.4477, within: 1e-3))
    #expect(ellipse.directions[0, 1].magnitude == 1)
    #expect(
      ConfidenceEllipsoid(covariance: Matrix<2, 2>.diagonal(Vector([1, .nan])), unknowns: 2) == nil)
  }

  @Test func priorSelectsMirrorImageAndReducesCovariance() throws {
    let coplanar = room.map { Vector<3>([$0[0], $0[1], 3]) }
    let tag = Vector<3>([4, 3, 1])
    let ranges = coplanar.map { ($0 - tag).length }
    let without = try Trilateration.solve(ranges: ranges, anchors: coplanar)
    #expect(without.verdict == .two)
    let prior = try #require(PositionPrior(position: Vector<3>([4, 3, 0]), sigma: 1))
    let fix = try Trilateration.solve(ranges: ranges, anchors: coplanar, prior: prior)
    #expect(fix.verdict == .unique && fix.alternative == nil)
    #expect((try #require(fix.position) - tag).length < 0.05)
    // More precise than either.
    let (own, other) = (try #require(fix.covariance), try #require(without.covariance))
    for axis in 0..<3 { #expect(own[axis, axis] < min(1, other[axis, axis])) }
  }

  @Test func priorReplacesMissingRanges() throws {
    let prior = try #require(PositionPrior(position: Vector<3>([4, 3, 1]), sigma: 0.5))
    let fix = try Trilateration.solve(ranges: [5], anchors: [Vector<3>([0, 0, 1])], prior: prior)
    // The prior is also 5 m from the anchor.
    #expect((try #require(fix.position) - Vector([4, 3, 1])).length < 1e-9)
    let covariance = try #require(fix.covariance)
    // Along (0.8, 0.6, 0) the range adds 100·0.95.. to the 4 of the prior; across only the prior
    // counts.
    let (along, across) = (Vector<3>([0.8, 0.6, 0]), Vector<3>([-0.6, 0.8, 0]))
    #expect(along.dot(covariance * along) < 0.012)
    #expect(isClose(across.dot(covariance * across), 0.25, within: 1e-9))
    #expect(PositionPrior(position: Vector<3>([1, 2, .nan]), sigma: 1) == nil)
    #expect(PositionPrior(position: Vector<3>.zero, sigma: 0) == nil)
  }

  @Test func boundsSelectMirrorImage() throws {
    let coplanar = room.map { Vector<3>([$0[0], $0[1], 3]) }
    for height in [1.0, 5] {
      let tag = Vector<3>([4, 3, height])
      let bounds = PositionBounds<3>(
        lower: Vector([-.infinity, -.infinity, height - 1]),
        upper: Vector([.infinity, .infinity, height + 1]))
      let fix = try Trilateration.solve(
        ranges: coplanar.map { ($0 - tag).length }, anchors: coplanar, within: bounds)
      #expect(fix.verdict == .unique && fix.alternative == nil)
      #expect((try #require(fix.position) - tag).length < 1e-6)
      // A box that contains neither position, or both, selects none.
      for size in [0.1, 100.0] {
        let vague = PositionBounds<3>(
          lower: Vector(repeating: -size), upper: Vector(repeating: size))
        let both = try Trilateration.solve(
          ranges: coplanar.map { ($0 - tag).length }, anchors: coplanar, within: vague)
        #expect(both.verdict == .two)
      }
    }
  }

  /// An uncertain height is between unknown and exact, and two anchors then suffice.
  @Test func uncertainHeightIsEstimated() throws {
    var options = Trilateration.Options()
    options.height = 1
    options.heightSigma = 0.05
    let tag = Vector<3>([3, 5, 1.02])
    let ranges = room.map { ($0 - tag).length }
    let fix = try Trilateration.solve(ranges: ranges, anchors: room, options: options)
    let position = try #require(fix.position)
    #expect(position[2] > 1 && position[2] < 1.02)
    #expect(try #require(fix.covariance)[2, 2] < 0.05 * 0.05)
    let two = try Trilateration.solve(
      ranges: [ranges[0], ranges[1]], anchors: [room[0], room[1]], options: options)
    let found = [two.position, two.alternative].compactMap { $0 }
    #expect(two.verdict == .two && found.count == 2)
    #expect(try #require(found.map { ($0 - tag).length }.min()) < 0.1)
    options.heightSigma = 0
    #expect(throws: TrilaterationError.heightSigmaNotPositive) {
      try Trilateration.solve(ranges: ranges, anchors: room, options: options)
    }
  }

  @Test func listsUndeterminedDirections() throws {
    // The tag in the plane of the anchors: undetermined across to first order.
    let coplanar = room.map { Vector<3>([$0[0], $0[1], 3]) }
    let inPlane = try Trilateration.solve(
      ranges: coplanar.map { ($0 - Vector([4, 3, 3])).length }, anchors: coplanar)
    #expect(inPlane.undetermined.count == 1)
    #expect(isClose(try #require(inPlane.undetermined.first)[2].magnitude, 1, within: 1e-9))
    // Anchors on a line: a circle around it.
    let line = (0..<4).map { Vector<3>([Double($0), 0, 0]) }
    let circle = try Trilateration.solve(ranges: [3, 3, 3, 3], anchors: line)
    #expect(circle.verdict == .continuum && circle.undetermined.count == 2)
    for direction in circle.undetermined { #expect(direction[0].magnitude < 1e-9) }
    // Off the plane all directions are determined.
    let off = try Trilateration.solve(
      ranges: coplanar.map { ($0 - Vector([4, 3, 1])).length }, anchors: coplanar)
    #expect(off.undetermined.isEmpty)
  }

  @Test func covariancesScaleWithResiduals() throws {
    // Errors of three times the assumed size: on average nine times the variance.
    var generator = SeededGenerator(seed: 363)
    var options = Trilateration.Options()
    options.loss = .squared
    var ratio = 0.0
    for _ in 0..<500 {
      let ranges = room.map { ($0 - Vector([3, 5, 1.2])).length + 0.3 * generator.normal() }
      options.scalesCovariance = false
      let assumed = try Trilateration.solve(ranges: ranges, anchors: room, options: options)
      options.scalesCovariance = true
      let scaled = try Trilateration.solve(ranges: ranges, anchors: room, options: options)
      ratio +=
        try #require(scaled.covariance)[0, 0] / (try #require(assumed.covariance)[0, 0]) / 500
    }
    // Chi-square with 3 degrees of freedom: standard error 9 √(2/3) / √500 = 0.33.
    #expect(isClose(ratio, 9, within: 1.3), "seed 363: \(ratio)")
  }

  @Test func conditionMeasuresElongatedGeometry() throws {
    // A square around the tag: equal in all directions. Then compressed in y.
    let square: [Vector<2>] = [
      Vector([-4, -4]), Vector([4, -4]), Vector([4, 4]), Vector([-4, 4]),
    ]
    let even = try Trilateration.solve(ranges: square.map { $0.length }, anchors: square)
    #expect(isClose(try #require(even.condition), 1, within: 1e-9))
    let narrow = square.map { Vector<2>([$0[0], 0.1 * $0[1]]) }
    let elongated = try Trilateration.solve(ranges: narrow.map { $0.length }, anchors: narrow)
    // Unit vectors (±0.995, ±0.0995): a ratio of ten.
    #expect(isClose(try #require(elongated.condition), 10, within: 1e-6))
  }
}
