extension Gaussian {
  /// Returns the posterior given a measurement that is linear, or linearised, in the state.
  ///
  /// With prediction residual y, observation matrix H and measurement noise R [Särkkä 2013, Thm.
  /// 4.2; Bucy & Joseph 1968]:
  ///
  ///     S = H P Hᵀ + R        K = P Hᵀ S⁻¹
  ///     m' = m + K y          P' = (I - K H) P (I - K H)ᵀ + K R Kᵀ
  ///
  /// The Joseph form of P' costs more than P - K H P, but stays positive semi-definite, because an
  /// error in K enters only squared. A scalar measurement whose noise is not small relative to the
  /// predicted variance uses the short form, which is equally accurate there.
  ///
  /// - Parameters:
  ///   - residual: y, measurement minus predicted measurement, M numbers.
  ///   - observation: H, M x N, the derivative of the measurement with respect to the state.
  ///   - noise: R, M x M, symmetric and positive semi-definite.
  /// - Returns: The conditioned distribution and the innovation. No heap allocation; about 2 N³ + 2
  ///   M N² multiplications.
  /// - Throws: ``FilteringError/indefiniteInnovation`` when S is not positive definite,
  ///   ``FilteringError/notFinite`` when the residual or the result is not finite.
  @inlinable
  @inline(__always)
  public func conditioned<let M: Int>(
    onResidual residual: Vector<M>, observation: Matrix<M, N>, noise: Matrix<M, M>
  ) throws(FilteringError) -> (posterior: Self, innovation: Innovation<M>) {
    var posterior = self
    let innovation = try posterior.condition(
      onResidual: residual, observation: observation, noise: noise)
    return (posterior, innovation)
  }

  /// Conditions the estimate in place; see ``conditioned(onResidual:observation:noise:)``.
  ///
  /// A scalar measurement uses the short form when that is safe: N² + 3 N multiplications for a
  /// range in space.
  ///
  /// - Throws: ``FilteringError``; the estimate is then unchanged.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func condition<let M: Int>(
    onResidual residual: Vector<M>, observation: Matrix<M, N>, noise: Matrix<M, M>
  ) throws(FilteringError) -> Innovation<M> {
    if M == 1 {
      let variance = noise.withElements { $0[0] }
      let spread = observation.withElements {
        conditionShort(residual: residual[0], row: $0, variance: variance)
      }
      if let spread {
        return Innovation(
          residual: residual, covariance: Matrix(repeating: spread),
          normalizedSquare: residual[0] * residual[0] / spread)
      }
    }
    let (posterior, innovation) = try conditionedByJoseph(
      onResidual: residual, observation: observation, noise: noise)
    self = posterior
    return innovation
  }

  /// Returns the result of ``conditioned(onResidual:observation:noise:)`` by the factored Joseph
  /// form for all inputs.
  ///
  /// Not in place: taking the address of the estimate here would force callers to keep it in
  /// memory, although most of them use the short form.
  @inlinable
  @inline(never)
  func conditionedByJoseph<let M: Int>(
    onResidual residual: Vector<M>, observation: Matrix<M, N>, noise: Matrix<M, M>
  ) throws(FilteringError) -> (posterior: Self, innovation: Innovation<M>) {
    guard residual.isFinite else { throw .notFinite }
    let crossCovariance = covariance.timesTransposed(observation)
    let innovationCovariance = (observation * crossCovariance).symmetrized() + noise
    guard let root = Cholesky(innovationCovariance) else {
      throw innovationCovariance.isFinite ? .indefiniteInnovation : .notFinite
    }

    var gain = Matrix<N, M>.zero
    for row in 0..<N {
      let solution = root.solve(crossCovariance.row(row))
      for column in 0..<M { gain[row, column] = solution[column] }
    }
    let posterior = updated(by: gain, residual: residual, observation: observation, noise: noise)
    guard posterior.isFinite else { throw .notFinite }
    let whitened = root.forward(residual)
    return (
      posterior,
      Innovation(
        residual: residual, covariance: innovationCovariance,
        normalizedSquare: whitened.dot(whitened))
    )
  }

  /// Returns the Joseph update with a given gain, which need not be the optimal one.
  @inlinable
  func updated<let M: Int>(
    by gain: Matrix<N, M>, residual: Vector<M>, observation: Matrix<M, N>, noise: Matrix<M, M>
  ) -> Self {
    let remainder = Matrix<N, N>.identity - gain * observation
    let added = (gain * noise).timesTransposed(gain).symmetrized()
    let posterior = covariance.congruent(through: remainder) + added
    return Gaussian(mean: mean + gain * residual, covariance: posterior)
  }
}
