import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Range biases that are estimated before tracking.
@Suite(.releaseOnly) struct BiasCorrectionsTests {
  private static let walk = SimulatedWalk(
    anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
  /// All anchors on one wall, so that a bias acts like a distance from it; at a known height.
  private static let beside = SimulatedWalk(
    anchors: [0.0, 3, 6, 8].enumerated().map { index, y in
      Anchor(position: Vector([0.3 * Double(index % 2), y, 0.5 + 0.7 * Double(index)]))
    }, path: SimulatedWalk.levelStroll)

  /// The sum of squared errors in m² of a tracker with `calibration` over `ranges`, from the given
  /// time on, where it has a position.
  private static func squares(
    _ ranges: [SimulatedWalk.Range], of anchors: [Anchor], _ calibration: TrackerCalibration,
    from start: Double
  ) -> Double {
    var tracker = Tracker(
      anchors: calibration.corrected(anchors), configuration: calibration.configuration)
    return ranges.reduce(0.0) { sum, range in
      tracker.update(range)
      guard range.time.seconds > start, let estimate = tracker.estimate(at: range.time) else {
        return sum
      }
      let error = estimate.position - range.truth
      return sum + error.dot(error)
    }
  }

  private static func biased(
    _ walk: SimulatedWalk, _ bias: Double, scale: Double, to end: Double,
    using generator: inout SeededGenerator
  ) -> [SimulatedWalk.Range] {
    var ranges = walk.ranges(to: end, using: &generator)
    for index in ranges.indices { ranges[index].distance = scale * ranges[index].distance + bias }
    return ranges
  }

  /// A filter that starts with the bias is accurate from the first second.
  @Test func subtractsTheBiasFromTheStart() {
    var (with, without) = (0.0, 0.0)
    for seed in UInt64(2691)...2698 {
      var generator = SeededGenerator(seed: seed)
      let ranges = Self.biased(
        Self.beside, 0.3, scale: 1.03, to: 60, using: &generator)
      let measurements = ranges.map(\.measurement)
      let plain = TrackerCalibration.calibrated(
        on: measurements, anchors: Self.beside.anchors, from: .withHeight(1.2))
      let found = plain.withCorrections(on: measurements, anchors: Self.beside.anchors)
      #expect(plain.isBiased && plain.bias == 0 && plain.scale == 0, "seed \(seed)")
      let sigma = found.configuration.errors.biasSigma
      #expect(sigma > 0 && sigma < plain.configuration.errors.biasSigma, "seed \(seed): \(sigma)")
      // The total error at the occurring distances, 2 to 9 m: each value alone is less certain.
      #expect(
        isClose(found.bias + 5 * found.scale, 0.3 + 5 * 0.03, within: 0.1),
        "seed \(seed): \(found.bias), \(found.scale)")
      let beginning = Array(ranges.prefix { $0.time.seconds < 6 })
      with += Self.squares(beginning, of: Self.beside.anchors, found, from: 1)
      without += Self.squares(beginning, of: Self.beside.anchors, plain, from: 1)
    }
    #expect(with < 0.6 * without, "\(with), \(without)")
  }

  /// The tracker's errors match its covariance, although it processes the same ranges again.
  @Test func reusedRangesDoNotReduceTheCovariance() {
    var squares: [Double] = []
    for seed in UInt64(2701)...2720 {
      var generator = SeededGenerator(seed: seed)
      let ranges = Self.biased(Self.walk, 0.2, scale: 1, to: 40, using: &generator)
      let measurements = ranges.map(\.measurement)
      let found = TrackerCalibration.calibrated(on: measurements, anchors: Self.walk.anchors)
        .withCorrections(on: measurements, anchors: Self.walk.anchors)
      var tracker = Tracker(
        anchors: found.corrected(Self.walk.anchors), configuration: found.configuration)
      for range in ranges { tracker.update(range) }
      guard let bias = tracker.bias.map({ found.whole(bias: $0) }) else { continue }
      let error = (bias.value - 0.2) / bias.sigma
      squares.append(error * error)
    }
    #expect(squares.count == 20)
    let mean = squares.reduce(0, +) / Double(squares.count)
    #expect(mean < 2, "\(squares)")
  }

  /// A tag that walks 50 m away from a cluster of anchors, one of which has an offset of 15 cm.
  ///
  /// The offset rotates the track, and a false scale would rotate it back. Occasionally the scale
  /// explains the ranges almost equally well.
  @Test func doesNotAttributeAnOffsetToABias() {
    let far = SimulatedWalk(
      anchors: [
        Anchor(position: Vector([0, 0, 2])), Anchor(position: Vector([-3, 0.7, 1.4])),
        Anchor(position: Vector([-0.3, 1.7, 0.5])), Anchor(position: Vector([-2.2, 0, 0.5])),
      ],
      path: { seconds in
        let out = 50 - (50 - seconds).magnitude
        return Vector([4 + out, 4 * .sin(0.2 * seconds), 1])
      })
    var (misled, stillMisled, before, after) = (0, 0, 0.0, 0.0)
    for seed in UInt64(2731)...2736 {
      var generator = SeededGenerator(seed: seed)
      let ranges = far.ranges(to: 95, offsets: [0.15, 0, 0, 0], using: &generator)
      let measurements = ranges.map(\.measurement)
      let plain = TrackerCalibration.calibrated(
        on: measurements, anchors: far.anchors, from: .withHeight(1))
      let weighed = plain.weighingOffsets(on: measurements, anchors: far.anchors)
      if plain.isBiased { misled += 1 }
      if weighed.isBiased { stillMisled += 1 }
      before += Self.squares(
        ranges, of: far.anchors,
        plain.withCorrections(on: measurements, anchors: far.anchors), from: 3)
      after += Self.squares(
        ranges, of: far.anchors,
        weighed.withCorrections(on: measurements, anchors: far.anchors), from: 3)
    }
    #expect(misled >= 4 && stillMisled <= 1, "\(misled), \(stillMisled)")
    #expect(after < 0.7 * before, "\(after), \(before)")
  }

