import Fathom

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
