import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// What is called unique is within five of its own standard deviations of the truth.
@Suite struct VerdictCalibrationTests {
  /// The largest share of unique fixes that may be farther away.
  private let limit = 0.002

  @Test func fewUniqueFixesAreWrongWithAQuarterOfTheRangesWrong() throws {
    var (unique, wrong) = (0, 0)
    for layout in RandomEpoch.Layout.allCases {
      var generator = SeededGenerator(seed: 2620)
      let draws = repetitions(6000, long: 20_000)
      var counts = Counts()
      for _ in 0..<draws {
        counts.add(
          try Self.solve(
            RandomEpoch(layout, late: 0.4, early: 0.1, wrong: 0.25, using: &generator)))
      }
      print("\(layout), at most 25 % wrong: \(counts.text(of: draws))")
      unique += counts.unique
      wrong += counts.wrong
    }
    print("together: \(wrong) of \(unique)")
    #expect(Double(wrong) <= limit * Double(unique), "seed 2620: \(wrong) of \(unique)")
  }

  @Test(arguments: RandomEpoch.WeakLayout.allCases)
  func fewUniqueFixesAreWrongInWeakGeometry(_ layout: RandomEpoch.WeakLayout) throws {
    let seed = 2630 + UInt64(layout.rawValue.count)
    var generator = SeededGenerator(seed: seed)
    let draws = repetitions(500, long: 2000)
    var counts = Counts()
    for _ in 0..<draws { counts.add(try Self.solve(RandomEpoch(layout, using: &generator))) }
    print("\(layout), normal errors: \(counts.text(of: draws))")
    #expect(
      Double(counts.wrong) <= limit * Double(counts.unique), "seed \(seed): \(counts.wrong)")
  }

  /// Solves an epoch and counts the result.
  private static func solve(_ epoch: RandomEpoch) throws -> Counts {
    let fix = try Trilateration.solve(
      ranges: epoch.ranges, anchors: epoch.anchors, options: epoch.options)
    var counts = Counts()
    switch fix.verdict {
    case .unique:
      guard fix.undetermined.isEmpty else {
        counts.open = 1
        break
      }
      counts.unique = 1
      counts.wrong = epoch.isFar(fix) ? 1 : 0
    case .two, .several: counts.ambiguous = 1
    default: counts.other = 1
    }
    return counts
  }

  private struct Counts {
    var (unique, wrong, open, ambiguous, other) = (0, 0, 0, 0, 0)

    mutating func add(_ counts: Counts) {
      unique += counts.unique
      wrong += counts.wrong
      open += counts.open
      ambiguous += counts.ambiguous
      other += counts.other
    }

    func text(of draws: Int) -> String {
      "of \(draws) \(unique) unique, of these \(wrong) wrong; \(open) with an undetermined"
        + " direction, \(ambiguous) ambiguous, \(other) without verdict"
    }
  }
}
