import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Compares the update by a range with that by a general linearised measurement.
@Suite struct RangeConditioningTests {
  @Test func matchesLinearisedMeasurement() throws {
    var generator = SeededGenerator(seed: 321)
    var short = 0
    for round in 0..<4000 {
      let prior = Gaussian<6>.random(
        distance: 5, spread: round % 4 == 0 ? 100 : 1, using: &generator)
      let model = RangeModel(
        anchor: Vector(InlineArray { _ in generator.uniform(in: -20...20) }))
      // The noise spans from far below to far beyond the predicted spread, so that both forms are
      // used.
      let noise = Matrix<1, 1>(repeating: .exp(generator.uniform(in: -12...3)))
      let measured = Vector<1>(repeating: generator.uniform(in: 0...30))
      let (distance, derivative) = model.expectation(at: prior.mean)
      let (expected, wanted) = try prior.conditioned(
        onResidual: measured - Vector<1>(repeating: distance), observation: derivative,
        noise: noise)

      var trial = prior
      let taken = trial.conditionShort(
        onRange: measured[0], to: model.anchor, variance: noise[0, 0])
      if taken == nil { #expect(trial == prior, "seed 321") } else { short += 1 }

      var estimate = prior
      let innovation = try estimate.condition(on: measured, of: model, noise: noise)
      let scale = prior.covariance.dense.greatestMagnitude
      #expect(
        (estimate.mean - expected.mean).length < 1e-11 * max(1, expected.mean.length), "seed 321")
      #expect(
        estimate.covariance.dense.distance(to: expected.covariance.dense) < 1e-12 * scale,
        "seed 321")
      #expect(estimate.covariance == estimate.covariance.transposed(), "seed 321")
      let spread = wanted.covariance[0, 0]
      #expect(isClose(innovation.residual[0], wanted.residual[0], within: 1e-12 * 30))
      #expect(isClose(innovation.covariance[0, 0], spread, within: 1e-12 * spread))
      #expect(
        isClose(
          innovation.normalizedSquare, wanted.normalizedSquare,
          within: 1e-11 * max(1, wanted.normalizedSquare)))

      var filter = ExtendedKalmanFilter(state: prior)
      #expect(try filter.update(measured, of: model, noise: noise) == innovation)
      #expect(filter.state == estimate)
      #expect(try filter.update(nil, of: model, noise: noise) == nil)
      #expect(filter.state == estimate)
    }
    #expect(short > 1500 && short < 4000)
  }

  @Test func fallsBackToGeneralForm() throws {
    let prior = Gaussian(
      mean: Vector<6>([1, 2, 3, 0, 0, 0]), covariance: .diagonal(Vector([1, 1, 1, 1, 1, 1])))
    let noise = Matrix<1, 1>([[0.01]])
    // At the anchor the direction is undefined: the x axis replaces it.
    var atAnchor = prior
    try atAnchor.condition(
      on: Vector([0.5]), of: RangeModel(anchor: Vector([1, 2, 3])), noise: noise)
    #expect(isClose(atAnchor.mean[0], 1 + 0.5 / 1.01, within: 1e-12))
    #expect(atAnchor.mean[1] == 2)
    // An invalid range, or a distance whose square overflows, throws and changes nothing.
    for (range, x) in [(Double.nan, 0), (.infinity, 0), (1, 1e200), (1, .nan)] {
      var estimate = prior
      let model = RangeModel(anchor: Vector([x, 0, 0]))
      if x == 1e200 {
        try estimate.condition(on: Vector([range]), of: model, noise: noise)
        #expect(estimate.isFinite)
        continue
      }
      #expect(throws: FilteringError.notFinite) {
        try estimate.condition(on: Vector([range]), of: model, noise: noise)
      }
      #expect(estimate == prior)
    }
    // Zero variance and zero noise: the gain would divide by zero.
    var certain = Gaussian(mean: prior.mean, covariance: .zero)
    #expect(throws: FilteringError.indefiniteInnovation) {
      try certain.condition(
        on: Vector([1]), of: RangeModel(anchor: .zero), noise: Matrix(repeating: 0))
    }
    #expect(certain == Gaussian(mean: prior.mean, covariance: .zero))
  }
}
