import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct LinkQualityTests {
  private func tenths(_ count: Int) -> Timestamp {
    Timestamp(nanoseconds: Int64(count) * 100_000_000)
  }

  /// The lesser of both: a clean link that contradicts the track has the score of its agreement.
  @Test func scoreIsAtMostTheConsistentShare() {
    #expect(LinkQuality.score(0.94, consistent: 0) == 0)
    #expect(LinkQuality.score(0.94, consistent: 0.5) == 0.5)
    #expect(LinkQuality.score(0.25, consistent: 0.9) == 0.25)
    #expect(LinkQuality.score(0.94, consistent: nil) == 0.94)
    #expect(LinkQuality.score(nil, consistent: 0.5) == nil)
  }

  @Test func steadyLinkHasNoLoss() throws {
    var estimator = LinkQualityEstimator(window: 5)
    for index in 0..<100 {
      // Constant rate, with a zigzag of ±0.04 m.
      let zigzag = index % 2 == 0 ? 0.04 : -0.04
      estimator.record(2 + 0.1 * Double(index) + zigzag, at: tenths(index))
    }
    let quality = estimator.quality(at: tenths(99))
    #expect(isClose(try #require(quality.rate), 10, within: 1e-9))
    #expect(quality.loss == 0)
    #expect(quality.hold == 0)
    // Relative to the line between its neighbours each range deviates by 0.08 m, divided by √1.5.
    let spread = 1.4826 * 0.08 / 1.5.squareRoot()
    #expect(isClose(try #require(quality.spread), spread, within: 1e-9))
    #expect(
      isClose(try #require(quality.score), 1 / (1 + spread * spread / 0.09), within: 1e-9))
  }

  @Test func countsMissingRangesByTheLinksInterval() throws {
    for stretch in [1, 10] {
      var estimator = LinkQualityEstimator(window: 60)
      // Instants 0 ... 49 without every fifth (4, 9 ... 49): 40 ranges, 9 missing between them.
      for index in 0..<50 where index % 5 != 4 {
        estimator.record(3 + Double(index % 3), at: tenths(index * stretch))
      }
      let quality = estimator.quality(at: tenths(48 * stretch))
      #expect(isClose(try #require(quality.loss), 9 / 49, within: 1e-12))
      #expect(isClose(try #require(quality.rate), 39 / 4.8 / Double(stretch), within: 1e-9))
      // At instant 51 the ranges 49 and 50 are missing too; 51 is not yet overdue.
      let later = estimator.quality(at: tenths(51 * stretch))
      #expect(isClose(try #require(later.loss), 11 / 51, within: 1e-12))
    }
  }

  @Test func countsSilenceBeforeTheFirstRangeAsLoss() throws {
    var estimator = LinkQualityEstimator(window: 5)
    estimator.record(3, at: tenths(0))
    for index in 80..<90 { estimator.record(3 + Double(index % 3), at: tenths(index)) }
    // The window extends back to 3.9 s; its first range is at 8 s: 41 intervals, 40 missing.
    let quality = estimator.quality(at: tenths(89))
    #expect(isClose(try #require(quality.loss), 40 / 50, within: 1e-12))
    // A link that has just started has no loss.
    var fresh = LinkQualityEstimator(window: 5)
    for index in 80..<90 { fresh.record(3 + Double(index % 3), at: tenths(index)) }
    #expect(fresh.quality(at: tenths(89)).loss == 0)
  }

  @Test func repeatsRaiseHoldAndKeepTheSpread() throws {
    var generator = SeededGenerator(seed: 101)
    var estimator = LinkQualityEstimator(window: 60)
    var distance = 0.0
    for index in 0..<450 {
      if index % 3 == 0 { distance = 5 + 0.1 * generator.normal() }
      estimator.record(distance, at: tenths(index))
    }
    let quality = estimator.quality(at: tenths(449))
    // 149 changes in 449 pairs.
    #expect(isClose(try #require(quality.hold), 300 / 449, within: 1e-12))
    // 150 values: standard error of a median deviation 1.17/√150, 10 %, and more for correlation.
    #expect(isClose(try #require(quality.spread), 0.1, within: 0.03))
  }

  @Test func spreadMeasuresNoiseDespiteMotionAndOutliers() throws {
    var generator = SeededGenerator(seed: 102)
    var estimator = LinkQualityEstimator(window: 1000, capacity: 2000)
    var time = Timestamp(nanoseconds: 0)
    for index in 0..<2000 {
      time = time.advanced(bySeconds: generator.uniform(in: 0.02...0.2))
      let outlier = index % 50 == 0 ? 8.0 : 0
      let distance = 3 + 1.5 * time.seconds + 0.1 * generator.normal() + outlier
      estimator.record(distance, at: time)
    }
    // 2000 residuals: standard error 2.6 %, and more for correlation. Outliers affect 6 % of the
    // residuals, which shifts the median by 6 %.
    let spread = try required(estimator.quality(at: time).spread)
    #expect(spread > 0.095 && spread < 0.115)
  }

  @Test func repeatingLinkScoresZero() {
    var estimator = LinkQualityEstimator()
    for index in 0..<20 { estimator.record(3, at: tenths(index)) }
    let quality = estimator.quality(at: tenths(19))
    #expect(quality.hold == 1)
    #expect(quality.spread == nil)
    #expect(quality.score == 0)
  }

  @Test func unknownValuesAreNil() {
    var estimator = LinkQualityEstimator()
    #expect(estimator.quality(at: tenths(0)) == LinkQuality())
    for index in 0..<4 {
      estimator.record(3 + Double(index % 2), at: tenths(index))
      let quality = estimator.quality(at: tenths(index))
      #expect((quality.rate == nil) == (index == 0))
      #expect(quality.loss == nil && quality.hold == nil)
      #expect(quality.spread == nil && quality.score == nil)
    }
    estimator.record(3, at: tenths(4))
    let quality = estimator.quality(at: tenths(4))
    #expect(quality.loss == 0 && quality.hold == 0 && quality.spread != nil && quality.score != nil)
    // One instant only: no rate and no interval.
    var instant = LinkQualityEstimator()
    for index in 0..<10 { instant.record(3 + Double(index % 2), at: tenths(0)) }
    #expect(instant.quality(at: tenths(0)).rate == nil)
    #expect(instant.quality(at: tenths(0)).loss == nil)
    #expect(instant.quality(at: tenths(0)).spread != nil)
  }

  @Test func rejectsAbsentAndLateDistances() {
    var plain = LinkQualityEstimator()
    var disturbed = LinkQualityEstimator()
    for index in 0..<40 {
      plain.record(3 + Double(index % 3), at: tenths(index))
      for absent in [nil, Double.nan, .infinity, -1, 0] {
        disturbed.record(absent, at: tenths(index))
      }
      disturbed.record(3 + Double(index % 3), at: tenths(index))
      disturbed.record(9, at: tenths(index - 1))
      #expect(plain.quality(at: tenths(index)) == disturbed.quality(at: tenths(index)))
    }
  }

  @Test func resetsAfterAClockStepBack() {
    var used = LinkQualityEstimator()
    var fresh = LinkQualityEstimator()
    for index in 1000..<1040 { used.record(3 + Double(index % 3), at: tenths(index)) }
    for index in 0..<20 {
      used.record(4 + Double(index % 2), at: tenths(index))
      fresh.record(4 + Double(index % 2), at: tenths(index))
      #expect(used.quality(at: tenths(index)) == fresh.quality(at: tenths(index)))
    }
  }

  /// Compares with a direct computation from a list of all ranges, with sorting.
  @Test(arguments: [(1.0, 512), (5.0, 512), (5.0, 8), (0.3, 16)])
  func agreesWithTheDefinition(_ window: Double, _ capacity: Int) throws {
    func lowerMedian(_ values: [Double]) -> Double { values.sorted()[(values.count - 1) / 2] }
    var generator = SeededGenerator(seed: 103)
    var estimator = LinkQualityEstimator(window: window, capacity: capacity)
    var all: [(time: Timestamp, distance: Double)] = []
    var now = Timestamp(nanoseconds: 0)
    var known = 0
    for _ in 0..<2000 {
      let draw = generator.uniform()
      if draw > 0.1 { now = now.advanced(bySeconds: generator.exponential(mean: 0.05)) }
      if draw > 0.998 { now = now.advanced(bySeconds: 2 * window) }
      let distance =
        draw > 0.3 || all.isEmpty ? generator.uniform(in: 3...4) : all[all.count - 1].distance
      all.append((now, distance))
      estimator.record(distance, at: now)

      let fresh = all.filter { now.seconds(since: $0.time) <= window }.suffix(capacity)
      let older = all.dropLast(fresh.count).last
      let times = fresh.map(\.time)
      let quality = estimator.quality(at: now)
      let intervals = zip(times.dropFirst(), times).map { $0.seconds(since: $1) }.filter { $0 > 0 }
      if fresh.count >= 5, intervals.count >= 4 {
        let usual = lowerMedian(intervals)
        var gaps = intervals
        if let older {
          let first = times[0]
          gaps.append(min(first.seconds(since: older.time), window - now.seconds(since: first)))
        }
        let missing = gaps.reduce(0) { $0 + max(($1 / usual).rounded() - 1, 0) }
        let expected = missing / (missing + Double(intervals.count + 1))
        #expect(isClose(try #require(quality.loss), expected, within: 1e-12))
        known += 1
      } else {
        #expect(quality.loss == nil)
      }
      guard fresh.count >= 5 else { continue }
      let distances = fresh.map(\.distance)
      let repeats = zip(distances.dropFirst(), distances).filter { $0 == $1 }.count
      #expect(quality.hold == Double(repeats) / Double(distances.count - 1))
      var changed: [(time: Timestamp, distance: Double)] = []
      for range in fresh where range.distance != changed.last?.distance { changed.append(range) }
      if changed.count >= 5 {
        let residuals = (1..<changed.count - 1).map { index in
          let (a, b, c) = (changed[index - 1], changed[index], changed[index + 1])
          let span = c.time.seconds(since: a.time)
          let u = span > 0 ? b.time.seconds(since: a.time) / span : 0.5
          let residual = b.distance - (1 - u) * a.distance - u * c.distance
          return (residual * residual / (1 + u * u + (1 - u) * (1 - u))).squareRoot()
        }
        let expected = 1.4826 * lowerMedian(residuals)
        #expect(isClose(try #require(quality.spread), expected, within: 1e-12))
        #expect((0...1).contains(quality.score ?? 0))
      } else {
        #expect(quality.spread == nil)
      }
    }
    #expect(known > 100)
  }

  @Test func extremeInputsGiveFiniteResults() {
    var generator = SeededGenerator(seed: 104)
    let distances = [.leastNonzeroMagnitude, 1, 7, 1e9, 3.4e38]
    let steps: [Int64] = [0, 1, 1, 1000, 100_000_000, .max / 4]
    for window in [1e-9, 5, 1e300] {
      var estimator = LinkQualityEstimator(window: window, capacity: 16)
      var time = Timestamp(nanoseconds: .min)
      for _ in 0..<3000 {
        let step = steps[Int(generator.next() % UInt64(steps.count))]
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(step)
        time.nanoseconds = overflow ? .min : sum
        estimator.record(distances[Int(generator.next() % UInt64(distances.count))], at: time)
        let quality = estimator.quality(at: time)
        for value in [quality.rate, quality.loss, quality.spread, quality.hold, quality.score] {
          #expect((value ?? 0).isFinite && (value ?? 0) >= 0)
        }
        #expect((quality.score ?? 0) <= 1 && (quality.loss ?? 0) <= 1)
      }
    }
  }
}
