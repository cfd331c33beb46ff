import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct WhiteNoiseAccelerationTests {
  /// Expected values from FilterPy; see Oracles/kalman/SOURCE.md.
  @Test func noiseMatchesOracle() throws {
    let reference = try oracle("kalman/q01_process_noise.json", as: ProcessNoise.self, in: .module)
    let cases = reference.cases.filter { $0.kind == "continuous_white_noise" && $0.dim == 2 }
    #expect(cases.count == 4)
    for one in cases {
      let density = try #require(one.spectral_density).squareRoot()
      let noise = WhiteNoiseAcceleration(density: density).noise(over: one.dt)
      for (row, expected) in one.Q.enumerated() {
        for (column, value) in expected.enumerated() {
          #expect(
            isClose(noise[row, column], value, within: 1e-12 * value), "step of \(one.dt) s")
        }
      }
    }
  }

  @Test func noiseMatchesHandComputation() {
    // q² = 4 over 3 s: 4 · 27/3 = 36, 4 · 9/2 = 18, 4 · 3 = 12.
    let motion = WhiteNoiseAcceleration(density: 2)
    #expect(motion.noise(over: 3) == Matrix<2, 2>([[36, 18], [18, 12]]))
    #expect(motion.transition(over: 3) == Matrix<2, 2>([[1, 3], [0, 1]]))
    #expect(motion.noise(over: 0) == .zero)
    #expect(motion.transition(over: 0) == .identity)
  }

  /// F(a + b) = F(b) F(a) and Q(a + b) = F(b) Q(a) F(b)ᵀ + Q(b).
  @Test func twoShortStepsEqualOneLongStep() {
    var generator = SeededGenerator(seed: 201)
    for _ in 0..<200 {
      let motion = WhiteNoiseAcceleration(density: generator.uniform(in: 0...3))
      let (first, second) = (generator.exponential(mean: 0.5), generator.exponential(mean: 0.5))
      let transition = motion.transition(over: second)
      let long = motion.noise(over: first + second)
      let noise =
        transition * motion.noise(over: first) * transition.transposed()
        + motion.noise(over: second)
      for row in 0..<2 {
        for column in 0..<2 {
          let value = long[row, column]
          #expect(isClose(noise[row, column], value, within: 1e-14 * value), "seed 201")
        }
      }
      let product = transition * motion.transition(over: first)
      #expect(
        product.dense.distance(to: motion.transition(over: first + second).dense) < 1e-15 * 8,
        "seed 201")
    }
  }

  private struct ProcessNoise: Decodable {
    struct Case: Decodable {
      var kind: String
      var dim: Int?
      var dt: Double
      var spectral_density: Double?
      var Q: [[Double]]
    }

    var cases: [Case]
  }
}
