import Testing

@testable import Fathom

/// The rates of distances around a range.
@Suite struct RecentRangesTests {
  /// Ranges of two links every quarter of a second; the first has the distance 3 + 2 t - t²/2.
  private static func ranges(wrong: Int? = nil) -> RecentRanges {
    var result = RecentRanges()
    for step in 0..<9 {
      let seconds = 0.25 * Double(step)
      let error = step == wrong ? 5.0 : 0
      result.append(
        RecentRanges.Sample(
          anchor: 0, time: instant(seconds),
          distance: 3 + 2 * seconds - 0.5 * seconds * seconds + error))
      result.append(RecentRanges.Sample(anchor: 1, time: instant(seconds + 0.1), distance: 7))
    }
    return result
  }

  private static func instant(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64((seconds * 1e9).rounded()))
  }

  /// At 1 s: the rate is 2 - 1 = 1 m/s, its change -1 m/s²; 0.1 s later 0.1 - 0.005 m more.
  @Test func aSteadyAccelerationIsExact() throws {
    let rate = try #require(Self.ranges().rate(of: 0, at: Self.instant(1), within: 0.6))
    #expect(abs(rate.metresPerSecond - 1) < 1e-12)
    #expect(abs(rate.metresPerSquareSecond + 1) < 1e-12)
    let change = try #require(rate.change(over: 0.1))
    #expect(abs(change - 0.095) < 1e-12)
    #expect(Self.ranges().rate(of: 1, at: Self.instant(1.1), within: 0.6)?.metresPerSecond == 0)
  }

  /// A neighbour that is 5 m too long changes a mean slope by 2 m/s, the median of ten by less than the
  /// acceleration within the window does.
  @Test(arguments: [3, 5]) func oneWrongNeighbourHardlyCounts(_ wrong: Int) throws {
    let rate = try #require(Self.ranges(wrong: wrong).rate(of: 0, at: Self.instant(1), within: 0.6))
    #expect(abs(rate.metresPerSecond - 1) < 0.3, "\(rate)")
  }

  @Test func aSideWithoutRangesShowsNothing() throws {
    let first = try #require(Self.ranges().rate(of: 0, at: Self.instant(0), within: 0.6))
    #expect(first.change(over: -0.1) == nil)
    #expect(first.change(over: 0.1) != nil && first.change(over: 0) == 0)
    #expect(Self.ranges().rate(of: 0, at: Self.instant(1), within: 0.2) == nil)
    #expect(Self.ranges().rate(of: 2, at: Self.instant(1), within: 0.6) == nil)
  }

  /// Two links, 0.1 s apart: both are moved by 0.05 s.
  @Test func rangesMoveToTheMiddle() throws {
    let recent = Self.ranges()
    let samples = [
      RecentRanges.Sample(anchor: 0, time: Self.instant(1), distance: 4.5),
      RecentRanges.Sample(anchor: 1, time: Self.instant(1.1), distance: 7),
    ]
    let rates = samples.map { recent.rate(of: $0.anchor, at: $0.time, within: 0.6) }
    let motion = samples.motion(rates)
    let first = try #require(motion[0])
    #expect(abs(first - (0.05 - 0.00125)) < 1e-12)
    #expect(motion[1] == 0)
    let together = [samples[0], RecentRanges.Sample(anchor: 1, time: samples[0].time, distance: 7)]
    #expect(together.motion(rates).isEmpty)
  }
}
