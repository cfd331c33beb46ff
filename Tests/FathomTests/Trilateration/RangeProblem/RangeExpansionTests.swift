import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct RangeExpansionTests {
  /// The descent and the curvature against central differences of the cost and of the descent.
  @Test(arguments: RobustLoss.Shape.allCases, [false, true])
  func derivativesAgreeWithCentralDifferences(_ shape: RobustLoss.Shape, _ onlyLate: Bool) {
    var generator = SeededGenerator(seed: 321)
    for _ in 0..<50 {
      var problem = randomProblem(using: &generator)
      problem.loss = RobustLoss(shape, tuning: 6, onlyLate: onlyLate)
      if generator.uniform() < 0.5 {
        problem.prior = CentredPrior(
          mean: Vector<3>.random(using: &generator),
          information: Matrix<3, 3>.diagonal(Vector([1, 2, 3])))
      }
      let position = 4 * Vector<3>.random(using: &generator)
      let here = problem.expansion(at: position)
      let h = 1e-5
      for axis in 0..<3 {
        var step = Vector<3>.zero
        step[axis] = h
        let (above, below) = (
          problem.expansion(at: position + step), problem.expansion(at: position - step)
        )
        let scale = here.information.trace + here.descent.length
        let slope = -(above.cost - below.cost) / (4 * h)
        #expect(isClose(here.descent[axis], slope, within: 1e-4 * scale), "\(shape), seed 321")
        for row in 0..<3 {
          let bend = -(above.descent[row] - below.descent[row]) / (2 * h)
          // Huber and Tukey have kinks that a difference may straddle.
          let allowed = shape == .huber || shape == .tukey ? 1e-1 : 1e-4
          #expect(isClose(here.curvature[row, axis], bend, within: allowed * scale), "\(shape)")
        }
      }
    }
  }

  /// The kernel for space against the one for any number of dimensions: the same problem in four
  /// dimensions with a known last coordinate.
  @Test func bothKernelsAgree() {
    var generator = SeededGenerator(seed: 322)
    for shape in RobustLoss.Shape.allCases {
      for _ in 0..<50 {
        var problem = randomProblem(using: &generator)
        problem.loss = RobustLoss(shape)
        var wide = RangeProblem<4>(
          distances: problem.distances,
          anchors: problem.anchors.map { Vector<4>([$0[0], $0[1], $0[2], 0]) },
          sigmas: problem.sigmas, free: 3, known: .zero)
        wide.loss = problem.loss
        let position = 4 * Vector<3>.random(using: &generator)
        let offset = wide.span.centre
        let narrow = problem.expansion(at: position)
        let other = wide.expansion(
          at: Vector<4>([position[0], position[1], position[2], 0]) - offset)
        let scale = 1e-11 * (1 + narrow.cost + narrow.information.trace)
        #expect(isClose(narrow.cost, other.cost, within: scale), "\(shape), seed 322")
        for row in 0..<3 {
          #expect(isClose(narrow.descent[row], other.descent[row], within: scale))
          for column in 0..<3 {
            #expect(
              isClose(
                narrow.information[row, column], other.information[row, column], within: scale))
            #expect(
              isClose(narrow.curvature[row, column], other.curvature[row, column], within: scale))
          }
        }
      }
    }
  }

  private func randomProblem(using generator: inout SeededGenerator) -> RangeProblem<3> {
    let anchors = (0..<6).map { _ in 6 * Vector<3>.random(using: &generator) }
    return RangeProblem(
      distances: anchors.map { ($0.length + generator.normal()).magnitude }, anchors: anchors,
      sigmas: anchors.map { _ in generator.uniform(in: 0.2...1) }, free: 3, known: .zero)
  }
}
