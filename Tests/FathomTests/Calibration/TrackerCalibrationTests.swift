import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Calibration on walks with known settings.
@Suite(.releaseOnly) struct TrackerCalibrationTests {
  private static let walk = SimulatedWalk(
    anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)

  @Test(arguments: [UInt64](2601...2605))
  func findsABias(_ seed: UInt64) {
    expectCommon(bias: 0.2, scale: 1, seed: seed)
  }

  @Test(arguments: [UInt64](2611...2615))
  func findsAScale(_ seed: UInt64) {
    expectCommon(bias: 0, scale: 1.06, seed: seed)
  }

  private func expectCommon(bias: Double, scale: Double, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var ranges = Self.walk.ranges(to: 60, using: &generator)
    for index in ranges.indices { ranges[index].distance = scale * ranges[index].distance + bias }
    let found = TrackerCalibration.calibrated(
      on: ranges.map(\.measurement), anchors: Self.walk.anchors)
    // The total error at the occurring distances, about 5 m.
    let error = found.bias + 5 * found.scale - bias - 5 * (scale - 1)
    #expect(error.magnitude < 0.1, "seed \(seed): \(found.bias), \(found.scale)")
  }

  @Test(arguments: [UInt64](2621...2640))
  func findsNoBiasWithoutOne(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let ranges = Self.walk.ranges(to: 60, using: &generator)
    let found = TrackerCalibration.calibrated(
      on: ranges.map(\.measurement), anchors: Self.walk.anchors)
    #expect(found.bias.magnitude < 0.05 && found.scale == 0, "seed \(seed): \(found.bias)")
    #expect(
      isClose(found.configuration.errors.sigma, 0.1, within: 0.02),
      "seed \(seed): \(found.configuration.errors.sigma)")
  }

  /// Noise of 0.4 m where 0.1 m was assumed; the search has steps of 1.5.
  ///
  /// By default the tracker's own noise scale absorbs most of it, so that the settings alone show less
  /// than the true noise; with the scale they show it.
  @Test(arguments: [UInt64](2641...2645))
  func findsLargerNoise(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var walk = Self.walk
    walk.sigma = 0.4
    let ranges = walk.ranges(to: 60, using: &generator).map(\.measurement)
    var plain = Tracker.Configuration()
    plain.calibratesCovariance = false
    let found = TrackerCalibration.calibrated(on: ranges, anchors: walk.anchors, from: plain)
    // With tails of four degrees of freedom, the scale of normal errors is smaller.
    let sigma = found.configuration.errors.sigma
    #expect(sigma > 0.2 && sigma < 0.8, "seed \(seed): \(sigma)")
    let usual = TrackerCalibration.calibrated(on: ranges, anchors: walk.anchors).configuration
    var tracker = try Tracker(anchors: walk.anchors, configuration: usual)
    let factors = ranges.map { range in
      _ = tracker.update(range)
      return tracker.noiseFactor
    }
    let factor = factors.suffix(1000).reduce(0, +) / 1000
    let total = usual.errors.sigma * factor.squareRoot()
    #expect(total > 0.2 && total < 0.8, "seed \(seed): \(total)")
  }

  /// Assumed error variance that does not show between ranges is correlated, and half of it is
  /// common-mode error.
  ///
  /// The total variance is preserved. Noise closer to the assumed one is attributed to the links.
  @Test(arguments: [UInt64](2646...2648))
  func smallScatterMeansCommonModeError(_ seed: UInt64) {
    for (sigma, isDrift) in [(0.02, true), (0.06, false), (0.1, false)] {
      var generator = SeededGenerator(seed: seed)
      var walk = Self.walk
      walk.sigma = sigma
      let ranges = walk.ranges(to: 60, using: &generator).map(\.measurement)
      let errors = TrackerCalibration.calibrated(
        on: ranges, anchors: walk.anchors, isSigmaKnown: true
      ).configuration.errors
      // The root of half of (0.1 m)².
      let expected = isDrift ? (0.005.squareRoot(), 0.005.squareRoot()) : (0.1, 0.05)
      #expect(isClose(errors.sigma, expected.0, within: 1e-12), "seed \(seed), noise \(sigma)")
      #expect(
        isClose(errors.commonModeSigma, expected.1, within: 1e-12), "seed \(seed), noise \(sigma)")
      var driftless = Tracker.Configuration()
      driftless.errors.commonModeSigma = 0
      let none = TrackerCalibration.calibrated(on: ranges, anchors: walk.anchors, from: driftless)
      #expect(none.configuration.errors.commonModeSigma == 0)
    }
  }

  /// Random accelerations of 0.5 and of 2 (m/s²)/√Hz, found within a factor of two; one of the two
  /// modes is in that range.
  @Test(arguments: [(0.5, UInt64(2651)), (0.5, 2652), (2, 2653), (2, 2654)])
  func findsTheDensityWithinAFactorOfTwo(_ density: Double, _ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let ranges = RandomFlight(density: density, sigma: 0.1).ranges(to: 60, using: &generator)
      .map(\.measurement)
    for processNoiseRatio in [1, MotionModes().processNoiseRatio] {
      var configuration = Tracker.Configuration()
      configuration.modes.processNoiseRatio = processNoiseRatio
      let found = TrackerCalibration.calibrated(
        on: ranges, anchors: RandomFlight.anchors, from: configuration)
      let modes = found.configuration.modes
      let ratios = [modes.lowNoise, modes.highNoise].map { $0.horizontalDensity / density }
      #expect(ratios.contains { $0 > 0.5 && $0 < 2 }, "seed \(seed): \(ratios)")
    }
  }

  /// The ranges of precise radios show their noise of a centimetre.
  @Test(arguments: [UInt64](2671...2673))
  func findsSmallerNoise(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var walk = Self.walk
    walk.sigma = 0.01
    let ranges = walk.ranges(to: 60, using: &generator).map(\.measurement)
    let found = TrackerCalibration.calibrated(on: ranges, anchors: walk.anchors)
    let sigma = found.configuration.errors.sigma
    #expect(sigma > 0.005 && sigma < 0.03, "seed \(seed): \(sigma)")
  }

  /// The errors of an anchor that stay for a minute are found as such, white noise is not.
  @Test(arguments: [UInt64](2681...2683))
  func findsWhatLasts(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var walk = Self.walk
    walk.sigma = 0.05
    walk.path = { _ in Vector([3, 4, 1.2]) }
    let ranges = walk.ranges(
      to: 120, offsets: [0.1, -0.1, 0.1, -0.1, 0.1, -0.1], using: &generator
    ).map(\.measurement)
    let persistent = TrackerCalibration.calibrated(on: ranges, anchors: walk.anchors)
    // These signs are all contradiction, none displacement, so that they look larger than they are.
    #expect(
      isClose(persistent.configuration.errors.persistentSigma, 0.15, within: 0.06),
      "seed \(seed): \(persistent.configuration.errors.persistentSigma)")
    let white = walk.ranges(to: 120, using: &generator).map(\.measurement)
    let other = TrackerCalibration.calibrated(on: white, anchors: walk.anchors)
    #expect(
      other.configuration.errors.persistentSigma < 0.02,
      "seed \(seed): \(other.configuration.errors.persistentSigma)")
  }

  @Test func keepsGivenBiases() {
    var generator = SeededGenerator(seed: 2661)
    var configuration = Tracker.Configuration()
    configuration.errors.biasSigma = 0.1
    let found = TrackerCalibration.calibrated(
      on: Self.walk.ranges(to: 20, using: &generator).map(\.measurement),
      anchors: Self.walk.anchors, from: configuration)
    #expect(found.configuration.errors.biasSigma == 0.1 && found.bias == 0)
    #expect(TrackerCalibration(configuration: configuration).configuration == configuration)
  }

  @Test func keepsTheSettingsWithoutAPosition() {
    let found = TrackerCalibration.calibrated(on: [], anchors: Self.walk.anchors)
    #expect(found == TrackerCalibration(configuration: Tracker.Configuration()))
    let lonely = (0..<100).map {
      RangeMeasurement(time: instant(0.1 * Double($0)), anchor: 0, distance: 3 + 0.01 * Double($0))
    }
    let other = TrackerCalibration.calibrated(on: lonely, anchors: Self.walk.anchors)
    #expect(other.configuration == Tracker.Configuration() && other.bias == 0)
  }
}
