import Fathom

/// A search for minima of a robust cost of ranges, by another method than the solver under test.
///
/// It is here and not beside its tests because this target is optimised: tests descend a million times.
public struct RobustDescent: Sendable {
  private let anchors: [Vector<3>]
  private let ranges: [Double]
  private let sigma: Double
  private let isLevel: Bool
  private let loss: RobustLoss

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - anchors: The positions of the anchors, metres.
  ///   - ranges: The range to each anchor, metres.
  ///   - sigma: The standard deviation of the ranges, metres.
  ///   - isLevel: Whether the height of the start is that of the tag.
  ///   - loss: The loss of a normalised residual.
  public init(
    anchors: [Vector<3>], ranges: [Double], sigma: Double, isLevel: Bool, loss: RobustLoss
  ) {
    (self.anchors, self.ranges, self.sigma) = (anchors, ranges, sigma)
    (self.isLevel, self.loss) = (isLevel, loss)
  }

  /// Returns the cost at a position: the sum of the losses of the normalised residuals.
  public func cost(_ position: Vector<3>) -> Double {
    zip(anchors, ranges).reduce(0) { sum, pair in
      sum + loss.cost(of: (pair.1 - (pair.0 - position).length) / sigma)
    }
  }

  /// Returns the position that re-weighted least squares with Levenberg's damping reaches from `start`.
  public func minimum(from start: Vector<3>) -> Vector<3> {
    var (position, damping) = (start, 1e-6)
    var least = cost(start)
    for _ in 0..<400 {
      var (matrix, pull) = (Matrix<3, 3>.zero, Vector<3>.zero)
      for (anchor, range) in zip(anchors, ranges) {
        let offset = position - anchor
        guard offset.length > 0 else { continue }
        var unit = (1 / offset.length) * offset
        if isLevel { unit[2] = 0 }
        let residual = range - offset.length
        let weight = loss.weight(of: residual / sigma) / (sigma * sigma)
        for row in 0..<3 {
          for column in 0..<3 { matrix[row, column] += weight * unit[row] * unit[column] }
        }
        pull += weight * residual * unit
      }
      for axis in 0..<3 { matrix[axis, axis] += damping * max(matrix.trace, 1e-6) }
      guard let step = Cholesky(matrix)?.solve(pull) else { break }
      let next = cost(position + step)
      if next <= least {
        let isDone = step.length < 1e-11 * (1 + position.length)
        (position, least, damping) = (position + step, next, max(1e-14, damping / 10))
        if isDone { break }
      } else {
        damping *= 10
        if damping > 1e12 { break }
      }
    }
    return position
  }
}
