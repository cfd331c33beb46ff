import RealModule
import TestSupport
import Testing

@testable import Fathom

/// ``ConsistencyTests`` compares mixtures with single models.
@Suite struct InteractingMultipleModelTests {
  @Test func stepMatchesHandComputation() throws {
    // Two models of a number: it is constant, or it increases by 1. Both have the prior 0 with
    // variance 1.
    var filter = InteractingMultipleModel<2, 1>(
      state: Gaussian(mean: .zero, covariance: .identity), probabilities: Vector([0.5, 0.5]))
    filter.predict(switching: Matrix([[0.9, 0.1], [0.2, 0.8]])) { model, estimate in
      estimate.mean[0] += Double(model)
    }
    // 0.5 · 0.9 + 0.5 · 0.2.
    #expect(isClose(filter.probabilities[0], 0.55, within: 1e-15))
    let update = try filter.update { _, estimate throws(FilteringError) in
      try estimate.condition(
        onResidual: Vector([1]) - estimate.mean, observation: .identity, noise: .identity)
    }
    // Residuals 1 and 0 of variance 2: likelihoods e^(-1/4) and 1, over √(4 π).
    let (first, second) = (0.55 * Double.exp(-0.25), 0.45)
    let share = first / (first + second)
    #expect(isClose(filter.probabilities[0], share, within: 1e-14))
    let likelihood = Double.log((first + second) / (4 * Double.pi).squareRoot())
    #expect(isClose(update.logLikelihood, likelihood, within: 1e-14))
    // Mean 0.55 · 1, variance 2 + 0.55 · 0.45.
    #expect(isClose(update.innovation.residual[0], 0.55, within: 1e-14))
    #expect(isClose(update.innovation.covariance[0, 0], 2 + 0.2475, within: 1e-14))
    // Posterior means 0.5 and 1, variances 0.5.
    let state = filter.state
    #expect(isClose(state.mean[0], 0.5 * share + (1 - share), within: 1e-14))
    #expect(
      isClose(state.covariance[0, 0], 0.5 + 0.25 * share * (1 - share), within: 1e-14))
  }

  /// A model rejected by hundreds of standard deviations does not affect the other.
  @Test func impossibleModelsGetProbabilityZero() throws {
    var filter = InteractingMultipleModel<2, 1>(
      state: Gaussian(mean: .zero, covariance: .identity), probabilities: Vector([0.5, 0.5]))
    filter.predict(switching: .identity) { model, estimate in
      estimate.mean[0] += 1000 * Double(model)
    }
    let update = try filter.update { _, estimate throws(FilteringError) in
      try estimate.condition(
        onResidual: Vector([1000]) - estimate.mean, observation: .identity, noise: .identity)
    }
    #expect(update.logLikelihood.isFinite)
    #expect(filter.probabilities == Vector<2>([0, 1]))
    #expect(isClose(filter.state.mean[0], 1000, within: 1e-9))
  }

  @Test func switchingProbabilitiesMatchDurations() {
    let matrix = Matrix<3, 3>.dwelling(seconds: Vector([1, 10, 100]), over: 0.5)
    for row in 0..<3 {
      #expect(isClose(matrix[row, 0] + matrix[row, 1] + matrix[row, 2], 1, within: 1e-15))
    }
    #expect(isClose(matrix[0, 0], .exp(-0.5), within: 1e-15))
    #expect(isClose(matrix[1, 0], (1 - .exp(-0.05)) / 2, within: 1e-15))
    #expect(Matrix<2, 2>.dwelling(seconds: Vector([1, 1]), over: 0) == .identity)
  }

  @Test func errorsLeaveMixtureUnchanged() {
    var filter = InteractingMultipleModel<2, 1>(
      state: Gaussian(mean: .zero, covariance: .identity), probabilities: Vector([0.3, 0.7]))
    let before = filter
    #expect(throws: FilteringError.notFinite) {
      try filter.update { _, estimate throws(FilteringError) -> Innovation<1> in
        try estimate.condition(
          onResidual: Vector([.nan]), observation: .identity, noise: .identity)
      }
    }
    #expect(filter.probabilities == before.probabilities && filter.state == before.state)
  }
}
