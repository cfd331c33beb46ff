import Fathom

/// An obstacle between radios: upright, straight as seen from above, without thickness.
///
/// A link whose line of sight crosses it is obstructed: its ranges are too long, by a fixed delay and a
/// random excess, more of them fail, and less power arrives. Several walls add up.
package struct Wall: Sendable, Equatable {
  /// One end, metres.
  package let start: Vector<2>
  /// The other end, metres.
  package let end: Vector<2>
  /// Height of the lower edge, metres; minus infinity for none.
  package let bottom: Double
  /// Height of the upper edge, metres; infinity for none.
  package let top: Double
  /// What every range through it is too long by, metres.
  package let delay: Double
  /// Mean of the exponential excess that comes on top, metres.
  package let excessMean: Double
  /// Share of ranges through it that fail, 0 to 1.
  package let dropOutShare: Double
  /// Loss of power of what goes through it, decibels.
  package let loss: Double

  /// Whether the line from `first` to `second` (metres) crosses the wall.
  ///
  /// ## Edge cases
  /// A line along the wall does not cross it. Of two walls that share an end, a line through that end
  /// crosses exactly one where they lie on either side of it.
  package func blocks(_ first: Vector<3>, _ second: Vector<3>) -> Bool {
    // Ends of either segment must lie on different sides of the other one.
    let firstSide = side(of: first)
    let secondSide = side(of: second)
    guard (firstSide > 0) != (secondSide > 0) else { return false }
    func isLeft(_ end: Vector<2>) -> Bool {
      (second[0] - first[0]) * (end[1] - first[1]) - (second[1] - first[1]) * (end[0] - first[0])
        > 0
    }
    guard isLeft(start) != isLeft(end) else { return false }
    let height = first[2] + firstSide / (firstSide - secondSide) * (second[2] - first[2])
    return bottom <= height && height <= top
  }

  /// Above 0 on the left of the wall, as seen from its start.
  private func side(of point: Vector<3>) -> Double {
    (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])
  }
}
