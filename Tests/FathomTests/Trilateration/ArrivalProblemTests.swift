import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct ArrivalProblemTests {
  @Test func derivativesAgreeWithCentralDifferences() throws {
    var generator = SeededGenerator(seed: 61)
    let step = 1e-5
    for trial in 0..<100 {
      let anchors = (0..<5).map { _ in 10 * Vector<3>.random(using: &generator) }
      let problem = try ArrivalProblem(
        anchors: anchors, sigmas: [0.1, 0.2, 0.1, 0.3, 0.1], defaultSigma: 1,
        height: trial % 2 == 0 ? nil : 1)
      let differences = [(0, 1), (2, 1), (3, 4), (4, 0), (1, 3)].map {
        TimeDifference(first: $0.0, second: $0.1, difference: 1)
      }
      let graph = try #require(
        DifferenceGraph(
          differences, anchors: Array(0..<5), sigmas: problem.sigmas, own: 0.05))
      let at = (0..<problem.free).map { _ in generator.uniform(in: -20...20) }
      guard (0..<5).allSatisfy({ problem.distance($0, at) > 0.5 }) else { continue }
      func rows(_ at: [Double]) -> [Double] {
        graph.whitened((0..<5).map { problem.distance($0, at) })
      }
      let jacobian = graph.whitened(slopes: (0..<5).map { problem.direction($0, at) })
      for axis in 0..<problem.free {
        var (ahead, behind) = (at, at)
        ahead[axis] += step
        behind[axis] -= step
        for (row, pair) in zip(rows(ahead), rows(behind)).enumerated() {
          // Whitening divides by standard deviations down to 0.05.
          let slope = (pair.0 - pair.1) / (ahead[axis] - behind[axis])
          #expect(isClose(jacobian[row, axis], slope, within: 2e-6), "seed 61, trial \(trial)")
        }
      }
    }
  }

  @Test func differencesThatShareAnArrivalAreCorrelated() throws {
    // σ = 0.1 each: variances 0.02, covariance 0.01 of two differences from one reference. Errors
    // (1, 1) then cost (1, 1) R⁻¹ (1, 1)ᵀ = 2 / 0.03, not the 2 / 0.02 of independent ones.
    let graph = try #require(
      DifferenceGraph(
        [
          TimeDifference(first: 1, second: 0, difference: 1),
          TimeDifference(first: 2, second: 0, difference: 1),
        ], anchors: [0, 1, 2], sigmas: [0.1, 0.1, 0.1], own: 0))
    let cost = graph.whitened([0, 0, 0]).reduce(0) { $0 + $1 * $1 }
    #expect(isClose(cost, 2 / 0.03, within: 1e-9))
    // A third difference closes the loop: it says nothing new.
    let loop = try #require(
      DifferenceGraph(
        [
          TimeDifference(first: 1, second: 0, difference: 1),
          TimeDifference(first: 2, second: 0, difference: 1),
          TimeDifference(first: 2, second: 1, difference: 0),
        ], anchors: [0, 1, 2], sigmas: [0.1, 0.1, 0.1], own: 0))
    #expect(loop.count == 2)
    #expect(isClose(loop.whitened([0, 0, 0]).reduce(0) { $0 + $1 * $1 }, cost, within: 1e-9))
  }
}