  @Test(arguments: [UInt64](2741...2744), [(0.3, 1.0), (0, 1.05), (0, 0.96)])
  func doesNotAttributeABiasToOffsets(_ seed: UInt64, _ truth: (bias: Double, scale: Double)) {
    var generator = SeededGenerator(seed: seed)
    let measurements = Self.biased(
      Self.walk, truth.bias, scale: truth.scale, to: 60, using: &generator
    ).map(\.measurement)
    let found = TrackerCalibration.calibrated(on: measurements, anchors: Self.walk.anchors)
      .weighingOffsets(on: measurements, anchors: Self.walk.anchors)
    #expect(found.isBiased && found.biasEvidence > 0, "seed \(seed): \(found.biasEvidence)")
  }

  @Test func weighingWithoutABiasChangesNothing() {
    var generator = SeededGenerator(seed: 2751)
    let measurements = Self.walk.ranges(to: 30, using: &generator).map(\.measurement)
    let found = TrackerCalibration.calibrated(on: measurements, anchors: Self.walk.anchors)
    #expect(found.weighingOffsets(on: measurements, anchors: Self.walk.anchors) == found)
  }

  @Test func keepsTheBiasWithoutATrack() {
    var generator = SeededGenerator(seed: 2752)
    let measurements = Self.biased(Self.walk, 0.3, scale: 1, to: 30, using: &generator)
      .map(\.measurement)
    let found = TrackerCalibration.calibrated(on: measurements, anchors: Self.walk.anchors)
    #expect(found.isBiased)
    #expect(found.weighingOffsets(on: [], anchors: Self.walk.anchors) == found)
    #expect(found.withCorrections(on: [], anchors: Self.walk.anchors) == found)
  }

  /// measured = (1 + s) (1 + t) true + b + (1 + s) c, where a tracker with corrected ranges
  /// estimates t and c.
  @Test func remainingBiasAddsToTheSubtractedBias() {
    var calibration = TrackerCalibration(configuration: Tracker.Configuration())
    (calibration.bias, calibration.scale) = (0.5, 0.1)
    let anchor = calibration.corrected([Anchor(position: .zero)])[0]
    // At 10 m the tracker processes 1.02 x 10 + 0.3 = 10.5; measured were 1.1 x 10.5 + 0.5 = 12.05.
    #expect(isClose(anchor.corrected(12.05), 10.5, within: 1e-12))
    let bias = calibration.whole(bias: (0.3, 0.01))
    let scale = calibration.whole(scale: (0.02, 0.01))
    #expect(isClose(bias.value, 0.83, within: 1e-12) && isClose(bias.sigma, 0.011, within: 1e-12))
    #expect(
      isClose(scale.value, 0.122, within: 1e-12) && isClose(scale.sigma, 0.011, within: 1e-12))
    #expect(isClose((1 + scale.value) * 10 + bias.value, 12.05, within: 1e-9))
  }

  /// Anchors with offsets of more than 10 cm, and a filter with the calibrated offsets.
  @Test(arguments: [UInt64](2671...2673))
  func subtractsOffsetsOfSingleAnchors(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let offsets = [0.15, 0, -0.12, 0, 0, 0.1]
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.levelStroll)
    let ranges = walk.ranges(to: 250, offsets: offsets, using: &generator)
    let configuration = Tracker.Configuration.withHeight(1.2)
    let plain = TrackerCalibration(configuration: configuration)
    let found = plain.withCorrections(on: ranges.map(\.measurement), anchors: walk.anchors)
    #expect(found.configuration == configuration)
    try #require(found.offsets.count == offsets.count, "seed \(seed)")
    for (value, offset) in zip(found.offsets, offsets) {
      #expect(isClose(value, offset, within: 0.05), "seed \(seed): \(found.offsets)")
    }
    let errors = [plain, found].map { Self.squares(ranges, of: walk.anchors, $0, from: 3) }
    #expect(errors[1] < 0.7 * errors[0], "seed \(seed): \(errors)")
  }

  @Test(arguments: [UInt64](2681...2684))
  func findsNoOffsetsForEqualAnchors(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let ranges = Self.walk.ranges(to: 60, using: &generator).map(\.measurement)
    let found = TrackerCalibration(configuration: Tracker.Configuration())
      .withCorrections(on: ranges, anchors: Self.walk.anchors)
    #expect(found.offsets.isEmpty, "seed \(seed): \(found.offsets)")
    #expect(found == TrackerCalibration(configuration: Tracker.Configuration()))
    #expect(found.corrected(Self.walk.anchors) == Self.walk.anchors)
  }

  /// measured = scale x true + bias: an offset of the true distance is multiplied by the scale.
  @Test func offsetAddsToTheBias() {
    let anchor = Anchor(position: .zero, bias: 0.5, scale: 1.1)
    var calibration = TrackerCalibration(configuration: Tracker.Configuration())
    calibration.offsets = [0.1]
    let corrected = calibration.corrected([anchor])[0]
    #expect(isClose(corrected.bias, 0.61, within: 1e-15) && corrected.scale == 1.1)
    // (5 - 0.61) / 1.1 = (5 - 0.5) / 1.1 - 0.1
    #expect(isClose(corrected.corrected(5), anchor.corrected(5) - 0.1, within: 1e-15))
  }
}
