import Fathom
import FathomEvaluation
import TestSupport
import Testing

@Suite struct WaypointPathTests {
  /// sqrt 1/2.
  private let diagonal = 0.707_106_781_186_547_5

  private func expect(
    _ vector: Vector<3>, _ expected: [Double], within tolerance: Double = 1e-12,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let close = (0..<3).allSatisfy { isClose(vector[$0], expected[$0], within: tolerance) }
    #expect(close, "\(vector) is not \(expected)", sourceLocation: sourceLocation)
  }

  @Test func speedProfileIsTrapezoidal() {
    // 2 m/s at 1 m/s²: 2 s and 2 m to accelerate, 6 m in 3 s at full speed, 2 s and 2 m to
    // decelerate.
    let path = WaypointPath(
      [Waypoint(position: point(0, 0, 1)), Waypoint(position: point(10, 0, 1))], speed: 2,
      acceleration: 1)
    #expect(isClose(path.end, 7, within: 1e-12))
    expect(path.motion(at: 1).position, [0.5, 0, 1])
    expect(path.motion(at: 1).velocity, [1, 0, 0])
    expect(path.motion(at: 3.5).position, [5, 0, 1])
    expect(path.motion(at: 3.5).velocity, [2, 0, 0])
    expect(path.motion(at: 6).position, [9.5, 0, 1])
    expect(path.motion(at: 7).position, [10, 0, 1])
    expect(path.motion(at: 100).position, [10, 0, 1])
    expect(path.motion(at: 100).velocity, [0, 0, 0])
    expect(path.motion(at: -1).position, [0, 0, 1])
  }

  @Test func shortLineStaysBelowFullSpeed() {
    // 1 m at 1 m/s²: half a metre in each phase, at most 1 m/s, 1 s each.
    let path = WaypointPath(
      [Waypoint(position: point(0, 0, 0)), Waypoint(position: point(0, 1, 0))], speed: 2,
      acceleration: 1)
    #expect(isClose(path.end, 2, within: 1e-12))
    expect(path.motion(at: 1).velocity, [0, 1, 0])
    expect(path.motion(at: 1).position, [0, 0.5, 0])
  }

