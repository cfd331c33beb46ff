import Fathom

extension Matrix<3, 3> {
  /// The covariance whose eight decimals form a positive semi-definite matrix.
  ///
  /// Rounding changes each element by up to 5e-9, and so the eigenvalues by up to 1.5e-8. A
  /// nearly singular matrix can become indefinite; its variances are then increased by as much.
  ///
  /// ## Edge cases
  /// Axes with an undetermined or exactly known coordinate stay as they are.
  @inline(__always)
  var withPositiveDigits: Self {
    let minor = self[1, 1] * self[2, 2] - self[1, 2] * self[1, 2]
    let determinant =
      self[0, 0] * minor - self[0, 1] * (self[0, 1] * self[2, 2] - self[1, 2] * self[0, 2])
      + self[0, 2] * (self[0, 1] * self[1, 2] - self[1, 1] * self[0, 2])
    let trace = self[0, 0] + self[1, 1] + self[2, 2]
    // The least of three eigenvalues is at least their product divided by the greatest product of
    // the two others, a quarter of the squared trace.
    if 4 * determinant > trace * trace * (1e-7 + 1e-12 * trace) { return self }
    return widenedIfIndefinite()
  }

  @inline(never)
  private func widenedIfIndefinite() -> Self {
    let axes = (0..<3).filter { axis in
      self[axis, axis].isFinite && !(0..<3).allSatisfy { self[axis, $0] == 0 }
    }
    if hasPositiveDigits(axes) { return self }
    var widened = self
    let greatest = axes.map { self[$0, $0] }.max() ?? 0
    // Beside the decimals, the digits of a number of this size.
    for axis in axes { widened[axis, axis] += 2.5e-8 + 5e-16 * greatest }
    // A matrix that was indefinite before stays as it is.
    return widened.hasPositiveDigits(axes) ? widened : self
  }

  /// Whether all principal minors over `axes` of the rounded matrix are certainly not negative.
  private func hasPositiveDigits(_ axes: [Int]) -> Bool {
    /// Whether the sum of `terms` is not negative, despite the rounding of its terms.
    func isPositive(_ terms: Double...) -> Bool {
      terms.reduce(0, +) >= 1e-14 * terms.reduce(0) { $0 + $1.magnitude }
    }
    func digits(_ row: Int, _ column: Int) -> Double { (self[row, column] * 1e8).rounded() }
    for (place, row) in axes.enumerated() {
      let variance = digits(row, row)
      if variance < 0 { return false }
      for column in axes[..<place] {
        let cross = digits(row, column)
        if !isPositive(variance * digits(column, column), -cross * cross) { return false }
      }
    }
    guard axes.count == 3 else { return true }
    let (xx, yy, zz) = (digits(0, 0), digits(1, 1), digits(2, 2))
    let (xy, xz, yz) = (digits(0, 1), digits(0, 2), digits(1, 2))
    return isPositive(
      xx * yy * zz, xy * yz * xz, xy * yz * xz, -xx * yz * yz, -yy * xz * xz, -zz * xy * xy)
  }
}
