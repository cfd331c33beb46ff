import Fathom
import FathomEvaluation
import TestSupport
import Testing

@testable import FathomReports

@Suite struct ClaimedErrorTests {
  private func diagonal(_ x: Double, _ y: Double, _ z: Double) -> Matrix<3, 3> {
    Matrix([[x, 0, 0], [0, y, 0], [0, 0, z]])
  }

  /// The 0.95 quantiles of the chi-square distribution: 3.8415, 5.9915 and 7.8147 for 1, 2 and 3
  /// degrees.
  @Test func isExactForSpheresCirclesAndLines() throws {
    let sphere = try #require(ClaimedError.radius(diagonal(4, 4, 4), isHorizontal: false))
    #expect(isClose(sphere, 2 * 7.814727903251179.squareRoot(), within: 1e-6))
    let circle = try #require(ClaimedError.radius(diagonal(4, 4, 9), isHorizontal: true))
    #expect(isClose(circle, 2 * 5.991464547107979.squareRoot(), within: 1e-6))
    let line = try #require(ClaimedError.radius(diagonal(0, 4, 0), isHorizontal: false))
    #expect(isClose(line, 2 * 3.841458820694124.squareRoot(), within: 1e-6))
    #expect(ClaimedError.radius(diagonal(0, 0, 0), isHorizontal: false) == 0)
    #expect(ClaimedError.radius(diagonal(.nan, 1, 1), isHorizontal: false) == nil)
    #expect(ClaimedError.radius(diagonal(-1, 1, 1), isHorizontal: false) == nil)
  }

  /// Draws from elongated distributions are inside with the given probability.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func boundHoldsForEllipsoids(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sigmas = (0..<3).map { _ in 0.05 + random.uniform() }
    let covariance = diagonal(
      sigmas[0] * sigmas[0], sigmas[1] * sigmas[1], sigmas[2] * sigmas[2])
    let radius = try #require(ClaimedError.radius(covariance, isHorizontal: false))
    var inside = 0
    for _ in 0..<20_000 {
      let square = sigmas.reduce(0) { sum, sigma in
        // Twelve uniform numbers minus six are approximately normal and need no other library.
        let value = (0..<12).reduce(-6.0) { total, _ in total + random.uniform() } * sigma
        return sum + value * value
      }
      if square <= radius * radius { inside += 1 }
    }
    #expect((0.94...0.965).contains(Double(inside) / 20_000), "seed \(seed): \(inside)")
  }
}
