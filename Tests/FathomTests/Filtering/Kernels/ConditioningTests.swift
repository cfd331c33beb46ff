import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct ConditioningTests {
  @Test func valuesMatchHandComputation() throws {
    // Variance 4 and noise 1: gain 0.8, so 5 becomes 4; variance (1 - 0.8)² · 4 + 0.8² · 1 = 0.8.
    let prior = Gaussian(mean: Vector<1>.zero, covariance: Matrix<1, 1>([[4]]))
    let posterior = try prior.conditioned(
      onResidual: Vector<1>([5]), observation: .identity, noise: Matrix<1, 1>([[1]])
    ).posterior
    #expect(isClose(posterior.mean[0], 4, within: 1e-15 * 4))
    #expect(isClose(posterior.covariance[0, 0], 0.8, within: 1e-14))
  }

  /// P'⁻¹ = P⁻¹ + Hᵀ R⁻¹ H and P'⁻¹ (m' - m) = Hᵀ R⁻¹ y, solved by LAPACK.
  @Test func matchesInformationForm() throws {
    var generator = SeededGenerator(seed: 251)
    for _ in 0..<100 {
      let prior = Gaussian(
        mean: Vector<4>.random(using: &generator),
        covariance: .randomCovariance(floor: 0.1, using: &generator))
      let observation = Matrix<2, 4>.random(using: &generator)
      let noise = Matrix<2, 2>.randomCovariance(floor: 0.1, using: &generator)
      let residual = Vector<2>.random(using: &generator)
      let posterior = try prior.conditioned(
        onResidual: residual, observation: observation, noise: noise
      ).posterior

      let weighted = observation.transposed().dense * (try inverse(noise.dense))
      let information = sum(
        try inverse(prior.covariance.dense), weighted * observation.dense)
      let expected = try inverse(information)
      let shift = expected * (weighted * DenseMatrix(column: residual.array))
      #expect(
        posterior.covariance.dense.distance(to: expected) < 1e-11 * expected.greatestMagnitude,
        "seed 251")
      let moved = posterior.mean - prior.mean
      #expect(DenseMatrix(column: moved.array).distance(to: shift) < 1e-11, "seed 251")
    }
  }

  /// Units of the components from 1e-6 to 1e6, noise from 1e-12 to 1e12 of the measured value.
  @Test func posteriorIsCovarianceInAllUnits() throws {
    var generator = SeededGenerator(seed: 252)
    for _ in 0..<500 {
      var covariance = Matrix<4, 4>.randomCovariance(floor: 0.1, using: &generator)
      let units = Vector<4>(InlineArray { _ in power(6, using: &generator) })
      for row in 0..<4 {
        for column in 0..<4 { covariance[row, column] *= units[row] * units[column] }
      }
      var observation = Matrix<2, 4>.random(using: &generator)
      for column in 0..<4 {
        for row in 0..<2 { observation[row, column] /= units[column] }
      }
      let noise =
        power(12, using: &generator) * Matrix<2, 2>.randomCovariance(floor: 0.1, using: &generator)
      let prior = Gaussian(mean: Vector<4>.zero, covariance: covariance.symmetrized())
      let posterior = try prior.conditioned(
        onResidual: Vector<2>.random(using: &generator), observation: observation, noise: noise
      ).posterior
      try expectCovariance(posterior.covariance, "seed 252")
      for axis in 0..<4 {
        // A measurement never increases a variance.
        #expect(
          posterior.covariance[axis, axis] <= (1 + 1e-14) * prior.covariance[axis, axis],
          "seed 252")
      }
    }
  }

  /// Several nearly exact measurements of an estimate with 10¹² times their variance, and then of
  /// one so wide that a `Double` holds no digit of the remainder.
  @Test(arguments: [1e6, 1e8, 1e10])
  func covarianceStaysValidForNearlyExactMeasurements(_ width: Double) throws {
    var generator = SeededGenerator(seed: 253)
    for _ in 0..<200 {
      var estimate = Gaussian(
        mean: Vector<4>.zero,
        covariance: width * Matrix<4, 4>.randomCovariance(floor: 0.1, using: &generator))
      for _ in 0..<12 {
        estimate = try estimate.conditioned(
          onResidual: Vector<1>.random(using: &generator),
          observation: Matrix<1, 4>.random(using: &generator),
          noise: Matrix<1, 1>(repeating: 1e-6)
        ).posterior
        try expectCovariance(estimate.covariance, "seed 253")
      }
    }
  }

  /// (I - K H) P (I - K H)ᵀ + K R Kᵀ holds for every gain, and the optimal gain has the least
  /// trace.
  @Test func josephFormHoldsForAnyGain() throws {
    var generator = SeededGenerator(seed: 254)
    for _ in 0..<100 {
      let prior = Gaussian(
        mean: Vector<4>.random(using: &generator),
        covariance: .randomCovariance(floor: 0.1, using: &generator))
      let observation = Matrix<2, 4>.random(using: &generator)
      let noise = Matrix<2, 2>.randomCovariance(floor: 0.1, using: &generator)
      let residual = Vector<2>.random(using: &generator)
      let gain = Matrix<4, 2>.random(using: &generator)
      let posterior = prior.updated(
        by: gain, residual: residual, observation: observation, noise: noise)
      let remainder = Matrix<4, 4>.identity - gain * observation
      let expected =
        remainder * prior.covariance * remainder.transposed() + gain * noise * gain.transposed()
      #expect(
        posterior.covariance.dense.distance(to: expected.dense)
          < 1e-13 * expected.dense.greatestMagnitude, "seed 254")
      #expect((posterior.mean - prior.mean - gain * residual).length < 1e-14, "seed 254")
      let optimal = try prior.conditioned(
        onResidual: residual, observation: observation, noise: noise
      ).posterior
      #expect(optimal.covariance.trace < posterior.covariance.trace, "seed 254")
    }
  }

  @Test func knownComponentsAreUnchanged() throws {
    let prior = Gaussian(
      mean: Vector<2>([1, 2]), covariance: Matrix<2, 2>([[4, 0], [0, 0]]))
    let posterior = try prior.conditioned(
      onResidual: Vector<1>([3]), observation: Matrix<1, 2>([[1, 1]]),
      noise: Matrix<1, 1>([[0.5]])
    ).posterior
    #expect(posterior.mean[1] == 2)
    #expect(posterior.covariance[1, 1] == 0 && posterior.covariance[0, 1] == 0)
  }

  @Test func throwsWhenInnovationIsIndefinite() {
    let prior = Gaussian(mean: Vector<2>.zero, covariance: .zero)
    #expect(throws: FilteringError.indefiniteInnovation) {
      try prior.conditioned(
        onResidual: Vector<1>([1]), observation: Matrix<1, 2>([[1, 0]]),
        noise: Matrix<1, 1>([[0]]))
    }
    // Two equal rows without noise measure the same quantity twice.
    let wide = Gaussian(mean: Vector<2>.zero, covariance: .identity)
    #expect(throws: FilteringError.indefiniteInnovation) {
      try wide.conditioned(
        onResidual: Vector<2>([1, 1]), observation: Matrix<2, 2>([[1, 0], [1, 0]]), noise: .zero)
    }
    #expect(throws: FilteringError.indefiniteInnovation) {
      try wide.conditioned(
        onResidual: Vector<1>([1]), observation: Matrix<1, 2>([[1, 0]]),
        noise: Matrix<1, 1>([[-2]]))
    }
  }

  /// ``FilteringError/notFinite``: "a measurement, a model matrix or the state is not finite".
  @Test(arguments: [Double.nan, .infinity])
  func throwsForNonFiniteInput(_ value: Double) {
    let prior = Gaussian(mean: Vector<2>.zero, covariance: Matrix<2, 2>.identity)
    let observation = Matrix<1, 2>([[1, 0]])
    let noise = Matrix<1, 1>([[1]])
    #expect(throws: FilteringError.notFinite) {
      try prior.conditioned(
        onResidual: Vector<1>([value]), observation: observation, noise: noise)
    }
    #expect(throws: FilteringError.notFinite) {
      try prior.conditioned(
        onResidual: Vector<1>([1]), observation: Matrix<1, 2>([[1, value]]), noise: noise)
    }
    #expect(throws: FilteringError.notFinite) {
      try prior.conditioned(
        onResidual: Vector<1>([1]), observation: observation, noise: Matrix<1, 1>([[value]]))
    }
    var broken = prior
    broken.covariance[0, 0] = value
    #expect(throws: FilteringError.notFinite) {
      try broken.conditioned(onResidual: Vector<1>([1]), observation: observation, noise: noise)
    }
    broken = prior
    broken.mean[1] = value
    #expect(throws: FilteringError.notFinite) {
      try broken.conditioned(onResidual: Vector<1>([1]), observation: observation, noise: noise)
    }
  }

  // MARK: Harness

  /// Returns a number from 10⁻ᵈ to 10ᵈ, its logarithm evenly distributed, rounded to a power of
  /// ten.
  private func power(_ decades: Int, using generator: inout SeededGenerator) -> Double {
    let exponent = Int(generator.uniform(in: Double(-decades)...Double(decades)).rounded())
    var result = 1.0
    for _ in 0..<exponent.magnitude { result *= 10 }
    return exponent < 0 ? 1 / result : result
  }

  private func inverse(_ matrix: DenseMatrix) throws -> DenseMatrix {
    try DenseCholesky(matrix).solve(.identity(matrix.rows))
  }

  private func sum(_ first: DenseMatrix, _ second: DenseMatrix) -> DenseMatrix {
    DenseMatrix(
      rows: first.rows, columns: first.columns,
      columnMajor: zip(first.columnMajor, second.columnMajor).map(+))
  }

  /// Expects bitwise symmetry.
  ///
  /// No eigenvalue of the correlations may be below zero by more than the rounding of the
  /// eigenvalues themselves (4 · 2⁻⁵² · 4).
  private func expectCovariance(_ matrix: Matrix<4, 4>, _ comment: Comment) throws {
    #expect(matrix == matrix.transposed(), comment)
    var correlations = DenseMatrix(rows: 4, columns: 4)
    for row in 0..<4 {
      #expect(matrix[row, row] > 0, comment)
      for column in 0..<4 {
        let scale = matrix[row, row].squareRoot() * matrix[column, column].squareRoot()
        correlations[row, column] = matrix[row, column] / scale
      }
    }
    let smallest = try #require(SymmetricEigendecomposition(correlations).eigenvalues.first)
    #expect(smallest > -16 * Double.ulpOfOne, comment)
  }
}
