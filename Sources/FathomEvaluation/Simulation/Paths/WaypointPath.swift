import Fathom

/// A point of a ``WaypointPath``.
package struct Waypoint: Sendable, Equatable {
  /// Position, metres.
  package var position: Vector<3>
  /// Duration of the stop here, seconds; 0 passes without stopping.
  package var stop: Double

  /// Creates a waypoint at `position` (metres) with a stop of `stop` seconds.
  package init(position: Vector<3>, stop: Double = 0) {
    self.position = position
    self.stop = stop
  }
}

/// A path along straight lines between points, with limited speed and acceleration.
///
/// The path starts at rest at the first point, stops where a point says so, and ends at rest at the
/// last point. The speed along a line has a trapezoidal profile. Points without a stop are rounded:
/// the path leaves the line at most `corner` metres before the point and joins the next line at the
/// same distance behind it. In between, the velocity changes linearly (linear segments with
/// parabolic blends [Craig 2005, Sec. 7.3]). The path is therefore a sequence of segments of
/// constant acceleration: velocity is continuous, and no acceleration exceeds the limit.
///
/// ## Edge cases
/// A point equal to the previous one is merged with it, and their stops add up. A single point is a
/// path at rest. A reversal by 180° without a stop turns back before the point is reached.
package struct WaypointPath: Sendable, Equatable {
  /// Maximum speed, metres per second.
  package let speed: Double
  /// Maximum acceleration, metres per second squared.
  package let acceleration: Double
  /// End of the stop at the last point, seconds; the position is constant afterwards.
  package let end: Double

  private let pieces: [Piece]

  /// A segment of constant acceleration.
  private struct Piece: Equatable {
    var start = 0.0
    var duration: Double
    var position: Vector<3>
    var velocity = Vector<3>.zero
    var acceleration = Vector<3>.zero
    /// Heading while the velocity is zero, and the angle by which it turns during the segment.
    var ahead: Vector<3>
    var turn = 0.0
  }

  /// Creates the path through `waypoints`.
  ///
  /// - Parameters:
  ///   - waypoints: at least one.
  ///   - speed: maximum speed, metres per second; above 0.
  ///   - acceleration: maximum acceleration, metres per second squared; above 0.
  ///   - corner: maximum distance from a point at which its rounding begins, metres; above 0. A
  ///     rounding takes at most half of a line.
  ///   - laps: number of times the points are visited, one after the other; at least 1.
  package init(
    _ waypoints: [Waypoint], speed: Double, acceleration: Double, corner: Double = 0.5,
    laps: Int = 1
  ) {
    precondition(!waypoints.isEmpty, "a path needs a point")
    precondition(speed > 0 && acceleration > 0 && corner > 0 && laps > 0, "limits must be above 0")
    self.speed = speed
    self.acceleration = acceleration
    var points: [Waypoint] = []
    for point in Array(repeating: waypoints, count: laps).joined() {
      if let last = points.last, last.position == point.position {
        points[points.count - 1].stop += point.stop
      } else {
        points.append(point)
      }
    }
    var pieces = Self.pieces(through: points, speed: speed, acceleration: acceleration, corner)
    var time = 0.0
    for index in pieces.indices {
      pieces[index].start = time
      time += pieces[index].duration
    }
    end = time
    // The path ends at rest with unchanged heading.
    let last = Self.motion(of: pieces[pieces.count - 1], after: pieces[pieces.count - 1].duration)
    pieces.append(
      Piece(
        start: time, duration: .infinity, position: points[points.count - 1].position,
        ahead: last.ahead))
    self.pieces = pieces
  }

  /// Returns position and velocity `seconds` after the start; before it, the path is at the first
  /// point.
  package func motion(at seconds: Double) -> MotionState {
    // The last segment that has begun.
    let piece = pieces[max(0, pieces.firstPlace { $0.start > seconds } - 1)]
    return Self.motion(of: piece, after: min(max(seconds - piece.start, 0), piece.duration))
  }

  private static func motion(of piece: Piece, after seconds: Double) -> MotionState {
    let velocity = piece.velocity + seconds * piece.acceleration
    let position =
      piece.position + seconds * (piece.velocity + (0.5 * seconds) * piece.acceleration)
    let turned =
      piece.turn == 0
      ? piece.ahead : piece.ahead.turned(byRadians: piece.turn * seconds / piece.duration)
    return MotionState(
      position: position, velocity: velocity, ahead: velocity.horizontalDirection ?? turned)
  }

  // MARK: Planning

  /// Returns the segments of the path in order, without the final rest; at least one.
  private static func pieces(
    through points: [Waypoint], speed: Double, acceleration: Double, _ corner: Double
  ) -> [Piece] {
    let lines = (0..<points.count - 1).map {
      PathLine(from: points[$0].position, to: points[$0 + 1].position)
    }
    let faces = faces(of: lines)
    let plan = CornerPlan(
      lines, points: points, corner: corner, fastest: speed * speed / (2 * acceleration))

    var pieces: [Piece] = []
    for index in points.indices {
      let turn = plan.turn[index]
      if index > 0, index < lines.count, turn > 0 {
        // Round the corner: the velocity changes linearly between the two directions.
        let pace = (2 * acceleration * plan.height[index]).squareRoot()
        let before = lines[index - 1].direction
        pieces.append(
          Piece(
            duration: pace * turn / acceleration,
            position: points[index].position - (plan.height[index] * turn) * before,
            velocity: pace * before,
            acceleration: (acceleration / turn) * (lines[index].direction - before),
            ahead: faces[index - 1]))
      } else if points[index].stop > 0 || points.count == 1 {
        // Turn on the spot from the incoming to the outgoing line, where both exist.
        let arriving = faces[max(index - 1, 0)]
        let leaving = faces[min(index, faces.count - 1)]
        pieces.append(
          Piece(
            duration: points[index].stop, position: points[index].position, ahead: arriving,
            turn: angle(from: arriving, to: leaving)))
      }
      if index < lines.count {
        pieces += straight(
          lines[index], leaving: plan.height[index], arriving: plan.height[index + 1],
          offset: plan.height[index] * turn, length: plan.straightLength(index), speed: speed,
          acceleration: acceleration, ahead: faces[index])
      }
    }
    return pieces
  }

  /// Returns up to three segments along a line: acceleration, constant speed, deceleration.
  ///
  /// Speeds are given as heights v² / (2 a), the distance needed to reach v from rest.
  private static func straight(
    _ line: PathLine, leaving: Double, arriving: Double, offset: Double, length: Double,
    speed: Double, acceleration: Double, ahead: Vector<3>
  ) -> [Piece] {
    let fastest = speed * speed / (2 * acceleration)
    let peak = max(leaving, arriving, min(fastest, (length + leaving + arriving) / 2))
    let even = max(0, length - (peak - leaving) - (peak - arriving))
    let (first, top, last) = (
      (2 * acceleration * leaving).squareRoot(), (2 * acceleration * peak).squareRoot(),
      (2 * acceleration * arriving).squareRoot()
    )
    let direction = line.direction
    var place = offset
    var pieces: [Piece] = []
    for (duration, begin, push, distance) in [
      ((top - first) / acceleration, first, acceleration, peak - leaving),
      (even / top, top, 0, even),
      ((top - last) / acceleration, top, -acceleration, peak - arriving),
    ] where duration > 0 {
      pieces.append(
        Piece(
          duration: duration, position: line.start + place * direction,
          velocity: begin * direction, acceleration: push * direction, ahead: ahead))
      place += distance
    }
    return pieces
  }

  /// Returns the horizontal direction of each line; a vertical line keeps the previous direction.
  ///
  /// The result has at least one element.
  private static func faces(of lines: [PathLine]) -> [Vector<3>] {
    let directions = lines.map(\.direction.horizontalDirection)
    var face: Vector<3> = directions.lazy.compactMap(\.self).first ?? Vector([1, 0, 0])
    guard !lines.isEmpty else { return [face] }
    return directions.map { direction in
      face = direction ?? face
      return face
    }
  }

  /// Returns the angle from one horizontal direction to another, radians, positive anticlockwise.
  private static func angle(from: Vector<3>, to: Vector<3>) -> Double {
    ElementaryFunctions.angle(y: from[0] * to[1] - from[1] * to[0], x: from.dot(to))
  }
}

