import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct RSSIBiasCurveTests {
  /// `count` ranges whose levels rise evenly from `first` to `last` dBm, with first paths `excess`
  /// dB below.
  private static func ranges(
    _ count: Int, from first: Double, to last: Double, excess: ((Int) -> Double)? = nil
  ) -> [RangeMeasurement] {
    (0..<count).map { index in
      let level = first + (last - first) * Double(index) / Double(count - 1)
      return RangeMeasurement(
        time: instant(Double(index)), anchor: 0, distance: 5, rssi: level,
        firstPathRSSI: excess.map { level - $0(index) })
    }
  }

  private static func range(_ rssi: Double?, firstPath: Double? = nil) -> RangeMeasurement {
    RangeMeasurement(
      time: instant(0), anchor: 0, distance: 5, rssi: rssi, firstPathRSSI: firstPath)
  }

  /// -92 to -67 dBm in 1001 steps of 0.025 dB: the end levels are the quantiles 0.02 and 0.98.
  @Test func levelsFollowTheQuantilesOfTheRanges() throws {
    let curve = try #require(RSSIBiasCurve(over: Self.ranges(1001, from: -92, to: -67)))
    #expect(curve.levels.count == 9)
    for (place, level) in curve.levels.enumerated() {
      let share = 0.02 + 0.12 * Double(place)
      #expect(isClose(level, -92 + 25 * share, within: 0.03))
    }
    #expect(curve.biases == Array(repeating: 0, count: 9))
    #expect(curve.usualExcess == nil && curve.unknownCount == 9)
  }

  /// 2 dB in total, a quantile every 0.24 dB: every third one is 0.5 dB from the previous level.
  @Test func levelsKeepAMinimumDistance() throws {
    let curve = try #require(RSSIBiasCurve(over: Self.ranges(1001, from: -81, to: -79)))
    #expect(curve.levels.count == 3)
    for (lower, upper) in zip(curve.levels, curve.levels.dropFirst()) {
      #expect(upper - lower >= 0.5)
    }
  }

  @Test func returnsNilWithoutLevels() {
    #expect(RSSIBiasCurve(over: []) == nil)
    #expect(RSSIBiasCurve(over: Self.ranges(199, from: -90, to: -70)) == nil)
    // Almost equal levels, unmeasured levels, and levels below any receiver's sensitivity.
    #expect(RSSIBiasCurve(over: Self.ranges(1000, from: -80, to: -79.2)) == nil)
    for level in [nil, 0, 12, -300, Double.nan, -Double.infinity] {
      #expect(RSSIBiasCurve(over: Array(repeating: Self.range(level), count: 1000)) == nil)
    }
  }

  @Test func interpolatesLinearlyBetweenLevels() throws {
    let curve = try #require(RSSIBiasCurve(over: Self.ranges(1001, from: -92, to: -67)))
      .with(unknowns: [0.08, 0.07, 0.05, 0.04, 0.02, 0, -0.02, -0.05, -0.09])
    let levels = curve.levels
    #expect(isClose(curve.bias(of: Self.range(levels[2])), 0.05, within: 1e-15))
    let quarter = levels[2] + 0.25 * (levels[3] - levels[2])
    // 0.05 - 0.25 · 0.01
    #expect(isClose(curve.bias(of: Self.range(quarter)), 0.0475, within: 1e-12))
    // Beyond its ends the curve is constant.
    #expect(curve.bias(of: Self.range(-110)) == 0.08)
    #expect(curve.bias(of: Self.range(-20)) == -0.09)
    for level in [nil, 0, -300, Double.nan] { #expect(curve.bias(of: Self.range(level)) == 0) }
  }

  @Test func excessOverTheFirstPathCounts() throws {
    // Excesses of 2, 3 and 4 dB: 3 is usual.
    let ranges = Self.ranges(999, from: -92, to: -67) { 2 + Double($0 % 3) }
    let curve = try #require(RSSIBiasCurve(over: ranges))
    #expect(isClose(curve.usualExcess ?? .nan, 3, within: 1e-9))
    #expect(curve.unknownCount == 10)
    let sloped = curve.with(unknowns: Array(repeating: 0, count: 9) + [0.02])
    // 0.02 m/dB · (5 - 3) dB
    #expect(isClose(sloped.bias(of: Self.range(-80, firstPath: -85)), 0.04, within: 1e-9))
    #expect(isClose(sloped.bias(of: Self.range(-80, firstPath: -81)), -0.04, within: 1e-9))
    // A very weak first path, or an unknown one.
    #expect(isClose(sloped.bias(of: Self.range(-80, firstPath: -120)), 0.16, within: 1e-9))
    #expect(sloped.bias(of: Self.range(-80)) == 0)
    #expect(sloped.bias(of: Self.range(-80, firstPath: 0)) == 0)
  }

  @Test func contributionsAddUp() throws {
    let curve = try #require(RSSIBiasCurve(over: Self.ranges(500, from: -92, to: -67) { _ in 3 }))
    var generator = SeededGenerator(seed: 3301)
    let unknowns = (0..<curve.unknownCount).map { _ in generator.normal() }
    let filled = curve.with(unknowns: unknowns)
    #expect(filled.biases + [filled.slope] == unknowns)
    for _ in 0..<200 {
      let level = -79 + 8 * generator.normal()
      let range = Self.range(level, firstPath: level - 3 - generator.normal())
      var (sum, weight) = (0.0, 0.0)
      filled.forEachContribution(of: range) { place, share in
        sum += share * unknowns[place]
        if place < 9 { weight += share }
      }
      #expect(isClose(weight, 1, within: 1e-12), "seed 3301")
      #expect(isClose(filled.bias(of: range), sum, within: 1e-12), "seed 3301")
    }
  }

  /// Beside an anchor, a corrected range would be negative.
  @Test func correctedRangesStayPositive() throws {
    let curve = try #require(RSSIBiasCurve(over: Self.ranges(500, from: -92, to: -67)))
      .with(unknowns: Array(repeating: 0.1, count: 9))
    var near = Self.range(-80)
    near.distance = 0.08
    #expect(curve.corrected(near) == near)
    #expect(isClose(curve.corrected(Self.range(-80)).distance, 4.9, within: 1e-12))
    #expect(curve.corrected(Self.range(nil)) == Self.range(nil))
  }
}
