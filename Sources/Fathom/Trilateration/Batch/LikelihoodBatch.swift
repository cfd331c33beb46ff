/// Computes the maximum-likelihood positions of many epochs with the same anchors.
///
/// Four epochs are iterated side by side, one per lane of a vector. For least squares, adjacent
/// epochs form a group. Epochs that converge slowly or lack a range, and all epochs under other
/// losses, go through a queue. A lane that has converged stores its position and takes the next
/// epoch, so that no lane waits for another.
///
/// The positions are those of `Trilateration.solve(ranges:anchors:sigmas:prior:within:options:)`
/// with the same loss, at a fraction of the cost. If the descent from one start is doubtful, that
/// function solves the epoch, see ``Options/reconsidersDoubtful``. If the anchors lie in a plane,
/// the upper position is returned and ``BatchPositions/hasMirror`` is set.
public struct LikelihoodBatch: Sendable {
  /// The loss function, in units of standard deviations.
  public enum Loss: Sendable, Hashable {
    /// The square: optimal for normal errors, not robust against a single late arrival.
    case squared
    /// The square up to `threshold` standard deviations, linear beyond [Huber 1964].
    case huber(threshold: Double = 1.345)
    /// log(1 + x²/scale²): the influence of residuals decreases beyond the scale.
    ///
    /// Student's t with ν degrees of freedom has the same maximum for a scale of √ν.
    case cauchy(scale: Double = 2.385)
    /// The loss of Geman and McClure, x²/(1 + x²/scale²), which is bounded.
    case gemanMcClure(scale: Double = 3.787)
    /// Tukey's biweight: residuals beyond the scale have no influence.
    case tukey(scale: Double = 4.685)
  }

  /// The start of the iteration.
  public enum Start: Sendable, Hashable {
    /// The linear solution of the epoch.
    case linear
    /// The centre of the anchors.
    case centre
  }

  /// Settings of the solver, and its results besides positions.
  public struct Options: Sendable, Equatable {
    /// Standard deviation of ranges to anchors given without their own, metres.
    public var rangeSigma = 0.10
    /// The loss function.
    public var loss = Loss.squared
    /// The start of the iteration.
    public var start = Start.linear
    /// The maximum number of evaluations of the likelihood per epoch.
    public var maximumIterations = 100
    /// Whether doubtful epochs are solved again by `Trilateration.solve`.
    ///
    /// An epoch is doubtful if its residuals are so large that another maximum may be more likely.
    /// It is also doubtful if its iteration converges slowly or not at all, as close to a mirror
    /// plane. Such an epoch costs microseconds; see ``BatchPositions/reconsidered`` for their
    /// number.
    public var reconsidersDoubtful = true
    /// Whether covariances are returned.
    public var hasCovariance = false
    /// Whether the root mean squares of the residuals are returned.
    public var hasMisfit = false

    /// Creates the default options.
    public init() {}
  }

  let anchors: BatchAnchors
  let options: Options

  /// Creates a batch solver for anchors in space.
  ///
  /// - Parameters:
  ///   - anchors: positions, metres, all finite. They are centred first, so large offsets cost no
  ///     precision.
  ///   - sigmas: standard deviations of the ranges to the anchors, metres, positive; nil for
  ///     ``Options/rangeSigma``.
  ///   - height: the known third coordinate of the positions, metres, or nil.
  ///   - options: loss, start and results. Thresholds and scales must be positive.
  /// - Throws: ``TrilaterationError`` if the numbers of anchors and sigmas differ, an anchor or the
  ///   height is not finite, or a sigma is not positive or its square overflows or underflows.
  public init(
    anchors: [Vector<3>], sigmas: [Double]? = nil, height: Double? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) {
    self.anchors = try BatchAnchors(anchors, sigmas, options.rangeSigma, height: height)
    self.options = options
  }

  /// Creates a batch solver for anchors in the plane, in the same way.
  public init(
    anchors: [Vector<2>], sigmas: [Double]? = nil, options: Options = Options()
  ) throws(TrilaterationError) {
    try self.init(anchors: inSpace(anchors), sigmas: sigmas, height: 0, options: options)
  }

  /// The loss of the scalar solver that corresponds to ``Options/loss``.
  var robustLoss: RobustLoss {
    switch options.loss {
    case .squared: .squared
    case .huber(let threshold): RobustLoss(.huber, tuning: threshold)
    case .cauchy(let scale): RobustLoss(.cauchy, tuning: scale)
    case .gemanMcClure(let scale): RobustLoss(.gemanMcClure, tuning: scale)
    case .tukey(let scale): RobustLoss(.tukey, tuning: scale)
    }
  }

  /// Returns the maximum-likelihood position of every epoch.
  ///
  /// ## Edge cases
  /// Absent ranges have no weight. An epoch with fewer ranges than unknowns, or whose anchors lack
  /// two dimensions, is `undetermined`. One that has not converged after
  /// ``Options/maximumIterations`` is `unconverged`.
  ///
  /// ## Cost
  /// Some hundred nanoseconds per epoch of eight ranges, see `Benchmarks`. Allocates the result
  /// and, once for every set of present anchors, its linear solution.
  ///
  /// - Parameter epochs: ranges, with one column per anchor.
  /// - Returns: One position or verdict per epoch.
  public func solve(_ epochs: EpochColumns) -> BatchPositions {
    precondition(epochs.anchorCount == anchors.count, "epochs must have one column per anchor")
    switch (options.loss, anchors.free) {
    case (.squared, 2): return solve(epochs, SquaredLoss(), PlaneShape.self)
    case (.squared, _): return solve(epochs, SquaredLoss(), SpaceShape.self)
    case (.huber(let threshold), 2):
      return solve(epochs, HuberLoss(threshold: threshold), PlaneShape.self)
    case (.huber(let threshold), _):
      return solve(epochs, HuberLoss(threshold: threshold), SpaceShape.self)
    case (.cauchy(let scale), 2):
      return solve(epochs, CauchyLoss(scale: scale), PlaneShape.self)
    case (.cauchy(let scale), _):
      return solve(epochs, CauchyLoss(scale: scale), SpaceShape.self)
    case (.gemanMcClure(let scale), 2):
      return solve(epochs, GemanMcClureLoss(scale: scale), PlaneShape.self)
    case (.gemanMcClure(let scale), _):
      return solve(epochs, GemanMcClureLoss(scale: scale), SpaceShape.self)
    case (.tukey(let scale), 2):
      return solve(epochs, TukeyLoss(scale: scale), PlaneShape.self)
    case (.tukey(let scale), _):
      return solve(epochs, TukeyLoss(scale: scale), SpaceShape.self)
    }
  }

  private func solve<Loss: BatchLoss, Shape: BatchShape>(
    _ epochs: EpochColumns, _ losses: Loss, _ shape: Shape.Type
  ) -> BatchPositions {
    var queue = EpochScheduler(epochs, anchors, options, robustLoss)
    queue.solveGroups(losses, shape)
    var lanes = LikelihoodLanes()
    for lane in 0..<EpochColumns.lanes { queue.load(lane, of: &lanes) }
    while queue.isActive {
      let settled = queue.withData { lanes.advance($0, losses, shape) }
      let isOut = lanes.evaluations .>= Int64(options.maximumIterations)
      guard any(settled .| isOut) else { continue }
      for lane in 0..<EpochColumns.lanes where settled[lane] || isOut[lane] {
        queue.store(lane, of: EpochGroup.Settled(lanes), settled: settled[lane], losses)
        queue.load(lane, of: &lanes)
      }
    }
    queue.reconsider(losses)
    return queue.result
  }
}
