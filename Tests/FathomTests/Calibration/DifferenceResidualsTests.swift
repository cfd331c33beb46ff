import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Persistent errors of the arrivals at anchors, from the contradictions of time differences.
@Suite struct DifferenceResidualsTests {
  /// Eight anchors in the corners of a hall, whose arrivals err persistently by `offset`.
  private static func persistentSigma(
    offset: Double, sigma: Double, isInterleaved: Bool, using generator: inout SeededGenerator
  ) -> Double {
    let anchors = (0..<8).map { index in
      Anchor(
        position: Vector([
          index & 1 == 0 ? 0 : 12, index & 2 == 0 ? 0 : 9, index & 4 == 0 ? 0.3 : 3,
        ]))
    }
    let offsets = anchors.map { _ in offset * generator.normal() }
    var differences: [TimedDifference] = []
    for index in 0..<1200 {
      let seconds = Double(index) / 20
      let truth = SimulatedWalk.stroll(seconds)
      let arrivals = anchors.indices.map {
        (truth - anchors[$0].position).length + offsets[$0] + sigma * generator.normal()
      }
      if isInterleaved {
        for place in 0..<6 {
          let first = (index + place) % 8
          let second = (index + 3 * place + 1) % 8
          guard first != second else { continue }
          differences.append(
            TimedDifference(
              time: instant(seconds + 0.006 * Double(place)), first: first, second: second,
              difference: arrivals[first] - arrivals[second]))
        }
      } else {
        for second in 1..<8 {
          differences.append(
            TimedDifference(
              time: instant(seconds), first: 0, second: second,
              difference: arrivals[0] - arrivals[second]))
        }
      }
    }
    var configuration = TrackerConfiguration()
    configuration.usesDifferences = true
    return DifferenceResiduals(of: differences, anchors: anchors, configuration: configuration)
      .persistentSigma
  }

  @Test(.releaseOnly, arguments: [false, true])
  func findsWhatLasts(isInterleaved: Bool) {
    var generator = SeededGenerator(seed: 5801)
    let recordings = 8
    var (persistent, none) = (0.0, 0.0)
    for _ in 0..<recordings {
      let found = Self.persistentSigma(
        offset: 0.2, sigma: 0.08, isInterleaved: isInterleaved, using: &generator)
      persistent += found * found
      let without = Self.persistentSigma(
        offset: 0, sigma: 0.08, isInterleaved: isInterleaved, using: &generator)
      none += without * without
    }
    let sigma = (persistent / Double(recordings)).squareRoot()
    #expect((0.13...0.27).contains(sigma), "\(sigma)")
    #expect((none / Double(recordings)).squareRoot() < 0.05)
  }

  @Test func findsNothingInTooFew() {
    let anchors = SimulatedWalk.room
    var configuration = TrackerConfiguration()
    configuration.usesDifferences = true
    let few = [TimedDifference(time: instant(0), first: 0, second: 1, difference: 1)]
    #expect(
      DifferenceResiduals(of: few, anchors: anchors, configuration: configuration).persistentSigma
        == 0
    )
    #expect(
      DifferenceResiduals(of: [], anchors: anchors, configuration: configuration).persistentSigma
        == 0)
  }
}
