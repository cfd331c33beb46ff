import Fathom

/// A test whether errors agree with their covariances, by their normalised squares.
///
/// Applies to NEES, the normalised estimation error squared eᵀ P⁻¹ e of positions, and to NIS, the
/// normalised innovation squared of a filter [Bar-Shalom et al. 2001, Sec. 5.4]. If the covariances
/// are right, each value is chi-square distributed with as many degrees of freedom as coordinates.
/// The sum of N independent values has N times as many.
///
/// Errors of successive positions of a track are correlated, so their mean varies more than the
/// bounds state. The bounds hold for independent runs.
public struct Consistency: Sendable, Equatable, Codable {
  /// Number of normalised squares.
  public var count: Int
  /// Degrees of freedom of each square.
  public var degreesOfFreedom: Int
  /// Mean of the squares divided by the degrees of freedom: 1 when consistent, greater when the
  /// covariances are too small.
  public var meanPerDof: Double
  /// Interval of ``meanPerDof`` with probability 0.95, for `count` independent, consistent squares.
  public var bounds95: ClosedRange<Double>
  /// Interval of ``meanPerDof`` with probability 0.99.
  public var bounds99: ClosedRange<Double>
  /// Share of squares inside the 95 % region of a single square; 0.95 when consistent.
  public var shareInside95: Double
  /// Number of positions without a positive definite covariance, which are excluded.
  public var withoutCovariance: Int

  /// Evaluates normalised squares with `degreesOfFreedom` each.
  ///
  /// Nil without finite values. Other values are excluded and counted in ``withoutCovariance``.
  public init?(normalizedSquares: [Double], degreesOfFreedom: Int) {
    precondition(degreesOfFreedom > 0, "degrees of freedom must be above zero")
    let squares = normalizedSquares.filter(\.isFinite)
    guard !squares.isEmpty else { return nil }
    count = squares.count
    self.degreesOfFreedom = degreesOfFreedom
    withoutCovariance = normalizedSquares.count - squares.count
    let dof = Double(degreesOfFreedom)
    let sum = Double(squares.count) * dof
    meanPerDof = squares.reduce(0) { $0 + $1 / dof } / Double(squares.count)
    func bounds(_ probability: Double) -> ClosedRange<Double> {
      let tail = (1 - probability) / 2
      return ChiSquare.quantile(tail, degreesOfFreedom: sum)
        / sum...ChiSquare.quantile(1 - tail, degreesOfFreedom: sum) / sum
    }
    bounds95 = bounds(0.95)
    bounds99 = bounds(0.99)
    let limit = ChiSquare.quantile(0.95, degreesOfFreedom: dof)
    shareInside95 = Double(squares.count { $0 <= limit }) / Double(squares.count)
  }

  /// Evaluates the NEES of `poses` over the scored coordinates; nil when no pose has a covariance.
  public init?(_ poses: [MatchedPose], isHorizontal: Bool) {
    let squares = poses.map { $0.normalizedSquare(isHorizontal: isHorizontal) ?? .nan }
    self.init(normalizedSquares: squares, degreesOfFreedom: isHorizontal ? 2 : 3)
  }
}

extension MatchedPose {
  /// Returns the normalised squared error over x, y and z, or over x and y only.
  ///
  /// Nil when the covariance is unknown or not positive definite.
  public func normalizedSquare(isHorizontal: Bool) -> Double? {
    guard let covariance else { return nil }
    let error = error
    if isHorizontal {
      let block = Matrix<2, 2>([
        [covariance[0, 0], covariance[0, 1]], [covariance[1, 0], covariance[1, 1]],
      ])
      guard let whitened = Cholesky(block)?.forward(Vector<2>([error[0], error[1]])) else {
        return nil
      }
      return whitened.dot(whitened)
    }
    guard let whitened = Cholesky(covariance)?.forward(error) else { return nil }
    return whitened.dot(whitened)
  }
}
