/// How the geometry of the anchors magnifies range errors of equal size into position errors.
///
/// Square roots of traces of (JᵀJ)⁻¹, where the rows of J are the unit vectors from the anchors
/// [Langley 1999]. Dimensionless: a value of 2 makes 0.1 m of range error 0.2 m of position error.
public struct DilutionOfPrecision: Sendable, Equatable {
  /// Over all that is estimated.
  ///
  /// Two-way ranges leave no clock to estimate, so this equals ``position``.
  public var geometric: Double
  /// Over all coordinates.
  public var position: Double
  /// Over the first two coordinates.
  public var horizontal: Double
  /// Over the third coordinate; nil in the plane or where the height was given.
  public var vertical: Double?

  /// The dilution at a point, from the inverse of JᵀJ; nil where a trace is negative or not finite.
  ///
  /// - Parameters:
  ///   - cofactor: (JᵀJ)⁻¹, zero in the coordinates that were given.
  ///   - free: how many leading coordinates were estimated.
  init?<let D: Int>(cofactor: Matrix<D, D>, free: Int) {
    var total = 0.0
    var planar = 0.0
    for axis in 0..<D {
      total += cofactor[axis, axis]
      if axis < 2 { planar += cofactor[axis, axis] }
    }
    self.init(total: total, planar: planar, vertical: D >= 3 && free >= 3 ? cofactor[2, 2] : nil)
  }

  /// The dilution of the traces of (JᵀJ)⁻¹ and, where it is estimated, its third diagonal element;
  /// nil where a trace is negative or not finite.
  init?(total: Double, planar: Double, vertical: Double?) {
    guard total.isFinite, total >= 0, planar >= 0 else { return nil }
    position = total.squareRoot()
    geometric = position
    horizontal = planar.squareRoot()
    self.vertical = vertical.map { max(0, $0).squareRoot() }
  }
}
