import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// A known side of the anchors.
extension TrackerTests {
  /// A walk under the ceiling, or its mirror image above it.
  private static func walk(_ side: AnchorSide) -> SimulatedWalk {
    SimulatedWalk(
      anchors: SimulatedWalk.ceiling,
      path: { seconds in
        var place = SimulatedWalk.stroll(seconds)
        if side == .above { place[2] = 6 - place[2] }
        return place
      })
  }

  private static func configuration(_ side: AnchorSide?) -> Tracker.Configuration {
    var configuration = Tracker.Configuration()
    configuration.side = side
    return configuration
  }

  /// Four anchors at one height, and a tag below or above them.
  @Test(arguments: AnchorSide.allCases, [UInt64](8811...8814))
  func followsTheKnownSide(_ side: AnchorSide, _ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let walk = Self.walk(side)
    var tracker = try Tracker(anchors: walk.anchors, configuration: Self.configuration(side))
    var seen = 0
    for range in walk.ranges(to: 20, using: &generator) {
      tracker.update(range)
      guard let estimate = tracker.estimate(at: range.time) else { continue }
      seen += 1
      try #require(estimate.status == .tracking, "seed \(seed)")
      try #require((estimate.position[2] < 3) == (side == .below), "seed \(seed)")
      try #require(try #require(estimate.normalizedSquare(of: range.truth)) < 25, "seed \(seed)")
    }
    // A redundant range starts the track; nothing is left to wait for.
    #expect(seen == 20 * 40 - 3, "seed \(seed)")
  }

  /// The lower side is what a tracker assumes, so telling it changes only the status.
  @Test func lowerSideIsTheAssumption() throws {
    var generator = SeededGenerator(seed: 8815)
    let walk = Self.walk(.above)
    var tracker = try Tracker(anchors: walk.anchors)
    for range in walk.ranges(to: 10, using: &generator) { tracker.update(range) }
    let estimate = try #require(tracker.estimate(at: instant(9.975)))
    #expect(estimate.status == .ambiguous && estimate.position[2] < 3, "seed 8815")
  }

