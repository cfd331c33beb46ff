import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Antenna delays from ranges between known places.
@Suite struct AntennaDelaysTests {
  /// Three devices that measure each other: (AB + AC - BC) / 2 is the delay of A.
  @Test func threeDevicesHaveTheirOwnDelays() throws {
    let found = AntennaDelays(
      [
        .init(0, 1, error: 0.5, sigma: 0.01), .init(0, 2, error: 0.6, sigma: 0.01),
        .init(1, 2, error: 0.9, sigma: 0.01),
      ], count: 4, references: [])
    for (delay, expected) in zip(found.delays, [0.1, 0.4, 0.5]) {
      let delay = try #require(delay)
      #expect(isClose(delay.metres, expected, within: 1e-12) && delay.isAbsolute)
      #expect(isClose(delay.sigma, 0.01 * 0.75.squareRoot(), within: 1e-12))
    }
    #expect(found.delays[3] == nil && found.deviation == nil)
    let delay = try #require(found.delays[0])
    // 0.1 m are 0.334 ns or 21.3 ticks of 15.65 ps.
    #expect(isClose(delay.seconds, 0.1 / 299_792_458, within: 1e-18))
    #expect(isClose(delay.ticks, 21.314, within: 1e-3))
  }

  /// Tags that only measure anchors: their delays have the mean zero, and the sums are right.
  @Test func sumsAreDetermined() throws {
    var generator = SeededGenerator(seed: 5841)
    let delays = [0.2, 0.3, 0.1, 0.25, 0.4, 0.5]
    var pairs: [AntennaDelays.Pair] = []
    for tag in 4..<6 {
      for anchor in 0..<4 {
        pairs.append(
          .init(
            tag, anchor, error: delays[tag] + delays[anchor] + 0.01 * generator.normal(),
            sigma: 0.01))
      }
    }
    let found = AntennaDelays(pairs, count: 6, references: [4, 5])
    let own = try found.delays.map { try #require($0) }
    #expect(own.allSatisfy { !$0.isAbsolute })
    #expect(isClose(own[4].metres + own[5].metres, 0, within: 1e-4))
    #expect(isClose(own[5].metres - own[4].metres, 0.1, within: 0.03))
    for pair in pairs {
      let sum = own[pair.first].metres + own[pair.second].metres
      #expect(isClose(sum, delays[pair.first] + delays[pair.second], within: 0.03))
    }
  }

  /// A hundred layouts of five devices: the errors are those that the standard deviations tell.
  @Test func errorsAreConsistent() throws {
    var generator = SeededGenerator(seed: 5842)
    var squares = 0.0
    var count = 0
    for _ in 0..<100 {
      let delays = (0..<5).map { _ in 0.3 * generator.normal() }
      var pairs: [AntennaDelays.Pair] = []
      for first in 0..<5 {
        for second in first + 1..<5 {
          let errors = (0..<200).map { _ in
            delays[first] + delays[second] + 0.1 * generator.normal()
          }
          var pair = try #require(AntennaDelays.pair(first, second, errors: errors))
          // Reflections at these places.
          pair.error += 0.03 * generator.normal()
          pairs.append(pair)
        }
      }
      let found = AntennaDelays(pairs, count: 5, references: [])
      for (delay, truth) in zip(found.delays, delays) {
        let delay = try #require(delay)
        squares += (delay.metres - truth) * (delay.metres - truth) / (delay.sigma * delay.sigma)
        count += 1
      }
    }
    #expect((0.5...1.5).contains(squares / Double(count)), "seed 5842: \(squares / Double(count))")
  }

  /// A wrong place shows as a deviation, and makes the delays less certain.
  @Test func contradictionsAreReported() throws {
    var pairs: [AntennaDelays.Pair] = []
    for first in 0..<4 {
      for second in first + 1..<4 {
        pairs.append(.init(first, second, error: 0.4, sigma: 0.01))
      }
    }
    #expect(try #require(AntennaDelays(pairs, count: 4, references: []).deviation) < 1e-9)
    pairs[0].error = 1.4
    let found = AntennaDelays(pairs, count: 4, references: [])
    #expect(try #require(found.deviation) > 20)
    #expect(try #require(found.delays[0]).sigma > 0.2)
  }

  @Test func leavesOutWhatIsUnusable() {
    let found = AntennaDelays(
      [
        .init(0, 0, error: 1, sigma: 1), .init(0, 9, error: 1, sigma: 1),
        .init(0, 1, error: .nan, sigma: 1), .init(0, 1, error: 1, sigma: 0),
      ], count: 2, references: [])
    #expect(found.pairs.isEmpty && found.delays == [nil, nil])
    #expect(AntennaDelays.pair(0, 1, errors: [.nan, .infinity]) == nil)
    #expect(AntennaDelays.pair(0, 1, errors: [])?.count == nil)
  }
}
