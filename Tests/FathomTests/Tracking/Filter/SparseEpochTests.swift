import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Tracks after gaps, and epochs too far apart for one track.
@Suite struct SparseEpochTests {
  private static let anchors = SimulatedWalk.room
  private static let height = 1.2

  enum Kind: CaseIterable { case ranges, differences }

  private static func position(at seconds: Double) -> Vector<3> {
    Vector([4 + 2 * sinePosition(0.21 * seconds), 3 + 1.5 * sinePosition(0.17 * seconds), height])
  }

  private static func sinePosition(_ angle: Double) -> Double {
    // A triangle wave: smooth enough for a walk, and exact.
    let phase = angle / 4 - (angle / 4).rounded(.down)
    return 4 * (phase - 0.5).magnitude - 1
  }

  /// Measurements of the first `count` anchors at every time.
  private static func measurements(
    _ kind: Kind, count: Int, at times: [Double], using generator: inout SeededGenerator
  ) -> [[TimedMeasurement]] {
    times.map { seconds in
      let tag = position(at: seconds)
      let distances = anchors.prefix(count).map {
        (tag - $0.position).length + 0.05 * generator.normal()
      }
      let time = instant(seconds)
      switch kind {
      case .ranges:
        return distances.indices.map {
          .range(RangeMeasurement(time: time, anchor: $0, distance: distances[$0]))
        }
      case .differences:
        return distances.indices.dropFirst().map {
          .difference(
            TimedDifference(
              time: time, first: $0, second: 0, difference: distances[$0] - distances[0]))
        }
      }
    }
  }

  /// Returns the share of epochs after which the track has a position of their time within a metre.
  private static func tracked(
    _ kind: Kind, count: Int, at times: [Double], seed: UInt64
  ) throws -> Double {
    var generator = SeededGenerator(seed: seed)
    var configuration = TrackerConfiguration()
    configuration.height = height
    configuration.usesDifferences = kind == .differences
    var tracker = try Tracker(anchors: anchors, configuration: configuration)
    var found = 0
    for (seconds, epoch) in zip(
      times, measurements(kind, count: count, at: times, using: &generator))
    {
      for measurement in epoch { tracker.update(measurement) }
      guard let estimate = tracker.estimate(at: instant(seconds)), estimate.status != .coasting
      else { continue }
      if (estimate.position - position(at: seconds)).length < 1 { found += 1 }
    }
    return Double(found) / Double(times.count)
  }

  /// A track that ends in a gap starts again with the first epoch after it.
  @Test(arguments: Kind.allCases, [1.0, 3, 5, 60])
  func aTrackReturnsAfterAGap(_ kind: Kind, _ gap: Double) throws {
    let times = (0..<300).map { 0.1 * Double($0) + gap * Double($0 / 50) }
    let share = try Self.tracked(kind, count: 4, at: times, seed: 4801)
    #expect(share >= 0.98)
  }

  /// Epochs give positions however far they are apart.
  @Test(arguments: Kind.allCases, [0.1, 1, 4, 60, 600])
  func sparseEpochsGivePositions(_ kind: Kind, _ interval: Double) throws {
    let times = (0..<100).map { interval * Double($0) }
    let share = try Self.tracked(kind, count: 4, at: times, seed: 4802)
    #expect(share >= 0.98)
  }

  /// Epochs with as many measurements as unknowns give positions too, from the second one on.
  @Test(arguments: Kind.allCases, [4.0, 60, 600])
  func fewMeasurementsAnEpochAreEnough(_ kind: Kind, _ interval: Double) throws {
    let times = (0..<100).map { interval * Double($0) }
    let share = try Self.tracked(kind, count: 3, at: times, seed: 4803)
    #expect(share >= 0.98)
  }
}