  @Test func cornersAreRoundedSymmetrically() {
    // k = |u2 - u1| = sqrt 2. The rounding uses w k = 0.5 m of each line, so v² = 2 a w = 1/sqrt 2,
    // and T = v k / a gives T² = sqrt 2. At half the time the point is the corner shifted by a T² /
    // (8 k) = 1/8 m along u2 - u1.
    let path = WaypointPath(
      [
        Waypoint(position: point(0, 0, 0)), Waypoint(position: point(10, 0, 0)),
        Waypoint(position: point(10, 10, 0)),
      ], speed: 1, acceleration: 1, corner: 0.5)
    let middle = path.motion(at: path.end / 2)
    expect(middle.position, [9.875, 0.125, 0])
    expect(middle.ahead, [diagonal, diagonal, 0])
    // The speed there is half the sum of the velocities before and after: v / sqrt 2.
    #expect(
      isClose(
        middle.velocity.length, diagonal.squareRoot() * diagonal, within: 1e-12))
  }

  @Test func stopTurnsOnTheSpot() {
    // To (1, 0): 1 s of acceleration and 1 s of deceleration at 1 m/s². Then a stop of 4 s, turning
    // from +x to +y.
    let path = WaypointPath(
      [
        Waypoint(position: point(0, 0, 0)), Waypoint(position: point(1, 0, 0), stop: 4),
        Waypoint(position: point(1, 1, 0)),
      ], speed: 1, acceleration: 1)
    #expect(isClose(path.end, 8, within: 1e-12))
    for time in [2.0, 3, 4, 6] {
      expect(path.motion(at: time).position, [1, 0, 0])
      expect(path.motion(at: time).velocity, [0, 0, 0])
    }
    expect(path.motion(at: 2).ahead, [1, 0, 0])
    expect(path.motion(at: 4).ahead, [diagonal, diagonal, 0])
    expect(path.motion(at: 6).ahead, [0, 1, 0])
  }

  @Test func singlePointPathIsAtRest() {
    let path = WaypointPath(
      [Waypoint(position: point(3, 2, 1), stop: 5)], speed: 1, acceleration: 1, laps: 3)
    #expect(path.end == 15)
    for time in [0.0, 7, 1e6] {
      #expect(path.motion(at: time).position == point(3, 2, 1))
      #expect(path.motion(at: time).velocity == .zero)
      #expect(path.motion(at: time).ahead == point(1, 0, 0))
    }
  }

  @Test func equalNeighboursMergeTheirStops() {
    let once = WaypointPath(
      [Waypoint(position: point(0, 0, 0)), Waypoint(position: point(4, 0, 0), stop: 3)],
      speed: 1, acceleration: 1)
    let twice = WaypointPath(
      [
        Waypoint(position: point(0, 0, 0)), Waypoint(position: point(4, 0, 0), stop: 1),
        Waypoint(position: point(4, 0, 0), stop: 2),
      ], speed: 1, acceleration: 1)
    #expect(once == twice)
  }

  @Test func reversalWithoutStopTurnsBeforeThePoint() {
    // k = 2: the rounding uses min(v² / (2 a) k, corner) = 0.5 m, so w = 0.25 m. Constant
    // deceleration from there stops after w: at 10 - 0.5 + 0.25 m.
    let path = WaypointPath(
      [
        Waypoint(position: point(0, 0, 0)), Waypoint(position: point(10, 0, 0)),
        Waypoint(position: point(0, 0, 0)),
      ], speed: 1, acceleration: 1, corner: 0.5)
    expect(path.motion(at: path.end / 2).position, [9.75, 0, 0])
  }

  @Test func verticalLineKeepsThePreviousHeading() {
    let path = WaypointPath(
      [
        Waypoint(position: point(0, 0, 0)), Waypoint(position: point(0, -3, 0), stop: 1),
        Waypoint(position: point(0, -3, 2)),
      ], speed: 1, acceleration: 1)
    expect(path.motion(at: path.end - 1).ahead, [0, -1, 0])
  }

  /// Random paths keep their limits and are continuous: position is the integral of velocity.
  @Test(arguments: 1...60)
  func limitsHoldAndMotionIsContinuous(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let speed = generator.uniform(in: 0.2...3)
    let acceleration = generator.uniform(in: 0.2...4)
    let corner = generator.uniform(in: 0.05...2)
    var points: [Waypoint] = []
    for _ in 0..<Int(2 + generator.next() % 7) {
      // Some lines are very short, some points coincide.
      let extent = generator.next() % 4 == 0 ? 0.05 : 6.0
      let position = point(
        generator.uniform(in: -extent...extent), generator.uniform(in: -extent...extent),
        generator.uniform(in: 0...1))
      let rests = generator.next() % 3 == 0
      points.append(
        Waypoint(position: position, stop: rests ? generator.uniform(in: 0...3) : 0))
    }
    let laps = Int(1 + generator.next() % 2)
    let path = WaypointPath(
      points, speed: speed, acceleration: acceleration, corner: corner, laps: laps)

    #expect(path.end.isFinite)
    #expect(path.motion(at: 0).position == points[0].position)
    let last = path.motion(at: path.end).position - points[points.count - 1].position
    #expect(last.length < 1e-9)
    var nearest = [Double](repeating: .infinity, count: points.count)
    let step = path.end / 4000
    var before = path.motion(at: 0)
    for index in 1...4010 {
      let now = path.motion(at: Double(index) * step)
      let change = now.velocity - before.velocity
      #expect(now.velocity.length <= speed * (1 + 1e-9), "seed \(seed)")
      #expect(change.length <= acceleration * step * (1 + 1e-6) + 1e-9, "seed \(seed)")
      // The trapezoidal rule has an error of at most a h² / 4 for accelerations up to a.
      let deviation = now.position - before.position - (step / 2) * (before.velocity + now.velocity)
      #expect(
        deviation.length <= acceleration * step * step / 4 + 1e-9,
        "seed \(seed), \(deviation.length)")
      #expect(isClose(now.ahead.length, 1, within: 1e-9) && now.ahead[2] == 0)
      for (place, point) in points.enumerated() {
        nearest[place] = min(nearest[place], (now.position - point.position).length)
      }
      before = now
    }
    // Roundings begin at most `corner` before a point, so the path passes every point within that
    // distance.
    #expect(nearest.allSatisfy { $0 <= corner + speed * step }, "seed \(seed)")
    // Stops are reached, at worst between samples.
    for (point, distance) in zip(points, nearest) where point.stop > step {
      #expect(distance < 1e-9, "seed \(seed)")
    }
  }
}
