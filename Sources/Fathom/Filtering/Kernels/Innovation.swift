import RealModule

/// What a measurement told a filter: how far it was from the prediction, and what was made of it.
///
/// Returned by every update, so that consistency can be judged from outside: for a filter whose
/// noise is right, the mean of ``normalizedSquare`` is the number of components measured.
@frozen
public struct Innovation<let M: Int>: Sendable, Equatable {
  /// Measurement minus prediction, in the units of the measurement; zero where a component was
  /// absent.
  public var residual: Vector<M>
  /// Covariance S of the residual as the filter expected it, including the measurement noise; an
  /// absent component has variance 1 and no correlation.
  public var covariance: Matrix<M, M>
  /// Normalised innovation squared, yᵀ S⁻¹ y: chi-square distributed with as many degrees of
  /// freedom as components were measured, when the filter is consistent.
  public var normalizedSquare: Double
  /// How many components were measured, at most M.
  public var components: Int
  /// What was done with the measurement.
  public var decision: Decision

  /// What a filter did with a measurement.
  public enum Decision: Sendable, Hashable {
    /// It went in with its full weight.
    case used
    /// It went in with less than its full weight; `weight` lies between 0 and 1.
    case discounted(weight: Double)
    /// It was not used at all.
    case rejected
  }

  /// An innovation of the given parts; all components were measured unless `components` says less.
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

  /// Natural logarithm of the density of the measurement as the filter expected it, of the
  /// components that were measured.
  ///
  /// Computed when asked for, from S and the normalised square: M logarithms and M³/6
  /// multiplications.
  ///
  /// ## Edge cases
  /// Minus infinity where ``covariance`` is not positive definite, which no update leaves.
  @inlinable
  public var logLikelihood: Double {
    guard let root = Cholesky(covariance) else { return -.infinity }
    var logarithm = 0.0
    for index in 0..<M { logarithm += .log(root.factor[index, index]) }
    return -0.5 * normalizedSquare - logarithm - 0.5 * Double(components) * .log(2 * .pi)
  }
}

/// Why an update could not be computed.
public enum FilteringError: Error, Sendable, Equatable {
  /// The covariance of the innovation is not positive definite: measurement noise and predicted
  /// covariance are both zero in some direction, or one of them is not a covariance.
  case indefiniteInnovation
  /// A measurement, a model matrix or the state is not finite.
  case notFinite
}
