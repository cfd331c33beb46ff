import TestSupport
import Testing

@testable import Fathom

@Suite struct RangeProblemTests {
  /// Anchors (0, 0, 2) and (6, 8, 4), with the centre (3, 4, 3), and the known height 1.
  private let problem = RangeProblem(
    distances: [5, 13], anchors: [Vector<3>([0, 0, 2]), Vector<3>([6, 8, 4])], sigmas: [0.5, 2],
    free: 2, known: Vector([99, 99, 1]))

  @Test func anchorsAndKnownCoordinatesAreCentred() {
    #expect(problem.count == 2)
    #expect(problem.span.centre == Vector<3>([3, 4, 3]))
    #expect(problem.anchors == [Vector([-3, -4, -1]), Vector([3, 4, 1])])
    // The values of `known` in free coordinates are ignored.
    #expect(problem.given == Vector<3>([0, 0, -2]))
  }

  @Test func costIsTheWeightedSumOfSquaredResiduals() {
    // At the centre the anchors are √26 away: ((5 - √26)/0.5)² + ((13 - √26)/2)².
    let root = 26.0.squareRoot()
    let expected = (5 - root) * (5 - root) * 4 + (13 - root) * (13 - root) / 4
    #expect(isClose(problem.linearised(at: .zero).cost, expected, within: 1e-13))
    // At the first anchor: (5/0.5)² + ((13 - 2√26)/2)².
    let other = (13 - 2 * root) * (13 - 2 * root) / 4
    #expect(isClose(problem.linearised(at: Vector([-3, -4, -1])).cost, 100 + other, within: 1e-12))
  }

  @Test func freeSquaresExcludeHeightContribution() {
    // Heights differ by 1 and 3: 25 - 1 and 169 - 9.
    #expect(problem.freeSquare(0) == 24)
    #expect(problem.freeSquare(1) == 160)
    let space = RangeProblem(
      distances: [5], anchors: [Vector<3>([0, 0, 2])], sigmas: [1], free: 3, known: .zero)
    #expect(space.freeSquare(0) == 25)
  }

  @Test func scaleIsTheLargerOfSpreadAndRange() {
    #expect(problem.scale == 13)
    // ±5 in plan view: a spread of 5 m.
    let near = RangeProblem(
      distances: [0.1, 0.2], anchors: [Vector<3>([0, 0, 2]), Vector<3>([6, 8, 4])],
      sigmas: [1, 1], free: 2, known: .zero)
    #expect(isClose(near.scale, 5, within: 1e-14))
  }
}
