import Fathom

/// Whether errors are as large as their covariances say, by their normalised squares.
///
/// For NEES, the normalised estimation error squared eᵀ P⁻¹ e of positions, and NIS, the normalised
/// innovation squared of a filter, alike [Bar-Shalom et al. 2001, Sec. 5.4]. If the covariances are
/// right, each is chi-square distributed with as many degrees of freedom as coordinates, and the sum of
/// N independent ones with N times as many.
///
/// Errors of successive positions of a track are not independent, so that its mean scatters more than
/// the bounds say; over independent runs they hold.
public struct Consistency: Sendable, Equatable, Codable {
  /// The number of normalised squares.
  public var count: Int
  /// Degrees of freedom of each.
  public var degreesOfFreedom: Int
  /// Their mean divided by the degrees of freedom: 1 where consistent, more where the covariances
  /// promise too much.
  public var meanPerDof: Double
  /// Where ``meanPerDof`` lies with probability 0.95 if `count` independent squares are consistent.
  public var bounds95: ClosedRange<Double>
  /// The same with probability 0.99.
  public var bounds99: ClosedRange<Double>
  /// The share of squares inside the 95 % region of a single one; 0.95 where consistent.
  public var shareInside95: Double
  /// Positions left out because they have no positive definite covariance.
  public var withoutCovariance: Int

  /// Judges normalised squares of `degreesOfFreedom` each.
  ///
  /// Nil where there is none; values that are not finite are left out and counted in
  /// ``withoutCovariance``.
  public init?(normalizedSquares: [Double], degreesOfFreedom: Int) {
    precondition(degreesOfFreedom > 0, "degrees of freedom are above zero")
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

  /// The NEES of `poses` over the coordinates that count; nil where no pose has a covariance.
  public init?(_ poses: [MatchedPose], isHorizontal: Bool) {
    let squares = poses.map { $0.normalizedSquare(isHorizontal: isHorizontal) ?? .nan }
    self.init(normalizedSquares: squares, degreesOfFreedom: isHorizontal ? 2 : 3)
  }
}

extension MatchedPose {
  /// The normalised error squared over x, y and z, or x and y only; nil where the covariance is not
  /// known or not positive definite.
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
