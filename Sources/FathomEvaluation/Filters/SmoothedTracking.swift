import Fathom

/// A filter whose predictions can be reversed by a smoother.
protocol ReversibleTracking: TrackingFilter {
  /// Predicts over `seconds` and returns the data that a smoother needs to reverse the step.
  mutating func predictReversibly(over seconds: Double) -> Reversal<6>
}

/// The Rauch-Tung-Striebel smoother of a filter.
struct SmoothedTracking<Filter: ReversibleTracking>: TrackingFilter {
  private var filter: Filter
  private var smoother: RauchTungStriebelSmoother<6>

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    filter = Filter(start: start, motion: motion)
    smoother = RauchTungStriebelSmoother(start: start)
  }

  var estimate: Gaussian<6>? { filter.estimate }

  mutating func predict(over seconds: Double) throws(FilteringError) {
    let reversal = filter.predictReversibly(over: seconds)
    guard let estimate else { throw .notFinite }
    smoother.append(estimate, reversal: reversal)
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    try filter.update(distance, of: model, variance: variance)
    if let estimate { smoother.replaceLast(estimate) }
  }

  func smoothed() -> [Gaussian<6>]? { smoother.smoothed() }
}

/// The fixed-lag smoother of the extended Kalman filter, for streams that tolerate a delay.
struct FixedLagTracking: TrackingFilter {
  /// Delay in measurement times.
  static let lag = 20

  private var filter: ExtendedTracking
  private var smoother: FixedLagSmoother<6>
  /// The smoothed estimates so far.
  private var answers: [Gaussian<6>] = []
  /// The reversal of the last prediction, which the smoother does not have yet; nil at the start.
  private var pending: Reversal<6>?

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    filter = ExtendedTracking(start: start, motion: motion)
    smoother = FixedLagSmoother(start: start, lag: Self.lag)
  }

  var estimate: Gaussian<6>? { filter.estimate }

  mutating func predict(over seconds: Double) throws(FilteringError) {
    append()
    pending = filter.predictReversibly(over: seconds)
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    try filter.update(distance, of: model, variance: variance)
  }

  private mutating func append() {
    guard let pending, let estimate else { return }
    if let answer = smoother.append(estimate, reversal: pending) { answers.append(answer) }
  }

  func smoothed() -> [Gaussian<6>]? {
    var whole = self
    whole.append()
    return whole.answers + whole.smoother.rest()
  }
}

/// The iterated smoother: Gauss-Newton steps on the whole trajectory.
struct IteratedSmootherTracking: TrackingFilter {
  private var filter: ExtendedTracking
  private let start: Gaussian<6>
  private let motion: ConstantVelocity
  private var steps: [IteratedSmoother<6, 1>.Step] = []
  /// The measurement model of each step; unused in steps without a measurement.
  private var models: [RangeModel] = []
  /// Index of the last step at every measurement time.
  private var ends: [Int] = []

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    filter = ExtendedTracking(start: start, motion: motion)
    (self.start, self.motion) = (start, motion)
    begin(after: 0)
  }

  var estimate: Gaussian<6>? { filter.estimate }

  /// Adds a step without a range, so that every measurement time has one.
  private mutating func begin(after seconds: Double) {
    ends.append(steps.count)
    steps.append(IteratedSmoother.Step(seconds: seconds, measurement: nil, noise: .identity))
    models.append(RangeModel(anchor: .zero))
  }

  mutating func predict(over seconds: Double) {
    filter.predict(over: seconds)
    begin(after: seconds)
  }

  mutating func update(
    _ distance: Double, of model: RangeModel, variance: Double
  ) throws(FilteringError) {
    try filter.update(distance, of: model, variance: variance)
    ends[ends.count - 1] = steps.count
    steps.append(
      IteratedSmoother.Step(
        seconds: 0, measurement: Vector([distance]), noise: Matrix([[variance]])))
    models.append(model)
  }

  func smoothed() -> [Gaussian<6>]? {
    let smoother = IteratedSmoother<6, 1>(prior: start)
    guard let result = try? smoother.smoothed(steps, by: motion, of: { models[$0] }) else {
      return nil
    }
    return ends.map { result.states[$0] }
  }
}
