import Fathom

/// The information form of the extended Kalman filter on ranges.
struct InformationTracking: TrackingFilter {
  private var filter: InformationFilter<6, 1>
  private let motion: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    let observation = Matrix<1, 6>.zero
    filter =
      InformationFilter(state: start, observation: observation, noise: .identity)
      ?? InformationFilter(observation: observation, noise: .identity)
    self.motion = motion
  }

  var estimate: Gaussian<6>? { filter.state }

  mutating func predict(over seconds: Double) throws(FilteringError) {
    try filter.predict(
      transition: motion.transition(at: .zero, over: seconds),
      processNoise: motion.noise(at: .zero, over: seconds))
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    guard let mean = estimate?.mean else { throw .notFinite }
    let (measurement, observation) = model.linearised(distance, at: mean)
    (filter.observation, filter.noise) = (observation, Matrix([[variance]]))
    try filter.update(measurement)
  }
}

/// The square-root form of the extended Kalman filter on ranges.
struct SquareRootTracking: TrackingFilter {
  private var filter: SquareRootKalmanFilter<6, 1>
  private let motion: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    filter = SquareRootKalmanFilter(state: start, observation: .zero, noise: .identity)
    self.motion = motion
  }

  var estimate: Gaussian<6>? { filter.state }

  mutating func predict(over seconds: Double) {
    filter.predict(
      transition: motion.transition(at: .zero, over: seconds),
      processNoise: motion.noise(at: .zero, over: seconds))
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    let (measurement, observation) = model.linearised(distance, at: filter.mean)
    (filter.observation, filter.noise) = (observation, Matrix([[variance]]))
    try filter.update(measurement)
  }
}

/// The U D Uᵀ form of the extended Kalman filter on ranges.
struct FactoredTracking: TrackingFilter {
  private var filter: FactoredKalmanFilter<6, 1>
  private let motion: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    filter = FactoredKalmanFilter(state: start, observation: .zero, noise: .identity)
    self.motion = motion
  }

  var estimate: Gaussian<6>? { filter.state }

  mutating func predict(over seconds: Double) {
    filter.predict(
      transition: motion.transition(at: .zero, over: seconds),
      processNoise: motion.noise(at: .zero, over: seconds))
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    let (measurement, observation) = model.linearised(distance, at: filter.mean)
    (filter.observation, filter.noise) = (observation, Matrix([[variance]]))
    try filter.update(measurement)
  }
}

/// The fading-memory extended Kalman filter on ranges.
struct FadingTracking: TrackingFilter {
  /// Factor by which the standard deviations grow at every prediction.
  static let fading = 1.01

  private var filter: FadingMemoryFilter<6, 1>
  private let motion: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    let filter = KalmanFilter(state: start, observation: Matrix<1, 6>.zero, noise: .identity)
    self.filter = FadingMemoryFilter(filter, fading: Self.fading)
    self.motion = motion
  }

  var estimate: Gaussian<6>? { filter.state }

  mutating func predict(over seconds: Double) {
    filter.predict(
      transition: motion.transition(at: .zero, over: seconds),
      processNoise: motion.noise(at: .zero, over: seconds))
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    let (measurement, observation) = model.linearised(distance, at: filter.state.mean)
    (filter.filter.observation, filter.filter.noise) = (observation, Matrix([[variance]]))
    try filter.update(measurement)
  }
}
