import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct LevelChangeTests {
  /// 1000 values of ±0.1 m with a step of 0.5 m at value 400.
  ///
  /// Medians are -0.1 or 0.1 and 0.4 or 0.6, so all values lie on their side of the middle between the
  /// levels, and the place is exact.
  @Test func anExactStepIsFoundExactly() throws {
    let values = (0..<1000).map { ($0 % 2 == 0 ? 0.1 : -0.1) + ($0 >= 400 ? 0.5 : 0) }
    let found = LevelChange.changes(of: values, falseAlarmRate: 0.001)
    let change = try #require(found.first)
    #expect(found.count == 1 && change.index == 400)
    #expect(isClose(change.size, 0.5, within: 0.21))
    #expect(change.probability < 1e-6)
  }

  /// Two levels without any scatter: 0 before value 100 of 160, 1 from it on.
  @Test func stepsWithoutScatterAreFound() throws {
    var values = (0..<160).map { $0 >= 100 ? 1.0 : 0 }
    let found = LevelChange.changes(of: values, falseAlarmRate: 0.001)
    #expect(found.map(\.index) == [100] && found.map(\.size) == [1])
    // Absent values count in the index, but not otherwise.
    values.insert(contentsOf: [.nan, .infinity, -.infinity], at: 50)
    #expect(LevelChange.changes(of: values, falseAlarmRate: 0.001).map(\.index) == [103])
  }

  /// The cumulative sum of eight medians 0 0 0 0 1 1 1 1 about 0.5 is -2 after four of them.
  ///
  /// They have no variance about their levels, so the probability is that of an infinite sum, 0.
  @Test func probabilitiesFollowTheBridge() throws {
    func split(_ medians: [Double]) throws -> (place: Int, probability: Double) {
      let values = medians.flatMap { [Double](repeating: $0, count: 5) }
      let batches = LevelChange.Batches(of: values, count: medians.count)
      #expect(batches.medians == medians)
      return try #require(batches.split(0..<medians.count))
    }
    let step = try split([0, 0, 0, 0, 1, 1, 1, 1])
    #expect(step.place == 4 && step.probability == 0)
    // Sums: -0.5 0 -0.5 0 ...: the first place with 0.5 is 1. After it, 1 0 1 0 1 0 1 has the mean 4/7
    // and the sum of squares 4 · 9/49 + 3 · 16/49 = 12/7; the products of neighbours are negative, so
    // no correlation is assumed. The variance is (12/7) / 6 = 2/7, and x² = 0.25 / (8 · 2/7) = 7/64.
    let alternating = try split([0, 1, 0, 1, 0, 1, 0, 1])
    #expect(alternating.place == 1)
    #expect(alternating.probability == 1)
    // 2 exp(-2 · 7/64) = 1.61 is above 1.
    let batches = LevelChange.Batches(of: [Double](repeating: 3, count: 40), count: 8)
    #expect(batches.split(0..<8) == nil)
  }

  @Test func shortSeriesHaveNoChange() {
    let values = (0..<79).map { $0 >= 40 ? 1.0 : 0 }
    #expect(LevelChange.changes(of: values, falseAlarmRate: 0.1).isEmpty)
    #expect(LevelChange.changes(of: [], falseAlarmRate: 0.1).isEmpty)
    #expect(LevelChange.changes(of: [.nan, 1], falseAlarmRate: 0.1).isEmpty)
  }

  /// Steps of 0.5 m in noise of 0.1 m with 5 % of outliers by 3 m: each is found within six values.
  @Test(.releaseOnly) func stepsInNoiseAreFound() throws {
    var generator = SeededGenerator(seed: 5001)
    for trial in 0..<repetitions(200, long: 2000) {
      let place = 200 + Int(generator.next() % 600)
      let step = generator.next() % 2 == 0 ? 0.5 : -0.5
      let values = (0..<1000).map { index in
        (index >= place ? step : 0) + 0.1 * generator.normal()
          + (generator.next() % 20 == 0 ? 3 : 0)
      }
      let found = LevelChange.changes(of: values, falseAlarmRate: 0.001)
      let change = try #require(found.first, "seed 5001, trial \(trial)")
      #expect(found.count == 1, "seed 5001, trial \(trial)")
      #expect(
        abs(change.index - place) <= 10, "seed 5001, trial \(trial): \(change.index), \(place)")
      #expect(isClose(change.size, step, within: 0.05), "seed 5001, trial \(trial)")
    }
  }

  /// The probability alone, without the conditions on size and shape, has the stated rate in independent
  /// noise: of 2000 series 20 are expected below 1 %, and more than 60 hardly ever.
  @Test(.releaseOnly) func probabilitiesHaveTheStatedRate() {
    var generator = SeededGenerator(seed: 5003)
    var alarms = 0
    for _ in 0..<2000 {
      let values = (0..<640).map { _ in generator.normal() }
      let split = LevelChange.Batches(of: values, count: 64).split(0..<64)
      if let split, split.probability <= 0.01 { alarms += 1 }
    }
    print("LevelChangeTests: \(alarms) of 2000 series of independent noise below 1 % (seed 5003)")
    #expect(alarms <= 60, "seed 5003")
  }

  /// Clean links give no alarm: independent noise, outliers, and errors that are correlated over up to a
  /// fortieth of the series.
  @Test(.releaseOnly, arguments: [0.0, 10, 50])
  func cleanSeriesGiveNoAlarm(correlatedOver steps: Double) {
    var generator = SeededGenerator(seed: 5004)
    var alarms = 0
    let count = repetitions(300, long: 3000)
    let factor = steps > 0 ? Double.exp(-1 / steps) : 0
    for _ in 0..<count {
      var error = generator.normal()
      let values = (0..<2000).map { _ -> Double in
        error = factor * error + (1 - factor * factor).squareRoot() * generator.normal()
        return error + 0.3 * generator.normal() + (generator.next() % 20 == 0 ? 10 : 0)
      }
      if !LevelChange.changes(of: values, falseAlarmRate: 0.001).isEmpty { alarms += 1 }
    }
    print("LevelChangeTests: \(alarms) alarms in \(count) series, \(steps) steps (seed 5004)")
    #expect(alarms <= count / 100, "seed 5004")
  }
}
