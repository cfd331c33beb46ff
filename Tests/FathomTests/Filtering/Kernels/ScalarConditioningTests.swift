import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Compares the short form of the scalar update with the factored Joseph form.
@Suite struct ScalarConditioningTests {
  @Test func shortFormMatchesJosephForm() throws {
    var generator = SeededGenerator(seed: 311)
    var taken = 0
    for _ in 0..<2000 {
      let prior = Gaussian<5>.random(using: &generator)
      var observation = Matrix<1, 5>.random(using: &generator)
      for column in 0..<5 where generator.uniform() < 0.4 { observation[0, column] = 0 }
      let noise = Matrix<1, 1>(repeating: generator.exponential(mean: 1))
      let residual = Vector<1>.random(using: &generator)
      var short = prior
      let spread = observation.withElements {
        short.conditionShort(residual: residual[0], row: $0, variance: noise[0, 0])
      }
      let (long, innovation) = try prior.conditionedByJoseph(
        onResidual: residual, observation: observation, noise: noise)
      guard let spread else {
        #expect(short == prior)
        continue
      }
      taken += 1
      #expect(isClose(spread, innovation.covariance[0, 0], within: 1e-13 * spread), "seed 311")
      #expect((short.mean - long.mean).length < 1e-11 * max(1, long.mean.length), "seed 311")
      #expect(
        short.covariance.dense.distance(to: long.covariance.dense)
          < 1e-13 * prior.covariance.dense.greatestMagnitude, "seed 311")
      #expect(short.covariance == short.covariance.transposed(), "seed 311")
    }
    #expect(taken > 1500)
  }

  @Test func twoStateFormMatchesJosephForm() throws {
    var generator = SeededGenerator(seed: 312)
    for round in 0..<2000 {
      let prior = Gaussian<2>.random(using: &generator)
      var observation = Matrix<1, 2>.random(using: &generator)
      if round % 2 == 0 { observation[0, 1] = 0 }
      let noise = Matrix<1, 1>(repeating: 0.1 + generator.exponential(mean: 1))
      let residual = Vector<1>.random(using: &generator)
      let (short, _) = try prior.conditioned(
        onResidual: residual, observation: observation, noise: noise)
      let (long, _) = try prior.conditionedByJoseph(
        onResidual: residual, observation: observation, noise: noise)
      #expect((short.mean - long.mean).length < 1e-12 * max(1, long.mean.length), "seed 312")
      #expect(
        short.covariance.dense.distance(to: long.covariance.dense)
          < 1e-13 * prior.covariance.dense.greatestMagnitude, "seed 312")
    }
  }

  /// Updates and predicts singular covariances repeatedly at the limits of the short forms, where
  /// rounding most easily makes a variance negative.
  @Test(.releaseOnly) func singularCovariancesStayPositiveSemidefinite() throws {
    var generator = SeededGenerator(seed: 313)
    for round in 0..<repetitions(3000, long: 20_000) {
      let direction = Vector<6>.random(using: &generator)
      var covariance = Matrix<6, 6>.zero
      for row in 0..<6 {
        for column in 0..<6 { covariance[row, column] = direction[row] * direction[column] }
      }
      var estimate = Gaussian(mean: Vector<6>.zero, covariance: covariance)
      for _ in 0..<6 {
        var observation = Matrix<1, 6>.zero
        for column in 0..<3 { observation[0, column] = generator.normal() }
        let seen = observation * estimate.covariance
        var spread = 0.0
        for column in 0..<6 { spread += seen[0, column] * observation[0, column] }
        let noise = spread / generator.uniform(in: 1...1000)
        estimate = try estimate.conditioned(
          onResidual: Vector<1>.random(using: &generator), observation: observation,
          noise: Matrix<1, 1>(repeating: max(noise, 1e-12))
        ).posterior
        try expectCovariance(estimate.covariance, "seed 313, round \(round), updated")
        estimate.predict(
          transition: .identity + 0.3 * Matrix<6, 6>.random(using: &generator),
          processNoise: .zero)
        try expectCovariance(estimate.covariance, "seed 313, round \(round), predicted")
      }
    }
  }

  /// Expects no eigenvalue of the correlations below zero by more than the rounding of the
  /// eigenvalues.
  private func expectCovariance(_ matrix: Matrix<6, 6>, _ comment: Comment) throws {
    var correlations = DenseMatrix(rows: 6, columns: 6)
    for row in 0..<6 {
      for column in 0..<6 {
        #expect(matrix[row, column] == matrix[column, row], comment)
        let scale = matrix[row, row].squareRoot() * matrix[column, column].squareRoot()
        correlations[row, column] = matrix[row, column] / scale
      }
    }
    let smallest = try #require(SymmetricEigendecomposition(correlations).eigenvalues.first)
    #expect(smallest > -24 * Double.ulpOfOne, comment)
  }
}
