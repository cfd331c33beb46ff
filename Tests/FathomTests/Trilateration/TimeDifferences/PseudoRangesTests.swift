import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct PseudoRangesTests {
  private let hall: [Vector<3>] = [
    Vector([0, 0, 0.5]), Vector([20, 0, 5.5]), Vector([20, 15, 0.4]), Vector([0, 15, 5.4]),
    Vector([10, 7, 6]), Vector([10, 0, 1]),
  ]

  @Test func dilutionIncludesTheOffset() throws {
    // At the centre of a square JᵀJ = diag(2, 2, 4): position √(1/2 + 1/2) = 1, with the offset
    // √1.25; the offset has a standard deviation of 0.1 / √4.
    let anchors: [Vector<2>] = [
      Vector([0, 0]), Vector([8, 0]), Vector([8, 8]), Vector([0, 8]),
    ]
    let distance = 32.0.squareRoot()
    let result = try PseudoRanges.solve(
      ranges: [Double](repeating: distance - 30, count: 4), anchors: anchors)
    #expect((try #require(result.fix.position) - Vector([4, 4])).length < 1e-9)
    #expect(isClose(try #require(result.offset), -30, within: 1e-9))
    #expect(isClose(try #require(result.offsetSigma), 0.05, within: 1e-9))
    let dilution = try #require(result.fix.dilution)
    #expect(isClose(dilution.position, 1, within: 1e-9))
    #expect(isClose(dilution.geometric, 1.25.squareRoot(), within: 1e-9))
  }

  @Test func exactPseudoRangesGivePositionAndOffset() throws {
    var generator = SeededGenerator(seed: 51)
    for trial in 0..<150 {
      let shift = [0, 5e5, 1e7][trial % 3]
      let count = 4 + Int(5 * generator.uniform())
      let anchors = (0..<count).map { _ in
        Vector<2>([shift + generator.uniform(in: 0...30), generator.uniform(in: 0...20)])
      }
      let tag = Vector<2>([shift + generator.uniform(in: 0...30), generator.uniform(in: 0...20)])
      let offset = generator.uniform(in: -1000...1000)
      let result = try PseudoRanges.solve(
        ranges: anchors.map { ($0 - tag).length + offset }, anchors: anchors)
      let position = try #require(result.fix.position, "seed 51, trial \(trial)")
      let isSecond =
        ((result.fix.alternative ?? position) - tag).length < (position - tag).length
      let found = isSecond ? result.fix.alternative ?? position : position
      let common = try #require(isSecond ? result.alternativeOffset : result.offset)
      #expect((found - tag).length < 1e-7 + 1e4 * shift.ulp, "seed 51, trial \(trial): \(result)")
      #expect(isClose(common, offset, within: 1e-7 + 1e4 * shift.ulp), "seed 51, trial \(trial)")
    }
  }

  @Test func knownHeightIsExact() throws {
    let tag = Vector<3>([7, 4, 1.2])
    var options = PseudoRanges.Options()
    options.height = 1.2
    let result = try PseudoRanges.solve(
      ranges: hall.map { ($0 - tag).length + 3 }, anchors: hall, options: options)
    #expect(result.fix.verdict == .unique)
    #expect((try #require(result.fix.position) - tag).length < 1e-8)
    #expect(result.fix.position?[2] == 1.2)
    #expect(result.fix.dilution?.vertical == nil)
  }

  @Test func minimalPseudoRangesGiveBothRoots() throws {
    // Bancroft's two roots in the plane: the exact position is among the results.
    var generator = SeededGenerator(seed: 52)
    var doubles = 0
    for _ in 0..<100 {
      let anchors = (0..<3).map { _ in
        Vector<2>([generator.uniform(in: 0...10), generator.uniform(in: 0...10)])
      }
      let tag = Vector<2>([generator.uniform(in: -5...15), generator.uniform(in: -5...15)])
      let result = try PseudoRanges.solve(
        ranges: anchors.map { ($0 - tag).length }, anchors: anchors)
      let position = try #require(result.fix.position, "seed 52: \(anchors), \(tag)")
      let other = result.fix.alternative ?? position
      #expect(
        min((position - tag).length, (other - tag).length) < 1e-4, "seed 52: \(anchors), \(tag)")
      doubles += result.fix.verdict == .two ? 1 : 0
    }
    #expect(doubles > 10 && doubles < 90, "seed 52: \(doubles)")
  }

  @Test func positionsAreFiniteForRandomInput() throws {
    var generator = SeededGenerator(seed: 53)
    let special: [Double] = [
      0, -0.0, 1, -1, 1e-300, 1e-30, 1e30, 1e155, 1e300, .nan, .infinity, .leastNonzeroMagnitude,
    ]
    func number() -> Double {
      generator.uniform() < 0.5
        ? special[Int(generator.uniform() * Double(special.count))]
        : generator.uniform(in: -10...10)
    }
    for _ in 0..<600 {
      let count = Int(generator.uniform() * 7)
      let anchors = (0..<count).map { _ in Vector<3>([number(), number(), number()]) }
      let ranges = (0..<count).map { _ in number() }
      let result = try? PseudoRanges.solve(ranges: ranges, anchors: anchors)
      guard let result else { continue }
      let input = "seed 53: \(ranges) \(anchors)"
      #expect(result.fix.position?.isFinite ?? true, "\(input)")
      #expect(result.fix.covariance?.isFinite ?? true, "\(input)")
      #expect(result.offset?.isFinite ?? true, "\(input)")
      #expect(result.offsetSigma?.isFinite ?? true, "\(input)")
      #expect(result.fix.misfit?.isNaN != true, "\(input)")
    }
  }

  /// 4000 draws with σ = 10 cm.
  ///
  /// The NEES of position and offset together would need their joint covariance, so the offset is
  /// tested separately.
  @Test(.releaseOnly) func errorsMatchTheirCovariance() throws {
    var generator = SeededGenerator(seed: 54)
    let tag = Vector<3>([8, 6, 2.5])
    var squares: [Double] = []
    var offsets: [Double] = []
    for _ in 0..<4000 {
      let ranges = hall.map { ($0 - tag).length + 25 + 0.1 * generator.normal() }
      let result = try PseudoRanges.solve(ranges: ranges, anchors: hall)
      let position = try #require(result.fix.position)
      let isSecond =
        ((result.fix.alternative ?? position) - tag).length < (position - tag).length
      let error = (isSecond ? result.fix.alternative ?? position : position) - tag
      let covariance = try #require(
        isSecond ? result.fix.alternativeCovariance : result.fix.covariance)
      squares.append(error.dot(try #require(Cholesky(covariance)).solve(error)))
      if !isSecond, let offset = result.offset, let sigma = result.offsetSigma {
        offsets.append((offset - 25) * (offset - 25) / (sigma * sigma))
      }
    }
    let position = try #require(Consistency(normalizedSquares: squares, degreesOfFreedom: 3))
    let offset = try #require(Consistency(normalizedSquares: offsets, degreesOfFreedom: 1))
    print("pseudo-ranges: NEES \(position.meanPerDof), offset \(offset.meanPerDof)")
    #expect(position.bounds99.contains(position.meanPerDof), "seed 54")
    #expect(offset.bounds99.contains(offset.meanPerDof), "seed 54")
  }
}
