import Fathom

/// A filter whose predictions can be gone back.
protocol ReversibleTracking: TrackingFilter {
  /// Moves on by `seconds`, and returns the way back.
  mutating func predictReversibly(over seconds: Double) -> Reversal<6>
}

/// The Rauch-Tung-Striebel smoother behind a filter.
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

/// The smoother of a fixed lag behind the extended Kalman filter, for streams that may be late.
struct FixedLagTracking: TrackingFilter {
  /// By how many instants it is late.
  static let lag = 20

  private var filter: ExtendedTracking
  private var smoother: FixedLagSmoother<6>
  /// What it has answered.
  private var answers: [Gaussian<6>] = []
  /// The way back from the present instant, which is not in the smoother yet; nil at the start.
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
  /// What each step measures; of no account where it measures nothing.
  private var models: [RangeModel] = []
  /// The last step of every instant.
  private var ends: [Int] = []

  init(start: Gaussian<6>, motion: ConstantVelocity) {
    filter = ExtendedTracking(start: start, motion: motion)
    (self.start, self.motion) = (start, motion)
    begin(after: 0)
  }

  var estimate: Gaussian<6>? { filter.estimate }

  /// A step without a range, so that every instant has one.
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
