import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct StudentDensityTests {
  /// Integrates over the line by the substitution x = tan u; the integrand vanishes at both ends.
  @Test(arguments: [1.0, 2, 4, 30, .infinity])
  func densityIntegratesToOne(_ freedom: Double) {
    let density = StudentDensity(freedom: freedom)
    for variance in [0.01, 1, 25] {
      let count = 20_000
      var sum = 0.0
      for index in 0..<count {
        let angle = Double.pi * ((Double(index) + 0.5) / Double(count) - 0.5)
        let value = Double.tan(angle) * variance.squareRoot()
        let slope = variance.squareRoot() / (Double.cos(angle) * Double.cos(angle))
        sum += slope * .exp(density.logarithm(value * value / variance, variance: variance))
      }
      #expect(isClose(sum * .pi / Double(count), 1, within: 1e-6), "\(freedom), \(variance)")
    }
  }

  @Test func densityMatchesValuesComputedByHand() {
    // Cauchy: 1 / (π γ (1 + s)) with γ² the variance.
    let cauchy = StudentDensity(freedom: 1)
    #expect(isClose(cauchy.logarithm(0, variance: 4), -.log(2 * .pi), within: 1e-14))
    #expect(isClose(cauchy.logarithm(3, variance: 4), -.log(8 * .pi), within: 1e-14))
    // Four degrees: 3/8 at the centre, (1 + s/4)^(-5/2) of it elsewhere; 4^(-5/2) is 1/32.
    let four = StudentDensity(freedom: 4)
    #expect(isClose(four.logarithm(0, variance: 1), .log(0.375), within: 1e-14))
    #expect(isClose(four.logarithm(12, variance: 1), .log(0.375 / 32), within: 1e-14))
    let normal = StudentDensity(freedom: .infinity)
    #expect(isClose(normal.logarithm(2, variance: 1), -0.5 * .log(2 * .pi) - 1, within: 1e-14))
  }

  @Test func convergesToTheNormalDistribution() {
    let many = StudentDensity(freedom: 1e7)
    let normal = StudentDensity(freedom: .infinity)
    for square in [0, 0.5, 1, 4, 9] {
      let expected = normal.logarithm(square, variance: 2)
      #expect(isClose(many.logarithm(square, variance: 2), expected, within: 1e-5))
    }
  }

  /// (ν + 1) / (ν + s), at most 1.
  @Test func weightsMatchValuesComputedByHand() {
    let four = StudentDensity(freedom: 4)
    #expect(four.weight(0) == 1 && four.weight(1) == 1)
    #expect(isClose(four.weight(16), 0.25, within: 1e-15))
    #expect(isClose(four.weight(496), 0.01, within: 1e-15))
    #expect(StudentDensity(freedom: .infinity).weight(1e9) == 1)
  }

  /// Compares the mixture with two separate densities for all code paths: integer degrees of
  /// freedom, fractional ones, many, and products that overflow.
  @Test(arguments: [1.0, 2, 4, 5.5, 30, 31, .infinity])
  func mixtureIsTheSumOfItsParts(_ freedom: Double) {
    let density = StudentDensity(freedom: freedom)
    for squares in [SIMD2(0.0, 0), SIMD2(0.3, 7), SIMD2(40, 2), SIMD2(900, 1000)] {
      for variances in [SIMD2(0.01, 0.02), SIMD2(25, 0.3)] {
        for share in [1e-6, 0.3, 1 - 1e-6] {
          let logarithms = (0..<2).map {
            density.logarithm(squares[$0], variance: variances[$0])
          }
          let larger = max(logarithms[0], logarithms[1])
          let parts = [
            share * .exp(logarithms[0] - larger), (1 - share) * .exp(logarithms[1] - larger),
          ]
          let found = density.mixture(squares, variances: variances, share: share)
          let expected = larger + .log(parts[0] + parts[1])
          #expect(
            isClose(found.likelihood.logarithm, expected, within: 1e-12 * (1 + expected.magnitude)))
          #expect(isClose(found.share, parts[0] / (parts[0] + parts[1]), within: 1e-12))
        }
      }
      for index in 0..<2 {
        #expect(density.weights(squares)[index] == density.weight(squares[index]))
      }
    }
  }

  /// An error of 1e140 standard deviations.
  @Test(arguments: [1.0, 4, 4.5])
  func mixtureOfExtremeErrorsMatchesTheLogarithms(_ freedom: Double) {
    let density = StudentDensity(freedom: freedom)
    let found = density.mixture(SIMD2(1e280, 4e280), variances: SIMD2(1, 1), share: 0.5)
    // (1 + s/ν)^(-(ν+1)/2): four times the square is 2^(ν+1) times less likely.
    let ratio = Double.exp(-(freedom + 1) * .log(2))
    #expect(isClose(found.share, 1 / (1 + ratio), within: 1e-12))
    let expected = density.logarithm(1e280, variance: 1) + .log(0.5 * (1 + ratio))
    #expect(isClose(found.likelihood.logarithm, expected, within: 1e-12 * expected.magnitude))
  }

  /// A single mode is a mixture with a share of one.
  @Test(arguments: [4.0, 5.5, .infinity])
  func mixtureWithShareOneIsTheFirstDensity(_ freedom: Double) {
    let density = StudentDensity(freedom: freedom)
    let found = density.mixture(SIMD2(3, 3), variances: SIMD2(0.2, 0.2), share: 1)
    #expect(found.share == 1)
    let expected = density.logarithm(3, variance: 0.2)
    #expect(isClose(found.likelihood.logarithm, expected, within: 1e-13))
  }
}
