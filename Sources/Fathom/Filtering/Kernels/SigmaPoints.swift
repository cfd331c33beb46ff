/// A rule for the positions and weights of the sigma points of a normal distribution.
///
/// Points lie at the mean and at ± ``spread`` times the columns of the Cholesky factor of the
/// covariance. Their weighted mean and covariance are those of the distribution.
@frozen
public struct SigmaPointRule: Sendable, Equatable {
  /// The arrangement of the points other than the central one.
  public enum Pattern: Sendable, Hashable {
    /// Two per dimension, symmetric about the mean.
    case pairs
    /// One per dimension: together with the central point, which is not at the mean, the corners of
    /// a simplex.
    case simplex
  }

  /// The arrangement of the points.
  public var pattern: Pattern
  /// Distance of the points from the mean, in standard deviations; above 0.
  public var spread: Double
  /// The weight of the central point in the mean.
  public var centralMeanWeight: Double
  /// The weight of the central point in the covariance.
  public var centralCovarianceWeight: Double
  /// The weight of every other point.
  public var weight: Double

  /// Creates a rule of the given numbers.
  @inlinable
  public init(
    pattern: Pattern = .pairs, spread: Double, centralMeanWeight: Double,
    centralCovarianceWeight: Double, weight: Double
  ) {
    precondition(spread > 0 && weight > 0, "spread and weight must be positive")
    self.pattern = pattern
    self.spread = spread
    self.centralMeanWeight = centralMeanWeight
    self.centralCovarianceWeight = centralCovarianceWeight
    self.weight = weight
  }

  /// Returns the scaled points of [Wan & van der Merwe 2000] for states of `order` components.
  ///
  /// With λ = α² (n + κ) - n, the spread is √(n + λ) and the central weight λ / (n + λ), plus 1 -
  /// α² + β in the covariance. `alpha` is above 0 and at most 1, κ above -n; β = 2 suits normal
  /// distributions.
  ///
  /// ## Edge cases
  /// For α far below 1 the weights are about ±α⁻² and cancel: at 1e-3, six digits are lost.
  @inlinable
  public static func merwe(
    order: Int, alpha: Double = 1, beta: Double = 2, kappa: Double = 0
  ) -> Self {
    let count = Double(order)
    let scale = alpha * alpha * (count + kappa)
    let central = (scale - count) / scale
    return Self(
      spread: scale.squareRoot(), centralMeanWeight: central,
      centralCovarianceWeight: central + 1 - alpha * alpha + beta, weight: 0.5 / scale)
  }

  /// Returns the symmetric points for states of `order` components.
  ///
  /// Spread √(n + κ), κ above -n [Julier et al. 2000]. n + κ = 3 matches the fourth moment of a
  /// normal distribution; the central weight is then negative for more than three components.
  @inlinable
  public static func julier(order: Int, kappa: Double = 0) -> Self {
    let scale = Double(order) + kappa
    return Self(
      spread: scale.squareRoot(), centralMeanWeight: kappa / scale,
      centralCovarianceWeight: kappa / scale, weight: 0.5 / scale)
  }

  /// Returns the 2 n points of [Arasaratnam & Haykin 2009], all of equal weight.
  @inlinable
  public static func cubature(order: Int) -> Self { julier(order: order, kappa: 0) }

  /// Returns the n + 1 corners of a regular simplex about the mean, all of equal weight.
  @inlinable
  public static func simplex(order: Int) -> Self {
    let weight = 1 / Double(order + 1)
    return Self(
      pattern: .simplex, spread: 1, centralMeanWeight: weight, centralCovarianceWeight: weight,
      weight: weight)
  }
}

/// Sigma points of a normal distribution over states of `N` components.
@frozen
public struct SigmaPoints<let N: Int>: Sendable, Equatable {
  /// The rule that places the points.
  public var rule: SigmaPointRule
  /// The central point.
  public var centre: Vector<N>
  /// One point per row: the mean plus an offset, or the other corners of a simplex.
  public var ahead: Matrix<N, N>
  /// One point per row: the mean minus an offset; not used in a simplex.
  public var behind: Matrix<N, N>

