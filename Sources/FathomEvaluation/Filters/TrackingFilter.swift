import Fathom

/// A filter or smoother of the library in the form that the benchmark runs.
///
/// It estimates position and velocity and is updated range by range. Range errors are independent
/// with equal standard deviation, and every range has full weight.
protocol TrackingFilter: Sendable {
  /// Creates a filter with the initial estimate `start` of position and velocity, and the motion
  /// model `motion`.
  init(start: Gaussian<6>, motion: ConstantVelocity)

  /// The present estimate; nil while it is undetermined.
  var estimate: Gaussian<6>? { get }

  /// Predicts over `seconds`, above 0, to the next measurement time.
  mutating func predict(over seconds: Double) throws(FilteringError)

  /// Updates with a range of the present time; on an error the estimate is unchanged.
  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError)

  /// Returns the smoothed estimate at every measurement time, that of the start first; nil for a
  /// filter without a smoother.
  func smoothed() -> [Gaussian<6>]?
}

extension TrackingFilter {
  func smoothed() -> [Gaussian<6>]? { nil }
}

extension RangeModel {
  /// Returns the linearised measurement z = H x + v around `state`, and H.
  func linearised(
    _ distance: Double, at state: Vector<6>
  ) -> (measurement: Vector<1>, observation: Matrix<1, 6>) {
    let (expected, derivative) = expectation(at: state)
    let seen = derivative * state
    return (Vector([distance - expected + seen[0]]), derivative)
  }
}
