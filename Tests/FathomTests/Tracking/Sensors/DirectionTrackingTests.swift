import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Directions in a tracker: walks of a tag that turns in all directions.
@Suite(.releaseOnly) struct DirectionTrackingTests {
  private static let walks = repetitions(20, long: 60)

  /// Anchors in a row: the sides are indistinguishable by ranges; directions must resolve them
  /// correctly, on both sides.
  @Test(arguments: [1.0, -1], [0, 0.1])
  func directionsResolveTheSideOfARow(_ side: Double, _ wildShare: Double) throws {
    var walk = DirectionWalk(anchors: DirectionWalk.row, height: 1)
    walk.side = side
    walk.wildShare = wildShare
    walk.directions = .none
    #expect(try walk.score(walks: 3, seed: 4201).scored == 0)
    for directions in [DirectionWalk.Directions.all, .azimuths, .elevations] {
      for (sigma, error) in [(nil, 0.0), (Angle(degrees: 5), 0.087), (.halfTurn, nil)]
        as [(Angle?, Double?)]
      {
        walk.directions = directions
        (walk.headingSigma, walk.headingError) = (sigma, error)
        let score = try walk.score(walks: Self.walks, seed: 4202)
        print("row, side \(side), wild \(wildShare), \(directions), \(error ?? .nan): \(score)")
        // Elevations alone never determine a heading, without which they carry no information.
        if directions == .elevations, error == nil {
          #expect(score.scored == 0)
          continue
        }
        expectSound(score)
        #expect(score.ambiguousShare < 0.01)
      }
    }
  }

  /// A tag that repeatedly crosses the row, and measures no direction for seconds.
  @Test(arguments: [0, 0.1])
  func recoversALostSide(_ wildShare: Double) throws {
    var walk = DirectionWalk(anchors: DirectionWalk.row, height: 1, crosses: true)
    walk.wildShare = wildShare
    for directions in [DirectionWalk.Directions.all, .inStretches] {
      walk.directions = directions
      // The consistency has heavy tails: fewer walks would not estimate it.
      let score = try walk.score(walks: 60, seed: 4203)
      print("crossing, wild \(wildShare), \(directions): \(score)")
      expectSound(score)
    }
  }

  private func expectSound(
    _ score: DirectionWalk.Score, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(score.farShare < 0.01 && score.wrongShare < 0.01, sourceLocation: sourceLocation)
    #expect((0.15...2).contains(score.consistency), sourceLocation: sourceLocation)
  }

  /// With surrounding anchors, directions improve the positions.
  ///
  /// This includes correlated direction errors, and a heading that is wrong by one standard
  /// deviation or arbitrary.
  @Test func directionsImproveTracks() throws {
    var walk = DirectionWalk(anchors: DirectionWalk.corners)
    walk.directions = .none
    let ranges = try walk.score(walks: Self.walks, seed: 4204)
    print("corners, ranges: \(ranges)")
    walk.directions = .all
    for persistentShare in [0, 0.4] {
      for (sigma, error) in [(nil, 0.0), (Angle(degrees: 5), 0.087), (.halfTurn, nil)]
        as [(Angle?, Double?)]
      {
        walk.persistentShare = persistentShare
        (walk.headingSigma, walk.headingError) = (sigma, error)
        let score = try walk.score(walks: Self.walks, seed: 4204)
        print("corners, persistent \(persistentShare), \(error ?? .nan): \(score)")
        #expect((0.3...2).contains(score.consistency) && score.farShare < 0.01)
        #expect(score.rootMeanSquare < (persistentShare > 0 ? 0.85 : 0.75) * ranges.rootMeanSquare)
      }
    }
  }

  /// One direction in ten is arbitrary, and one range in ten is too long.
  @Test func outlierDirectionsAreDownWeighted() throws {
    var walk = DirectionWalk(anchors: DirectionWalk.corners)
    walk.wildShare = 0.1
    let score = try walk.score(walks: Self.walks, seed: 4205)
    walk.directions = .none
    let ranges = try walk.score(walks: Self.walks, seed: 4205)
    print("corners, wild: \(score); ranges \(ranges)")
    #expect(score.farShare < 0.01 && (0.15...2).contains(score.consistency))
    #expect(score.rootMeanSquare < 0.7 * ranges.rootMeanSquare)
  }

  // MARK: Edges

  private func started() throws -> Tracker {
    var configuration = Tracker.Configuration()
    configuration.height = 1
    var tracker = try Tracker(
      anchors: DirectionWalk.corners.map { Anchor(position: $0) }, configuration: configuration)
    let place: Vector<3> = Vector([3, 2, 1])
    for step in 0..<8 {
      _ = tracker.update(
        distance: (DirectionWalk.corners[step % 4] - place).length + 1e-3 * Double(step),
        anchor: step % 4, at: instant(0.1 * Double(step)))
    }
    return tracker
  }

  @Test func rejectsInvalidDirections() throws {
    var tracker = try started()
    let axes = Sighting.upright(facing: .zero)
    func outcome(
      _ azimuth: Double?, sigma: Double = 0.1, anchor: Int = 0, at time: Double = 0.7,
      axes: Matrix<3, 3> = axes
    ) -> TrackUpdate.Outcome {
      tracker.update(
        azimuth: azimuth.map { Angle(radians: $0) }, elevation: nil, attitude: axes,
        sigma: Angle(radians: sigma), anchor: anchor, at: instant(time)
      ).outcome
    }
    let before = tracker.estimate(at: instant(0.7))
    #expect(outcome(nil) == .invalid && outcome(.nan) == .invalid)
    #expect(outcome(1, sigma: 0) == .invalid && outcome(1, sigma: .nan) == .invalid)
    #expect(outcome(1, anchor: 4) == .invalid && outcome(1, anchor: -1) == .invalid)
    #expect(outcome(1, axes: .diagonal(Vector([1, .nan, 1]))) == .invalid)
    #expect(outcome(1, at: 0.6) == .late)
    #expect(outcome(1, at: 5) == .discounted(weight: 0))
    #expect(tracker.estimate(at: instant(0.7)) == before)
    // From (3, 2) the anchor at the origin is at atan2(2, -3) to the right of x.
    let azimuth = Double.pi - 0.588_002_603_547_567_6
    #expect(outcome(azimuth) == .used && outcome(azimuth) == .duplicate)
    #expect(outcome(azimuth + 0.02, at: 0.8) == .used)
    var fresh = try Tracker(anchors: tracker.anchors)
    #expect(
      fresh.update(
        azimuth: .zero, elevation: nil, attitude: axes, sigma: Angle(degrees: 3), anchor: 0,
        at: instant(0)
      ).outcome == .starting)
  }

  /// Without directions, the heading setting changes a track by rounding at most.
  @Test func headingSigmaHasNoEffectWithoutDirections() throws {
    var generator = SeededGenerator(seed: 4206)
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
    var configuration = Tracker.Configuration()
    var plain = try Tracker(anchors: walk.anchors, configuration: configuration)
    configuration.headingSigma = .halfTurn
    var turned = try Tracker(anchors: walk.anchors, configuration: configuration)
    for range in walk.ranges(to: 20, using: &generator) {
      _ = plain.update(distance: range.distance, anchor: range.anchor, at: range.time)
      _ = turned.update(distance: range.distance, anchor: range.anchor, at: range.time)
      let (first, second) = (
        plain.estimate(at: range.time), turned.estimate(at: range.time)
      )
      guard let first, let second else { continue }
      #expect((first.position - second.position).length < 1e-12)
    }
    #expect(plain.hasStarted)
  }
}
