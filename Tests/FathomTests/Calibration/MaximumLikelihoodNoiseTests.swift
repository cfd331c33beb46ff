import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Expectation maximisation on walks with known noise, compared with the search.
@Suite(.releaseOnly) struct MaximumLikelihoodNoiseTests {
  private static let walk = SimulatedWalk(
    anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)

  /// Smaller and larger noise than the assumed 0.1 m: there is no lower limit here.
  @Test(arguments: [0.03, 0.1, 0.3]) func findsTheRangeNoise(_ sigma: Double) throws {
    for seed in UInt64(2701)...2703 {
      var generator = SeededGenerator(seed: seed)
      var walk = Self.walk
      walk.sigma = sigma
      let ranges = walk.ranges(to: 60, using: &generator).map(\.measurement)
      let calibration = TrackerCalibration.calibrated(on: ranges, anchors: walk.anchors)
      let found = try #require(
        calibration.maximumLikelihoodNoise(on: ranges, anchors: walk.anchors))
      let errors = found.configuration.errors
      #expect(isClose(errors.sigma, sigma, within: 0.15 * sigma), "seed \(seed): \(errors.sigma)")
      let density = found.configuration.modes.motion.horizontalDensity
      #expect((0.1...1).contains(density), "seed \(seed): \(density)")
      #expect(found.isConverged, "seed \(seed)")
      #expect(found.logLikelihoods.first ?? 0 < found.logLikelihoods.last ?? 0)
      #expect(found.count > 2000 && found.count < ranges.count)
      // The search maximises the tracker's own likelihood.
      let own = TrackerCalibration.logLikelihood(
        of: calibration.configuration, on: ranges, anchors: walk.anchors)
      #expect(own.isFinite)
      if calibration.configuration.errors.sigma > 0.1 || sigma == 0.1 {
        let other = TrackerCalibration.logLikelihood(
          of: found.configuration, on: ranges, anchors: walk.anchors)
        #expect(own > other - 5, "seed \(seed): \(own) and \(other)")
      }
    }
  }

  /// One range in ten is too long by metres, all of them by 0.3 m: discounted ranges and the
  /// estimated bias do not count as noise.
  @Test(arguments: [UInt64](2711...2713)) func excludesBiasesAndOutliersFromNoise(_ seed: UInt64)
    throws
  {
    var generator = SeededGenerator(seed: seed)
    var ranges = Self.walk.ranges(to: 60, using: &generator).map(\.measurement)
    for index in ranges.indices {
      ranges[index].distance += 0.3
      if generator.uniform() < 0.1 { ranges[index].distance += generator.exponential(mean: 3) }
    }
    let calibration = TrackerCalibration.calibrated(on: ranges, anchors: Self.walk.anchors)
    #expect(isClose(calibration.bias, 0.3, within: 0.1), "seed \(seed): \(calibration.bias)")
    let found = try #require(
      calibration.maximumLikelihoodNoise(on: ranges, anchors: Self.walk.anchors))
    let sigma = found.configuration.errors.sigma
    #expect((0.07...0.16).contains(sigma), "seed \(seed): \(sigma)")
  }

  @Test func keepsAKnownHeight() throws {
    var generator = SeededGenerator(seed: 2721)
    var walk = Self.walk
    walk.path = SimulatedWalk.levelStroll
    let ranges = walk.ranges(to: 30, using: &generator).map(\.measurement)
    var level = Tracker.Configuration()
    level.height = 1.2
    let calibration = TrackerCalibration.calibrated(
      on: ranges, anchors: walk.anchors, from: level)
    let found = try #require(calibration.maximumLikelihoodNoise(on: ranges, anchors: walk.anchors))
    #expect(isClose(found.configuration.errors.sigma, 0.1, within: 0.015))
    #expect(found.configuration.height == 1.2)
  }

  @Test func returnsNilWithoutATrack() {
    let calibration = TrackerCalibration(configuration: Tracker.Configuration())
    #expect(calibration.maximumLikelihoodNoise(on: [], anchors: Self.walk.anchors) == nil)
    var generator = SeededGenerator(seed: 2731)
    let lonely = Self.walk.ranges(to: 20, using: &generator).map(\.measurement).filter {
      $0.anchor == 0
    }
    #expect(calibration.maximumLikelihoodNoise(on: lonely, anchors: Self.walk.anchors) == nil)
    let nothing = TrackerCalibration.logLikelihood(
      of: Tracker.Configuration(), on: lonely, anchors: Self.walk.anchors)
    #expect(nothing == -.infinity)
  }
}
