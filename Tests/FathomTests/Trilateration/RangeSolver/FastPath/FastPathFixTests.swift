import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// The fast path against the full solver, which fewer than 40 maximum iterations select.
@Suite struct FastPathFixTests {
  @Test(arguments: [RobustLoss.squared, .cauchy])
  func fastPathAgreesWithFullSolver(_ loss: RobustLoss) throws {
    var generator = SeededGenerator(seed: 1111)
    var (fast, elsewhere) = (0, 0)
    for round in 0..<6000 {
      let count = Int(generator.uniform(in: 4...12.999))
      let anchors = (0..<count).map { _ in
        Vector<3>([
          generator.uniform(in: 0...20), generator.uniform(in: 0...12),
          generator.uniform(in: 0...4),
        ])
      }
      let tag = Vector<3>([
        generator.uniform(in: 0...20), generator.uniform(in: 0...12), generator.uniform(in: 0...3),
      ])
      let sigmas = anchors.map { _ in generator.uniform(in: 0.05...0.3) }
      var ranges = zip(anchors, sigmas).map { ($0 - tag).length + $1 * generator.normal() }
      if round % 3 == 0 { ranges[0] += 2 }
      if round % 5 == 0 { ranges[1] = .nan }
      var options = Trilateration.Options()
      options.loss = loss
      if round % 4 == 0 { options.height = tag[2] }
      let compared = try compare(
        ranges, anchors, round % 2 == 0 ? sigmas : nil, options, "seed 1111")
      fast += compared.isFast ? 1 : 0
      elsewhere += compared.isSame ? 0 : 1
    }
    #expect(elsewhere == 0, "seed 1111: \(elsewhere)")
    // The other epochs have outliers, a range that others hardly check, or nearly coplanar anchors.
    #expect(fast > 350, "seed 1111: \(fast)")
  }

  @Test func fastPathAgreesInThePlane() throws {
    var generator = SeededGenerator(seed: 1112)
    var fast = 0
    for _ in 0..<600 {
      let count = Int(generator.uniform(in: 3...8.999))
      let anchors = (0..<count).map { _ in 10 * Vector<2>.random(using: &generator) }
      let tag = 12 * Vector<2>.random(using: &generator)
      let ranges = anchors.map { (($0 - tag).length + 0.1 * generator.normal()).magnitude }
      var full = Trilateration.Options()
      full.maximumIterations = 39
      let short = try Trilateration.solve(ranges: ranges, anchors: anchors)
      let long = try Trilateration.solve(ranges: ranges, anchors: anchors, options: full)
      #expect(short.verdict == long.verdict, "seed 1112")
      if let position = short.position, let other = long.position {
        #expect((position - other).length < 1e-7, "seed 1112")
      }
      if let position = short.alternative, let other = long.alternative {
        #expect((position - other).length < 1e-7, "seed 1112")
      }
      #expect((short.alternative == nil) == (long.alternative == nil), "seed 1112")
      var fix = FastPathFix()
      if fix.solve(ranges, anchors, nil, isBounded: false, Trilateration.Options()) { fast += 1 }
    }
    #expect(fast > 200, "seed 1112: \(fast)")
  }

  @Test func boundsSelectMirrorImageOnFastPath() throws {
    // Two distant anchors and one close to their line: the mirror image is nearly as likely.
    let anchors: [Vector<2>] = [Vector([0, 0]), Vector([20, 0]), Vector([9, 0.4])]
    let tag = Vector<2>([8, 5])
    let ranges = anchors.map { ($0 - tag).length }
    var options = Trilateration.Options()
    options.rangeSigma = 0.5
    let free = try Trilateration.solve(ranges: ranges, anchors: anchors, options: options)
    #expect(free.verdict == .two)
    let below = PositionBounds<2>(lower: Vector([-50, -50]), upper: Vector([50, 0]))
    let bounded = try Trilateration.solve(
      ranges: ranges, anchors: anchors, within: below, options: options)
    #expect(bounded.position == free.alternative && bounded.alternative == nil)
  }

  @Test func fastPathThrowsForInvalidInput() {
    let anchors: [Vector<3>] = [
      Vector([0, 0, 0]), Vector([5, 0, 1]), Vector([0, 5, 2]), Vector([5, 5, .nan]),
      Vector([2, 2, 3]),
    ]
    #expect(throws: TrilaterationError.anchorNotFinite(index: 3)) {
      _ = try Trilateration.solve(ranges: [1, 2, 3, .nan, 2], anchors: anchors)
    }
    var finite = anchors
    finite[3] = Vector([5, 5, 1])
    #expect(throws: TrilaterationError.sigmaNotPositive(index: 4)) {
      _ = try Trilateration.solve(
        ranges: [1, 2, 3, 4, 5], anchors: finite, sigmas: [0.1, 0.1, 0.1, 0.1, .nan])
    }
  }

  // MARK: Harness

  /// Compares both solvers; returns whether the fast path applies and whether the positions agree.
  private func compare(
    _ ranges: [Double], _ anchors: [Vector<3>], _ sigmas: [Double]?,
    _ options: Trilateration.Options, _ seed: Comment
  ) throws -> (isFast: Bool, isSame: Bool) {
    var full = options
    full.maximumIterations = 39
    let short = try Trilateration.solve(
      ranges: ranges, anchors: anchors, sigmas: sigmas, options: options)
    let long = try Trilateration.solve(
      ranges: ranges, anchors: anchors, sigmas: sigmas, options: full)
    var fix = FastPathFix()
    let isFast = fix.solve(ranges, anchors, sigmas, isBounded: false, options)
    // Otherwise both are the full solver, with other limits.
    guard isFast else { return (false, true) }
    if let position = short.position, let other = long.position,
      (position - other).length > 1e-6
    {
      return (isFast, false)
    }
    if (short.alternative == nil) != (long.alternative == nil) { return (isFast, false) }
    #expect(short.verdict == long.verdict, seed)
    #expect(short.discounted == long.discounted, seed)
    #expect(short.unknowns == long.unknowns, seed)
    #expect((short.position == nil) == (long.position == nil), seed)
    #expect((short.alternative == nil) == (long.alternative == nil), seed)
    if let position = short.position, let other = long.position {
      #expect((position - other).length < 1e-6, seed)
      if options.height != nil { #expect(position[2] == other[2], seed) }
    }
    if let covariance = short.covariance, let other = long.covariance {
      let difference = (covariance - other).array.joined().map(\.magnitude).max() ?? 0
      #expect(difference <= 1e-5 * other.trace, seed)
    }
    for (contribution, other) in zip(short.contributions, long.contributions) {
      #expect((contribution == nil) == (other == nil), seed)
      guard let contribution, let other else { continue }
      #expect(isClose(contribution.residual, other.residual, within: 1e-6), seed)
      #expect(isClose(contribution.weight, other.weight, within: 1e-5), seed)
      #expect(isClose(contribution.influence ?? -1, other.influence ?? -1, within: 1e-5), seed)
    }
    if let dilution = short.dilution, let other = long.dilution {
      #expect(isClose(dilution.position, other.position, within: 1e-5 * other.position), seed)
      #expect((dilution.vertical == nil) == (other.vertical == nil), seed)
    }
    return (isFast, true)
  }
}
