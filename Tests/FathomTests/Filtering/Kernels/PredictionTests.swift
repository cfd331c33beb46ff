import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct PredictionTests {
  @Test func valuesMatchHandComputation() {
    // F P Fᵀ = [1 2; 0 1] [4 1; 1 9] [1 0; 2 1] = [44 19; 19 9]; then Q is added.
    let prior = Gaussian(mean: Vector<2>([1, 3]), covariance: Matrix<2, 2>([[4, 1], [1, 9]]))
    let predicted = prior.predicted(
      transition: Matrix([[1, 2], [0, 1]]), processNoise: Matrix([[1, 0.5], [0.5, 2]]),
      offset: Vector([10, -3]))
    #expect(predicted.mean == Vector<2>([17, 0]))
    let expected = Matrix<2, 2>([[45, 19.5], [19.5, 11]])
    #expect(predicted.covariance.dense.distance(to: expected.dense) < 1e-12)
  }

  @Test func matchesDenseProduct() {
    var generator = SeededGenerator(seed: 241)
    for _ in 0..<100 {
      let prior = Gaussian<4>.random(using: &generator)
      let processNoise = Matrix<4, 4>.randomCovariance(using: &generator)
      let transition = Matrix<4, 4>.random(using: &generator)
      let offset = Vector<4>.random(using: &generator)
      let predicted = prior.predicted(
        transition: transition, processNoise: processNoise, offset: offset)

      let covariance =
        transition.dense * prior.covariance.dense * transition.transposed().dense
      let expected = zip(covariance.columnMajor, processNoise.dense.columnMajor).map(+)
      let dense = DenseMatrix(rows: 4, columns: 4, columnMajor: expected)
      #expect(
        predicted.covariance.dense.distance(to: dense) < 1e-14 * dense.greatestMagnitude,
        "seed 241")
      #expect(
        (predicted.mean - (transition * prior.mean + offset)).length < 1e-14 * 10, "seed 241")
      #expect(predicted.covariance == predicted.covariance.transposed(), "seed 241")
    }
  }

  /// For a singular covariance v vᵀ, rounding most easily makes an eigenvalue negative.
  @Test func singularCovariancesStayPositiveSemidefinite() {
    var generator = SeededGenerator(seed: 242)
    for _ in 0..<2000 {
      let direction = Vector<2>([generator.normal(), 1e3 * generator.normal()])
      var covariance = Matrix<2, 2>.zero
      for row in 0..<2 {
        for column in 0..<2 { covariance[row, column] = direction[row] * direction[column] }
      }
      var estimate = Gaussian(mean: Vector<2>.zero, covariance: covariance)
      for _ in 0..<5 {
        let transition = Matrix<2, 2>.random(using: &generator)
        estimate = estimate.predicted(transition: transition, processNoise: .zero)
        let (a, b, c) = (
          estimate.covariance[0, 0], estimate.covariance[0, 1], estimate.covariance[1, 1]
        )
        #expect(a >= 0 && c >= 0, "seed 242")
        #expect(b.magnitude <= a.squareRoot() * c.squareRoot(), "seed 242")
        #expect(b == estimate.covariance[1, 0])
      }
    }
  }

  @Test func zeroVarianceStaysZero() {
    let prior = Gaussian(
      mean: Vector<3>([1, 2, 3]), covariance: Matrix<3, 3>([[2, 0, 1], [0, 0, 0], [1, 0, 2]]))
    let predicted = prior.predicted(
      transition: Matrix([[1, 0, 1], [0, 1, 0], [0, 0, 1]]), processNoise: .zero)
    for axis in 0..<3 { #expect(predicted.covariance[1, axis] == 0) }
    #expect(predicted.mean[1] == 2)
  }
}
