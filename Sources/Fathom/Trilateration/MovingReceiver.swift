/// A range measured from a pose of a receiver that moves.
public struct PosedRange: Sendable, Equatable {
  /// Position of the receiver in the world frame, metres.
  public var position: Vector<3>
  /// Covariance of that position, m²; nil where it is exact.
  public var positionCovariance: Matrix<3, 3>?
  /// The measured distance, metres.
  public var range: Double
  /// Standard deviation of the distance, metres; nil for the default of the options.
  public var sigma: Double?

  /// The distance `range` from `position`, metres.
  public init(
    position: Vector<3>, range: Double, sigma: Double? = nil,
    positionCovariance: Matrix<3, 3>? = nil
  ) {
    self.position = position
    self.range = range
    self.sigma = sigma
    self.positionCovariance = positionCovariance
  }
}

/// One radio that stands still, located by ranges from many places along a known way: the phone walks,
/// the accessory stays.
///
/// Every pose acts as an anchor. Its uncertainty counts along the line of sight, as an effective
/// variance σ² + uᵀΣu of its range, u being the unit vector from the pose. Ranges that do not fit are
/// set aside by graduated non-convexity with the loss of Geman and McClure [Yang et al. 2020]: the loss
/// starts wide enough for all ranges and narrows until only those within three standard deviations
/// count; the fix is then that of ``Trilateration`` from these.
public enum MovingReceiver {
  /// What is assumed or known besides the ranges.
  public struct Options: Sendable, Equatable {
    /// Standard deviation of ranges that come without their own, metres.
    public var rangeSigma = 0.10
    /// The known height of the radio, metres.
    public var height: Double?
    /// Whether ranges that do not fit are set aside.
    public var rejectsOutliers = true

    /// The defaults.
    public init() {}
  }

  /// Locates the radio that stands still.
  ///
  /// - Parameters:
  ///   - observations: ranges along the way; NaN, infinities, zeros and negative ranges are left out.
  ///   - options: noise, height, outliers.
  /// - Returns: The fix. ``PositionFix/discounted`` lists the ranges that were left out, those that did
  ///   not fit included; they have no residual. `inconsistent` also where no more than half of the
  ///   ranges fit.
  /// - Throws: ``TrilaterationError``, where a pose counts as an anchor; `anchorNotFinite` also for a
  ///   covariance that is not finite.
  ///
  /// ## Edge cases
  /// A way along a straight line leaves a circle: `continuum`. A way in a plane, such as that of a phone
  /// carried at one height, leaves two positions, above and below it, unless the height is known.
  ///
  /// ## Limits
  /// Errors of poses count as independent. The drift of a whole way is common to all and shows up in
  /// the position in full, not in its covariance. Where half of the ranges or more are wrong in the
  /// same manner, they win.
  ///
  /// ## Cost
  /// Up to some forty fixes of ``Trilateration`` from all ranges; allocates.
  public static func solve(
    _ observations: [PosedRange], options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<3> {
    var usable: [Int] = []
    for (index, one) in observations.enumerated() {
      guard one.position.isFinite, one.positionCovariance?.isFinite ?? true else {
        throw .anchorNotFinite(index: index)
      }
      let sigma = one.sigma ?? options.rangeSigma
      guard sigma > 0, sigma.isFinite else { throw .sigmaNotPositive(index: index) }
      if MeasuredDistance.absence(of: one.range, zeroIsDistance: false) == nil {
        usable.append(index)
      }
    }
    let way = RangedWay(usable.map { observations[$0] }, options)
    var fix = try way.fix(weights: nil, at: nil)
    var kept = [Bool](repeating: true, count: usable.count)
    if let position = fix.position {
      // Effective variances depend on the line of sight, so that the first fix lacks them.
      fix = try way.fix(weights: nil, at: position)
      if options.rejectsOutliers { (fix, kept) = try way.fixWithoutOutliers(from: fix) }
    }
    return way.spread(fix, kept: kept, over: observations.count, at: usable)
  }
}

/// The usable ranges of a way.
private struct RangedWay {
  /// The Geman-McClure loss and the final choice take this many standard deviations for the most that
  /// a good range is off: one in 370 is farther.
  private static let limit = 3.0

