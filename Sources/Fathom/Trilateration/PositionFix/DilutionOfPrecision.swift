/// The factors by which the anchor geometry magnifies range errors of equal size into position
/// errors.
///
/// They are square roots of traces of (JᵀJ)⁻¹, where the rows of J are the unit vectors from the
/// anchors [Langley 1999]. Dimensionless: with a value of 2, a range error of 0.1 m gives a
/// position error of 0.2 m.
public struct DilutionOfPrecision: Sendable, Equatable {
  /// The dilution over all unknowns.
  ///
  /// Two-way ranges have no clock unknown, so this equals ``position``.
  public var geometric: Double
  /// The dilution over all coordinates.
  public var position: Double
  /// The dilution over the first two coordinates.
  public var horizontal: Double
  /// The dilution over the third coordinate; nil in the plane or if the height is known.
  public var vertical: Double?

  /// Creates the dilution at a point from the inverse of JᵀJ, or nil if a trace is negative or not
  /// finite.
  ///
  /// `cofactor` is zero in known coordinates; the `free` leading coordinates were estimated.
  init?<let D: Int>(cofactor: Matrix<D, D>, free: Int) {
    var total = 0.0
    var planar = 0.0
    for axis in 0..<D {
      total += cofactor[axis, axis]
      if axis < 2 { planar += cofactor[axis, axis] }
    }
    self.init(total: total, planar: planar, vertical: D >= 3 && free >= 3 ? cofactor[2, 2] : nil)
  }

  /// Creates the dilution from traces of (JᵀJ)⁻¹ and its third diagonal element, if that is
  /// estimated.
  ///
  /// Returns nil if a trace is negative or not finite.
  init?(total: Double, planar: Double, vertical: Double?) {
    guard total.isFinite, total >= 0, planar >= 0 else { return nil }
    position = total.squareRoot()
    geometric = position
    horizontal = planar.squareRoot()
    self.vertical = vertical.map { max(0, $0).squareRoot() }
  }
}
