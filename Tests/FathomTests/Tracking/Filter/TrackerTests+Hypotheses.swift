import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Layouts that leave several places open.
extension TrackerTests {
  /// What the estimates of walks are worth.
  private struct Score: CustomStringConvertible {
    var (count, ambiguous, silent, squares) = (0.0, 0.0, 0.0, 0.0)

    private mutating func add(_ estimate: TrackEstimate, _ truth: Vector<3>) throws {
      count += 1
      if estimate.status == .ambiguous { ambiguous += 1 }
      let square = try #require(estimate.normalizedSquare(of: truth))
      squares += square / 3
      if estimate.status == .tracking, square > 25 { silent += 1 }
    }

    /// Adds the estimates of a walk from the fourth second on; `offsets` are added to the ranges of each anchor.
    mutating func add(
      _ walk: SimulatedWalk, offsets: [Double]? = nil, using generator: inout SeededGenerator
    ) throws {
      var tracker = try Tracker(anchors: walk.anchors)
      for var range in walk.ranges(to: 40, using: &generator) {
        if let offsets { range.distance += offsets[range.anchor] }
        tracker.update(range)
        guard range.time > instant(3), let estimate = tracker.estimate(at: range.time) else {
          continue
        }
        try add(estimate, range.truth)
      }
    }

    var description: String {
      "ambiguous \(ambiguous / count), silent \(silent / count), NEES \(squares / count)"
    }
  }

  enum OpenLayout: CaseIterable {
    case ceiling, unevenCeiling, threeAnchors

    func anchors(_ generator: inout SeededGenerator) -> [Anchor] {
      switch self {
      case .ceiling: return SimulatedWalk.ceiling
      case .unevenCeiling:
        return SimulatedWalk.ceiling.map {
          Anchor(position: $0.position + Vector([0, 0, 0.3 * generator.normal()]))
        }
      case .threeAnchors: return Array(SimulatedWalk.ceiling.prefix(3))
      }
    }
  }

  /// A tag that crosses the plane of its anchors again and again: it may be on either side, and what is
  /// called `tracking` is within its errors.
  @Test(.releaseOnly, arguments: OpenLayout.allCases)
  func staysHonestWhereItCrossesThePlane(_ layout: OpenLayout) throws {
    var score = Score()
    for seed in UInt64(8850)..<8870 {
      var generator = SeededGenerator(seed: seed)
      let phase = generator.uniform(in: 0...6.28)
      let walk = SimulatedWalk(
        anchors: layout.anchors(&generator),
        path: { seconds in
          var place = SimulatedWalk.stroll(seconds)
          place[2] = 3 + 2 * .sin(0.3 * seconds + phase)
          return place
        })
      try score.add(walk, using: &generator)
    }
    print("crossing, \(layout): \(score)")
    #expect(score.silent <= 0.005 * score.count, "\(layout): \(score)")
    #expect(score.squares <= 2 * score.count, "\(layout): \(score)")
    #expect(score.ambiguous > 0.3 * score.count, "\(layout): \(score)")
  }

  /// A tag that comes up to a wall of anchors, up to 0.4 m before and behind it, and leaves it.
  ///
  /// Offsets make a wrong side look right for a while. A track without hypotheses stays there: 16 % of its
  /// estimates are silently wrong.
  @Test(.releaseOnly) func comesBackFromAnUnevenWall() throws {
    var score = Score()
    for seed in UInt64(8880)..<8900 {
      var generator = SeededGenerator(seed: seed)
      let phase = generator.uniform(in: 0...6.28)
      let places: [Vector<3>] = [
        Vector([0, 0, 0.5]), Vector([3, 0.3, 2.5]), Vector([6, -0.2, 0.8]),
        Vector([9, 0.4, 2.6]), Vector([4.5, 0.4, 1.5]),
      ]
      let walk = SimulatedWalk(
        anchors: places.map { Anchor(position: $0) },
        path: { seconds in
          var place = SimulatedWalk.stroll(seconds)
          place[1] = 2 + 2 * .sin(0.3 * seconds + phase)
          return place
        })
      let offsets = places.map { _ in 0.1 * generator.normal() }
      try score.add(walk, offsets: offsets, using: &generator)
    }
    print("wall: \(score)")
    #expect(score.silent <= 0.05 * score.count, "\(score)")
    #expect(score.ambiguous <= 0.6 * score.count, "\(score)")
  }

  /// Without another place in question there is one filter.
  @Test func followsOneHypothesisAmongAnchorsOfARoom() throws {
    var generator = SeededGenerator(seed: 8871)
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
    var tracker = try Tracker(anchors: walk.anchors)
    for range in walk.ranges(to: 20, using: &generator) {
      tracker.update(range)
      #expect(tracker.hypotheses.isEmpty)
    }
  }
}
