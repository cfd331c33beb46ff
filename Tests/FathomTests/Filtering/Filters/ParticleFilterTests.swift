import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct ParticleFilterTests {
  /// For anchors on the line y = 0 a tag and its mirror image are indistinguishable; one later
  /// range to an anchor off the line resolves them.
  @Test(arguments: [true, false], [UInt64](331...333))
  func resolvesMirrorAmbiguity(_ isAbove: Bool, _ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let truth = Vector<2>([3, isAbove ? 4 : -4])
    let walk = RandomWalkMotion<2>(densities: Vector(repeating: 0.1))
    let wide = Gaussian(mean: Vector<2>([3, 0]), covariance: 25 * Matrix<2, 2>.identity)
    var cloud = ParticleFilter(count: 2000, of: wide, using: &generator)
    let line = [Vector<2>([0, 0]), Vector([5, 0]), Vector([10, 0])]
    func update(_ anchor: Vector<2>) throws {
      let measured = Vector<1>([(truth - anchor).length + 0.1 * generator.normal()])
      try cloud.update(
        measured, of: PlanarRange(anchor: anchor), noise: Matrix([[0.01]]), using: &generator)
    }
    for round in 0..<4 {
      cloud.predict(by: walk, over: 0.1, using: &generator)
      try update(line[round % 3])
    }
    let above = zip(cloud.particles, cloud.weights).filter { $0.0[1] > 0 }.map(\.1).reduce(0, +)
    #expect(above > 0.1 && above < 0.9, "seed \(seed)")
    for _ in 0..<3 {
      cloud.predict(by: walk, over: 0.1, using: &generator)
      try update(Vector([3, 8]))
      try update(line[0])
    }
    let state = cloud.state
    #expect((state.mean - truth).length < 0.4, "seed \(seed)")
    #expect(state.covariance[1, 1].squareRoot() < 0.3, "seed \(seed)")
  }

  /// One measurement with a normal prior: the posterior of the Kalman filter, to sampling error.
  @Test func matchesKalmanFilterForNormalPrior() throws {
    var generator = SeededGenerator(seed: 334)
    let prior = Gaussian(
      mean: Vector<2>([1, 2]), covariance: Matrix<2, 2>([[4, 1], [1, 2]]))
    let model = LinearModel(observation: Matrix<1, 2>([[1, 0.5]]))
    let noise = Matrix<1, 1>([[1]])
    var cloud = ParticleFilter(count: 40_000, of: prior, threshold: 0, using: &generator)
    let told = try required(
      cloud.update(Vector([5]), of: model, noise: noise, using: &generator))
    var exact = prior
    let expected = try exact.condition(on: Vector([5]), of: model, noise: noise)
    // 40 000 particles, a third of them effective: standard errors of about 0.01 per unit.
    #expect((cloud.state.mean - exact.mean).length < 0.06)
    #expect(cloud.state.covariance.dense.distance(to: exact.covariance.dense) < 0.1)
    #expect(isClose(told.residual[0], expected.residual[0], within: 0.05))
    #expect(isClose(told.covariance[0, 0], expected.covariance[0, 0], within: 0.2))
    #expect(cloud.effectiveCount < 40_000 && cloud.effectiveCount > 1000)
    // After resampling: equal weights, the same moments.
    let before = cloud.state
    cloud.isRegularized = false
    cloud.resample(using: &generator)
    #expect(isClose(cloud.effectiveCount, 40_000, within: 1e-6))
    #expect((cloud.state.mean - before.mean).length < 0.01)
  }

  /// Systematic resampling copies every particle in proportion to its weight, to within one copy.
  @Test func resamplingPreservesWeights() throws {
    var generator = SeededGenerator(seed: 335)
    let places = (0..<100).map { Vector<1>([Double($0)]) }
    var cloud = ParticleFilter(particles: places, isRegularized: false, threshold: 0)
    try cloud.update(
      Vector([30]), of: LinearModel(observation: .identity), noise: Matrix([[50]]),
      using: &generator)
    let weights = cloud.weights
    cloud.resample(using: &generator)
    for (place, weight) in zip(places, weights) {
      let copies = Double(cloud.particles.filter { $0 == place }.count)
      #expect((copies - 100 * weight).magnitude < 1 + 1e-9)
    }
  }

  @Test func isReproducibleForEqualGenerators() throws {
    func run() throws -> [Vector<2>] {
      var generator = SeededGenerator(seed: 336)
      let prior = Gaussian(mean: Vector<2>.zero, covariance: .identity)
      var cloud = ParticleFilter(count: 50, of: prior, using: &generator)
      cloud.predict(
        by: RandomWalkMotion<2>(densities: Vector(repeating: 1)), over: 1, using: &generator)
      try cloud.update(
        Vector<1>([3]), of: PlanarRange(anchor: .zero), noise: Matrix([[0.1]]), using: &generator)
      return cloud.particles
    }
    #expect(try run() == run())
  }

  @Test func throwsWithoutFiniteLikelihood() throws {
    var generator = SeededGenerator(seed: 337)
    let prior = Gaussian(mean: Vector<2>.zero, covariance: .identity)
    var cloud = ParticleFilter(count: 50, of: prior, using: &generator)
    let before = cloud.particles
    let model = PlanarRange(anchor: .zero)
    #expect(throws: FilteringError.notFinite) {
      try cloud.update(Vector([.nan]), of: model, noise: Matrix([[1]]), using: &generator)
    }
    #expect(throws: FilteringError.indefiniteInnovation) {
      try cloud.update(Vector([1]), of: model, noise: Matrix([[0]]), using: &generator)
    }
    #expect(
      try cloud.update(nil as Vector<1>?, of: model, noise: Matrix([[1]]), using: &generator) == nil
    )
    #expect(cloud.particles == before)
    // Far from all particles, but the nearest one still has a finite likelihood.
    try cloud.update(Vector([1e6]), of: model, noise: Matrix([[1]]), using: &generator)
    #expect(cloud.state.isFinite)
  }
}

/// The distance to an anchor in the plane.
private struct PlanarRange: MeasurementModel {
  var anchor: Vector<2>

  func measurement(at state: Vector<2>) -> Vector<1> { Vector([(state - anchor).length]) }

  func derivative(at state: Vector<2>) -> Matrix<1, 2> { .zero }
}
