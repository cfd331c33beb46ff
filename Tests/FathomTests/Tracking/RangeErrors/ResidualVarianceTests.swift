import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct ResidualVarianceTests {
  /// Ranges at `seconds` of each of `links` links in turn, with the residuals of `residual`.
  private func stretches(
    _ seconds: StrideThrough<Double>, links: Int, axes: Int = 2, single: Double = 0.01,
    effective: Double = 0.04, residual: (_ seconds: Double, _ link: Int) -> Double
  ) -> ResidualVarianceEstimator {
    var stretches = ResidualVarianceEstimator(anchorCount: links, axes: axes)
    for second in seconds {
      for link in 0..<links {
        stretches.add(
          residual(second, link), single: single, effective: effective, anchor: link,
          at: instant(second))
      }
    }
    return stretches
  }

  /// Five stretches of 10 s hold ten ranges of each of four links.
  ///
  /// Every residual is 0.02 m, a tenth of √0.04: a sum is 1, its square over ten 0.1. The total of
  /// all twenty is 2, with 5 (4 - 2) = 10 degrees of freedom. One common unknown leaves nine. Their
  /// sum exceeds 2.700 in 39 cases of 40, or 2.675 by the approximation of Wilson and Hilferty: 9
  /// (1 - 2/81 - 1.960 √(2/81))³.
  @Test func correlatedErrorsDetermineTheFactor() {
    var found = stretches(stride(from: 0, through: 49, by: 1), links: 4) { _, _ in 0.02 }
    let errors = found.errors(unknowns: 1)
    #expect(isClose(errors.factor, 2 / 2.675, within: 1e-3))
    // A squared single residual is 0.0004 of 0.01; the track could have followed half of it: 0.08.
    // It enters with 4 of them, times the factor.
    #expect(isClose(errors.slowShare, 1 - 0.08 / (4 * errors.factor), within: 1e-12))
  }

  /// The same residuals with alternating signs sum to zero.
  @Test func independentErrorsAverageOut() {
    var found = stretches(stride(from: 0, through: 49, by: 1), links: 4) { second, _ in
      Int(second) % 2 == 0 ? 0.02 : -0.02
    }
    #expect(found.errors(unknowns: 0) == ResidualErrorModel(factor: 0.01, slowShare: 0))
  }

  @Test func factorIsAtMostOne() {
    var found = stretches(stride(from: 0, through: 49, by: 1), links: 4) { _, _ in 0.2 }
    #expect(found.errors(unknowns: 0).factor == 1)
  }

  /// Two links determine a position in the plane, three in space: no degree of freedom is left.
  @Test(arguments: [(2, 2), (3, 3), (1, 2)])
  func keepsTheAssumedModelWithoutRedundancy(_ links: Int, _ axes: Int) {
    var found = stretches(stride(from: 0, through: 99, by: 1), links: links, axes: axes) { _, _ in 0
    }
    #expect(found.errors(unknowns: 0) == ResidualErrorModel())
  }

  @Test func keepsTheAssumedModelForFewStretches() {
    // Two stretches of four links leave four degrees of freedom.
    var few = stretches(stride(from: 0, through: 19, by: 1), links: 4) { _, _ in 0.001 }
    #expect(few.errors(unknowns: 0) == ResidualErrorModel())
    var none = ResidualVarianceEstimator(anchorCount: 0, axes: 2)
    #expect(none.errors(unknowns: 0) == ResidualErrorModel())
  }

  // MARK: Bandwidth

  /// Compares the closed form with the integrals, by Simpson's rule over x = tan θ.
  @Test(arguments: [0.01, 0.1, 0.5, 1, 2, 10, 100, 10_000])
  func bandwidthFactorMatchesTheIntegrals(_ bandwidth: Double) {
    func integral(_ density: (Double) -> Double) -> Double {
      let steps = 20_000
      let width = 0.5 * Double.pi / Double(steps)
      return (0..<steps).reduce(0) { sum, step in
        func value(_ angle: Double) -> Double {
          let x = Double.tan(angle)
          let square = x * x
          let kept = 1 / (1 + square * square)
          let value = kept * kept * density(square) * (1 + square)
          return value.isFinite ? value : 0
        }
        let left = Double(step) * width
        let sides = value(left) + value(min(left + width, 0.5 * .pi - 1e-12))
        return sum + width / 6 * (sides + 4 * value(left + 0.5 * width))
      }
    }
    let all = integral { _ in 1 }
    let slow = integral { 1 / (1 + bandwidth * $0) }
    // The part of the motion: x⁴ of the same, a third.
    let motion = integral { $0 * $0 }
    #expect(isClose(motion / all, 1.0 / 3, within: 1e-6))
    for share in [0.0, 0.3, 1] {
      let expected = ((1 - share) * all + share * slow + motion) / (all + motion)
      let found = ResidualErrorModel(factor: 1, slowShare: share).bandwidthFactor(bandwidth)
      #expect(isClose(found, expected, within: 1e-6), "share \(share)")
    }
  }

  @Test func bandwidthFactorIsDefinedEverywhere() {
    let errors = ResidualErrorModel(factor: 1, slowShare: 1)
    for bandwidth in [0, .leastNonzeroMagnitude, -1, .infinity, .nan] as [Double] {
      #expect(errors.bandwidthFactor(bandwidth) == 1)
    }
    var last = 1.0
    for power in stride(from: -4.0, through: 300, by: 0.5) {
      let factor = errors.bandwidthFactor(.pow(10, power))
      #expect(factor <= last + 1e-12 && factor >= 0.25, "10^\(power)")
      last = factor
    }
  }
}
