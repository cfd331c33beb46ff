import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct TrilaterationTests {
  private let room: [Vector<3>] = [
    Vector([0, 0, 0.5]), Vector([10, 0, 2.5]), Vector([10, 8, 0.4]), Vector([0, 8, 2.4]),
    Vector([5, 4, 3]),
  ]

  @Test func exactRangesGiveExactPositionAtLargeOffsets() throws {
    var generator = SeededGenerator(seed: 1)
    for offset in [0.0, 5e5, 1e9] {
      for _ in 0..<200 {
        let shift = Vector<3>(repeating: offset)
        let anchors = room.map { $0 + shift }
        let tag = Vector<3>([
          offset + generator.uniform(in: -5...15), offset + generator.uniform(in: -5...13),
          offset + generator.uniform(in: 0...3),
        ])
        let ranges = anchors.map { ($0 - tag).length }
        let fix = try Trilateration.solve(ranges: ranges, anchors: anchors)
        let position = try #require(fix.position)
        // Coordinates of 1e9 m are spaced 1.2e-7 m apart; the geometry magnifies their rounding.
        let allowed = 1e-9 + 40 * offset.ulp
        #expect((position - tag).length < allowed, "seed 1: \(tag)")
        #expect(fix.verdict == .unique || fix.verdict == .two)
      }
    }
  }

  @Test func knownHeightLeavesTwoUnknowns() throws {
    // Four anchors in one plane then suffice, and the height is exact.
    let anchors = room.dropLast().map { Vector<3>([$0[0], $0[1], 3]) }
    let tag = Vector<3>([2.5, 6.25, 1.1])
    var options = Trilateration.Options()
    options.height = 1.1
    let fix = try Trilateration.solve(
      ranges: anchors.map { ($0 - tag).length }, anchors: anchors, options: options)
    let position = try #require(fix.position)
    let covariance = try #require(fix.covariance)
    #expect((position - tag).length < 1e-9)
    #expect(position[2] == 1.1)
    #expect(fix.verdict == .unique)
    #expect(covariance[2, 2] == 0 && covariance[0, 0] > 0)
    #expect(fix.dilution?.vertical == nil)
  }

  @Test func covarianceMatchesMonteCarloErrors() throws {
    // 4000 draws: the sample variance of each axis has a standard error of 2.2 %, so 10 % is 4.5
    // standard errors. The mean normalised error squared is 3 with a standard error of 0.04.
    var generator = SeededGenerator(seed: 2)
    let tag = Vector<3>([3, 5, 1.2])
    var options = Trilateration.Options()
    options.rangeSigma = 0.05
    // The errors are normal, and known to be.
    options.outliers = .none
    var sums = Vector<3>.zero
    var normalized = 0.0
    var expected = Matrix<3, 3>.zero
    let draws = 4000
    for _ in 0..<draws {
      let ranges = room.map { ($0 - tag).length + 0.05 * generator.normal() }
      let fix = try Trilateration.solve(ranges: ranges, anchors: room, options: options)
      let error = try #require(fix.position) - tag
      let covariance = try #require(fix.covariance)
      for axis in 0..<3 { sums[axis] += error[axis] * error[axis] / Double(draws) }
      normalized += error.dot(try #require(Cholesky(covariance)).solve(error)) / Double(draws)
      expected = expected + (1 / Double(draws)) * covariance
    }
    for axis in 0..<3 {
      #expect(isClose(sums[axis] / expected[axis, axis], 1, within: 0.1), "axis \(axis), seed 2")
    }
    #expect(isClose(normalized, 3, within: 0.25), "seed 2")
  }

  @Test func dilutionIsOneAtCentreOfSquare() throws {
    // Unit vectors (±1, ±1)/√2: JᵀJ = 2 I, so PDOP = √(1/2 + 1/2) = 1.
    let anchors: [Vector<2>] = [
      Vector([0, 0]), Vector([8, 0]), Vector([8, 8]), Vector([0, 8]),
    ]
    let ranges = anchors.map { ($0 - Vector([4, 4])).length }
    let fix = try Trilateration.solve(ranges: ranges, anchors: anchors)
    let dilution = try #require(fix.dilution)
    #expect(isClose(dilution.position, 1, within: 1e-12))
    #expect(isClose(dilution.horizontal, 1, within: 1e-12))
    #expect(dilution.vertical == nil)
  }

  @Test func varianceAcrossAnchorPlaneIsBounded() throws {
    let anchors = room.dropLast().map { Vector<3>([$0[0], $0[1], 3]) }
    let tag = Vector<3>([4, 3, 3])
    let fix = try Trilateration.solve(
      ranges: anchors.map { ($0 - tag).length }, anchors: anchors)
    let covariance = try #require(fix.covariance)
    #expect(fix.verdict == .unique)
    // (2/n) √Σ (d σ)² = 0.5 * 0.1 * √(25 + 45 + 61 + 41) = 0.656 m².
    #expect(isClose(covariance[2, 2], 0.656, within: 0.001))
  }

  @Test func throwsForInvalidInput() {
    let anchors: [Vector<2>] = [Vector([0, 0]), Vector([1, .nan]), Vector([0, 1])]
    #expect(throws: TrilaterationError.anchorNotFinite(index: 1)) {
      try Trilateration.solve(ranges: [1, 1, 1], anchors: anchors)
    }
    #expect(throws: TrilaterationError.countMismatch(ranges: 2, anchors: 3)) {
      try Trilateration.solve(ranges: [1, 1], anchors: anchors)
    }
    #expect(throws: TrilaterationError.sigmaNotPositive(index: 0)) {
      try Trilateration.solve(ranges: [1], anchors: [Vector<2>([0, 0])], sigmas: [0])
    }
  }

  @Test func positionsAreFiniteForRandomInput() throws {
    var generator = SeededGenerator(seed: 3)
    let special: [Double] = [
      0, -0.0, 1, -1, 1e-300, 1e-30, 1e30, 1e155, 1e300, .nan, .infinity, .leastNonzeroMagnitude,
    ]
    func number() -> Double {
      generator.uniform() < 0.5
        ? special[Int(generator.uniform() * Double(special.count))]
        : generator.uniform(in: -10...10)
    }
    for _ in 0..<20_000 {
      let count = Int(generator.uniform() * 7)
      let anchors = (0..<count).map { _ in Vector<3>([number(), number(), number()]) }
      let ranges = (0..<count).map { _ in number() }
      var options = Trilateration.Options()
      options.height = generator.uniform() < 0.3 ? number() : nil
      options.zeroIsDistance = generator.uniform() < 0.5
      let fix = try? Trilateration.solve(ranges: ranges, anchors: anchors, options: options)
      guard let fix else { continue }
      #expect(fix.position?.isFinite ?? true, "seed 3: \(ranges) \(anchors)")
      #expect(fix.covariance?.isFinite ?? true, "seed 3: \(ranges) \(anchors)")
      #expect(fix.misfit?.isNaN != true, "seed 3: \(ranges) \(anchors)")
    }
  }

  /// The position of ranges whose last digit is metres long is not known to centimetres.
  @Test(arguments: [1e15, 1e17, 1e20, 1e30, 1e37])
  func rangesBeyondThePrecisionOfDoubleAreNotCertain(_ range: Double) throws {
    for count in 3...room.count {
      for height in [nil, 1.0] {
        var options = Trilateration.Options()
        options.height = height
        let fix = try Trilateration.solve(
          ranges: [Double](repeating: range, count: count), anchors: Array(room.prefix(count)),
          options: options)
        guard fix.verdict == .unique else { continue }
        let covariance = try #require(fix.covariance)
        let variance = (0..<3).map { covariance[$0, $0] }.max() ?? 0
        #expect(
          variance.squareRoot() >= range.ulp || !fix.undetermined.isEmpty,
          "\(count) ranges of \(range): \(fix)")
      }
    }
  }

  @Test func linearSolutionIsExactForExactRanges() throws {
    let tag = Vector<3>([3, 5, 1.2])
    let ranges = room.map { ($0 - tag).length }
    let position = try #require(
      try Trilateration.linearLeastSquares(ranges: ranges, anchors: room))
    #expect((position - tag).length < 1e-9)
    #expect(
      try Trilateration.linearLeastSquares(
        ranges: Array(ranges.prefix(3)), anchors: Array(room.prefix(3))) == nil)
  }
}