/// The speed at which each point of a path can be passed.
///
/// Legend: height w = v² / (2 a), the distance from rest to speed v; turn k = |u₂ - u₁| of the
/// directions before and after a point. Passing at v takes the time v k / a for the change of
/// velocity and the distance w k of either line.
struct CornerPlan {
  /// w of each point; 0 at a stop.
  var height: [Double]
  /// k of each point; 0 at a stop.
  var turn: [Double]
  private let lengths: [Double]

  init(_ lines: [PathLine], points: [Waypoint], corner: Double, fastest: Double) {
    lengths = lines.map(\.length)
    height = Array(repeating: 0, count: points.count)
    turn = Array(repeating: 0, count: points.count)
    guard lines.count > 1 else { return }
    for index in 1..<lines.count where points[index].stop == 0 {
      let k = (lines[index].direction - lines[index - 1].direction).length
      let available = min(corner, lengths[index - 1] / 2, lengths[index] / 2)
      turn[index] = k
      height[index] = min(fastest, available / k)
    }
    // On a line, w can change by at most the length of its straight part. Lowering the greater end
    // until it fits frees length on its other line, so one pass in each direction is enough.
    for index in lines.indices where height[index + 1] > height[index] + straightLength(index) {
      height[index + 1] = reachable(from: index, to: index + 1, lengths[index])
    }
    for index in lines.indices.reversed()
    where height[index] > height[index + 1] + straightLength(index) {
      height[index] = reachable(from: index + 1, to: index, lengths[index])
    }
  }

  /// Returns the distance between the roundings at the two ends of a line, metres.
  func straightLength(_ index: Int) -> Double {
    max(0, lengths[index] - height[index] * turn[index] - height[index + 1] * turn[index + 1])
  }

  /// Returns w at `end` after full acceleration from `begin`, less the rounding at `end`.
  private func reachable(from begin: Int, to end: Int, _ length: Double) -> Double {
    (length - height[begin] * turn[begin] + height[begin]) / (1 + turn[end])
  }
}

/// A straight line between two different points.
struct PathLine {
  /// Start, metres.
  var start: Vector<3>
  /// Unit vector towards the end.
  var direction: Vector<3>
  /// Length, metres.
  var length: Double

  /// Creates the line between two points, which must differ.
  init(from start: Vector<3>, to end: Vector<3>) {
    let offset = end - start
    self.start = start
    length = offset.length
    direction = (1 / length) * offset
  }
}