  private let observations: [PosedRange]
  private let options: MovingReceiver.Options

  init(_ observations: [PosedRange], _ options: MovingReceiver.Options) {
    self.observations = observations
    self.options = options
  }

  /// The effective variances of the ranges for a radio at `position`, m²; without one the variance of
  /// a pose counts as if it were the same all round.
  private func variances(at position: Vector<3>?) -> [Double] {
    observations.map { one in
      let sigma = one.sigma ?? options.rangeSigma
      guard let spread = one.positionCovariance else { return sigma * sigma }
      guard let position else { return sigma * sigma + max(0, spread.trace) / 3 }
      let offset = position - one.position
      let length = offset.length
      guard length > 0 else { return sigma * sigma + max(0, spread.trace) / 3 }
      let unit = (1 / length) * offset
      return sigma * sigma + max(0, unit.dot(spread * unit))
    }
  }

  /// The fix from ranges with the given weights, whose effective variances are those at `position`.
  func fix(
    weights: [Double]?, at position: Vector<3>?
  ) throws(TrilaterationError) -> PositionFix<3> {
    var settings = Trilateration.Options()
    settings.height = options.height
    // Outliers are dealt with here, over all poses at once.
    settings.loss = .squared
    var ranges: [Double] = []
    var places: [Vector<3>] = []
    var sigmas: [Double] = []
    for (index, variance) in variances(at: position).enumerated() {
      let weight = weights?[index] ?? 1
      if weight == 0 { continue }
      ranges.append(observations[index].range)
      places.append(observations[index].position)
      sigmas.append((variance / weight).squareRoot())
    }
    return try Trilateration.solve(
      ranges: ranges, anchors: places, sigmas: sigmas, options: settings)
  }

  /// The squares of the residuals at `position`, in effective variances.
  private func squares(at position: Vector<3>) -> [Double] {
    zip(observations, variances(at: position)).map { one, variance in
      let residual = one.range - (position - one.position).length
      return residual * residual / variance
    }
  }

  /// The fix from the ranges that agree with each other, and which they are.
  func fixWithoutOutliers(
    from start: PositionFix<3>
  ) throws(TrilaterationError) -> (PositionFix<3>, [Bool]) {
    var fix = start
    var kept = [Bool](repeating: true, count: observations.count)
    guard var position = fix.position else { return (fix, kept) }
    let bound = Self.limit * Self.limit
    // Wide enough for the loss to be convex over all residuals [Yang et al. 2020, Remark 5].
    var control = max(1, 2 * (squares(at: position).max() ?? 0) / bound)
    while control > 1 {
      control = max(1, control / 1.4)
      let weights = squares(at: position).map { square in
        // A trace of weight keeps the geometry that all ranges have.
        let weight = control * bound / (square + control * bound)
        return max(weight * weight, 1e-9)
      }
      guard let next = try self.fix(weights: weights, at: position).position else { break }
      position = next
    }
    for _ in 0..<5 {
      let now = squares(at: position).map { $0 <= bound }
      let next = try self.fix(weights: now.map { $0 ? 1 : 0 }, at: position)
      guard let settled = next.position else { break }
      fix = next
      position = settled
      if now == kept { break }
      kept = now
    }
    return (fix, kept)
  }

  /// `fix`, whose ranges are those that were `kept`, in terms of all `count` observations.
  func spread(
    _ fix: PositionFix<3>, kept: [Bool], over count: Int, at usable: [Int]
  ) -> PositionFix<3> {
    var result = fix
    result.shares = [RangeShare?](repeating: nil, count: count)
    var used: Set<Int> = []
    for (place, share) in zip(usable.indices.filter { kept[$0] }, fix.shares) {
      result.shares[usable[place]] = share
      used.insert(usable[place])
    }
    result.discounted = (0..<count).filter { !used.contains($0) }
    if result.position != nil, 2 * used.count <= usable.count { result.verdict = .inconsistent }
    return result
  }
}
