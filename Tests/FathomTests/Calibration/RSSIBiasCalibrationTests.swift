import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// RSSI-dependent range biases, estimated from the ranges.
@Suite(.releaseOnly) struct RSSIBiasCalibrationTests {
  private static let walk: SimulatedWalk = {
    var walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
    walk.sigma = 0.05
    walk.correlatedShare = 0.5
    return walk
  }()

  /// A range, and the true position of the tag.
  private struct Sample {
    var measurement: RangeMeasurement
    var truth: Vector<3>
  }

  /// Two minutes of a walk.
  ///
  /// The signal of each link fades individually by several dB as the tag turns, and `bias` of the
  /// level is added to the ranges.
  private static func samples(
    _ generator: inout SeededGenerator, bias: (Double) -> Double
  ) -> [Sample] {
    walk.ranges(to: 120, using: &generator).map { range in
      let turn = 0.15 * range.time.seconds + 1.7 * Double(range.anchor)
      let spread = 10 * Double.log10(range.distance / 5)
      let level = -80 + 5 * Double.sin(turn) - 2 * spread + generator.normal()
      var measurement = range.measurement
      measurement.rssi = level
      measurement.firstPathRSSI = level - 3 - 0.5 * generator.normal().magnitude
      measurement.distance = max(0.01, measurement.distance + bias(level))
      return Sample(measurement: measurement, truth: range.truth)
    }
  }

  /// Typical of radios: +8 cm at -89 dBm, zero at -77 dBm, -6 cm at -70 dBm.
  private static func late(_ level: Double) -> Double { -0.09 * Double.tanh((level + 77) / 8) }

  private static func calibrated(_ samples: [Sample]) -> (TrackerCalibration, TrackerCalibration) {
    let ranges = samples.map(\.measurement)
    let plain = TrackerCalibration.calibrated(on: ranges, anchors: walk.anchors)
    return (plain, plain.withRSSIBiasCurve(on: ranges, anchors: walk.anchors))
  }

  /// Sums of squared errors of a tracker and a smoother, m².
  private static func squares(
    _ samples: [Sample], _ calibration: TrackerCalibration
  ) throws -> (tracker: Double, smoother: Double) {
    let ranges = samples.map {
      calibration.rssiBiasCurve?.corrected($0.measurement) ?? $0.measurement
    }
    var tracker = try Tracker(anchors: walk.anchors, configuration: calibration.configuration)
    let track = try #require(
      try TrackSmoother(anchors: walk.anchors, configuration: calibration.configuration)
        .smoothed(ranges))
    var sums = (tracker: 0.0, smoother: 0.0)
    for (range, truth) in zip(ranges, samples.map(\.truth)) where range.time.seconds > 3 {
      let smoothed = try #require(track.estimate(at: range.time)).position - truth
      sums.smoother += smoothed.dot(smoothed)
    }
    for (range, truth) in zip(ranges, samples.map(\.truth)) {
      _ = tracker.update(distance: range.distance, anchor: range.anchor, at: range.time)
      guard range.time.seconds > 3 else { continue }
      let tracked = try #require(tracker.estimate(at: range.time)).position - truth
      sums.tracker += tracked.dot(tracked)
    }
    return sums
  }

  @Test func findsACurveThatImprovesTracks() throws {
    var (before, after) = ((tracker: 0.0, smoother: 0.0), (tracker: 0.0, smoother: 0.0))
    var count = 0
    for seed in UInt64(3311)...3316 {
      var generator = SeededGenerator(seed: seed)
      let samples = Self.samples(&generator, bias: Self.late)
      let (plain, found) = Self.calibrated(samples)
      // Not every walk determines the curve.
      guard let curve = found.rssiBiasCurve else { continue }
      count += 1
      #expect(found.rssiBiasEvidence > 10)
      func read(_ level: Double) -> Double {
        curve.bias(of: RangeMeasurement(time: instant(0), anchor: 0, distance: 5, rssi: level))
      }
      // A constant over all levels is indistinguishable from a bias, so only differences count. The
      // prior of the curve draws them towards zero.
      let share = (read(-86) - read(-74)) / (Self.late(-86) - Self.late(-74))
      #expect((0.4...1.2).contains(share), "seed \(seed): \(share)")
      let (without, with) = (try Self.squares(samples, plain), try Self.squares(samples, found))
      before.tracker += without.tracker
      before.smoother += without.smoother
      after.tracker += with.tracker
      after.smoother += with.smoother
    }
    #expect(count >= 5)
    #expect(after.tracker < 0.8 * before.tracker, "\(before), \(after)")
    #expect(after.smoother < 0.6 * before.smoother, "\(before), \(after)")
  }

  @Test(arguments: [UInt64](3321...3326))
  func changesNothingWithoutABias(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let (plain, found) = Self.calibrated(Self.samples(&generator) { _ in 0 })
    #expect(found == plain, "seed \(seed): \(found.rssiBiasEvidence)")
  }

  @Test func ignoresRangesWithoutLevels() {
    var generator = SeededGenerator(seed: 3331)
    let samples = Self.samples(&generator, bias: Self.late).map {
      Sample(
        measurement: RangeMeasurement(
          time: $0.measurement.time, anchor: $0.measurement.anchor,
          distance: $0.measurement.distance), truth: $0.truth)
    }
    let (plain, found) = Self.calibrated(samples)
    #expect(found == plain)
  }

  /// The values and the cost are those of normal densities.
  ///
  /// The smoother's standard deviations must therefore be consistent, and the prior must remain
  /// where no range adds information.
  @Test func smootherFindsTheCurve() throws {
    var (squares, count) = (0.0, 0)
    for seed in UInt64(3341)...3346 {
      var generator = SeededGenerator(seed: seed)
      let ranges = Self.samples(&generator) { -0.004 * ($0 + 80) }.map(\.measurement)
      let smoother = try TrackSmoother(anchors: Self.walk.anchors)
      let found = try #require(smoother.signals(in: ranges))
      #expect(found.cost > 0, "seed \(seed)")
      let curve = found.curve
      let mean = curve.biases.reduce(0, +) / Double(curve.biases.count)
      let middle = curve.levels.reduce(0, +) / Double(curve.levels.count)
      for (level, bias) in zip(curve.levels, curve.biases) {
        let error = (bias - mean) + 0.004 * (level - middle)
        squares += error * error
        count += 1
      }
      #expect(curve.slope.magnitude < 0.01, "seed \(seed): \(curve.slope)")
    }
    // Between the levels the truth differs by 2 cm from either end to the middle.
    #expect((squares / Double(count)).squareRoot() < 0.012, "\(squares), \(count)")
  }
}
