import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct CircularErrorTests {
  @Test func radiiMatchKnownQuantiles() {
    // Equal errors in all directions: P = 1 - exp(-R²/2), so R = √(-2 ln(1 - P)). √(2 ln 2) =
    // 1.177410, √(2 ln 20) = 2.447747.
    let round = { CircularError.radius(holding: $0, xx: 4, xy: 0, yy: 4) }
    #expect(isClose(round(0.5), 2 * 1.177_410_022_5, within: 1e-9))
    #expect(isClose(round(0.95), 2 * 2.447_746_830_7, within: 1e-9))
    // Errors along one line: the normal distribution, whose 75 % and 97.5 % quantiles are 0.674490
    // and 1.959964.
    let line = { CircularError.radius(holding: $0, xx: 9, xy: 0, yy: 0) }
    #expect(isClose(line(0.5), 3 * 0.674_489_750_2, within: 3e-6))
    #expect(isClose(line(0.95), 3 * 1.959_963_984_5, within: 6e-6))
    #expect(CircularError.radius(holding: 0.5, xx: 0, xy: 0, yy: 0) == 0)
  }

  /// The same integral in Cartesian coordinates: over x, with the error function in y.
  @Test func radiusContainsItsShare() {
    var generator = SeededGenerator(seed: 761)
    for _ in 0..<40 {
      let major = generator.uniform(in: 0.1...3)
      let minor = major * generator.uniform(in: 0.02...1)
      let share = generator.uniform(in: 0.05...0.99)
      let turn = Angle(radians: generator.uniform(in: 0...6))
      let (c, s) = (turn.cosine, turn.sine)
      let radius = CircularError.radius(
        holding: share, xx: c * c * major * major + s * s * minor * minor,
        xy: c * s * (major * major - minor * minor),
        yy: s * s * major * major + c * c * minor * minor)
      // x = R sin φ removes the square roots at both ends; Simpson's rule in φ.
      let steps = 2000
      var sum = 0.0
      for step in 0...steps {
        let phi = Angle(radians: Double.pi * (Double(step) / Double(steps) - 0.5))
        let x = radius * phi.sine / major
        let y = radius * phi.cosine / minor
        let density = Double.exp(-0.5 * x * x) / (2 * Double.pi).squareRoot() / major
        let value = density * Double.erf(y / 2.0.squareRoot()) * radius * phi.cosine
        sum += value * (step == 0 || step == steps ? 1 : step % 2 == 1 ? 4 : 2)
      }
      let within = sum * Double.pi / Double(steps) / 3
      #expect(isClose(within, share, within: 1e-6), "seed 761: \(major) \(minor) \(share)")
    }
  }
}
