import Fathom

/// A point of a ``WaypointPath``.
package struct Waypoint: Sendable, Equatable {
  /// Where it is, metres.
  package var position: Vector<3>
  /// How long the traveller rests here, seconds; 0 passes without stopping.
  package var stop: Double

  /// A point at `position` (metres) with a rest of `stop` seconds.
  package init(position: Vector<3>, stop: Double = 0) {
    self.position = position
    self.stop = stop
  }
}

/// A path along straight lines between points, with limited speed and acceleration.
///
/// It starts at rest in the first point, rests where a point says so, and ends at rest in the last
/// one. Along a line the speed is a trapezium. Points without a rest are rounded: the traveller leaves
/// the line at most `corner` metres before the point and joins the next line as far behind it, its
/// velocity changing evenly (linear segments with parabolic blends [Craig 2005, Sec. 7.3]). The path is
/// therefore a sequence of pieces of constant acceleration: velocity is continuous, and no
/// acceleration exceeds the limit.
///
/// ## Edge cases
/// A point equal to the one before it is merged with it and adds its rest. One point alone is a
/// traveller who stands still. A turn back by 180° without a rest reverses before the point is reached.
package struct WaypointPath: Sendable, Equatable {
  /// Greatest speed, metres per second.
  package let speed: Double
  /// Greatest acceleration, metres per second squared.
  package let acceleration: Double
  /// When the last point is reached and its rest is over, seconds; later the traveller stays there.
  package let end: Double

  private let pieces: [Piece]

  /// A stretch of constant acceleration.
  private struct Piece: Equatable {
    var start = 0.0
    var duration: Double
    var position: Vector<3>
    var velocity = Vector<3>.zero
    var acceleration = Vector<3>.zero
    /// Direction faced while the velocity is zero, and the angle by which it turns meanwhile.
    var ahead: Vector<3>
    var turn = 0.0
  }

  /// The path through `waypoints`.
  ///
  /// - Parameters:
  ///   - waypoints: at least one.
  ///   - speed: greatest speed, metres per second; above 0.
  ///   - acceleration: greatest acceleration, metres per second squared; above 0.
  ///   - corner: how far from a point its rounding begins at most, metres; above 0. It never takes more
  ///     than half of a line.
  ///   - laps: how often the points are visited, one after the other; 1 or more.
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
    // What follows is rest, facing as before.
    let last = Self.motion(of: pieces[pieces.count - 1], after: pieces[pieces.count - 1].duration)
    pieces.append(
      Piece(
        start: time, duration: .infinity, position: points[points.count - 1].position,
        ahead: last.ahead))
    self.pieces = pieces
  }

  /// Where the traveller is and how it moves `seconds` after the start; before it, in the first point.
  package func motion(at seconds: Double) -> MotionState {
    // The last piece that has begun, by bisection.
    var (low, high) = (0, pieces.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if pieces[middle].start <= seconds { low = middle } else { high = middle }
    }
    let piece = pieces[low]
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

  /// The pieces of the path, all but its final rest, in order; at least one.
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
        // Round the corner at constant speed before and after; in between the velocity changes evenly.
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
        // Turn on the spot from the line of arrival to that of departure, where there are two.
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

  /// Up to three pieces along a line: faster, even, slower.
  ///
  /// Speeds are given as heights v² / (2 a), the distance it takes to reach them from rest.
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

  /// The horizontal direction of each line, at least one; a vertical line keeps that before it.
  private static func faces(of lines: [PathLine]) -> [Vector<3>] {
    let directions = lines.map(\.direction.horizontalDirection)
    var face: Vector<3> = directions.lazy.compactMap(\.self).first ?? Vector([1, 0, 0])
    guard !lines.isEmpty else { return [face] }
    return directions.map { direction in
      face = direction ?? face
      return face
    }
  }

  /// The angle from one horizontal direction to another, radians, anticlockwise positive.
  private static func angle(from: Vector<3>, to: Vector<3>) -> Double {
    ElementaryFunctions.angle(y: from[0] * to[1] - from[1] * to[0], x: from.dot(to))
  }
}

/// How fast each point of a path can be passed.
///
/// Legend: height w = v² / (2 a), the way from rest to speed v; turn k = |u₂ - u₁| of the directions
/// before and after a point. Passing at v takes the time v k / a for the change of velocity, and the way
/// w k of either line.
struct CornerPlan {
  /// w of each point; 0 where the traveller rests.
  var height: [Double]
  /// k of each point; 0 at rests.
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
    // On a line w can change by its straight part only; lowering the greater end until it fits
    // frees length on its other line, so one pass each way is enough.
    for index in lines.indices where height[index + 1] > height[index] + straightLength(index) {
      height[index + 1] = reachable(from: index, to: index + 1, lengths[index])
    }
    for index in lines.indices.reversed()
    where height[index] > height[index + 1] + straightLength(index) {
      height[index] = reachable(from: index + 1, to: index, lengths[index])
    }
  }

  /// Distance between the roundings at the two ends of a line, metres.
  func straightLength(_ index: Int) -> Double {
    max(0, lengths[index] - height[index] * turn[index] - height[index + 1] * turn[index + 1])
  }

  /// The w at `end` that full acceleration from `begin` gives, the rounding at `end` deducted.
  private func reachable(from begin: Int, to end: Int, _ length: Double) -> Double {
    (length - height[begin] * turn[begin] + height[begin]) / (1 + turn[end])
  }
}

/// A straight line between two different points.
struct PathLine {
  /// Where it begins, metres.
  var start: Vector<3>
  /// Unit vector towards its end.
  var direction: Vector<3>
  /// Metres.
  var length: Double

  /// The line between two points, which must differ.
  init(from start: Vector<3>, to end: Vector<3>) {
    let offset = end - start
    self.start = start
    length = offset.length
    direction = (1 / length) * offset
  }
}
