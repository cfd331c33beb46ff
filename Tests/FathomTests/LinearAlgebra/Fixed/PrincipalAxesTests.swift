import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct PrincipalAxesTests {
  @Test func axesAreOrthonormalAndReproduceMatrix() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<500 {
      var matrix = Matrix<4, 4>.zero
      let scale = generator.uniform(in: 1e-6...1e6)
      for row in 0..<4 {
        for column in 0...row {
          matrix[row, column] = scale * generator.normal()
          matrix[column, row] = matrix[row, column]
        }
      }
      let principal = PrincipalAxes(of: matrix)
      for first in 0..<4 {
        let axis = principal.axes.row(first)
        let image = matrix * axis
        #expect((image - principal.values[first] * axis).length < 1e-13 * 10 * scale, "seed 4")
        if first > 0 { #expect(principal.values[first - 1] >= principal.values[first]) }
        for second in 0..<4 {
          let product = axis.dot(principal.axes.row(second))
          #expect(isClose(product, first == second ? 1 : 0, within: 1e-14 * 10), "seed 4")
        }
      }
    }
  }

  @Test func smallEigenvaluesOfGradedMatricesAreAccurate() {
    // diag(1, 1e-8) rotated by 30 degrees: c² = 3/4, s² = 1/4, cs = √3/4.
    let (large, small) = (1.0, 1e-8)
    let cross = 3.0.squareRoot() / 4 * (large - small)
    let principal = PrincipalAxes(
      of: Matrix<2, 2>([
        [0.75 * large + 0.25 * small, cross], [cross, 0.25 * large + 0.75 * small],
      ]))
    #expect(isClose(principal.values[0], 1, within: 1e-15))
    #expect(isClose(principal.values[1], 1e-8, within: 1e-15))
  }

  @Test func diagonalMatricesAreDecomposedExactly() {
    #expect(PrincipalAxes(of: Matrix<3, 3>.zero).values == .zero)
    let sorted = PrincipalAxes(of: Matrix<3, 3>.diagonal(Vector([1, 3, 2])))
    #expect(sorted.values == Vector([3, 2, 1]))
    #expect(sorted.axes.row(0) == Vector([0, 1, 0]))
  }
}
