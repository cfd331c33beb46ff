import Fathom

/// A filter or smoother of the library as the benchmark runs it: on position and velocity, range by
/// range, with independent errors of one size and every range at full weight.
protocol TrackingFilter: Sendable {
  /// Begins with the estimate `start` about position and velocity, of a tag that moves as `motion`
  /// says.
  init(start: Gaussian<6>, motion: ConstantVelocity)

  /// What is believed now; nil where that is not determined.
  var estimate: Gaussian<6>? { get }

  /// Moves on by `seconds`, above 0, to the next instant.
  mutating func predict(over seconds: Double) throws(FilteringError)

  /// Takes in a range of the present instant; an error leaves the estimate as it was.
  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError)

  /// What was believed at every instant given everything that came, the start's first; nil for what
  /// only looks forward.
  func smoothed() -> [Gaussian<6>]?
}

extension TrackingFilter {
  func smoothed() -> [Gaussian<6>]? { nil }
}

extension RangeModel {
  /// What a linear filter takes for a range: z = H x + v around `state`, and H.
  func linearised(
    _ distance: Double, at state: Vector<6>
  ) -> (measurement: Vector<1>, observation: Matrix<1, 6>) {
    let (expected, derivative) = expectation(at: state)
    let seen = derivative * state
    return (Vector([distance - expected + seen[0]]), derivative)
  }
}
