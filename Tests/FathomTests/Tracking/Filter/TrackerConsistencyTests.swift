import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Simulations that match the assumptions of tracker and smoother: errors are consistent.
///
/// Of forty flights, the errors at one instant each count. They are independent, so that their sum
/// of normalised squares is chi-square distributed. Innovations of a matched filter are independent
/// throughout.
@Suite(.releaseOnly) struct TrackerConsistencyTests {
  private static let flights = 40

  @Test func filterErrorsAndInnovationsAreConsistent() throws {
    var generator = SeededGenerator(seed: 3101)
    var (errors, innovations) = (0.0, 0.0)
    var count = 0
    for _ in 0..<Self.flights {
      var tracker = try Tracker(anchors: RandomFlight.anchors, configuration: .textbook)
      let flight = RandomFlight(density: 0.5, sigma: 0.1)
      let ranges = flight.ranges(to: 20, using: &generator)
      for range in ranges {
        let update = tracker.update(range)
        guard range.time > instant(5), let innovation = update.innovation else { continue }
        innovations += innovation.normalizedSquare
        count += 1
      }
      let last = try #require(ranges.last)
      let estimate = try #require(tracker.estimate(at: last.time))
      errors += try #require(estimate.normalizedSquare(of: last.truth))
    }
    expectChiSquare(errors, degrees: 3 * Self.flights, "errors")
    expectChiSquare(innovations, degrees: count, "innovations")
  }

  @Test func smootherErrorsAreConsistent() throws {
    var generator = SeededGenerator(seed: 3102)
    var errors = 0.0
    let smoother = try TrackSmoother(anchors: RandomFlight.anchors, configuration: .textbook)
    for _ in 0..<Self.flights {
      let flight = RandomFlight(density: 0.5, sigma: 0.1)
      let ranges = flight.ranges(to: 20, using: &generator)
      let track = try #require(smoother.smoothed(ranges.map(\.measurement)))
      let middle = ranges[ranges.count / 2]
      let estimate = try #require(track.estimate(at: middle.time))
      errors += try #require(estimate.normalizedSquare(of: middle.truth))
    }
    expectChiSquare(errors, degrees: 3 * Self.flights, "errors")
  }

  /// Ranges that are better than assumed, as assumed, and with correlated errors: without different
  /// settings, the smoother's covariance matches its errors.
  ///
  /// It is rather too large than too small: it includes an absent common-mode error, and few
  /// residuals have little effect.
  @Test(arguments: [
    (0.02, 0.0, 40.0), (0.05, 0, 40), (0.1, 0, 40), (0.1, 0.4, 40), (0.1, 0.4, 200),
  ])
  func smootherErrorsAreConsistentForOtherRangeErrors(
    _ sigma: Double, _ share: Double, _ rate: Double
  ) throws {
    var generator = SeededGenerator(seed: 3103)
    var (squares, count) = (0.0, 0.0)
    for _ in 0..<8 {
      let walk = SimulatedWalk(
        anchors: SimulatedWalk.room, path: SimulatedWalk.levelStroll, rate: rate, sigma: sigma,
        correlatedShare: share)
      let ranges = walk.ranges(to: 60, using: &generator)
      let smoother = try TrackSmoother(anchors: walk.anchors, configuration: .withHeight(1.2))
      let track = try #require(smoother.smoothed(ranges.map(\.measurement)))
      for range in ranges {
        let estimate = try #require(track.estimate(at: range.time))
        squares += try #require(estimate.normalizedSquare(of: range.truth))
        count += 2
      }
    }
    #expect((0.4...2).contains(squares / count), "seed 3103: \(squares / count)")
  }

  /// Checks the central 99 % of the chi-square distribution.
  private func expectChiSquare(_ sum: Double, degrees: Int, _ comment: String) {
    let freedom = Double(degrees)
    let low = ChiSquare.quantile(0.005, degreesOfFreedom: freedom)
    let high = ChiSquare.quantile(0.995, degreesOfFreedom: freedom)
    #expect(
      sum > low && sum < high,
      "\(comment): \(sum / freedom) per degree, \(low / freedom) to \(high / freedom)")
  }
}
