import TestSupport
import Testing

@testable import Fathom

@Suite struct LeastSquaresRefinementTests {
  // A = Q R with columns of length 2 and 10: Q = [1 1; 1 1; 1 -1; 1 -1] / 2, R = [2 6; 0 8], so
  // that A = [1 7; 1 7; 1 -1; 1 -1]. With b = A (3, -2) + 2⁴⁰ (1, -1, 1, -1), whose last term is
  // orthogonal to both columns, the solution is exactly (3, -2).
  private let refinement = LeastSquaresRefinement(
    rows: 4, columns: 2, matrix: [1, 1, 1, 1, 7, 7, -1, -1],
    factor: [2, 0, 0, 0, 6, 8, 0, 0], pivots: [0, 1],
    conditionNumber: 10)
  private let right: ArraySlice<Double> = [
    -11 + 0x1p40, -11 - 0x1p40, 5 + 0x1p40, 5 - 0x1p40,
  ]

  @Test(arguments: [[3.0, -2], [3.1, -2], [0, 0], [-1e9, 1e9]])
  func convergesToExactSolutionFromAnyStart(_ start: [Double]) {
    #expect(refinement.refined(start[...], rightHandSide: right) == [3, -2])
  }

  @Test func handlesPermutedColumns() {
    // A with its columns exchanged is [7 1; 7 1; -1 1; -1 1]: the factor is still that of A.
    let exchanged = LeastSquaresRefinement(
      rows: 4, columns: 2, matrix: [7, 7, -1, -1, 1, 1, 1, 1], factor: refinement.factor,
      pivots: [1, 0], conditionNumber: 10)
    #expect(exchanged.refined([0, 0], rightHandSide: right) == [-2, 3])
  }

  @Test func stopsWithInconsistentFactor() {
    // A tenth of R makes steps a hundred times too long: the second step would be longer than the
    // first.
    let wrong = LeastSquaresRefinement(
      rows: 4, columns: 2, matrix: refinement.matrix,
      factor: refinement.factor.map { $0 / 10 }, pivots: [0, 1],
      conditionNumber: 10)
    let result = wrong.refined([0, 0], rightHandSide: right)
    #expect(isClose(result[0], 300, within: 1e-9))
    #expect(isClose(result[1], -200, within: 1e-9))
  }

  @Test func stopsOnOverflow() {
    let start = [1e308, 1e308]
    #expect(refinement.refined(start[...], rightHandSide: right) == start)
  }
}

extension LeastSquaresRefinement {
  /// Refines one solution between others that must not change.
  fileprivate func refined(
    _ start: ArraySlice<Double>, rightHandSide: ArraySlice<Double>
  ) -> [Double] {
    var solutions = [7, 8] + start + [9]
    refine(&solutions, from: 2, rightHandSide: rightHandSide)
    #expect(solutions[0] == 7 && solutions[1] == 8 && solutions[solutions.count - 1] == 9)
    return Array(solutions[2..<2 + start.count])
  }
}
