import Testing

@testable import Fathom

@Suite struct TimestampTests {
  @Test func secondsRoundToTheNearestNanosecond() throws {
    // 0.1 is stored as 0.1000000000000000055; times 1e9 it rounds to 100 000 000.
    #expect(try #require(Timestamp(seconds: 0.1)).nanoseconds == 100_000_000)
    #expect(try #require(Timestamp(seconds: -1.5)).nanoseconds == -1_500_000_000)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 9.3e9, -1e300])
  func whatIsNoInstantIsNil(_ seconds: Double) {
    #expect(Timestamp(seconds: seconds) == nil)
  }

  @Test func differencesSaturateInsteadOfTrapping() {
    let first = Timestamp(nanoseconds: .min)
    let last = Timestamp(nanoseconds: .max)
    #expect(last.seconds(since: first) == 9.3e9)
    #expect(first.seconds(since: last) == -9.3e9)
    #expect(last.advanced(bySeconds: 1).nanoseconds == .max)
    #expect(first.advanced(bySeconds: -.infinity).nanoseconds == .min)
  }
}
