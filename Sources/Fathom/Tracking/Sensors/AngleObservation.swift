import RealModule

/// One of the two angles under which a tag of known attitude sees an anchor.
///
/// With axes R and headings that are wrong by h about the vertical, the tag's axes are truly T(h) R,
/// and w = Rᵀ T(-h) (a - p) is the anchor in its frame:
///
///     azimuth = atan2(w₁, -w₃)    elevation = atan2(w₂, √(w₁² + w₃²))
struct AngleObservation {
  /// Where the anchor is, metres.
  var anchor: Vector<3>
  /// The tag's axes right, up and back as columns in the world.
  var axes: Matrix<3, 3>
  var measured: Angle
  var isElevation: Bool

  /// By how much the tag leans from the vertical, radians squared, all but exact for small ones.
  var squaredLean: Double { max(0, 2 * (1 - axes[2, 1])) }

  /// An angle as it looks from a position.
  struct View {
    /// Measured less expected angle by the shorter way, radians.
    var residual: Double
    /// The derivative of the expected angle by the position of the tag, rad/m.
    var slope: Vector<3>
    /// The derivative of the expected angle by the error of headings.
    var turn: Double
  }

  /// Compares the angle with that from `position` under headings wrong by `heading` radians; all zero
  /// where no angle exists.
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
    // The anchor moves to the other side as the tag moves, and to the right as it turns to the left.
    return View(
      residual: measured.difference(from: expected).radians,
      slope: -(heading == 0 ? slope : turn.applied(to: slope)),
      turn: slope.dot(Vector([offset[1], -offset[0], 0])))
  }
}

extension TrackState {
  /// Above this variance, half a radian squared, a heading is as good as unknown.
  static let vagueHeading = 0.25

  /// Compares an angle with the state estimate, in radians in place of metres.
  ///
  /// - Parameter angle: what was measured.
  /// - Returns: How far off it is, and what spread was expected; and the variance of what a linear
  ///   expectation leaves out, rad².
  ///
  /// Close to the anchor an angle is no linear function of the position: what is left out is of the
  /// order of the square of what the position leaves open. Nor is it one of the heading where the tag
  /// leans: then up to its lean. Of a heading that is as good as unknown an elevation tells nothing.
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
      // The row beside the last, which panels contain.
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
  /// So many azimuths in a row that are far off speak of a wrong heading.
  private static let headingStreakLimit = 4
  /// So many speak of a wrong track.
  private static let trackStreakLimit = 10

  /// Takes in an angle.
  ///
  /// - Parameters:
  ///   - angle: what was measured.
  ///   - variance: of its independent error, rad².
  /// - Returns: What it said, in radians; nil, and no change, where it cannot be computed.
  mutating func condition(on angle: AngleObservation, variance: Double) -> Reading? {
    let (expectation, excess) = state.expectation(of: angle)
    let reading = condition(on: expectation, variance: variance + excess)
    if let reading { doubt(reading.normalizedSquare, of: angle) }
    return reading
  }

  /// Believes less after angles in a row that were far off: first in the heading, then in the track.
  private mutating func doubt(_ square: Double, of angle: AngleObservation) {
    let kind = angle.isElevation ? 1 : 0
    outlierStreak[kind] = square > 16 ? outlierStreak[kind] + 1 : 0
    if !angle.isElevation, outlierStreak[kind] == Self.headingStreakLimit { forgetHeading() }
    guard outlierStreak[kind] == Self.trackStreakLimit else { return }
    outlierStreak[kind] = 0
    widen(by: 2)
  }
}
