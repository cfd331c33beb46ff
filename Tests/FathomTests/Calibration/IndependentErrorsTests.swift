import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Decides between correlated and independent errors on walks with known errors.
@Suite(.releaseOnly) struct IndependentErrorsTests {
  private static func walk(sigma: Double, share: Double) -> SimulatedWalk {
    SimulatedWalk(
      anchors: SimulatedWalk.room, path: SimulatedWalk.stroll, sigma: sigma,
      correlatedShare: share)
  }

  private func calibrations(
    on walk: SimulatedWalk, seconds: Double, bias: Double = 0,
    using generator: inout SeededGenerator
  ) -> (usual: TrackerCalibration, found: TrackerCalibration, ranges: [SimulatedWalk.Range]) {
    let ranges = walk.ranges(
      to: seconds, offsets: walk.anchors.map { _ in bias }, using: &generator)
    let measurements = ranges.map(\.measurement)
    let usual = TrackerCalibration.calibrated(on: measurements, anchors: walk.anchors)
    let found = usual.withIndependentErrors(on: measurements, anchors: walk.anchors)
    return (usual, found, ranges)
  }

  /// Also below the lower limit of the standard deviation of correlated errors, and beside a bias;
  /// the search has steps of a fifth.
  @Test(arguments: [(0.03, 0.0), (0.05, 0), (0.1, 0), (0.1, 0.3)])
  func detectsIndependentErrors(_ sigma: Double, _ bias: Double) {
    var generator = SeededGenerator(seed: 2701)
    for run in 0..<4 {
      let (usual, found, _) = calibrations(
        on: Self.walk(sigma: sigma, share: 0), seconds: 90, bias: bias, using: &generator)
      let errors = found.configuration.errors
      #expect(errors.correlatedShare == 0 && errors.commonModeSigma == 0, "seed 2701, run \(run)")
      #expect(errors.sigma > 0.8 * sigma && errors.sigma < 1.25 * sigma, "run \(run): \(errors)")
      #expect(found.isBiased == usual.isBiased && found.isBiased == (bias > 0), "run \(run)")
      #expect(found.configuration.modes == usual.configuration.modes)
    }
  }

  /// With the assumed correlated share, half of it and twice as much.
  @Test(arguments: [0.2, 0.4, 0.8])
  func keepsCorrelatedErrors(_ share: Double) {
    var generator = SeededGenerator(seed: 2702)
    for run in 0..<6 {
      let (usual, found, _) = calibrations(
        on: Self.walk(sigma: 0.1, share: share), seconds: 90, using: &generator)
      #expect(found == usual, "seed 2702, run \(run): \(found.configuration.errors)")
    }
  }

  /// The assumption is kept unless it is rejected.
  @Test func keepsTheAssumptionForFewRanges() {
    var generator = SeededGenerator(seed: 2703)
    for run in 0..<6 {
      let (usual, found, _) = calibrations(
        on: Self.walk(sigma: 0.1, share: 0), seconds: 6, using: &generator)
      #expect(found == usual, "seed 2703, run \(run)")
    }
    let none = TrackerCalibration(configuration: Tracker.Configuration())
    #expect(none.withIndependentErrors(on: [], anchors: SimulatedWalk.room) == none)
  }

  @Test func keepsErrorsGivenAsIndependent() {
    var generator = SeededGenerator(seed: 2704)
    let walk = Self.walk(sigma: 0.1, share: 0)
    let ranges = walk.ranges(to: 60, using: &generator).map(\.measurement)
    var configuration = Tracker.Configuration()
    configuration.errors.correlatedShare = 0
    let given = TrackerCalibration(configuration: configuration)
    #expect(given.withIndependentErrors(on: ranges, anchors: walk.anchors) == given)
  }

  /// A filter that assumes independent errors correctly is more accurate and more consistent.
  @Test(arguments: [0.03, 0.1])
  func filterIsMoreAccurateAndConsistent(_ sigma: Double) throws {
    var generator = SeededGenerator(seed: 2705)
    var (usualSquares, squares) = (0.0, 0.0)
    var (usualErrors, errors) = (0.0, 0.0)
    var count = 0.0
    for _ in 0..<6 {
      let (usual, found, ranges) = calibrations(
        on: Self.walk(sigma: sigma, share: 0), seconds: 90, using: &generator)
      var before = Tracker(anchors: SimulatedWalk.room, configuration: usual.configuration)
      var after = Tracker(anchors: SimulatedWalk.room, configuration: found.configuration)
      for range in ranges {
        before.update(range)
        after.update(range)
        guard range.time > instant(5) else { continue }
        let old = try #require(before.estimate(at: range.time))
        let new = try #require(after.estimate(at: range.time))
        let (oldError, error) = (old.position - range.truth, new.position - range.truth)
        usualErrors += oldError.dot(oldError)
        errors += error.dot(error)
        usualSquares += try #require(old.normalizedSquare(of: range.truth))
        squares += try #require(new.normalizedSquare(of: range.truth))
        count += 3
      }
    }
    #expect(errors < usualErrors, "\((errors / usualErrors).squareRoot()) times the error")
    let (usual, found) = (usualSquares / count, squares / count)
    #expect(found > 1.1 * usual && found < 1.2, "\(usual) before, \(found) now")
  }
}
