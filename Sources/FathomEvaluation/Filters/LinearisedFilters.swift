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

/// A filter for linear models of position and velocity, with one number measured.
protocol LinearFilter: Sendable {
  init(state: Gaussian<6>, observation: Matrix<1, 6>, noise: Matrix<1, 1>)

  var mean: Vector<6> { get }
  var state: Gaussian<6> { get }
  var observation: Matrix<1, 6> { get set }
  var noise: Matrix<1, 1> { get set }

  mutating func predict(
    transition: Matrix<6, 6>, processNoise: Matrix<6, 6>, offset: Vector<6>)

  @discardableResult
  mutating func update(_ measurement: Vector<1>?) throws(FilteringError) -> Innovation<1>?
}

/// A factored form of the extended Kalman filter on ranges.
struct LinearisedTracking<Filter: LinearFilter>: TrackingFilter {
  private var filter: Filter
  private let motion: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    filter = Filter(state: start, observation: .zero, noise: .identity)
    self.motion = motion
  }

  var estimate: Gaussian<6>? { filter.state }

  mutating func predict(over seconds: Double) {
    filter.predict(
      transition: motion.transition(at: .zero, over: seconds),
      processNoise: motion.noise(at: .zero, over: seconds), offset: .zero)
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    let (measurement, observation) = model.linearised(distance, at: filter.mean)
    (filter.observation, filter.noise) = (observation, Matrix([[variance]]))
    try filter.update(measurement)
  }
}

/// The square-root form.
typealias SquareRootTracking = LinearisedTracking<SquareRootKalmanFilter<6, 1>>
/// The U D Uᵀ form.
typealias FactoredTracking = LinearisedTracking<FactoredKalmanFilter<6, 1>>
/// The form with fading memory.
typealias FadingTracking = LinearisedTracking<FadingMemoryFilter<6, 1>>

extension SquareRootKalmanFilter: LinearFilter where N == 6, M == 1 {}
extension FactoredKalmanFilter: LinearFilter where N == 6, M == 1 {}

extension FadingMemoryFilter: LinearFilter where N == 6, M == 1 {
  /// Factor by which the standard deviations grow at every prediction.
  static var growth: Double { 1.01 }

  init(state: Gaussian<6>, observation: Matrix<1, 6>, noise: Matrix<1, 1>) {
    self.init(
      KalmanFilter(state: state, observation: observation, noise: noise), fading: Self.growth)
  }

  var mean: Vector<6> { state.mean }

  var observation: Matrix<1, 6> {
    get { filter.observation }
    set { filter.observation = newValue }
  }

  var noise: Matrix<1, 1> {
    get { filter.noise }
    set { filter.noise = newValue }
  }
}
