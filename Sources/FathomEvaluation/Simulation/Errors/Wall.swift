import Fathom

/// An obstacle between radios: vertical, straight in plan view, without thickness.
///
/// A link whose line of sight crosses the wall is obstructed. Its ranges are too long by a fixed
/// delay and a random excess, more of them fail, and the received power is lower. The effects of
/// several walls add up.
package struct Wall: Sendable, Equatable {
  /// One end, metres.
  package let start: Vector<2>
  /// The other end, metres.
  package let end: Vector<2>
  /// Height of the lower edge, metres; minus infinity when unbounded.
  package let bottom: Double
  /// Height of the upper edge, metres; infinity when unbounded.
  package let top: Double
  /// Fixed error of every range through the wall, metres.
  package let delay: Double
  /// Mean of the additional exponential excess, metres.
  package let excessMean: Double
  /// Share of ranges through the wall that fail, from 0 to 1.
  package let dropOutShare: Double
  /// Attenuation of the received power, decibels.
  package let loss: Double

  /// Returns whether the line from `first` to `second` (metres) crosses the wall.
  ///
  /// ## Edge cases
  /// A line along the wall does not cross it. When two walls share an end and lie on either side of
  /// a line through that end, the line crosses exactly one of them.
  package func blocks(_ first: Vector<3>, _ second: Vector<3>) -> Bool {
    // The ends of each segment must lie on different sides of the other segment.
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

  /// Positive on the left of the wall, seen from its start.
  private func side(of point: Vector<3>) -> Double {
    (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])
  }
}