  /// Creates the points of `state` by `rule`.
  ///
  /// About N³ / 6 multiplications, no heap allocation.
  @inlinable
  public init(_ state: Gaussian<N>, rule: SigmaPointRule) {
    self.rule = rule
    centre = state.mean
    ahead = .zero
    behind = .zero
    let root = state.covariance.semidefiniteRoot()
    switch rule.pattern {
    case .pairs:
      for point in 0..<N {
        for row in 0..<N {
          let offset = rule.spread * root[row, point]
          ahead[point, row] = state.mean[row] + offset
          behind[point, row] = state.mean[row] - offset
        }
      }
    case .simplex:
      for point in 0..<N {
        let corner = root * Self.corner(point)
        for row in 0..<N { ahead[point, row] = state.mean[row] + corner[row] }
      }
      centre = state.mean + root * Self.corner(N)
    }
  }

  /// Returns a corner of the regular simplex whose corners have unit covariance, counted from 0 to N.
  @inlinable
  static func corner(_ point: Int) -> Vector<N> {
    var result = Vector<N>.zero
    for axis in 0..<N where point <= axis + 1 {
      let step = (Double(N + 1) / Double((axis + 1) * (axis + 2))).squareRoot()
      let place = point == axis + 1 ? -Double(axis + 1) * step : step
      result[axis] = axis == 0 ? -place : place
    }
    return result
  }

  /// Propagates the points through a function and returns their deviations from the weighted mean.
  ///
  /// The mean is computed relative to the image of the centre, so that angles need no mean of sines
  /// and cosines, which negative weights make invalid. `residual` is the first number minus the
  /// second, with angles wrapped.
  @inlinable
  func carried<let M: Int>(
    through function: (Vector<N>) -> Vector<M>,
    residual: (Vector<M>, Vector<M>) -> Vector<M> = { $0 - $1 }
  ) -> SigmaDeviations<N, M> {
    let reference = function(centre)
    var result = SigmaDeviations<N, M>(rule: rule, mean: reference)
    var shift = Vector<M>.zero
    for point in 0..<N {
      let first = residual(function(ahead.row(point)), reference)
      shift += first
      for column in 0..<M { result.ahead[point, column] = first[column] }
      guard rule.pattern == .pairs else { continue }
      let second = residual(function(behind.row(point)), reference)
      shift += second
      for column in 0..<M { result.behind[point, column] = second[column] }
    }
    result.shift(by: rule.weight * shift)
    return result
  }
}

/// The images of sigma points: their weighted mean and their deviations from it.
///
/// With non-negative weights every covariance formed here is a sum of squares. A negative central
/// weight can make it indefinite; ``aboutTheCentre()`` then gives deviations whose covariance is
/// larger and always positive semi-definite [Julier et al. 2000, Sec. IV].
@frozen
@usableFromInline
struct SigmaDeviations<let N: Int, let M: Int>: Sendable, Equatable {
  /// The rule of the points.
  @usableFromInline
  var rule: SigmaPointRule
  /// The weighted mean.
  @usableFromInline
  var mean: Vector<M>
  /// The deviation of the central point.
  @usableFromInline
  var centre: Vector<M>
  /// The deviations of the points ahead, one per row.
  @usableFromInline
  var ahead: Matrix<N, M>
  /// The deviations of the points behind, one per row; zero in a simplex.
  @usableFromInline
  var behind: Matrix<N, M>

  @inlinable
  init(rule: SigmaPointRule, mean: Vector<M>) {
    self.rule = rule
    self.mean = mean
    centre = .zero
    ahead = .zero
    behind = .zero
  }

  /// Moves the mean by `step`, and every deviation by the opposite amount.
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

  /// Returns the same points with deviations from the central one, which has no weight in the
  /// covariance; the mean is unchanged.
  @inlinable
  func aboutTheCentre() -> Self {
    var result = self
    result.shift(by: centre)
    result.mean = mean
    result.rule.centralCovarianceWeight = 0
    return result
  }

  /// Returns Σ w d eᵀ: the cross-covariance with other deviations of the same points, M x Others.
  @inlinable
  func covariance<let Others: Int>(
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

  /// Σ w d dᵀ, bitwise symmetric.
  @inlinable
  var covariance: Matrix<M, M> { covariance(with: self) }

  /// Returns the deviations d - K e, whose covariance is a Joseph form.
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
