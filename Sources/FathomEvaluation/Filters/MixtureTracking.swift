import Fathom

/// Interacting multiple models on ranges, with a low-noise and a high-noise motion model.
struct MixtureTracking: TrackingFilter {
  /// Factor between the given process-noise density and that of either model.
  static let ratio = 3.0
  /// Mean dwell time of each model, seconds.
  static let dwell = 5.0

  typealias Mixture = InteractingMultipleModel<2, 6>

  private(set) var filter: Mixture
  private let lowNoise: ConstantVelocity
  private let highNoise: ConstantVelocity

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    filter = Mixture(state: start, probabilities: Vector(repeating: 0.5))
    lowNoise = ConstantVelocity(
      horizontalDensity: motion.horizontalDensity / Self.ratio,
      verticalDensity: motion.verticalDensity / Self.ratio)
    highNoise = ConstantVelocity(
      horizontalDensity: motion.horizontalDensity * Self.ratio,
      verticalDensity: motion.verticalDensity * Self.ratio)
  }

  var estimate: Gaussian<6>? { filter.state }

  /// Returns the transition probabilities over `seconds`.
  static func switching(over seconds: Double) -> Matrix<2, 2> {
    .dwelling(seconds: Vector(repeating: dwell), over: seconds)
  }

  /// Returns the motion of a model.
  func motion(of model: Int) -> ConstantVelocity { model == 0 ? lowNoise : highNoise }

  mutating func predict(over seconds: Double) {
    let motions = (lowNoise, highNoise)
    filter.predict(switching: Self.switching(over: seconds)) { model, estimate in
      estimate.predict(by: model == 0 ? motions.0 : motions.1, over: seconds)
    }
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    _ = try filter.update { _, estimate throws(FilteringError) in
      try estimate.condition(on: Vector([distance]), of: model, noise: Matrix([[variance]]))
    }
  }
}

/// The smoother of interacting multiple models on ranges.
struct SmoothedMixtureTracking: TrackingFilter {
  private var forward: MixtureTracking
  private var smoother: MixtureSmoother<2, 6>
  /// Length of the step to the present time, which the smoother does not have yet; nil at the
  /// start.
  private var pending: Double?

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    forward = MixtureTracking(start: start, motion: motion)
    smoother = MixtureSmoother(start: forward.filter)
  }

  var estimate: Gaussian<6>? { forward.estimate }

  mutating func predict(over seconds: Double) {
    append(to: &smoother)
    pending = seconds
    forward.predict(over: seconds)
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    try forward.update(distance, of: model, variance: variance)
  }

  private func append(to smoother: inout MixtureSmoother<2, 6>) {
    guard let pending else { return }
    smoother.append(forward.filter, switching: MixtureTracking.switching(over: pending)) {
      model, estimate in
      var filter = ExtendedKalmanFilter(state: estimate)
      let reversal = filter.predictReversibly(by: forward.motion(of: model), over: pending)
      estimate = filter.state
      return reversal
    }
  }

  func smoothed() -> [Gaussian<6>]? {
    var whole = smoother
    append(to: &whole)
    return whole.smoothed().map { $0.state }
  }
}
