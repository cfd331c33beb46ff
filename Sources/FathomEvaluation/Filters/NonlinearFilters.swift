import Fathom

/// A filter for nonlinear models of position and velocity.
protocol NonlinearFilter: Sendable {
  /// Creates the filter with an initial estimate, as benchmarks use it.
  init(start: Gaussian<6>)

  var state: Gaussian<6> { get }

  mutating func predict(by motion: ConstantVelocity, over seconds: Double)

  @discardableResult
  mutating func update(
    _ measurement: Vector<1>?, of model: RangeModel, noise: Matrix<1, 1>
  ) throws(FilteringError) -> Innovation<1>?
}

/// A nonlinear filter whose predictions a smoother can reverse.
protocol ReversibleFilter: NonlinearFilter {
  mutating func predictReversibly(
    by motion: ConstantVelocity, over seconds: Double
  ) -> Reversal<6>
}

/// A nonlinear filter on ranges.
struct NonlinearTracking<Filter: NonlinearFilter>: TrackingFilter {
  private var filter: Filter
  private let motion: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    (filter, self.motion) = (Filter(start: start), motion)
  }

  var estimate: Gaussian<6>? { filter.state }

  mutating func predict(over seconds: Double) { filter.predict(by: motion, over: seconds) }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    try filter.update(Vector([distance]), of: model, noise: Matrix([[variance]]))
  }
}

extension NonlinearTracking: ReversibleTracking where Filter: ReversibleFilter {
  mutating func predictReversibly(over seconds: Double) -> Reversal<6> {
    filter.predictReversibly(by: motion, over: seconds)
  }
}

typealias ExtendedTracking = NonlinearTracking<ExtendedKalmanFilter<6>>
typealias IteratedTracking = NonlinearTracking<IteratedExtendedKalmanFilter<6>>
typealias UnscentedTracking = NonlinearTracking<UnscentedKalmanFilter<6>>
typealias CubatureTracking = NonlinearTracking<CubatureKalmanFilter<6>>

extension ExtendedKalmanFilter: ReversibleFilter, NonlinearFilter where N == 6 {
  init(start: Gaussian<6>) { self.init(state: start) }
}

extension IteratedExtendedKalmanFilter: NonlinearFilter where N == 6 {
  init(start: Gaussian<6>) { self.init(state: start) }
}

/// With van der Merwe's sigma points.
extension UnscentedKalmanFilter: ReversibleFilter, NonlinearFilter where N == 6 {
  init(start: Gaussian<6>) { self.init(state: start, rule: .merwe(order: 6)) }
}

extension CubatureKalmanFilter: ReversibleFilter, NonlinearFilter where N == 6 {
  init(start: Gaussian<6>) { self.init(state: start) }
}

/// The particle filter on ranges, with the same seed in every run.
struct ParticleTracking: TrackingFilter {
  /// Number of particles.
  static let count = 500

  private var filter: ParticleFilter<6>
  private var generator = SeededGenerator(seed: 1)
  private let motion: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    filter = ParticleFilter(count: Self.count, of: start, using: &generator)
    self.motion = motion
  }

  var estimate: Gaussian<6>? { filter.state }

  mutating func predict(over seconds: Double) {
    filter.predict(by: motion, over: seconds, using: &generator)
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    try filter.update(
      Vector([distance]), of: model, noise: Matrix([[variance]]), using: &generator)
  }
}
