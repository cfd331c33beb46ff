import RealModule

/// One of the two angles of an anchor that a tag of known attitude measures.
///
/// With axes R and a heading error h about the vertical, the true axes of the tag are T(h) R, and
/// w = Rᵀ T(-h) (a - p) is the anchor in its frame:
///
///     azimuth = atan2(w₁, -w₃)    elevation = atan2(w₂, √(w₁² + w₃²))
struct AngleObservation {
  /// The position of the anchor, in metres.
  var anchor: Vector<3>
  /// The tag's axes right, up and back as columns in the world frame.
  var axes: Matrix<3, 3>
  var measured: Angle
  var isElevation: Bool

  /// The squared tilt of the tag from the vertical in rad², accurate for small tilts.
  var squaredLean: Double { max(0, 2 * (1 - axes[2, 1])) }

  /// The predicted angle from a position.
  struct View {
    /// Measured minus expected angle in the shorter direction, in radians.
    var residual: Double
    /// The derivative of the expected angle with respect to the position of the tag, in rad/m.
    var slope: Vector<3>
    /// The derivative of the expected angle with respect to the heading error.
    var turn: Double
  }

  /// Compares the angle with the prediction from `position` with a heading error of `heading`
  /// radians; returns zeros if the angle is undefined.
  func view(from position: Vector<3>, heading: Double = 0) -> View {
    let turn = HeadingRotation(Angle(radians: heading))
    let back = HeadingRotation(Angle(radians: -heading))
    let offset = heading == 0 ? anchor - position : back.applied(to: anchor - position)
    let seen = axes.transposed() * offset
    let (right, up, behind) = (seen[0], seen[1], seen[2])
    let level = right * right + behind * behind
    guard level > 0 else { return View(residual: 0, slope: .zero, turn: 0) }
    let expected: Angle
    let slope: Vector<3>
    if isElevation {
      let across = level.squareRoot()
      let square = level + up * up
      expected = Angle(radians: .atan2(y: up, x: across))
      let lift = -up / (across * square)
      slope = axes * Vector([lift * right, across / square, lift * behind])
    } else {
      expected = Angle(radians: .atan2(y: right, x: -behind))
      slope = axes * Vector([-behind / level, 0, right / level])
    }
    // The bearing moves opposite to the tag, and to the right as the tag turns to the left.
    return View(
      residual: measured.difference(from: expected).radians,
      slope: -(heading == 0 ? slope : turn.applied(to: slope)),
      turn: slope.dot(Vector([offset[1], -offset[0], 0])))
  }
}

extension TrackState {
  /// Variance of a practically unknown heading: half a radian squared.
  static let vagueHeading = 0.25

  /// Compares an angle with the state estimate, in radians instead of metres.
  ///
  /// Close to the anchor the angle is a nonlinear function of the position. The neglected term is
  /// of the order of the squared angular uncertainty. For a tilted tag the elevation and azimuth
  /// are also nonlinear in the heading; the neglected term is at most the tilt. With a practically
  /// unknown heading, an elevation contains no heading information. `excess` is the variance of the
  /// neglected terms in rad².
  mutating func expectation(
    of angle: AngleObservation
  ) -> (expectation: Expectation, excess: Pair) {
    let (axes, size, height) = (axes, size, height)
    let heading = hasHeading ? self.heading : nil
    return withMutableElements { p in
      var residual = Pair.zero
      var turn = Pair.zero
      var slopes = InlineArray<3, Pair>(repeating: .zero)
      for mode in 0..<2 {
        let place = Vector<3>([
          p.mean[0][mode], p.mean[1][mode], axes == 3 ? p.mean[2][mode] : height,
        ])
        let view = angle.view(from: place, heading: heading.map { p.mean[$0][mode] } ?? 0)
        residual[mode] = view.residual
        turn[mode] = view.turn
        for axis in 0..<axes { slopes[axis][mode] = view.slope[axis] }
      }
      let isVague =
        angle.isElevation && heading.map { p[$0, $0].max() > Self.vagueHeading } ?? false
      if isVague { turn = .zero }
      var (arc, terms) = (Pair.zero, Pair.zero)
      for row in 0..<size {
        var sum = Pair.zero
        for axis in 0..<axes { sum += slopes[axis] * p[max(row, axis), min(row, axis)] }
        if row < axes { arc += slopes[row] * sum }
        if let heading { sum += turn * p[max(row, heading), min(row, heading)] }
        p.gain[row] = sum
      }
      // The row after the last, which the panels contain.
      if size % 2 == 1 { p.gain[size] = .zero }
      var spread = Pair.zero
      for axis in 0..<axes {
        spread += slopes[axis] * p.gain[axis]
        terms += slopes[axis] * slopes[axis] * p[axis, axis]
      }
      var excess = arc * arc
      if let heading {
        let open = p[heading, heading]
        let share = isVague ? Pair(repeating: 1) : open.replacing(with: 1, where: open .> 1)
        excess += angle.squaredLean * share * share
        spread += turn * p.gain[heading]
        terms += turn * turn * p[heading, heading]
      }
      let expectation = Expectation(
        residual: residual, spread: spread.replacing(with: 0, where: spread .< 0), terms: terms)
      return (expectation, excess)
    }
  }
}

extension TrackMixture {
  /// Number of consecutive azimuths with a large innovation that indicates a wrong heading.
  private static let headingStreakLimit = 4
  /// Number of consecutive angles with a large innovation that indicates a wrong track.
  private static let trackStreakLimit = 10

  /// Updates the state estimates with an angle, whose independent error has `variance` in rad².
  ///
  /// Returns the reading in radians; nil, without a change, if it cannot be computed.
  mutating func condition(on angle: AngleObservation, variance: Double) -> Reading? {
    let (expectation, excess) = state.expectation(of: angle)
    let reading = condition(on: expectation, variance: variance + excess)
    if let reading { countOutlier(reading.normalizedSquare, of: angle) }
    return reading
  }

  /// Raises the variances after an outlier streak: of the heading first, then of the track.
  private mutating func countOutlier(_ square: Double, of angle: AngleObservation) {
    let kind = angle.isElevation ? 1 : 0
    outlierStreak[kind] = square > 16 ? outlierStreak[kind] + 1 : 0
    if !angle.isElevation, outlierStreak[kind] == Self.headingStreakLimit { forgetHeading() }
    guard outlierStreak[kind] == Self.trackStreakLimit else { return }
    outlierStreak[kind] = 0
    widen(by: 2)
  }
}
