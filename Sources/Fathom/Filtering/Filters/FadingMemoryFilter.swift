/// The linear Kalman filter that forgets: what it believes loses weight as it ages.
///
/// Before every prediction the covariance is multiplied by α² [Sorenson & Sacks 1971; Anderson &
/// Moore 1979, Sec. 6.2], so that a measurement k steps ago counts α⁻²ᵏ. For models whose process
/// noise is wrong or unknown: it keeps the gain from going to sleep. The polynomial fading-memory
/// filters of fixed gains are ``AlphaBetaGammaFilter`` with
/// ``TrackingGains/fadingMemory(order:beta:)``.
@frozen
public struct FadingMemoryFilter<let N: Int, let M: Int>: Sendable, Equatable {
  /// The filter that does the work.
  public var filter: KalmanFilter<N, M>
  /// α: how much the standard deviations grow at a step, at least 1; 1.01 to 1.05 is usual.
  public var fading: Double

  /// `filter`, forgetting by `fading` at every prediction.
  @inlinable
  public init(_ filter: KalmanFilter<N, M>, fading: Double) {
    precondition(fading >= 1 && fading.isFinite, "fading is below 1")
    self.filter = filter
    self.fading = fading
  }

  /// The present estimate.
  @inlinable
  public var state: Gaussian<N> { filter.state }

  /// Moves the estimate forward: P' = α² F P Fᵀ + Q.
  @inlinable
  public mutating func predict(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) {
    filter.state.covariance = (fading * fading) * filter.state.covariance
    filter.predict(transition: transition, processNoise: processNoise, offset: offset)
  }

  /// Takes in a measurement; as ``KalmanFilter/update(_:)``.
  @inlinable
  @discardableResult
  public mutating func update(
    _ measurement: Vector<M>?
  ) throws(FilteringError) -> Innovation<M>? {
    try filter.update(measurement)
  }
}
