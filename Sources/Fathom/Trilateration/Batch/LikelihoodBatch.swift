/// Computes the positions of many epochs with the same anchors.
///
/// Every epoch has the position, the covariance and the verdict of
/// `Trilateration.solve(ranges:anchors:sigmas:prior:within:options:)` with the same options; input
/// and results are columns.
public struct LikelihoodBatch: Sendable {
  private let anchors: BatchAnchors
  private let sigmas: [Double]?
  private let options: PositionOptions

  /// Creates a batch solver for anchors in space.
  ///
  /// - Parameters:
  ///   - anchors: positions, metres, all finite.
  ///   - sigmas: standard deviations of the ranges to the anchors, metres, positive; nil for
  ///     ``PositionOptions/rangeSigma``.
  ///   - options: known height, loss and settings of the solver. Whether a range of zero is valid is
  ///     decided by ``EpochColumns``, not here.
  /// - Throws: ``TrilaterationError`` if the numbers of anchors and sigmas differ, an anchor or the
  ///   height is not finite, or a standard deviation is not positive or its square overflows or
  ///   underflows.
  public init(
    anchors: [Vector<3>], sigmas: [Double]? = nil, options: PositionOptions = PositionOptions()
  ) throws(TrilaterationError) {
    self.anchors = try BatchAnchors(anchors, sigmas, options.rangeSigma, height: options.height)
    self.sigmas = sigmas
    if let sigma = options.heightSigma, !(sigma > 0 && sigma.isFinite) {
      throw .heightSigmaNotPositive
    }
    var own = options
    own.zeroIsDistance = true
    self.options = own
  }

  /// Creates a batch solver for anchors in the plane, in the same way; the third coordinate is 0.
  public init(
    anchors: [Vector<2>], sigmas: [Double]? = nil, options: PositionOptions = PositionOptions()
  ) throws(TrilaterationError) {
    var level = options
    (level.height, level.heightSigma) = (0, nil)
    try self.init(anchors: inSpace(anchors), sigmas: sigmas, options: level)
  }

  /// Returns the position of every epoch.
  ///
  /// ## Edge cases
  /// Absent ranges are left out. Epochs without a position have a verdict that says why, and
  /// coordinates of NaN.
  ///
  /// ## Cost
  /// That of the single fixes, about a microsecond for eight ranges that agree, tens of microseconds
  /// where a range may be wrong; see `Benchmarks`. Allocates the result, and for each epoch
  /// what its fix needs.
  ///
  /// - Parameter epochs: ranges, with one column per anchor.
  /// - Returns: One position or verdict per epoch.
  public func solve(_ epochs: EpochColumns) -> BatchPositions {
    precondition(epochs.anchorCount == anchors.count, "epochs must have one column per anchor")
    var result = BatchPositions(count: epochs.count)
    result.covariances = [Double](repeating: .nan, count: 6 * epochs.count)
    result.misfits = [Double](repeating: .nan, count: epochs.count)
    result.iterations = [Int32](repeating: 0, count: epochs.count)
    var ranges = [Double](repeating: .nan, count: anchors.count)
    for epoch in 0..<epochs.count {
      for anchor in 0..<anchors.count {
        ranges[anchor] = epochs.ranges[epoch + epochs.stride * anchor]
      }
      // Anchors, standard deviations and heights are valid since the initialiser.
      guard let fix = try? RangeSolver.solve(ranges, anchors.anchors, sigmas, nil, nil, options)
      else { continue }
      result.set(epoch, fix)
    }
    return result
  }
}
