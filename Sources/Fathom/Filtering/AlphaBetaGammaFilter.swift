/// Position, rate and acceleration of one coordinate by fixed gains.
///
/// Extrapolates at constant acceleration, then corrects by ``TrackingGains``. With a γ of zero it
/// is the alpha-beta filter. A tenth of the cost of a Kalman filter, and the same answers once the
/// gains have settled, for measurements at even intervals. It has no covariance, and takes whatever
/// comes; for ranges of one link ``AlphaBetaSmoother`` has units, gaps and repeated instants as
/// well.
@frozen
public struct AlphaBetaGammaFilter: Sendable, Equatable {
  /// The coordinate.
  public var position: Double
  /// Its rate, per second.
  public var rate: Double
  /// Its acceleration, per second squared.
  public var acceleration: Double
  /// The gains.
  public var gains: TrackingGains

  /// A filter that starts from the given state.
  @inlinable
  public init(
    position: Double, rate: Double = 0, acceleration: Double = 0, gains: TrackingGains
  ) {
    self.position = position
    self.rate = rate
    self.acceleration = acceleration
    self.gains = gains
  }

  /// Moves the state on by `seconds`.
  @inlinable
  public mutating func predict(over seconds: Double) {
    position += seconds * (rate + 0.5 * seconds * acceleration)
    rate += seconds * acceleration
  }

  /// Takes in a measurement of the position after a step of `interval` seconds, above 0; nil is
  /// none.
  ///
  /// - Returns: The measurement less the expected one; nil, and no change, where there was none or
  ///   it is not finite.
  @inlinable
  @discardableResult
  public mutating func update(_ measurement: Double?, interval: Double) -> Double? {
    guard let measurement, measurement.isFinite else { return nil }
    let residual = measurement - position
    position += gains.position * residual
    rate += gains.rate * residual / interval
    acceleration += gains.acceleration * residual / (interval * interval)
    return residual
  }
}
