import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Errors of ranges that are found and subtracted before tracking.
@Suite(.releaseOnly) struct TrackerCorrectionsTests {
  private static let walk = SimulatedWalk(
    anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)

  /// The sum of squared errors in m² of a tracker with `calibration` over `ranges`, from the given
  /// time on, where it has a position.
  private static func squares(
    _ ranges: [SimulatedWalk.Range], of anchors: [Anchor], _ calibration: TrackerCalibration,
    from start: Double
  ) throws -> Double {
    var tracker = try Tracker(
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
  @Test func subtractsTheBiasFromTheStart() throws {
    var (with, without) = (0.0, 0.0)
    for seed in UInt64(2691)...2698 {
      var generator = SeededGenerator(seed: seed)
      let ranges = Self.biased(Self.walk, 0.3, scale: 1.03, to: 60, using: &generator)
      let found = TrackerCalibration.calibrated(
        on: ranges.map(\.measurement), anchors: Self.walk.anchors)
      let plain = TrackerCalibration(configuration: found.configuration)
      // The total error at the occurring distances, 2 to 9 m: each value alone is less certain.
      #expect(
        isClose(found.bias + 5 * found.scale, 0.3 + 5 * 0.03, within: 0.1),
        "seed \(seed): \(found.bias), \(found.scale)")
      let beginning = Array(ranges.prefix { $0.time.seconds < 6 })
      with += try Self.squares(beginning, of: Self.walk.anchors, found, from: 1)
      without += try Self.squares(beginning, of: Self.walk.anchors, plain, from: 1)
    }
    #expect(with < 0.6 * without, "\(with), \(without)")
  }

  /// The bias found errs by what its standard deviation says, or less: anchors without errors of
  /// their own are better witnesses than assumed.
  @Test func biasesErrByTheirStandardDeviation() throws {
    var squares: [Double] = []
    for seed in UInt64(2701)...2720 {
      var generator = SeededGenerator(seed: seed)
      let ranges = Self.biased(Self.walk, 0.2, scale: 1, to: 40, using: &generator)
      let found = TrackerCalibration.calibrated(
        on: ranges.map(\.measurement), anchors: Self.walk.anchors)
      let sigma = try #require(found.errors?.bias?.sigma)
      let error = (found.bias - 0.2) / sigma
      squares.append(error * error)
    }
    let mean = squares.reduce(0, +) / Double(squares.count)
    #expect(mean < 2, "\(squares)")
  }

  /// A tag that walks 50 m away from a cluster of anchors, one of which has an offset of 15 cm.
  ///
  /// The offset rotates the track, and a false scale would rotate it back. Seven seeds of seven are
  /// without one.
  @Test(arguments: [UInt64](2731...2737))
  func doesNotAttributeAnOffsetToAScale(_ seed: UInt64) {
    let far = SimulatedWalk(
      anchors: [
        Anchor(position: Vector([0, 0, 2])), Anchor(position: Vector([-3, 0.7, 1.4])),
        Anchor(position: Vector([-0.3, 1.7, 0.5])), Anchor(position: Vector([-2.2, 0, 0.5])),
      ],
      path: { seconds in
        let out = 50 - (50 - seconds).magnitude
        return Vector([4 + out, 4 * .sin(0.2 * seconds), 1])
      })
    var generator = SeededGenerator(seed: seed)
    let ranges = far.ranges(to: 95, offsets: [0.15, 0, 0, 0], using: &generator)
    let found = TrackerCalibration.calibrated(
      on: ranges.map(\.measurement), anchors: far.anchors, from: .withHeight(1))
    #expect(found.scale == 0, "seed \(seed): \(found.scale)")
  }

  @Test(arguments: [UInt64](2741...2744), [(0.3, 1.0), (0, 1.05), (0, 0.96)])
  func doesNotAttributeABiasToOffsets(_ seed: UInt64, _ truth: (bias: Double, scale: Double)) {
    var generator = SeededGenerator(seed: seed)
    let measurements = Self.biased(
      Self.walk, truth.bias, scale: truth.scale, to: 60, using: &generator
    ).map(\.measurement)
    let found = TrackerCalibration.calibrated(on: measurements, anchors: Self.walk.anchors)
    #expect(found.offsets.isEmpty, "seed \(seed): \(found.offsets)")
    let error = found.bias + 5 * found.scale - truth.bias - 5 * (truth.scale - 1)
    #expect(error.magnitude < 0.1, "seed \(seed): \(found.bias), \(found.scale)")
  }

  @Test func findsNothingWithoutRanges() {
    let found = TrackerCalibration.calibrated(on: [], anchors: Self.walk.anchors)
    #expect(found.errors == nil && found.bias == 0 && found.scale == 0 && found.offsets.isEmpty)
  }

  /// A measured distance is (1 + s) times the true one, plus b.
  @Test func correctedAnchorsSubtractBiasAndScale() {
    var calibration = TrackerCalibration(configuration: Tracker.Configuration())
    (calibration.bias, calibration.scale) = (0.5, 0.1)
    let anchor = calibration.corrected([Anchor(position: .zero)])[0]
    // At 10.5 m the radio measures 1.1 x 10.5 + 0.5 = 12.05.
    #expect(isClose(anchor.corrected(12.05), 10.5, within: 1e-12))
  }

  /// Anchors with offsets of several times the noise, and a filter with the calibrated offsets.
  @Test(arguments: [UInt64](2671...2673))
  func subtractsOffsetsOfSingleAnchors(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let offsets = [0.45, 0, -0.36, 0, 0, 0.3]
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.levelStroll)
    let ranges = walk.ranges(to: 250, offsets: offsets, using: &generator)
    let found = TrackerCalibration.calibrated(
      on: ranges.map(\.measurement), anchors: walk.anchors, from: .withHeight(1.2))
    let plain = TrackerCalibration(configuration: found.configuration)
    try #require(found.offsets.count == offsets.count, "seed \(seed)")
    // The bias takes what the offsets have in common. A place is one witness, so that less than the
    // whole is taken off.
    let sigmas = try #require(found.errors?.offsets?.sigmas)
    for (index, offset) in offsets.enumerated() {
      let rest = offset - found.offsets[index] - found.bias
      #expect(rest.magnitude < 3 * sigmas[index], "seed \(seed): \(found.offsets)")
    }
    let errors = try [plain, found].map { try Self.squares(ranges, of: walk.anchors, $0, from: 3) }
    #expect(errors[1] < 0.7 * errors[0], "seed \(seed): \(errors)")
  }

  @Test(arguments: [UInt64](2681...2684))
  func findsNoOffsetsForEqualAnchors(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let ranges = Self.walk.ranges(to: 60, using: &generator).map(\.measurement)
    let found = TrackerCalibration.calibrated(on: ranges, anchors: Self.walk.anchors)
    #expect(found.offsets.isEmpty && found.scale == 0, "seed \(seed): \(found.offsets)")
    #expect(found.bias.magnitude < 0.05, "seed \(seed): \(found.bias)")
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
