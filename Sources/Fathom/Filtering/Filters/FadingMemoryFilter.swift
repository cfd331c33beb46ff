/// The linear Kalman filter with fading memory: old measurements lose weight exponentially.
///
/// Before every prediction the covariance is multiplied by α² [Sorenson & Sacks 1971; Anderson &
/// Moore 1979, Sec. 6.2], so that a measurement k steps old has the weight α⁻²ᵏ. Use it when the
/// process noise is wrong or unknown: the gain then does not decay to zero. The polynomial
/// fading-memory filters of fixed gains are ``AlphaBetaGammaFilter`` with
/// ``TrackingGains/fadingMemory(order:beta:)``.
@frozen
public struct FadingMemoryFilter<let N: Int, let M: Int>: Sendable, Equatable {
  /// The underlying filter.
  public var filter: KalmanFilter<N, M>
  /// α: the growth of the standard deviations per step, at least 1; typically 1.01 to 1.05.
  public var fading: Double

  /// Creates a fading-memory version of `filter`, with the factor `fading` at every prediction.
  @inlinable
  public init(_ filter: KalmanFilter<N, M>, fading: Double) {
    precondition(fading >= 1 && fading.isFinite, "fading is below 1")
    self.filter = filter
    self.fading = fading
  }

  /// The current estimate.
  @inlinable
  public var state: Gaussian<N> { filter.state }

  /// Predicts the estimate: P' = α² F P Fᵀ + Q.
  @inlinable
  public mutating func predict(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) {
    filter.state.covariance = (fading * fading) * filter.state.covariance
    filter.predict(transition: transition, processNoise: processNoise, offset: offset)
  }

  /// Updates the estimate with a measurement, like ``KalmanFilter/update(_:)``.
  @inlinable
  @discardableResult
  public mutating func update(
    _ measurement: Vector<M>?
  ) throws(FilteringError) -> Innovation<M>? {
    try filter.update(measurement)
  }
}
