/// The most likely positions of many epochs with the same anchors.
///
/// Four epochs advance side by side, one per lane of a vector. For least squares neighbours go
/// together; epochs that take longer or lack a range, and all under other losses, go through a
/// queue: a lane that has come to rest hands in its position and takes the next epoch, so that no
/// lane waits for another. The positions are
/// those of `Trilateration.solve(ranges:anchors:sigmas:prior:within:options:)` with the same loss,
/// at a fraction of the cost: where the descent from one start leaves a doubt, that is asked, see
/// ``Options/reconsidersDoubtful``. Where the anchors lie in a plane the position above it is given
/// and ``BatchPositions/hasMirror`` is set.
public struct LikelihoodBatch: Sendable {
  /// How residuals are weighed, in units of their standard deviations.
  public enum Loss: Sendable, Hashable {
    /// By their squares: right for normal errors, at the mercy of a single late arrival.
    case squared
    /// By their squares up to `threshold` standard deviations, linearly beyond [Huber 1964].
    case huber(threshold: Double = 1.345)
    /// By log(1 + x²/scale²): ever less pull from residuals beyond the scale. Student's t with ν
    /// degrees of freedom has its maximum at the same place for a scale of √ν.
    case cauchy(scale: Double = 2.385)
    /// By x²/(1 + x²/scale²), that of Geman and McClure: bounded.
    case gemanMcClure(scale: Double = 3.787)
    /// By Tukey's biweight: no pull at all beyond the scale.
    case tukey(scale: Double = 4.685)
  }

  /// Where the iteration starts.
  public enum Start: Sendable, Hashable {
    /// At the linear solution of the epoch.
    case linear
    /// At the centre of the anchors.
    case centre
  }

  /// How far the solver goes, and what it returns besides positions.
  public struct Options: Sendable, Equatable {
    /// Standard deviation of ranges to anchors that come without their own, metres.
    public var rangeSigma = 0.10
    /// How residuals are weighed.
    public var loss = Loss.squared
    /// Where the iteration starts.
    public var start = Start.linear
    /// The largest number of evaluations of the likelihood per epoch.
    public var maximumIterations = 100
    /// Whether epochs whose answer is doubtful are solved again by `Trilateration.solve`.
    ///
    /// Doubtful is what the descent from one start cannot answer for: residuals so large that
    /// another maximum may be likelier, an iteration that does not come to rest or takes long to,
    /// as it does close to a mirror plane. Such an epoch costs microseconds; see
    /// ``BatchPositions/reconsidered`` for their number.
    public var reconsidersDoubtful = true
    /// Whether covariances are returned.
    public var hasCovariance = false
    /// Whether the root mean squares of the residuals are returned.
    public var hasMisfit = false

    /// The defaults.
    public init() {}
  }

  let anchors: BatchAnchors
  let options: Options

  /// Prepares for anchors in space.
  ///
  /// - Parameters:
  ///   - anchors: positions, metres, all finite; they are centred first, so large offsets do no
  ///     harm.
  ///   - sigmas: standard deviations of the ranges to them, metres, positive; nil for
  ///     ``Options/rangeSigma``.
  ///   - height: the known third coordinate of the positions, metres, if it is known.
  ///   - options: loss, start and what is returned. Thresholds and scales are positive.
  /// - Throws: ``TrilaterationError`` where the numbers of anchors and sigmas differ, for an anchor
  /// or
  ///   height that is not finite, and for a sigma that is not positive or whose square is out of
  ///   range.
  public init(
    anchors: [Vector<3>], sigmas: [Double]? = nil, height: Double? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) {
    self.anchors = try BatchAnchors(anchors, sigmas, options.rangeSigma, height: height)
    self.options = options
  }

  /// Prepares for anchors in the plane, in the same way.
  public init(
    anchors: [Vector<2>], sigmas: [Double]? = nil, options: Options = Options()
  ) throws(TrilaterationError) {
    try self.init(anchors: inSpace(anchors), sigmas: sigmas, height: 0, options: options)
  }

  /// The scalar solver's name for ``Options/loss``.
  var robustLoss: RobustLoss {
    switch options.loss {
    case .squared: .squared
    case .huber(let threshold): RobustLoss(.huber, tuning: threshold)
    case .cauchy(let scale): RobustLoss(.cauchy, tuning: scale)
    case .gemanMcClure(let scale): RobustLoss(.gemanMcClure, tuning: scale)
    case .tukey(let scale): RobustLoss(.tukey, tuning: scale)
    }
  }

  /// The most likely position of every epoch.
  ///
  /// ## Edge cases
  /// Absent ranges have no weight. An epoch with fewer ranges than unknowns, or whose anchors lack
  /// two dimensions, is `undetermined`; one that has not come to rest after
  /// ``Options/maximumIterations`` is `unconverged`.
  ///
  /// ## Cost
  /// Some hundred nanoseconds per epoch of eight ranges, see `Benchmarks`; allocates the result
  /// and, once for every set of present anchors, its linear solution.
  ///
  /// - Parameter epochs: ranges with as many columns as there are anchors.
  /// - Returns: One position or verdict per epoch.
  public func solve(_ epochs: EpochColumns) -> BatchPositions {
    precondition(epochs.anchorCount == anchors.count, "as many columns as anchors")
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
