import Fathom
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct MethodRankingTests {
  private typealias Errors = [(time: Timestamp, square: Double)]

  /// Ten errors a second over `seconds`, with root mean square `sigma`.
  private func errors(_ sigma: Double, seed: UInt64, seconds: Int = 200, memory: Double = 0)
    -> Errors
  {
    var generator = SeededGenerator(seed: seed)
    var state = generator.normal()
    return (0..<(10 * seconds)).map { index in
      state = memory * state + (1 - memory * memory).squareRoot() * generator.normal()
      return (Timestamp(nanoseconds: 100_000_000 * Int64(index)), sigma * sigma * state * state)
    }
  }

  @Test func blocksContainAllErrors() throws {
    let first = errors(1, seed: 1)
    let second = Array(errors(2, seed: 2).prefix(700))
    let blocks = try #require(ErrorBlocks([first, second]))
    #expect(blocks.counts[0].reduce(0, +) == 2000)
    #expect(blocks.counts[1].reduce(0, +) == 700)
    let whole = blocks.rootMeanSquares(over: Array(0..<blocks.count))
    let expected = (first.map(\.square).reduce(0, +) / 2000).squareRoot()
    #expect(abs(try #require(whole[0]) - expected) < 1e-12)
  }

  @Test func correlatedErrorsYieldLongerBlocks() throws {
    let white = try #require(ErrorBlocks([errors(1, seed: 3)]))
    let slow = try #require(ErrorBlocks([errors(1, seed: 3, memory: 0.99)]))
    #expect(white.count >= 32)
    #expect(slow.count < white.count / 2)
    #expect(slow.count >= 8)
  }

  @Test func requiresErrorsAtTwoTimes() {
    #expect(ErrorBlocks([[]]) == nil)
    #expect(ErrorBlocks([[(Timestamp(nanoseconds: 5), 1)]]) == nil)
  }

  @Test func distinguishesMethodsOfDifferentAccuracy() throws {
    let blocks = try #require(ErrorBlocks([errors(2, seed: 1), errors(1, seed: 2)]))
    let ranking = MethodRanking([blocks])
    #expect(ranking.places.map(\.method) == [1, 0])
    #expect(ranking.places.map(\.rank) == [1, 2])
    #expect(abs(ranking.places[1].ratio - 2) < 0.2)
    #expect(ranking.places[1].interval.contains(ranking.places[1].ratio))
    #expect(ranking.places[0].interval == 1...1)
  }

  @Test func statisticallyTiedMethodsShareARank() throws {
    // The errors differ by 1 %, and 2000 samples determine a root mean square to 1.6 %.
    let blocks = try #require(
      ErrorBlocks([errors(1, seed: 1), errors(1.01, seed: 2), errors(3, seed: 3)]))
    let ranking = MethodRanking([blocks])
    #expect(Set(ranking.places.prefix(2).map(\.method)) == [0, 1])
    #expect(ranking.places.map(\.rank) == [1, 1, 3])
  }

  /// Two equally good methods are distinguished in at most about 5 % of the cases.
  @Test(.releaseOnly) func rarelyDistinguishesEqualMethods() throws {
    var apart = 0
    for seed in 0..<60 as Range<UInt64> {
      let blocks = try #require(
        ErrorBlocks([
          errors(1, seed: 1000 + seed, seconds: 60, memory: 0.9),
          errors(1, seed: 2000 + seed, seconds: 60, memory: 0.9),
        ]))
      if MethodRanking([blocks]).places[1].rank == 2 { apart += 1 }
    }
    // 5 % of 60 are 3. With few blocks the rate is about 10 %: 6 ± 2.3.
    #expect(apart < 12, "\(apart) of 60")
  }

  @Test func excludesMethodsWithoutErrors() throws {
    let full = try #require(ErrorBlocks([errors(1, seed: 1), errors(2, seed: 2)]))
    let half = try #require(ErrorBlocks([errors(1, seed: 3), []]))
    let ranking = MethodRanking([full, half])
    #expect(ranking.places.map(\.method) == [0])
    #expect(ranking.unranked == [1])
  }

  @Test func sameSeedYieldsSameRanking() throws {
    let blocks = try #require(ErrorBlocks([errors(1, seed: 1), errors(1.05, seed: 2)]))
    #expect(MethodRanking([blocks], seed: 4) == MethodRanking([blocks], seed: 4))
  }

  /// Geometric means: 1 m and 4 m against 3 m and 3 m are 2 m against 3 m.
  @Test func weightsRecordingsByErrorRatio() throws {
    let near = try #require(ErrorBlocks([errors(1, seed: 1), errors(3, seed: 2)]))
    let far = try #require(ErrorBlocks([errors(4, seed: 3), errors(3, seed: 4)]))
    let ranking = MethodRanking([near, far])
    #expect(ranking.places.map(\.method) == [0, 1])
    #expect(abs(ranking.places[0].error - 2) < 0.1)
    #expect(abs(ranking.places[1].ratio - 1.5) < 0.1)
  }
}
