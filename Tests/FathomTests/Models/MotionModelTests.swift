import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// The properties common to all motion models.
///
/// To test a new model, add its case to ``cases``.
@Suite struct MotionModelTests {
  private struct Case {
    var name: String
    var order: Int
    var moved: ([Double], Double) -> [Double]
    var transition: ([Double], Double) -> DenseMatrix
    var noise: ([Double], Double) -> DenseMatrix
    /// Whether two short steps exactly equal one long step, including noise.
    var isExact = true

    init<Motion: MotionModel, let N: Int>(_ name: String, _ motion: Motion, isExact: Bool = true)
    where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
      self.name = name
      self.isExact = isExact
      order = N
      moved = { motion.moved(Vector(array: $0) ?? .zero, over: $1).array }
      transition = { motion.transition(at: Vector(array: $0) ?? .zero, over: $1).dense }
      noise = { motion.noise(at: Vector(array: $0) ?? .zero, over: $1).dense }
    }
  }

  private let cases: [Case] = [
    Case("WhiteNoiseAcceleration", WhiteNoiseAcceleration(density: 0.7)),
    Case("ConstantVelocity", ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.2)),
    Case("ConstantAcceleration", ConstantAcceleration(densities: Vector([0.5, 1, 2]))),
    Case("RandomWalkMotion", RandomWalkMotion<3>(densities: Vector([0, 0.1, 2]))),
    Case(
      "SingerAcceleration", SingerAcceleration(sigma: Vector([1, 2, 0]), correlationTime: 0.8)),
    Case(
      "CoordinatedTurn",
      CoordinatedTurn(
        acceleration: ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.2),
        turnDensity: 0.3), isExact: false),
  ]

  @Test func transitionMatchesCentralDifferences() {
    var generator = SeededGenerator(seed: 231)
    for one in cases {
      for round in 0..<60 {
        var state = (0..<one.order).map { _ in generator.normal() }
        // Turn rates of zero, tiny ones and those on both sides of the series.
        if one.name == "CoordinatedTurn" { state[6] = [0, 1e-9, 0.4, -2, 0.9][round % 5] }
        let seconds = generator.exponential(mean: 0.7)
        let derivative = one.transition(state, seconds)
        for axis in 0..<one.order {
          let step = 1e-5
          var (ahead, behind) = (state, state)
          ahead[axis] += step
          behind[axis] -= step
          let (after, before) = (one.moved(ahead, seconds), one.moved(behind, seconds))
          for row in 0..<one.order {
            let slope = (after[row] - before[row]) / (ahead[axis] - behind[axis])
            #expect(
              isClose(derivative[row, axis], slope, within: 1e-7 * max(1, slope.magnitude)),
              "\(one.name), seed 231, (\(row), \(axis)) at \(state) over \(seconds)")
          }
        }
      }
    }
  }

  @Test func twoShortStepsEqualOneLongStep() {
    var generator = SeededGenerator(seed: 232)
    for one in cases {
      for _ in 0..<30 {
        let state = (0..<one.order).map { _ in generator.normal() }
        let (first, second) = (generator.exponential(mean: 1), generator.exponential(mean: 1))
        let whole = one.moved(state, first + second)
        let parts = one.moved(one.moved(state, first), second)
        for row in 0..<one.order {
          #expect(
            isClose(parts[row], whole[row], within: 1e-12 * max(1, whole[row].magnitude)),
            "\(one.name), seed 232")
        }
        guard one.isExact else { continue }
        // Q(a + b) = F(b) Q(a) F(b)ᵀ + Q(b).
        let carried = one.transition(state, second)
        let sum = added(
          carried * one.noise(state, first) * carried.transposed(), one.noise(state, second))
        let expected = one.noise(state, first + second)
        #expect(
          sum.distance(to: expected) < 1e-12 * max(1e-3, expected.greatestMagnitude),
          "\(one.name), seed 232")
      }
    }
  }

  @Test func noiseIsPositiveSemidefiniteAndGrows() throws {
    for one in cases {
      let state = [Double](repeating: 0.3, count: one.order)
      #expect(one.noise(state, 0).greatestMagnitude == 0, "\(one.name)")
      for seconds in [1e-3, 0.1, 1, 30, 1000] {
        let noise = one.noise(state, seconds)
        #expect(noise == noise.transposed(), "\(one.name)")
        let smallest = try #require(SymmetricEigendecomposition(noise).eigenvalues.first)
        #expect(smallest > -1e-14 * noise.greatestMagnitude, "\(one.name), \(seconds) s")
      }
    }
  }

  // MARK: Single models

  /// Compares with the closed form at t = τ, where it has no cancellation.
  ///
  /// [Singer 1970].
  @Test func singerMatchesClosedForm() {
    let (sigma, tau) = (1.5, 2.0)
    let model = SingerAcceleration(
      sigma: Vector(repeating: sigma), correlationTime: tau)
    let (a, t, e) = (1 / tau, 2.0, Double.exp(-1))
    let scale = sigma * sigma
    let q11 =
      scale / (a * a * a * a) * (1 - e * e + 2 + 2.0 / 3 - 2 - 4 * e)
    let q12 = scale / (a * a * a) * (e * e + 1 - 2 * e + 2 * e - 2 + 1)
    let q22 = scale / (a * a) * (4 * e - 3 - e * e + 2)
    let q13 = scale / (a * a) * (1 - e * e - 2 * e)
    let q23 = scale / a * (e * e + 1 - 2 * e)
    let q33 = scale * (1 - e * e)
    let noise = model.noise(at: .zero, over: t)
    let expected = [q11, q12, q13, q22, q23, q33]
    let found = [noise[0, 0], noise[0, 3], noise[0, 6], noise[3, 3], noise[3, 6], noise[6, 6]]
    for (value, wanted) in zip(found, expected) {
      #expect(isClose(value, wanted, within: 1e-13 * 10))
    }
  }

  /// With manoeuvres much shorter than the step, the model is white acceleration of density σ √(2
  /// τ).
  @Test func shortManoeuvresApproachWhiteNoise() {
    let (sigma, tau) = (2.0, 1e-4)
    let singer = SingerAcceleration(sigma: Vector(repeating: sigma), correlationTime: tau)
    let density = sigma * (2 * tau).squareRoot()
    let white = WhiteNoiseAcceleration(density: density).noise(over: 1)
    let noise = singer.noise(at: .zero, over: 1)
    #expect(isClose(noise[0, 0], white[0, 0], within: 1e-3 * white[0, 0]))
    #expect(isClose(noise[3, 3], white[1, 1], within: 1e-3 * white[1, 1]))
  }

  /// A quarter turn: from the origin along x at 2 m/s and π/2 rad/s, after 1 s at radius 4/π.
  @Test func quarterTurnMatchesHandComputation() {
    let model = CoordinatedTurn(
      acceleration: ConstantVelocity(horizontalDensity: 1, verticalDensity: 1), turnDensity: 1)
    let moved = model.moved(Vector([0, 0, 1, 2, 0, 0.5, .pi / 2]), over: 1)
    let expected: [Double] = [4 / Double.pi, 4 / Double.pi, 1.5, 0, 2, 0.5, Double.pi / 2]
    for (value, wanted) in zip(moved.array, expected) {
      #expect(isClose(value, wanted, within: 1e-14))
    }
    // Without a turn rate, the path is straight.
    let straight = model.moved(Vector([0, 0, 1, 2, 3, 0.5, 0]), over: 2)
    #expect(straight == Vector<7>([4, 6, 2, 2, 3, 0.5, 0]))
  }

  /// White jerk is ``WhiteNoiseAcceleration`` per axis, one order higher.
  @Test func constantAccelerationMatchesHandComputation() {
    // t = 2, q = 3: t⁵/20 = 1.6, t⁴/8 = 2, t³/6 = 4/3, t³/3 = 8/3, t²/2 = 2; all times 9.
    let noise = ConstantAcceleration(densities: Vector([3, 0, 0])).noise(at: .zero, over: 2)
    let found = [noise[0, 0], noise[0, 3], noise[0, 6], noise[3, 3], noise[3, 6], noise[6, 6]]
    for (value, wanted) in zip(found, [14.4, 18, 12, 24, 18, 18]) {
      #expect(isClose(value, wanted, within: 1e-13))
    }
    #expect(noise[1, 1] == 0 && noise[0, 1] == 0)
  }

  private func added(_ first: DenseMatrix, _ second: DenseMatrix) -> DenseMatrix {
    DenseMatrix(
      rows: first.rows, columns: first.columns,
      columnMajor: zip(first.columnMajor, second.columnMajor).map(+))
  }
}
