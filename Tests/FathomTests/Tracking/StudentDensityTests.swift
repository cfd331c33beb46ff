import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct StudentDensityTests {
  /// Over the whole line by the substitution x = tan u, whose integrand vanishes at both ends.
  @Test(arguments: [1.0, 2, 4, 30, .infinity])
  func theDensityIntegratesToOne(_ freedom: Double) {
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

  @Test func valuesByHand() {
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

  @Test func manyDegreesAreTheNormalDistribution() {
    let many = StudentDensity(freedom: 1e7)
    let normal = StudentDensity(freedom: .infinity)
    for square in [0, 0.5, 1, 4, 9] {
      let expected = normal.logarithm(square, variance: 2)
      #expect(isClose(many.logarithm(square, variance: 2), expected, within: 1e-5))
    }
  }

  /// (ν + 1) / (ν + s), but never more than a range in full.
  @Test func weightsByHand() {
    let four = StudentDensity(freedom: 4)
    #expect(four.weight(0) == 1 && four.weight(1) == 1)
    #expect(isClose(four.weight(16), 0.25, within: 1e-15))
    #expect(isClose(four.weight(496), 0.01, within: 1e-15))
    #expect(StudentDensity(freedom: .infinity).weight(1e9) == 1)
  }
}