  /// A tag that rises to the plane and sinks again, with late ranges and uneven ceilings: close to
  /// the plane a track can cross it and follow the image.
  @Test(.releaseOnly, arguments: [0, 0.3], [0, 0.15])
  func neverSettlesBehindThePlane(_ unevenness: Double, _ lateShare: Double) throws {
    for seed in UInt64(8820)..<8840 {
      var generator = SeededGenerator(seed: seed)
      let anchors = SimulatedWalk.ceiling.map {
        Anchor(position: $0.position + Vector([0, 0, unevenness * generator.normal()]))
      }
      let phase = generator.uniform(in: 0...6.28)
      let walk = SimulatedWalk(
        anchors: anchors,
        path: { seconds in
          var place = SimulatedWalk.stroll(seconds)
          place[2] = 2 - .sin(0.7 * seconds + phase)
          return place
        })
      var ranges = walk.ranges(to: 40, using: &generator)
      for index in ranges.indices where generator.uniform(in: 0...1) < lateShare {
        ranges[index].distance += generator.uniform(in: 0...3)
      }
      let configuration = Self.configuration(.below)
      var tracker = try Tracker(anchors: anchors, configuration: configuration)
      let plane = AnchorPlane(nearlyHorizontal: anchors.map(\.position))
      var (count, squares) = (0.0, 0.0)
      for range in ranges {
        tracker.update(range)
        guard let estimate = tracker.estimate(at: range.time) else { continue }
        if let plane { #expect(!plane.isBeyond(estimate.position, from: .below), "seed \(seed)") }
        count += 1
        let error = estimate.position - range.truth
        squares += error.dot(error)
      }
      // A track behind the plane would be up to 4 m from the tag.
      #expect((squares / count).squareRoot() < 0.9, "seed \(seed)")

      let track = try #require(
        try TrackSmoother(anchors: anchors, configuration: configuration)
          .smoothed(ranges.map(\.measurement)))
      for estimate in track.estimates {
        if let plane { #expect(!plane.isBeyond(estimate.position, from: .below), "seed \(seed)") }
      }
    }
  }

  /// Ranges of a tag on the plane fit best on the plane itself, where they have no gradient along
  /// the height: a track that starts there still follows the tag down.
  @Test func startsOnThePlaneOfTheAnchors() throws {
    var generator = SeededGenerator(seed: 8816)
    let walk = SimulatedWalk(
      anchors: SimulatedWalk.ceiling, path: { Vector([4, 3, 3 - min(2, 0.4 * $0)]) })
    var ranges = walk.ranges(to: 10, using: &generator)
    // Too short for any distance from the plane.
    for index in 0..<8 {
      ranges[index].distance = (walk.path(0) - walk.anchors[index % 4].position).length - 0.05
    }
    var tracker = try Tracker(anchors: walk.anchors, configuration: Self.configuration(.below))
    for range in ranges { tracker.update(range) }
    let estimate = try #require(tracker.estimate(at: instant(9.975)))
    #expect((estimate.position - Vector([4, 3, 1])).length < 0.5, "seed 8816: \(estimate)")
  }

  /// After a gap too, the side comes before continuity.
  @Test func restartsOnTheKnownSide() throws {
    var generator = SeededGenerator(seed: 8817)
    let walk = Self.walk(.below)
    var tracker = try Tracker(anchors: walk.anchors, configuration: Self.configuration(.below))
    let ranges = walk.ranges(to: 5, using: &generator)
    for range in ranges { tracker.update(range) }
    for range in walk.ranges(from: 300, to: 305, using: &generator) {
      tracker.update(range)
      let estimate = try #require(tracker.estimate(at: range.time))
      #expect(estimate.position[2] < 3 && estimate.status != .ambiguous)
    }
  }

  /// An exact height and a side at once: the height decides alone.
  @Test func exactHeightMakesTheSideIdle() throws {
    var generator = SeededGenerator(seed: 8818)
    let walk = SimulatedWalk(anchors: SimulatedWalk.ceiling, path: SimulatedWalk.levelStroll)
    var configuration = Tracker.Configuration.withHeight(1.2)
    var plain = try Tracker(anchors: walk.anchors, configuration: configuration)
    configuration.side = .above
    var sided = try Tracker(anchors: walk.anchors, configuration: configuration)
    for range in walk.ranges(to: 5, using: &generator) {
      plain.update(range)
      sided.update(range)
      #expect(plain.estimate(at: range.time) == sided.estimate(at: range.time))
    }
    #expect(plain.estimate(at: instant(5))?.position[2] == 1.2)
  }

  @Test(arguments: AnchorSide.allCases)
  func smootherFollowsTheKnownSide(_ side: AnchorSide) throws {
    var generator = SeededGenerator(seed: 8819)
    let walk = Self.walk(side)
    let ranges = walk.ranges(to: 20, using: &generator)
    let track = try #require(
      try TrackSmoother(anchors: walk.anchors, configuration: Self.configuration(side))
        .smoothed(ranges.map(\.measurement)))
    for (estimate, range) in zip(track.estimates, ranges) {
      #expect(estimate.status == .tracking)
      #expect((estimate.position - range.truth).length < 0.5, "seed 8819")
    }
  }

  /// Wild directions start a test of the other side, but not of a side that is known to be wrong.
  @Test func directionsDoNotOpenAWrongSide() throws {
    for side in [nil, AnchorSide.below] {
      var generator = SeededGenerator(seed: 8841)
      // An anchor below the others decides the side; then only the ceiling is heard.
      let anchors = SimulatedWalk.ceiling + [Anchor(position: Vector([5, 4, 0.2]))]
      let walk = SimulatedWalk(anchors: anchors, path: SimulatedWalk.stroll)
      var tracker = try Tracker(anchors: anchors, configuration: Self.configuration(side))
      var ambiguous = 0
      for range in walk.ranges(to: 20, using: &generator)
      where range.anchor < 4 || range.time < instant(5) {
        tracker.update(range)
        guard range.time > instant(10) else { continue }
        _ = tracker.update(
          azimuth: Angle(radians: generator.uniform(in: -3...3)), elevation: nil,
          attitude: Sighting.upright(facing: .zero), sigma: Angle(degrees: 5),
          anchor: range.anchor, at: range.time)
        if tracker.estimate(at: range.time)?.status == .ambiguous { ambiguous += 1 }
      }
      #expect((ambiguous > 0) == (side == nil), "seed 8841: \(ambiguous) with \(side as Any)")
    }
  }
}
