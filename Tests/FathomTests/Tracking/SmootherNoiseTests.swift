import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Ranges that are noisier than a smoother was told.
@Suite(.releaseOnly) struct SmootherNoiseTests {
  private static func walk(_ sigma: Double) -> SimulatedWalk {
    var walk = SimulatedWalk(
      anchors: SimulatedWalk.room, path: SimulatedWalk.stroll, rate: 20, sigma: sigma)
    walk.correlatedShare = 0.4
    return walk
  }

  private static func smoothed(
    _ ranges: [SimulatedWalk.Range], told sigma: Double? = nil
  ) -> SmoothedTrack? {
    let measurements = ranges.map { range in
      var measurement = range.measurement
      measurement.sigma = sigma
      return measurement
    }
    return TrackSmoother(anchors: SimulatedWalk.room).smoothed(measurements)
  }

  /// Four times as noisy as assumed, the track is as good as it says nevertheless.
  ///
  /// The variance is 16 times as large; the track follows a part of it, and heavy tails take another.
  @Test func noiseIsFoundInTheResiduals() throws {
    var (squares, count) = (0.0, 0)
    for seed in UInt64(2761)...2768 {
      var generator = SeededGenerator(seed: seed)
      let ranges = Self.walk(0.4).ranges(to: 60, using: &generator)
      let track = try #require(Self.smoothed(ranges))
      #expect((5...16).contains(track.noiseFactor), "seed \(seed): \(track.noiseFactor)")
      for (estimate, range) in zip(track.estimates, ranges) {
        #expect(estimate.time == range.time)
        squares += try #require(estimate.normalizedSquare(of: range.truth)) / 3
        count += 1
      }
    }
    #expect((0.4...1.8).contains(squares / Double(count)), "\(squares / Double(count))")
  }

  @Test(arguments: [UInt64](2771...2776))
  func noiseAsAssumedIsNone(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let ranges = Self.walk(0.1).ranges(to: 60, using: &generator)
    #expect(try #require(Self.smoothed(ranges)).noiseFactor == 1, "seed \(seed)")
  }

  /// Ranges that say how good they are are believed, be they wrong.
  @Test func whatRangesSayThemselvesStays() throws {
    var generator = SeededGenerator(seed: 2781)
    let ranges = Self.walk(0.4).ranges(to: 30, using: &generator)
    #expect(try #require(Self.smoothed(ranges, told: 0.1)).noiseFactor == 1)
  }

  @Test func rangesWithoutNoiseAskForNone() throws {
    var generator = SeededGenerator(seed: 2791)
    let ranges = Self.walk(0).ranges(to: 10, using: &generator)
    #expect(try #require(Self.smoothed(ranges)).noiseFactor == 1)
  }
}
