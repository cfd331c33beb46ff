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

  /// Eight anchors around the tag, five, eight twice as far apart, and a tag outside.
  private static let geometries: [(anchors: [Vector<3>], tag: Vector<3>)] = [
    (corners, Vector([5, 4, 1.8])), (Array(corners.prefix(5)), Vector([6, 4, 1.2])),
    (corners.map { 2 * $0 }, Vector([14, 8, 3])), (corners, Vector([16, 6, 1.5])),
  ]

  /// 20 000 draws of 10 cm: the mean square of each geometry has a standard error of 0.6 % at most, so
  /// 4 % of it (2 % of its root) is beyond chance; the normalised squares, of mean 3 and variance 6, lie
  /// within 3 ± 2.58 √(6/20000) in 99 % of all runs.
  @Test(.releaseOnly, arguments: geometries.indices)
  func errorsReachTheBound(_ geometry: Int) throws {
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
}
