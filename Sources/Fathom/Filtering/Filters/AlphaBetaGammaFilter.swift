import RealModule

/// A fixed-gain filter of position, rate and acceleration of one coordinate.
///
/// Extrapolates at constant acceleration, then corrects by ``TrackingGains``. With γ = 0 it is the
/// alpha-beta filter. It costs a tenth of a Kalman filter. For measurements at even intervals its
/// estimates are the same once the gains have converged. It has no covariance and rejects no
/// outliers. For the ranges of one link, ``AlphaBetaSmoother`` additionally handles units, gaps
/// and equal time stamps.
@frozen
public struct AlphaBetaGammaFilter: Sendable, Equatable {
  /// The position.
  public var position: Double
  /// The rate, per second.
  public var rate: Double
  /// The acceleration, per second squared.
  public var acceleration: Double
  /// The gains.
  public var gains: TrackingGains

  /// Creates a filter that starts from the given state.
  @inlinable
  public init(
    position: Double, rate: Double = 0, acceleration: Double = 0, gains: TrackingGains
  ) {
    self.position = position
    self.rate = rate
    self.acceleration = acceleration
    self.gains = gains
  }

  /// Predicts the state `seconds` ahead.
  @inlinable
  public mutating func predict(over seconds: Double) {
    position += seconds * (rate + 0.5 * seconds * acceleration)
    rate += seconds * acceleration
  }

  /// Updates with a measurement of the position after a step of `interval` seconds, above 0.
  ///
  /// - Returns: The measurement minus the expected one; nil, without a change, for a nil or
  ///   non-finite measurement.
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

/// The fixed gains of a filter of position, rate and acceleration.
///
/// With residual r over an interval T: position += α r, rate += β r / T, acceleration += γ r / T².
@frozen
public struct TrackingGains: Sendable, Equatable {
  /// α: the gain of the position.
  public var position: Double
  /// β: the gain of the rate; zero keeps the rate.
  public var rate: Double
  /// γ: the gain of the acceleration, without the factor ½ of some authors; zero keeps the
  /// acceleration.
  public var acceleration: Double

  /// Creates the given gains.
  @inlinable
  public init(position: Double, rate: Double = 0, acceleration: Double = 0) {
    self.position = position
    self.rate = rate
    self.acceleration = acceleration
  }

  /// Returns the steady-state Kalman gains of position and rate [Kalata 1984].
  ///
  /// Assumes an acceleration that is constant within an interval and independent between intervals.
  ///
  /// - Parameter index: Λ = σₐ T² / σ, the manoeuvre noise per interval relative to the measurement
  ///   noise; above 0.
  /// - Returns: α in (0, 1), β in (0, 2), γ of zero.
  public static func alphaBeta(trackingIndex index: Double) -> Self {
    precondition(index > 0 && index.isFinite, "the tracking index is not positive")
    // r = (4 + Λ - √(8 Λ + Λ²)) / 4, in forms that avoid cancellation.
    let root = index.squareRoot() * (8 + index).squareRoot()
    let ratio = 4 / (4 + index + root)
    let rest = (index + root) / (4 + index + root)
    return Self(position: rest * (1 + ratio), rate: 2 * rest * rest)
  }

  /// Returns the steady-state Kalman gains of position, rate and acceleration [Kalata 1984].
  ///
  /// Assumes an independent increment of the acceleration at every step, of standard deviation σₐ.
  /// The cubic equation is that of [Gray & Murray 1993].
  ///
  /// - Parameter index: Λ = σₐ T² / σ; above 0.
  /// - Returns: α in (0, 1), β in (0, 2), γ in (0, 2).
  public static func alphaBetaGamma(trackingIndex index: Double) -> Self {
    precondition(index > 0 && index.isFinite, "the tracking index is not positive")
    // With s the root in (0, 1) of s³ + (Λ/2 - 3) s² + (Λ/2 + 3) s - 1 and u = 1 - s, the
    // polynomial u³ - Λ/2 u² + 3/2 Λ u - Λ has no cancellation. It rises from -Λ at 0 to 1 at 1.
    var (low, high) = (0.0, 1.0)
    while true {
      let u = 0.5 * (low + high)
      guard u > low, u < high else { break }
      if ((u - 0.5 * index) * u + 1.5 * index) * u < index { low = u } else { high = u }
    }
    let rest = high
    let alpha = rest * (2 - rest)
    let beta = 2 * rest * rest
    return Self(position: alpha, rate: beta, acceleration: beta * beta / (2 * alpha))
  }

  /// Returns the gains of a polynomial fit with exponentially fading weights.
  ///
  /// A measurement k steps old has the weight βᵏ [Zarchan & Musoff 2009, Sec. 4.1].
  ///
  /// - Parameters:
  ///   - order: 0 for a constant, 1 for a line, 2 for a parabola.
  ///   - beta: The memory factor β, at least 0 and below 1.
  /// - Returns: The gains; those above the order are zero.
  public static func fadingMemory(order: Int, beta: Double) -> Self {
    precondition(beta >= 0 && beta < 1, "the memory is not in [0, 1)")
    let rest = 1 - beta
    switch order {
    case 0: return Self(position: rest)
    case 1: return Self(position: 1 - beta * beta, rate: rest * rest)
    case 2:
      return Self(
        position: 1 - beta * beta * beta, rate: 1.5 * rest * rest * (1 + beta),
        acceleration: rest * rest * rest)
    default: preconditionFailure("the order is not 0, 1 or 2")
    }
  }
}
