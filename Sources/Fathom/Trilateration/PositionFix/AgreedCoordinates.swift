extension PositionFix {
  /// Coordinates on which all positions agree within their standard deviation: x and y under a
  /// ceiling of anchors.
  ///
  /// The coordinates are the mean of the position and its alternatives, and NaN where they disagree;
  /// the covariance has the second moment of all, and NaN in the rows and columns of unknown
  /// coordinates. Without an alternative, they are those of the position. Nil without a position or
  /// covariance.
  public var agreedCoordinates: (position: Vector<D>, covariance: Matrix<D, D>)? {
    guard let position, let covariance else { return nil }
    guard !alternatives.isEmpty else { return (position, covariance) }
    let share = 1 / Double(alternatives.count + 1)
    var (mean, moment) = (Vector<D>.zero, covariance)
    for alternative in alternatives {
      mean += share * (alternative.position - position)
      moment = moment + (alternative.covariance ?? covariance)
    }
    moment = share * moment
    var disagreed: [Int] = []
    for axis in 0..<D {
      let agrees = alternatives.allSatisfy { other in
        let offset = other.position[axis] - position[axis]
        let variance = max(covariance[axis, axis], other.covariance?[axis, axis] ?? 0)
        return offset * offset <= variance
      }
      if !agrees { disagreed.append(axis) }
    }
    moment.addOuterProduct(of: mean, times: share)
    for alternative in alternatives {
      moment.addOuterProduct(of: alternative.position - position - mean, times: share)
    }
    mean += position
    for axis in disagreed {
      mean[axis] = .nan
      for column in 0..<D {
        moment[axis, column] = .nan
        moment[column, axis] = .nan
      }
    }
    return (mean, moment)
  }
}
