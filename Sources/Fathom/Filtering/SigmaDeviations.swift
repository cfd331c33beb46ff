/// What sigma points became: their weighted mean, and how far each is from it.
///
/// With weights that are not negative, every covariance formed here is a sum of squares. Rules with
/// a negative central weight can make it indefinite; then ``aboutTheCentre()`` gives deviations
/// whose covariance is larger and always a covariance [Julier et al. 2000, Sec. IV].
@frozen
public struct SigmaDeviations<let N: Int, let M: Int>: Sendable, Equatable {
  /// The rule of the points.
  public var rule: SigmaPointRule
  /// The weighted mean.
  public var mean: Vector<M>
  /// The deviation of the central point.
  public var centre: Vector<M>
  /// The deviations of the points ahead, one per row.
  public var ahead: Matrix<N, M>
  /// The deviations of the points behind, one per row; zero where there are none.
  public var behind: Matrix<N, M>

  @inlinable
  init(rule: SigmaPointRule, mean: Vector<M>) {
    self.rule = rule
    self.mean = mean
    centre = .zero
    ahead = .zero
    behind = .zero
  }

  /// Moves the mean, and every deviation the other way.
  @inlinable
  mutating func shift(by step: Vector<M>) {
    mean += step
    for column in 0..<M {
      centre[column] -= step[column]
      for point in 0..<N {
        ahead[point, column] -= step[column]
        if rule.pattern == .pairs { behind[point, column] -= step[column] }
      }
    }
  }

  /// The same points with deviations from the central one, and without a weight of its own in the
  /// covariance; the mean stays.
  @inlinable
  public func aboutTheCentre() -> Self {
    var result = self
    result.shift(by: centre)
    result.mean = mean
    result.rule.centralCovarianceWeight = 0
    return result
  }

  /// Σ w d eᵀ: the covariance with other deviations of the same points, M x Others.
  @inlinable
  public func covariance<let Others: Int>(
    with other: SigmaDeviations<N, Others>
  ) -> Matrix<M, Others> {
    var result = Matrix<M, Others>.zero
    for row in 0..<M {
      for column in 0..<Others {
        var sum = 0.0
        for point in 0..<N {
          sum += ahead[point, row] * other.ahead[point, column]
          sum += behind[point, row] * other.behind[point, column]
        }
        let central = centre[row] * other.centre[column]
        result[row, column] = rule.weight * sum + rule.centralCovarianceWeight * central
      }
    }
    return result
  }

  /// Σ w d dᵀ, symmetric to the bit.
  @inlinable
  public var covariance: Matrix<M, M> { covariance(with: self) }

  /// The deviations d - K e, of which the covariance is a Joseph form.
  @inlinable
  func less<let Others: Int>(
    _ gain: Matrix<M, Others>, times other: SigmaDeviations<N, Others>
  ) -> Self {
    var result = self
    result.centre = centre - gain * other.centre
    let (first, second) = (
      other.ahead.timesTransposed(gain), other.behind.timesTransposed(gain)
    )
    result.ahead = ahead - first
    result.behind = behind - second
    return result
  }
}

extension Matrix where Rows == Columns {
  /// Whether no pivot of the matrix is negative beyond rounding.
  @inlinable
  var isPositiveSemidefinite: Bool {
    var rest = self
    for pivot in 0..<Rows {
      let variance = self[pivot, pivot]
      let left = rest[pivot, pivot]
      guard variance >= 0, left >= -1e-12 * variance else { return false }
      guard left > 1e-14 * variance else { continue }
      for row in pivot + 1..<max(Rows, pivot + 1) {
        let factor = rest[row, pivot] / left
        for column in pivot + 1..<max(Rows, pivot + 1) {
          rest[row, column] -= factor * rest[pivot, column]
        }
      }
    }
    return true
  }
}
