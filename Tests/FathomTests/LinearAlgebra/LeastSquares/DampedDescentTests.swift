import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct DampedDescentTests {
  /// Rosenbrock's valley, residuals 10 (y - x²) and 1 - x, from the usual start: the minimum is zero
  /// at (1, 1).
  @Test func reachesMinimumOfCurvedValley() {
    var place = Vector<2>([-1.2, 1])
    func residuals(_ at: Vector<2>) -> Vector<2> {
      Vector([10 * (at[1] - at[0] * at[0]), 1 - at[0]])
    }
    func cost(_ at: Vector<2>) -> Double { residuals(at).dot(residuals(at)) }
    func matrix() -> Matrix<2, 2> {
      let slopes = Matrix<2, 2>([[-20 * place[0], 10], [-1, 0]])
      return slopes.transposed() * slopes
    }
    func pull() -> Vector<2> {
      let slopes = Matrix<2, 2>([[-20 * place[0], 10], [-1, 0]])
      return -(slopes.transposed() * residuals(place))
    }
    var damping = MarquardtDamping()
    let descent = descend(
      limit: 100, &damping, curvature: { matrix().trace },
      step: { damping in (matrix() + damping * Matrix<2, 2>.identity).solution(of: pull()) },
      attempt: { step, _ in
        guard cost(place + step) <= cost(place) else { return .higher }
        place += step
        return step.length < 1e-9 ? .settled : .lower
      })
    #expect(descent.isSettled && descent.steps < 100)
    #expect(isClose(place[0], 1, within: 1e-8) && isClose(place[1], 1, within: 1e-8))
  }

  @Test func dampingRisesAndFallsTenfold() {
    var damping = MarquardtDamping()
    damping.greatest = 1
    var isBelowLimit = damping.raise(isSingular: false, curvature: 2)
    #expect(isBelowLimit)
    #expect(isClose(damping.value, 2e-3, within: 1e-15))
    isBelowLimit = damping.raise(isSingular: true, curvature: 2)
    #expect(isBelowLimit)
    #expect(isClose(damping.value, 2e-2, within: 1e-15))
    damping.lower(curvature: 2)
    #expect(isClose(damping.value, 2e-3, within: 1e-15))
    damping.lower(curvature: 1e4)
    #expect(damping.value == 0)
    for _ in 0..<4 { isBelowLimit = damping.raise(isSingular: false, curvature: 1) }
    #expect(!isBelowLimit)
  }

  @Test func endsAtLimitAndWhereNothingIsPositiveDefinite() {
    var damping = MarquardtDamping()
    let limited = descend(
      limit: 7, &damping, curvature: { 1 }, step: { _ in 0.0 }, attempt: { _, _ in .lower })
    #expect(limited.steps == 7 && !limited.isSettled)
    damping = MarquardtDamping()
    damping.greatest = 1
    // 1e-3, 1e-2, 1e-1, 1: the fourth rise reaches the limit.
    let singular = descend(
      limit: 100, &damping, curvature: { 1 }, step: { _ in Double?.none },
      attempt: { _, _ in .settled })
    #expect(singular.steps == 4 && !singular.isSettled)
  }

  /// The factors L D Lᵀ and the loops at run time against the Cholesky factor.
  @Test(arguments: [UInt64](1...10)) func solutionsEqualThatOfCholesky(_ seed: UInt64) throws {
    for found in [
      Solutions(of: Matrix<1, 1>.self, seed), Solutions(of: Matrix<2, 2>.self, seed),
      Solutions(of: Matrix<3, 3>.self, seed), Solutions(of: Matrix<6, 6>.self, seed),
    ] {
      let (fixed, dense) = (try #require(found.fixed), try #require(found.dense))
      for (index, value) in try #require(found.cholesky).enumerated() {
        #expect(isClose(fixed[index], value, within: 1e-12), "seed \(seed)")
        #expect(isClose(dense[index], value, within: 1e-12), "seed \(seed)")
      }
      #expect(found.isRejectedIfIndefinite)
    }
  }

  /// The solutions of a random positive definite system.
  private struct Solutions {
    var cholesky: [Double]?
    var fixed: [Double]?
    var dense: [Double]?
    var isRejectedIfIndefinite: Bool

    init<let Order: Int>(of _: Matrix<Order, Order>.Type, _ seed: UInt64) {
      var generator = SeededGenerator(seed: seed)
      var root = Matrix<Order, Order>.zero
      var right = Vector<Order>.zero
      for row in 0..<Order {
        right[row] = generator.normal()
        for column in 0..<Order { root[row, column] = generator.normal() }
      }
      let matrix = root.timesTransposed(root) + .identity
      cholesky = Cholesky(matrix)?.solve(right).array
      fixed = matrix.solution(of: right)?.array
      dense = DenseMatrix(matrix.array).solution(of: right.array)
      let indefinite = matrix - 1000 * Matrix<Order, Order>.identity
      isRejectedIfIndefinite =
        indefinite.solution(of: right) == nil
        && DenseMatrix(indefinite.array).solution(of: right.array) == nil
    }
  }
}
