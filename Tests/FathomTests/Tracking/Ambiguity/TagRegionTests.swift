import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// A box that contains the tag, kept by filter and smoother.
@Suite struct TagRegionTests {
  private static let box = PositionBounds<3>(
    lower: Vector([0, 0, 0.5]), upper: Vector([10, 8, 2]))

  /// A normal distribution beyond a face has the moments of its part inside.
  @Test func hasTheMomentsOfTheTruncatedDistribution() throws {
    // Mean 0.1 m above the face, sigma 0.2 m: by numerical integration of the density below.
    let (mean, sigma, face) = (2.1, 0.2, 2.0)
    var (weight, first, second) = (0.0, 0.0, 0.0)
    for step in 0..<400_000 {
      let place = face - (Double(step) + 0.5) * 1e-5
      let density = Double.exp(-0.5 * (place - mean) * (place - mean) / (sigma * sigma))
      weight += density
      first += density * place
      second += density * place * place
    }
    var position = Vector<3>([1, 1, mean])
    var covariance = Matrix<3, 3>.diagonal(Vector([0.01, 0.01, sigma * sigma]))
    Self.box.keep(&position, &covariance)
    #expect(isClose(position[2], first / weight, within: 1e-6))
    let variance = second / weight - (first / weight) * (first / weight)
    #expect(isClose(covariance[2, 2], variance, within: 1e-6))
    #expect(position[0] == 1 && covariance[0, 0] == 0.01)
  }

  /// Whatever the estimate: inside, finite, positive semi-definite, and no more certain than it is
  /// wrong.
  @Test func keepsEveryEstimate() {
    var generator = SeededGenerator(seed: 7711)
    for _ in 0..<2000 {
      var position = Vector<3>([
        generator.uniform(in: -30...30), generator.uniform(in: -30...30),
        generator.uniform(in: -30...30),
      ])
      var covariance = Matrix<3, 3>.zero
      for _ in 0..<3 {
        let direction = Vector<3>([generator.normal(), generator.normal(), generator.normal()])
        covariance.addOuterProduct(of: direction, times: .pow(10, generator.uniform(in: -6...2)))
      }
      let before = position
      Self.box.keep(&position, &covariance)
      #expect(Self.box.contains(position), "seed 7711: \(before)")
      #expect(covariance.isFinite && covariance == covariance.transposed(), "seed 7711: \(before)")
      let least = (0..<3).map { covariance[$0, $0] }.min() ?? -1
      #expect(least > 0 && Cholesky(covariance) != nil, "seed 7711: \(before)")
      if Self.box.contains(before) { #expect(position == before) }
    }
  }

  @Test func isKeptThroughoutAWalk() throws {
    for seed in UInt64(7720)..<7728 {
      var generator = SeededGenerator(seed: seed)
      // Ranges to a ceiling, 0.3 m too long: they put the tag below the floor of the box.
      let walk = SimulatedWalk(anchors: SimulatedWalk.ceiling, path: SimulatedWalk.stroll)
      var ranges = walk.ranges(to: 20, using: &generator)
      for index in ranges.indices { ranges[index].distance += 0.3 }
      var configuration = Tracker.Configuration()
      configuration.bounds = Self.box
      var tracker = try Tracker(anchors: walk.anchors, configuration: configuration)
      var count = 0
      for range in ranges {
        tracker.update(range)
        guard let estimate = tracker.estimate(at: range.time) else { continue }
        count += 1
        #expect(Self.box.contains(estimate.position), "seed \(seed): \(estimate.position)")
      }
      #expect(count > 700, "seed \(seed)")
      let smoother = try TrackSmoother(anchors: walk.anchors, configuration: configuration)
      let track = try #require(smoother.smoothed(ranges.map(\.measurement)))
      #expect(track.estimates.allSatisfy { Self.box.contains($0.position) }, "seed \(seed)")
    }
  }

  /// A wall of anchors: a box on one side of it tells which image is the tag.
  @Test func aBoxSelectsTheSideOfAWall() throws {
    let wall = [(0.0, 0.5), (6, 0.4), (6, 2.8), (0, 2.9)].map {
      Anchor(position: Vector([$0.0, 0, $0.1]))
    }
    let box = PositionBounds<3>(
      lower: Vector([-1, -9, -1]), upper: Vector([7, -0.1, 4]))
    for seed in UInt64(7740)..<7745 {
      var generator = SeededGenerator(seed: seed)
      let walk = SimulatedWalk(
        anchors: wall,
        path: { seconds in
          // It passes the wall closely, where the ranges do not tell the side.
          Vector([3 + 2 * .sin(0.5 * seconds), -2 + 1.85 * .sin(0.4 * seconds), 1.2])
        })
      var configuration = Tracker.Configuration()
      configuration.bounds = box
      var tracker = try Tracker(anchors: wall, configuration: configuration)
      for range in walk.ranges(to: 40, using: &generator) {
        tracker.update(range)
        guard let estimate = tracker.estimate(at: range.time) else { continue }
        #expect(estimate.position[1] < 0, "seed \(seed)")
        if range.time > instant(5), range.truth[1] < -1 {
          #expect((estimate.position - range.truth).length < 1, "seed \(seed)")
        }
      }
    }
  }

  @Test func theAlternativeIsTheMirrorImage() throws {
    var generator = SeededGenerator(seed: 7750)
    let walk = SimulatedWalk(anchors: SimulatedWalk.ceiling, path: SimulatedWalk.stroll)
    let ranges = walk.ranges(to: 10, using: &generator)
    var tracker = try Tracker(anchors: walk.anchors)
    for range in ranges { tracker.update(range) }
    let estimate = try #require(tracker.estimate(at: instant(9.975)))
    let other = try #require(estimate.alternative)
    #expect(estimate.status == .ambiguous)
    // The mirror is where the start put it, a few centimetres from the ceiling.
    #expect((other[2] + estimate.position[2] - 6).magnitude < 0.5, "\(estimate)")
    let track = try #require(
      try TrackSmoother(anchors: walk.anchors).smoothed(ranges.map(\.measurement)))
    #expect(track.estimates.allSatisfy { $0.status == .ambiguous && $0.alternative != nil })
    var known = Tracker.Configuration()
    known.side = .below
    var sided = try Tracker(anchors: walk.anchors, configuration: known)
    for range in ranges { sided.update(range) }
    #expect(sided.estimate(at: instant(9.975))?.alternative == nil)
  }
}
