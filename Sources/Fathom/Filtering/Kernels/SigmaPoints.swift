/// Where and with which weights a normal distribution is sampled to carry it through a function.
///
/// Points lie at the mean and at ± ``spread`` times the columns of the Cholesky factor of the
/// covariance; the weighted mean and covariance of the points are those of the distribution.
@frozen
public struct SigmaPointRule: Sendable, Equatable {
  /// Which points there are besides the central one.
  public enum Pattern: Sendable, Hashable {
    /// Two per dimension, on both sides of the mean.
    case pairs
    /// One per dimension: with the central one, which is not at the mean, the corners of a simplex.
    case simplex
  }

  /// Which points there are.
  public var pattern: Pattern
  /// Distance of the points from the mean, in standard deviations; above 0.
  public var spread: Double
  /// Weight of the central point in the mean.
  public var centralMeanWeight: Double
  /// Weight of the central point in the covariance.
  public var centralCovarianceWeight: Double
  /// Weight of every other point.
  public var weight: Double

  /// A rule of the given numbers.
  @inlinable
  public init(
    pattern: Pattern = .pairs, spread: Double, centralMeanWeight: Double,
    centralCovarianceWeight: Double, weight: Double
  ) {
    precondition(spread > 0 && weight > 0, "points need a distance and a weight")
    self.pattern = pattern
    self.spread = spread
    self.centralMeanWeight = centralMeanWeight
    self.centralCovarianceWeight = centralCovarianceWeight
    self.weight = weight
  }

  /// The scaled points of [Wan & van der Merwe 2000] for states of `order` numbers.
  ///
  /// With λ = α² (n + κ) - n: spread √(n + λ), weights λ / (n + λ) and, in the covariance,
  /// 1 - α² + β more. `alpha` is above 0 and at most 1, κ above -n; β = 2 suits normal
  /// distributions.
  ///
  /// ## Edge cases
  /// With α far below 1 the weights are near ±α⁻² and cancel: at 1e-3, six digits are lost.
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

  /// The symmetric points for states of `order` numbers.
  ///
  /// Spread √(n + κ), κ above -n [Julier et al. 2000].
  /// n + κ = 3 fits the fourth moment of a normal distribution; the central weight is negative
  /// there for more than three numbers.
  @inlinable
  public static func julier(order: Int, kappa: Double = 0) -> Self {
    let scale = Double(order) + kappa
    return Self(
      spread: scale.squareRoot(), centralMeanWeight: kappa / scale,
      centralCovarianceWeight: kappa / scale, weight: 0.5 / scale)
  }

  /// The 2 n points of [Arasaratnam & Haykin 2009], all of one weight.
  @inlinable
  public static func cubature(order: Int) -> Self { julier(order: order, kappa: 0) }

  /// The n + 1 corners of a regular simplex about the mean, all of one weight.
  @inlinable
  public static func simplex(order: Int) -> Self {
    let weight = 1 / Double(order + 1)
    return Self(
      pattern: .simplex, spread: 1, centralMeanWeight: weight, centralCovarianceWeight: weight,
      weight: weight)
  }
}

/// Points that stand for a normal distribution over states of `N` numbers.
@frozen
public struct SigmaPoints<let N: Int>: Sendable, Equatable {
  /// The rule that the points follow.
  public var rule: SigmaPointRule
  /// The central point.
  public var centre: Vector<N>
  /// One point per row: ahead of the mean, or the other corners of a simplex.
  public var ahead: Matrix<N, N>
  /// One point per row: behind the mean; not used in a simplex.
  public var behind: Matrix<N, N>

  /// The points of `state` by `rule`.
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

  /// A corner of the regular simplex whose corners have covariance 1, counted from 0 to N.
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

  /// The points carried through a function, as deviations.
  ///
  /// - Parameters:
  ///   - function: what every point becomes.
  ///   - residual: the first number less the second; angles by the shorter way.
  /// - Returns: The deviations from the weighted mean. The mean is taken about what the centre
  ///   becomes, so that angles need no mean of sines and cosines, which negative weights spoil.
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

/// What sigma points became: their weighted mean, and how far each is from it.
///
/// With weights that are not negative, every covariance formed here is a sum of squares. Rules with
/// a negative central weight can make it indefinite; then ``aboutTheCentre()`` gives deviations
/// whose covariance is larger and always a covariance [Julier et al. 2000, Sec. IV].
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
  /// The deviations of the points behind, one per row; zero where there are none.
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
  func aboutTheCentre() -> Self {
    var result = self
    result.shift(by: centre)
    result.mean = mean
    result.rule.centralCovarianceWeight = 0
    return result
  }

  /// Σ w d eᵀ: the covariance with other deviations of the same points, M x Others.
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

  /// Σ w d dᵀ, symmetric to the bit.
  @inlinable
  var covariance: Matrix<M, M> { covariance(with: self) }

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
