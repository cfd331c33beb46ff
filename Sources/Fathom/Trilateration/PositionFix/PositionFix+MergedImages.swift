extension PositionFix {
  /// The fix with two images as one answer, if they are closer than their own uncertainty.
  ///
  /// Two positions are one answer if their standard deviations along the line between them add up
  /// to their distance or more. The merged position is their mean, and its covariance includes half
  /// of their distance: the second moment of both together. The alternative and its covariance are
  /// nil, and the verdict becomes `unique`. Otherwise the fix is returned as it is.
  public var mergingImages: PositionFix {
    guard let position, let alternative, let covariance else { return self }
    let other = alternativeCovariance ?? covariance
    let offset = alternative - position
    let distance = offset.length
    guard distance.isFinite, covariance.isFinite, other.isFinite else { return self }
    if distance > 0 {
      let direction = (1 / distance) * offset
      let first = max(0, direction.dot(covariance * direction)).squareRoot()
      let second = max(0, direction.dot(other * direction)).squareRoot()
      guard distance <= first + second else { return self }
    }
    var merged = self
    merged.position = position + 0.5 * offset
    merged.covariance = secondMoment(about: offset, covariance, other)
    merged.alternative = nil
    merged.alternativeCovariance = nil
    if verdict == .two { merged.verdict = .unique }
    return merged
  }

  /// Coordinates on which both images agree within their standard deviation: x and y under a
  /// ceiling of anchors.
  ///
  /// The coordinates are the mean of both images, and NaN where they disagree; the covariance has
  /// the second moment of both, and NaN in the rows and columns of unknown coordinates. Without an
  /// alternative, they are those of the position. Nil without a position or covariance.
  public var agreedCoordinates: (position: Vector<D>, covariance: Matrix<D, D>)? {
    guard let position, let covariance else { return nil }
    guard let alternative else { return (position, covariance) }
    let other = alternativeCovariance ?? covariance
    let offset = alternative - position
    var mean = position + 0.5 * offset
    var moment = secondMoment(about: offset, covariance, other)
    for axis in 0..<D {
      let variance = max(covariance[axis, axis], other[axis, axis])
      guard !(offset[axis] * offset[axis] <= variance) else { continue }
      mean[axis] = .nan
      for column in 0..<D {
        moment[axis, column] = .nan
        moment[column, axis] = .nan
      }
    }
    return (mean, moment)
  }

  private func secondMoment(
    about offset: Vector<D>, _ one: Matrix<D, D>, _ other: Matrix<D, D>
  ) -> Matrix<D, D> {
    var moment = 0.5 * (one + other)
    moment.addOuterProduct(of: offset, times: 0.25)
    return moment
  }
}
