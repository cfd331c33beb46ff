import RealModule

/// The difference between a measurement and its prediction, and how the measurement was used.
///
/// Every update returns it for consistency checks: for a filter with correct noise, the mean of
/// ``normalizedSquare`` is the number of measured components.
@frozen
public struct Innovation<let M: Int>: Sendable, Equatable {
  /// Measurement minus prediction, in the units of the measurement; zero for an absent component.
  public var residual: Vector<M>
  /// The expected covariance S of the residual, including the measurement noise; an absent
  /// component has variance 1 and no correlation.
  public var covariance: Matrix<M, M>
  /// The normalised innovation squared, yᵀ S⁻¹ y.
  ///
  /// For a consistent filter it is chi-square distributed with one degree of freedom per measured
  /// component.
  public var normalizedSquare: Double
  /// The number of measured components, at most M.
  public var components: Int
  /// How the measurement was used.
  public var decision: Decision

  /// How a filter used a measurement.
  public enum Decision: Sendable, Hashable {
    /// Used with its full weight.
    case used
    /// Used with reduced weight; `weight` lies between 0 and 1.
    case discounted(weight: Double)
    /// Not used.
    case rejected
  }

  /// Creates an innovation of the given parts; all components count as measured by default.
  @inlinable
  public init(
    residual: Vector<M>, covariance: Matrix<M, M>, normalizedSquare: Double,
    components: Int = M, decision: Decision = .used
  ) {
    self.residual = residual
    self.covariance = covariance
    self.normalizedSquare = normalizedSquare
    self.components = components
    self.decision = decision
  }

  /// The natural logarithm of the predictive density at the measured components.
  ///
  /// Computed on demand from S and the normalised square: M logarithms and M³/6 multiplications.
  ///
  /// ## Edge cases
  /// Minus infinity when ``covariance`` is not positive definite, which no update produces.
  @inlinable
  public var logLikelihood: Double {
    guard let root = Cholesky(covariance) else { return -.infinity }
    var logarithm = 0.0
    for index in 0..<M { logarithm += .log(root.factor[index, index]) }
    return -0.5 * normalizedSquare - logarithm - 0.5 * Double(components) * .log(2 * .pi)
  }
}

/// The reason why an update could not be computed.
public enum FilteringError: Error, Sendable, Equatable {
  /// The innovation covariance is not positive definite: measurement noise and predicted covariance
  /// are both zero in some direction, or one of them is not a covariance.
  case indefiniteInnovation
  /// A measurement, a model matrix or the state is not finite.
  case notFinite
}
