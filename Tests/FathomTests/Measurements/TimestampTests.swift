import FathomEvaluation
import Testing

@testable import Fathom

@Suite struct TimestampTests {
  @Test func roundsSecondsToNearestNanosecond() throws {
    // 0.1 is stored as 0.1000000000000000055; times 1e9 it rounds to 100 000 000.
    #expect(try #require(Timestamp(seconds: 0.1)).nanoseconds == 100_000_000)
    #expect(try #require(Timestamp(seconds: -1.5)).nanoseconds == -1_500_000_000)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 9.3e9, -1e300])
  func rejectsUnrepresentableSeconds(_ seconds: Double) {
    #expect(Timestamp(seconds: seconds) == nil)
  }

  @Test func differencesSaturateOnOverflow() {
    let first = Timestamp(nanoseconds: .min)
    let last = Timestamp(nanoseconds: .max)
    #expect(last.seconds(since: first) == 9.3e9)
    #expect(first.seconds(since: last) == -9.3e9)
    #expect(last.advanced(bySeconds: 1).nanoseconds == .max)
    #expect(first.advanced(bySeconds: -.infinity).nanoseconds == .min)
  }
}

@Suite struct TimeLimitTests {
  @Test(arguments: [
    0, 1e-300, 1e-9, 1.5e-9, 0.05, 0.1, 0.3, 1, 2, 5, 60, 1e6, 9_007_199.254_740_993, 9.2e9,
    9.223_372_036e9, 9.3e9, 1e300, .infinity,
  ])
  func agreesWithComparisonInSeconds(_ seconds: Double) {
    let limit = TimeLimit(seconds: seconds)
    var generator = SeededGenerator(seed: 20_611)
    let near = Int64(exactly: (min(seconds, 9.2e9) * 1e9).rounded()) ?? 0
    for turn in 0..<20_000 {
      let earlier = Timestamp(nanoseconds: Int64(bitPattern: generator.next()) >> (turn % 60))
      let step =
        switch turn % 3 {
        case 0: near &+ Int64(turn % 40) - 20
        case 1: near &+ Int64(bitPattern: generator.next()) >> (turn % 64)
        default: Int64(bitPattern: generator.next())
        }
      let later = Timestamp(nanoseconds: earlier.nanoseconds &+ step)
      let expected = later.seconds(since: earlier) > seconds
      if limit.isExceeded(from: earlier, to: later) != expected {
        Issue.record("\(seconds) s: from \(earlier.nanoseconds) to \(later.nanoseconds)")
        return
      }
    }
  }

  @Test func comparesExtremeTimestamps() {
    let (first, last) = (Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max))
    #expect(TimeLimit(seconds: 9.2e9).isExceeded(from: first, to: last))
    #expect(!TimeLimit(seconds: 0).isExceeded(from: last, to: first))
    #expect(!TimeLimit(seconds: .infinity).isExceeded(from: first, to: last))
  }
}
