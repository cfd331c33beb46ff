import Fathom

/// The extended Kalman filter on ranges.
struct ExtendedTracking: ReversibleTracking {
  private var filter: ExtendedKalmanFilter<6>
  private let motion: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    (filter, self.motion) = (ExtendedKalmanFilter(state: start), motion)
  }

  var estimate: Gaussian<6>? { filter.state }

  mutating func predict(over seconds: Double) { filter.predict(by: motion, over: seconds) }

  mutating func predictReversibly(over seconds: Double) -> Reversal<6> {
    filter.predictReversibly(by: motion, over: seconds)
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    try filter.update(Vector([distance]), of: model, noise: Matrix([[variance]]))
  }
}

/// The iterated extended Kalman filter on ranges.
struct IteratedTracking: TrackingFilter {
  private var filter: IteratedExtendedKalmanFilter<6>
  private let motion: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    (filter, self.motion) = (IteratedExtendedKalmanFilter(state: start), motion)
  }

  var estimate: Gaussian<6>? { filter.state }

  mutating func predict(over seconds: Double) { filter.predict(by: motion, over: seconds) }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    try filter.update(Vector([distance]), of: model, noise: Matrix([[variance]]))
  }
}

/// The unscented Kalman filter on ranges, with van der Merwe's sigma points.
struct UnscentedTracking: ReversibleTracking {
  private var filter: UnscentedKalmanFilter<6>
  private let motion: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    filter = UnscentedKalmanFilter(state: start, rule: .merwe(order: 6))
    self.motion = motion
  }

  var estimate: Gaussian<6>? { filter.state }

  mutating func predict(over seconds: Double) { filter.predict(by: motion, over: seconds) }

  mutating func predictReversibly(over seconds: Double) -> Reversal<6> {
    filter.predictReversibly(by: motion, over: seconds)
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    try filter.update(Vector([distance]), of: model, noise: Matrix([[variance]]))
  }
}

/// The cubature Kalman filter on ranges.
struct CubatureTracking: ReversibleTracking {
  private var filter: CubatureKalmanFilter<6>
  private let motion: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    (filter, self.motion) = (CubatureKalmanFilter(state: start), motion)
  }

  var estimate: Gaussian<6>? { filter.state }

  mutating func predict(over seconds: Double) { filter.predict(by: motion, over: seconds) }

  mutating func predictReversibly(over seconds: Double) -> Reversal<6> {
    filter.predictReversibly(by: motion, over: seconds)
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    try filter.update(Vector([distance]), of: model, noise: Matrix([[variance]]))
  }
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
