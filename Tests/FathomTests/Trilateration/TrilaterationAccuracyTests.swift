import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Monte Carlo: errors against the Cramér-Rao bound, and covariances against errors.
@Suite struct TrilaterationAccuracyTests {
  private static let corners: [Vector<3>] = [
    Vector([0, 0, 0.2]), Vector([12, 0, 3]), Vector([12, 9, 0.2]), Vector([0, 9, 3]),
    Vector([6, 0, 4]), Vector([6, 9, 0]), Vector([0, 4.5, 0]), Vector([12, 4.5, 4]),
  ]

  /// Eight anchors around the tag, five anchors, eight anchors twice as far apart, and a tag
  /// outside.
  private static let geometries: [(anchors: [Vector<3>], tag: Vector<3>)] = [
    (corners, Vector([5, 4, 1.8])), (Array(corners.prefix(5)), Vector([6, 4, 1.2])),
    (corners.map { 2 * $0 }, Vector([14, 8, 3])), (corners, Vector([16, 6, 1.5])),
  ]

  /// 20 000 draws with σ = 10 cm.
  ///
  /// The mean square of each geometry has a standard error of at most 0.6 %, so a deviation of 4 %
  /// (2 % of its root) is significant. The normalised squares, of mean 3 and variance 6, lie within
  /// 3 ± 2.58 √(6/20000) in 99 % of all runs.
  @Test(.releaseOnly, arguments: geometries.indices)
  func errorsReachTheCramerRaoBound(_ geometry: Int) throws {
    let (anchors, tag) = Self.geometries[geometry]
    var generator = SeededGenerator(seed: 371 + UInt64(geometry))
    var options = Trilateration.Options()
    options.loss = .squared
    var information = Matrix<3, 3>.zero
    for anchor in anchors {
      let unit = (1 / (tag - anchor).length) * (tag - anchor)
      for row in 0..<3 {
        for column in 0..<3 { information[row, column] += unit[row] * unit[column] / 0.01 }
      }
    }
    let bound = try #require(Cholesky(information)).inverse()
    let draws = 20_000
    var (squares, normalized, mirrored) = (0.0, 0.0, 0)
    for _ in 0..<draws {
      let ranges = anchors.map { ($0 - tag).length + 0.1 * generator.normal() }
      let fix = try Trilateration.solve(ranges: ranges, anchors: anchors, options: options)
      var error = try #require(fix.position) - tag
      var covariance = try #require(fix.covariance)
      if let alternative = fix.alternative, (alternative - tag).length < error.length {
        mirrored += 1
        error = alternative - tag
        covariance = try #require(fix.alternativeCovariance)
      }
      squares += error.dot(error) / Double(draws)
      normalized += error.dot(try #require(Cholesky(covariance)).solve(error)) / Double(draws)
    }
    let ratio = (squares / bound.trace).squareRoot()
    print("geometry \(geometry): error / bound \(ratio), NEES \(normalized), mirrored \(mirrored)")
    #expect(isClose(ratio, 1, within: 0.02), "geometry \(geometry): \(ratio)")
    #expect(isClose(normalized, 3, within: 0.0447), "geometry \(geometry): \(normalized)")
  }

  /// With few ranges, residuals are smaller than errors, so the loss hardly acts and its correction
  /// must be small.
  ///
  /// 20 000 draws in random layouts of good geometry. The mean of the normalised squares per
  /// unknown lies within 1 ± 2.58 √(2/(20000 · unknowns)) in 99 % of all runs, to which the
  /// parabolic approximation adds 1 %. Tukey's loss is excluded: of five ranges it sometimes gives
  /// a good one zero weight.
  @Test(
    .releaseOnly, arguments: [RobustLoss.cauchy, .huber, .gemanMcClure], [4, 5, 6, 8, 12])
  func robustCovariancesAreConsistentForFewRanges(_ loss: RobustLoss, _ count: Int) throws {
    let seed = 381 + UInt64(count)
    var generator = SeededGenerator(seed: seed)
    var options = Trilateration.Options()
    options.loss = loss
    // The errors are normal, and known to be.
    options.outliers = .none
    let draws = 20_000
    var (space, plane) = (0.0, 0.0)
    var taken = 0
    while taken < draws {
      // On a sphere around the tag, so that no range is short.
      let directions = (0..<count).map { _ in
        let v = Vector<3>.random(using: &generator)
        return (1 / max(0.1, v.length)) * v
      }
      var spread = Matrix<3, 3>.zero
      for direction in directions { spread.addOuterProduct(of: direction, times: 1) }
      let axes = PrincipalAxes(of: spread).values
      guard axes[2] > 0.12 * Double(count) else { continue }
      taken += 1
      let anchors = directions.map { 10 * $0 }
      let ranges = anchors.map { $0.length + 0.05 * generator.normal() }
      options.rangeSigma = 0.05
      options.height = nil
      space += try normalizedSquare(ranges, anchors, .zero, options) / 3
      options.height = 0
      plane += try normalizedSquare(ranges, anchors, .zero, options) / 2
    }
    let (inSpace, inPlane) = (space / Double(draws), plane / Double(draws))
    print("NEES per unknown, \(loss.shape), \(count) ranges: \(inSpace), height known \(inPlane)")
    #expect(isClose(inSpace, 1, within: 0.025), "seed \(seed): \(inSpace)")
    #expect(isClose(inPlane, 1, within: 0.028), "seed \(seed): \(inPlane)")
  }

  /// Returns the normalised error squared of the better of two solutions.
  private func normalizedSquare(
    _ ranges: [Double], _ anchors: [Vector<3>], _ tag: Vector<3>, _ options: Trilateration.Options
  ) throws -> Double {
    let fix = try Trilateration.solve(ranges: ranges, anchors: anchors, options: options)
    var error = try #require(fix.position) - tag
    var covariance = try #require(fix.covariance)
    if let alternative = fix.alternative, alternative.length < error.length {
      error = alternative - tag
      covariance = try #require(fix.alternativeCovariance)
    }
    if options.height != nil { covariance[2, 2] = 1 }
    return error.dot(try #require(Cholesky(covariance)).solve(error))
  }
}
