import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct ArrivalProblemTests {
  private func assumptions(
    _ height: Double?, _ sigma: Double?, prior: PositionPrior<3>? = nil
  ) throws -> PositionAssumptions<3> {
    var options = PositionOptions()
    (options.height, options.heightSigma, options.loss) = (height, sigma, .squared)
    return try PositionAssumptions(options, prior, nil)
  }

  @Test func derivativesAgreeWithCentralDifferences() throws {
    var generator = SeededGenerator(seed: 61)
    let step = 1e-5
    for trial in 0..<60 {
      let anchors = (0..<5).map { _ in 10 * Vector<3>.random(using: &generator) }
      let prior =
        trial % 4 < 2 ? nil : PositionPrior<3>(position: Vector([1, 2, 3]), sigma: 2)
      let known = try assumptions(
        trial % 3 == 0 ? nil : 1, trial % 3 == 1 ? 0.2 : nil, prior: prior)
      let problem = try ArrivalProblem(
        anchors: anchors, sigmas: [0.1, 0.2, 0.1, 0.3, 0.1], defaultSigma: 1,
        height: known.hardHeight)
      let arrivals = ArrivalEquations(
        problem: problem, arrivals: [1, 2, 3, 4, 5], groups: [0, 0, 1, 1, 0], assumptions: known)
      let graph = DifferenceGraph(
        [(0, 1), (2, 1), (3, 4), (4, 0), (1, 3)].enumerated().map {
          .init(first: $1.0, second: $1.1, difference: 1, input: $0)
        }, count: 5)
      let differences = DifferenceEquations(
        problem: problem, graph: graph, own: 0.05, blamed: [2], assumptions: known)
      for equations in [
        arrivals.equations(problem.sigmas(at: nil)),
        differences.equations(problem.sigmas(at: nil), scale: 10),
      ] {
        let at = (0..<equations.unknowns).map { _ in generator.uniform(in: -20...20) }
        guard (0..<5).allSatisfy({ problem.distance($0, at) > 0.5 }) else { continue }
        let slopes = equations.slopes(at)
        #expect(slopes.rows == equations.kinds.count && slopes.columns == equations.unknowns)
        for column in 0..<equations.unknowns {
          var (ahead, behind) = (at, at)
          ahead[column] += step
          behind[column] -= step
          let pairs = zip(equations.residuals(ahead), equations.residuals(behind))
          for (row, pair) in pairs.enumerated() {
            // Residuals decrease where expected values increase; standard deviations are as small
            // as 0.05.
            let slope = (pair.1 - pair.0) / (ahead[column] - behind[column])
            #expect(isClose(slopes[row, column], slope, within: 2e-6), "seed 61, trial \(trial)")
          }
        }
      }
    }
  }

  @Test func differencesWithCommonArrivalAreCorrelated() throws {
    // σ = 0.1 each: two differences from one reference have variances 0.02 and covariance 0.01.
    // Errors (1, 1) then cost (1, 1) R⁻¹ (1, 1)ᵀ = 2 / 0.03, not the 2 / 0.02 of independent ones.
    // An independent error of 0.1 in addition gives variances of 0.03 and 2 / 0.04.
    let anchors = [Vector<3>](repeating: Vector([1, 1, 1]), count: 3)
    let problem = try ArrivalProblem(
      anchors: anchors, sigmas: nil, defaultSigma: 0.1, height: nil)
    let known = try assumptions(nil, nil)
    let arrivals = ArrivalEquations(
      problem: problem, arrivals: [0, 1, 1], groups: [0, 0, 0], assumptions: known
    ).equations([0.1, 0.1, 0.1])
    // The best offset is the mean, 2/3; the position is at the anchors, where nothing depends on
    // it.
    let shared = arrivals.cost(arrivals.residuals([0, 0, 0, 2.0 / 3]), under: .squared)
    #expect(isClose(shared, 2 / 0.03, within: 1e-9))
    let graph = DifferenceGraph(
      [
        .init(first: 1, second: 0, difference: 1, input: 0),
        .init(first: 2, second: 0, difference: 1, input: 1),
      ], count: 3)
    let own = DifferenceEquations(
      problem: problem, graph: graph, own: 0.1, blamed: [], assumptions: known
    ).equations([0.1, 0.1, 0.1], scale: 1)
    let fit = own.refine(from: [0, 0, 0, 0, 0, 0])
    #expect(isClose(fit.cost, 2 / 0.04, within: 1e-9))
    // The error of the reference is common to both differences: it is twice that of the others.
    #expect(isClose(fit.unknowns[3], -0.5, within: 1e-9))
    #expect(isClose(fit.unknowns[4], 0.25, within: 1e-9))
  }

  @Test func uncertainAnchorsCountAlongTheLineOfSight() throws {
    let spread = Matrix<3, 3>([[0.09, 0, 0], [0, 0.04, 0], [0, 0, 0]])
    let problem = try ArrivalProblem<3>(
      anchors: [Vector([5, 0, 0]), Vector([0, 5, 0]), Vector([0, 0, 5]), Vector([-5, -5, -5])],
      sigmas: nil, covariances: [spread, spread, spread, nil], defaultSigma: 0.1, height: nil)
    let centre = [0.0, 0, 0]
    let origin = problem.position(centre)
    #expect(origin.length < 1e-12)
    let squares = problem.sigmas(at: centre).map { $0 * $0 }
    for (square, expected) in zip(squares, [0.1, 0.05, 0.01, 0.01]) {
      #expect(isClose(square, expected, within: 1e-12))
    }
    // Without a position, a third of the trace.
    #expect(isClose(problem.sigmas(at: nil)[0], (0.01 + 0.13 / 3).squareRoot(), within: 1e-12))
  }
}
