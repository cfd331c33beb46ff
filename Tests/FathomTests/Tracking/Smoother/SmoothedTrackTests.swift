import TestSupport
import Testing

@testable import Fathom

@Suite struct SmoothedTrackTests {
  /// Estimates at 0, 1, 2, 12 and 12.5 s, on a bend, with a gap of ten seconds.
  private let track: SmoothedTrack = {
    let points: [(Double, Vector<3>, Vector<3>)] = [
      (0, Vector([0, 0, 1]), Vector([1, 0, 0])), (1, Vector([1, 0.2, 1]), Vector([1, 0.5, 0.1])),
      (2, Vector([1.8, 1, 1.1]), Vector([0.5, 1, 0])),
      (12, Vector([4, 4, 1]), Vector([0, -1, 0])),
      (12.5, Vector([4, 3.5, 1]), Vector([0, -1, 0])),
    ]
    return SmoothedTrack(
      estimates: points.enumerated().map { index, point in
        var covariance = Matrix<3, 3>.diagonal(Vector([0.02, 0.03, 0.05 + 0.01 * Double(index)]))
        covariance[0, 1] = 0.01
        covariance[1, 0] = 0.01
        return TrackEstimate(
          time: instant(point.0), position: point.1, velocity: point.2, covariance: covariance,
          status: .tracking)
      }, verdicts: [], bias: nil, scale: nil, offsets: [], covarianceFactor: 1, iterations: 1,
      isConverged: true)
  }()

  @Test func passesThroughTheEstimates() throws {
    for estimate in track.estimates { #expect(track.estimate(at: estimate.time) == estimate) }
  }

  @Test func returnsNilOutsideOfTheTrack() {
    #expect(track.estimate(at: Timestamp(nanoseconds: -1)) == nil)
    #expect(track.estimate(at: instant(12.500_000_001)) == nil)
    let empty = SmoothedTrack(
      estimates: [], verdicts: [], bias: nil, scale: nil, offsets: [], covarianceFactor: 1,
      iterations: 0, isConverged: true)
    #expect(empty.estimate(at: instant(0)) == nil)
  }

  /// A microsecond before and after an estimate: equal apart from a displacement at 1 m/s.
  @Test func isContinuous() throws {
    for estimate in track.estimates.dropFirst().dropLast() {
      for aside in [-1e-6, 1e-6] {
        let near = try #require(track.estimate(at: estimate.time.advanced(bySeconds: aside)))
        #expect((near.position - estimate.position).length < 3e-6)
        #expect((near.covariance - estimate.covariance).diagonal.length < 1e-3)
      }
    }
    // Velocities too, except at the gap.
    let before = try #require(track.estimate(at: instant(1 - 1e-6)))
    let after = try #require(track.estimate(at: instant(1 + 1e-6)))
    #expect((before.velocity - after.velocity).length < 1e-4)
  }

  /// The velocity is the slope of the position.
  @Test func velocityIsTheDerivativeOfThePosition() throws {
    for seconds in [0.2, 0.5, 0.9, 1.3, 1.7, 5, 12.2] {
      let before = try #require(track.estimate(at: instant(seconds - 1e-4)))
      let after = try #require(track.estimate(at: instant(seconds + 1e-4)))
      let here = try #require(track.estimate(at: instant(seconds)))
      let slope = (1 / 2e-4) * (after.position - before.position)
      #expect((slope - here.velocity).length < 1e-5, "\(seconds) s")
    }
  }

  /// From (0, 0) at 1 m/s along x to (1, 0.2) at (1, 0.5) m/s, half way: the cubic Hermite
  /// interpolation is the middle plus an eighth of the step times the difference of the velocities.
  @Test func matchesACubicComputedByHand() throws {
    let middle = try #require(track.estimate(at: instant(0.5)))
    #expect(isClose(middle.position[0], 0.5, within: 1e-12))
    #expect(isClose(middle.position[1], 0.1 - 0.5 / 8, within: 1e-12))
    #expect(isClose(middle.position[2], 1 - 0.1 / 8, within: 1e-12))
  }

  /// A straight line at constant speed: 3 m, 3 m and -0.1 m of ten seconds from (1.8, 1, 1.1).
  @Test func gapIsAStraightLine() throws {
    let held = try #require(track.estimate(at: instant(7)))
    #expect((held.position - Vector([2.9, 2.5, 1.05])).length < 1e-12)
    #expect((held.velocity - Vector([0.22, 0.3, -0.01])).length < 1e-12)
    #expect(held.status == .coasting)
    // With a longer limit there is no gap.
    var configuration = Tracker.Configuration()
    configuration.longestGap = 20
    let followed = try #require(track.estimate(at: instant(7), configuration: configuration))
    #expect((followed.position - held.position).length > 1)
  }

  /// At least that of both ends, largest in the middle, and metres in a gap.
  @Test func covarianceGrowsBetweenEstimates() throws {
    for (begin, end) in [(0.0, 1.0), (1, 2), (2, 12), (12, 12.5)] {
      let ends = [begin, end].compactMap { track.estimate(at: instant($0))?.covariance }
      var previous = ends[0]
      for step in 1..<20 {
        let share = Double(step) / 20
        let seconds = begin + share * (end - begin)
        let covariance = try #require(track.estimate(at: instant(seconds))).covariance
        #expect(covariance == covariance.transposed() && Cholesky(covariance) != nil)
        for axis in 0..<3 {
          let least = (1 - share) * ends[0][axis, axis] + share * ends[1][axis, axis]
          #expect(covariance[axis, axis] > least, "\(seconds) s")
          if step <= 10 { #expect(covariance[axis, axis] > previous[axis, axis], "\(seconds) s") }
        }
        previous = covariance
      }
    }
    let gap = try #require(track.estimate(at: instant(7))).covariance
    // 2 m/s over ten seconds, and a quarter of its square in the middle: 100 m².
    #expect(isClose(gap[0, 0], 100.02, within: 1e-9))
  }

  /// The variance of an integrated random walk between two ends with known position and velocity is
  /// q² T³ (s (1 - s))³ / 3; in the middle q² T³ / 192.
  @Test func bridgeVarianceMatchesTheMotionModel() throws {
    let middle = try #require(track.estimate(at: instant(0.5))).covariance
    #expect(isClose(middle[0, 0], 0.02 + 0.25 / 192, within: 1e-12))
  }

  @Test func statusFollowsTheTimeFromRanges() throws {
    for (seconds, status) in [
      (0.5, TrackEstimate.Status.tracking), (2.9, .tracking), (3.1, .coasting), (10.9, .coasting),
      (11.1, .tracking), (12.2, .tracking),
    ] {
      #expect(track.estimate(at: instant(seconds))?.status == status, "\(seconds) s")
    }
  }

  @Test func keepsAKnownHeight() throws {
    var level = track
    for index in level.estimates.indices {
      for axis in 0..<3 {
        level.estimates[index].covariance[2, axis] = 0
        level.estimates[index].covariance[axis, 2] = 0
      }
    }
    for seconds in [0.5, 7] {
      let covariance = try #require(level.estimate(at: instant(seconds))).covariance
      for axis in 0..<3 { #expect(covariance[2, axis] == 0 && covariance[axis, 2] == 0) }
    }
  }
}
