import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Anchors displaced from their surveyed positions by the stated survey error.
@Suite(.releaseOnly) struct SmootherAnchorPositionsTests {
  private static let walk = SimulatedWalk(
    anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)

  /// A stationary tag.
  private static let rest: @Sendable (Double) -> Vector<3> = { _ in Vector([4.3, 3.1, 1.2]) }

  /// Squared errors relative to the covariance, per coordinate, and root mean square errors of a
  /// tracker and of a smoother over several walks.
  private struct Outcome {
    var tracker = (square: 0.0, error: 0.0)
    var smoother = (square: 0.0, error: 0.0)
  }

  /// Walks among anchors displaced by `sigma` per axis, with a survey error of `stated`.
  private static func walks(
    sigma: Double, stated: Double?, height: Double? = nil, errors: RangeErrors = RangeErrors(),
    share: Double = 0, path: @escaping @Sendable (Double) -> Vector<3>
  ) throws -> Outcome {
    var configuration = Tracker.Configuration()
    configuration.height = height
    configuration.errors = errors
    let axes = height == nil ? 3.0 : 2.0
    var outcome = Outcome()
    var (tracked, smoothed) = (0.0, 0.0)
    for seed in UInt64(2961)...2980 {
      var generator = SeededGenerator(seed: seed)
      let anchors = SimulatedWalk.room.map {
        Anchor(position: $0.position, positionSigma: stated)
      }
      let displaced = anchors.map {
        Anchor(position: $0.position + sigma * Vector<3>.random(using: &generator))
      }
      var walk = SimulatedWalk(anchors: displaced, path: path)
      walk.correlatedShare = share
      let ranges = walk.ranges(to: 60, using: &generator)
      var tracker = try Tracker(anchors: anchors, configuration: configuration)
      for (index, range) in ranges.enumerated() {
        tracker.update(range)
        guard index >= 200, index % 20 == 0, let estimate = tracker.estimate(at: range.time) else {
          continue
        }
        let error = estimate.position - range.truth
        outcome.tracker.square += try #require(estimate.normalizedSquare(of: range.truth)) / axes
        outcome.tracker.error += error.dot(error)
        tracked += 1
      }
      let track = try #require(
        try TrackSmoother(anchors: anchors, configuration: configuration).smoothed(
          ranges.map(\.measurement)))
      for (estimate, range) in zip(track.estimates, ranges) {
        let error = estimate.position - range.truth
        outcome.smoother.square += try #require(estimate.normalizedSquare(of: range.truth)) / axes
        outcome.smoother.error += error.dot(error)
        smoothed += 1
      }
    }
    outcome.tracker = (
      outcome.tracker.square / tracked, (outcome.tracker.error / tracked).squareRoot()
    )
    outcome.smoother = (
      outcome.smoother.square / smoothed, (outcome.smoother.error / smoothed).squareRoot()
    )
    return outcome
  }

  @Test func covariancesIncludeTheSurveyError() throws {
    // Apart from the anchors, the ranges have independent errors.
    var errors = RangeErrors()
    (errors.correlatedShare, errors.commonModeSigma) = (0, 0)
    let informed = try Self.walks(
      sigma: 0.3, stated: 0.3, errors: errors, path: SimulatedWalk.stroll)
    #expect((0.5...2).contains(informed.tracker.square), "\(informed)")
    #expect((0.5...2).contains(informed.smoother.square), "\(informed)")
    // Estimated anchor positions improve the track as well.
    let uninformed = try Self.walks(
      sigma: 0.3, stated: nil, errors: errors, path: SimulatedWalk.stroll)
    #expect(
      informed.smoother.error < 0.9 * uninformed.smoother.error, "\(informed) and \(uninformed)")
    #expect(
      uninformed.smoother.square > 2 * informed.smoother.square, "\(informed) and \(uninformed)")
  }

  @Test func surveyErrorDoesNotAverageOutAtRest() throws {
    let informed = try Self.walks(sigma: 0.3, stated: 0.3, height: 1.2) { _ in
      Vector([4.3, 3.1, 1.2])
    }
    #expect((0.5...2).contains(informed.tracker.square), "\(informed)")
    #expect((0.5...2).contains(informed.smoother.square), "\(informed)")
  }

  /// Independent range errors, and the correlated errors of the defaults.
  @Test func trackerIncludesTheSurveyErrorForAllRangeErrors() throws {
    for path in [SimulatedWalk.stroll, Self.rest] {
      for share in [0, 0.4] {
        let informed = try Self.walks(sigma: 0.3, stated: 0.3, share: share, path: path)
        #expect((0.5...2).contains(informed.tracker.square), "share \(share): \(informed)")
      }
    }
  }

  /// Innovations measure the errors of ranges: the smaller their share of the variance, the smaller
  /// the calibration.
  @Test func calibratesOnlyTheShareOfTheRanges() throws {
    for path in [SimulatedWalk.stroll, Self.rest] {
      var generator = SeededGenerator(seed: 2982)
      let ranges = SimulatedWalk(anchors: SimulatedWalk.room, path: path).ranges(
        to: 60, using: &generator)
      let factors = try [nil, 1e-4, 0.1, 0.3].map { (sigma: Double?) in
        var tracker = try Tracker(
          anchors: SimulatedWalk.room.map { Anchor(position: $0.position, positionSigma: sigma) })
        for range in ranges { tracker.update(range) }
        return (all: tracker.covarianceFactor, ranges: tracker.leading.rangeFactor)
      }
      // The same as without a survey error if that is negligible.
      #expect(factors[0].all == factors[0].ranges && factors[0].all != 1)
      #expect(isClose(factors[1].all, factors[0].all, within: 1e-3), "\(factors)")
      // σ² / (σ² + σₐ²): 0.01 of 0.02, and 0.01 of 0.1.
      for (factor, share) in [(factors[2], 0.5), (factors[3], 0.1)] {
        #expect(isClose(factor.all - 1, share * (factor.ranges - 1), within: 1e-12))
      }
    }
  }

  /// Anchor positions are estimated consistently, and more accurately than surveyed.
  @Test func estimatesAnchorPositions() throws {
    var errors = RangeErrors()
    (errors.correlatedShare, errors.commonModeSigma) = (0, 0)
    var configuration = Tracker.Configuration()
    configuration.errors = errors
    var (square, error, count) = (0.0, 0.0, 0.0)
    for seed in UInt64(2991)...3010 {
      var generator = SeededGenerator(seed: seed)
      let anchors = SimulatedWalk.room.map { Anchor(position: $0.position, positionSigma: 0.3) }
      let displaced = anchors.map {
        Anchor(position: $0.position + 0.3 * Vector<3>.random(using: &generator))
      }
      let ranges = SimulatedWalk(anchors: displaced, path: SimulatedWalk.stroll).ranges(
        to: 60, using: &generator)
      let track = try #require(
        try TrackSmoother(anchors: anchors, configuration: configuration).smoothed(
          ranges.map(\.measurement)))
      for (found, truth) in zip(track.anchorPositions, displaced) {
        let found = try #require(found)
        let miss = found.mean - truth.position
        let root = try #require(Cholesky(found.covariance))
        square += miss.dot(root.solve(miss))
        error += miss.dot(miss)
        count += 3
      }
    }
    let (nees, rms) = (square / count, (error / count).squareRoot())
    #expect((0.7...1.4).contains(nees), "\(nees)")
    #expect(rms < 0.25, "\(rms)")
  }

  @Test func exactSurveyAddsNoUnknowns() throws {
    var generator = SeededGenerator(seed: 2981)
    let ranges = Self.walk.ranges(to: 20, using: &generator)
    let exact = Self.walk.anchors.map { Anchor(position: $0.position, positionSigma: 0) }
    var (plain, stated) = (try Tracker(anchors: Self.walk.anchors), try Tracker(anchors: exact))
    for range in ranges { #expect(plain.update(range) == stated.update(range)) }
    let measurements = ranges.map(\.measurement)
    let tracks = try [Self.walk.anchors, exact].map {
      try TrackSmoother(anchors: $0).smoothed(measurements)?.estimates
    }
    #expect(tracks[0] != nil && tracks[0] == tracks[1])
  }

  @Test func eachUncertainAnchorHasThreeUnknowns() {
    func surveys(_ sigmas: [Double?], hasBias: Bool) -> [Int?] {
      CommonLayout(
        hasBias: hasBias, anchors: sigmas.map { Anchor(position: .zero, positionSigma: $0) }
      ).surveys
    }
    #expect(surveys([nil, 0.1, 0, 0.2], hasBias: true) == [nil, 2, nil, 5])
    #expect(surveys([nil, 0], hasBias: true) == [nil, nil])
    #expect(surveys([], hasBias: false) == [])
    let many = [Double?](repeating: 0.1, count: 17)
    #expect(surveys(many, hasBias: false).allSatisfy { $0 == nil })
  }
}
