/// The errors of a recording's ranges, found from the consistency of its epochs.
///
/// An epoch with more ranges than unknowns contradicts itself by as much as its ranges err, apart
/// from the part that a displaced position explains. Over many epochs these contradictions show the
/// standard deviation of a range, and whether all ranges are too long by the same length (a bias)
/// or by the same share (a scale).
///
/// The distances of an epoch are those at its middle: the ranges are moved by the rates of their links.
/// Epochs show no error that a shift of their position absorbs, and are left out: those that a bias
/// leaves without redundancy, and those whose position errs so much across the ranges that the
/// curvature of the distances exceeds the noise. Fewer than 64 others show neither a bias nor a scale.
///
/// Range errors persist: reflections, antennas and surveys give each anchor an error of its own for
/// minutes. Thousands of ranges are therefore not thousands of independent measurements. Every anchor may err
/// persistently by as much as a range does, and what such errors can imitate is the standard deviation
/// of a bias or a scale. Ranges are corrected for it only if
///
/// - it exceeds two of its standard deviations; and
/// - its value, found in seven eighths of the places the tag has been to, predicts the
///   contradictions in the remaining eighth (mean gain over its standard error at least 4, which
///   chance exceeds once in 400 times for eight places); and
/// - the tag has been to different places: without that, geometry that imitates a bias stays the
///   same.
///
/// If both pass, the scale is chosen only if it leaves 10 % less noise; a bias cannot run away with
/// the distance. They are never estimated together: in a room they differ by less than the anchors'
/// own errors. A bias that is not corrected still is a possible error, and remains in
/// ``covariance(at:from:anchors:sigmas:weights:)``. A ``TrackerCalibration`` subtracts its ``bias``
/// in any case, as far as it exceeds what single anchors and chance can imitate.
///
/// Then an offset of each anchor is searched for. All its ranges in one of the eight places count as
/// one independent measurement, and the offsets are corrected only if they predict every place from the others, with
/// the same mean gain, leave 10 % less noise, and the tag has moved.
public struct RangeErrorEstimate: Sendable, Equatable, Codable {
  /// Standard deviation of an ordinary range after correction, metres.
  ///
  /// It includes persistent errors of the anchors, but not wrong ranges, those with a residual of more
  /// than four of its standard deviations. These are left to the loss function of a position, and to
  /// ``outliers``.
  public var sigma: Double
  /// Standard deviation of all ranges after correction, wrong ones included, metres.
  ///
  /// It applies where as few ranges as unknowns cannot show which of them is wrong.
  public var wholeSigma: Double
  /// The odds of wrong ranges: their share, with the usual odds as the experience from ten more.
  ///
  /// The epochs are spread evenly, so the share applies to all even if errors persist.
  public var outliers = OutlierOdds()
  /// The bias common to all ranges, metres; nil if it was not searched for.
  public var bias: Parameter?
  /// The scale common to all ranges, minus 1; nil if it was not searched for.
  public var scale: Parameter?
  /// The offsets of the anchors; nil if they were not searched for.
  public var offsets: Offsets?
  /// Standard deviation of the part of a link's error that is the same five seconds to a minute
  /// later, metres.
  ///
  /// Zero if the times of the epochs are unknown.
  public var persistentSigma = 0.0
  /// Number of epochs with more ranges than unknowns that were used.
  public var epochs: Int

  /// An error common to all ranges.
  public struct Parameter: Sendable, Equatable, Codable {
    /// The estimate, in metres for a bias, as a share for a scale.
    public var value: Double
    /// Standard deviation of the estimate, which includes what persistent errors of single anchors can
    /// imitate.
    public var sigma: Double
    /// Mean gain of the prediction in places not used for the estimate, over its standard error.
    public var prediction: Double
    /// Whether the value passes all tests, or why not.
    public var decision: Decision
    /// The mean given the ranges and the prior, with each anchor as one measurement: close to zero for a
    /// value that persistent errors of single anchors can imitate.
    public var mean: Double
    /// Variance of what remains in the corrected ranges, squared units of ``value``.
    ///
    /// Without a correction, it is the mean square of the error itself; it is zero for an error that
    /// is left to the other one.
    public var remaining: Double
  }

  /// Errors of the anchors, in addition to those common to all ranges.
  public struct Offsets: Sendable, Equatable, Codable {
    /// The offset of each anchor, metres: what its ranges are too long by after bias and scale.
    public var values: [Double]
    /// Standard deviations of the offsets, metres; a place of the tag is one measurement.
    public var sigmas: [Double]
    /// Mean gain of the prediction in places not used for the estimate, over its standard error.
    public var prediction: Double
    /// Whether the ranges are corrected, or why not.
    public var decision: Decision
  }

  /// Whether an error is corrected, and the first reason why not.
  public enum Decision: String, Sendable, Hashable, CaseIterable, Codable {
    /// The value passes all tests.
    case corrected
    /// Persistent errors of single anchors can imitate the value.
    case insignificant
    /// The tag has hardly moved, so geometry and error cannot be separated.
    case standing
    /// The value does not predict the ranges in other places.
    case unpredictive
    /// The other error explains the ranges better or as well.
    case superseded
  }

  /// Creates an estimate of the noise alone.
  public init(sigma: Double, epochs: Int) {
    self.sigma = sigma
    wholeSigma = sigma
    self.epochs = epochs
  }

  /// Estimates the errors of the ranges of `epochs`.
  ///
  /// Deterministic. Some hundreds of epochs spread over the recording suffice.
  ///
  /// - Parameters:
  ///   - epochs: The epochs, in order of time; those without redundancy are ignored.
  ///   - anchors: The anchors that the epochs refer to.
  ///   - bounds: A box that contains the positions.
  ///   - options: What else is known of the positions.
  ///   - searchesForCommonErrors: Whether to search for a bias and a scale.
  /// - Returns: The estimate; nil with fewer than ten redundant epochs.
  public static func estimated(
    from epochs: [RangeEpoch], anchors: [Vector<3>], within bounds: PositionBounds<3>? = nil,
    options: PositionOptions = PositionOptions(), searchesForCommonErrors: Bool = true
  ) -> RangeErrorEstimate? {
    estimated(
      from: epochs, anchors: anchors, within: bounds, options: options,
      searchesForCommonErrors: searchesForCommonErrors, includesMotion: false)
  }

  /// Estimates the errors of the ranges of `epochs`.
  ///
  /// With `includesMotion`, the standard deviations and the odds of wrong ranges include what the motion
  /// between the ranges of an epoch adds, as they must for positions computed from such epochs. Errors
  /// that are corrected never include it.
  package static func estimated(
    from epochs: [RangeEpoch], anchors: [Vector<3>], within bounds: PositionBounds<3>?,
    options: PositionOptions, searchesForCommonErrors: Bool, includesMotion: Bool
  ) -> RangeErrorEstimate? {
    guard
      var plain = EpochResiduals(epochs, anchors: anchors, within: bounds, options: options)
    else { return nil }
    plain.settle()
    var result = RangeErrorEstimate(sigma: plain.sigma, epochs: plain.count)
    result.countWrongRanges(plain)
    guard searchesForCommonErrors, plain.count >= SharedErrorFit.fewestEpochs else {
      if includesMotion { result.addMotion(to: plain) }
      return result
    }
    guard let bias = SharedErrorFit(of: .bias, to: plain),
      let scale = SharedErrorFit(of: .gain, to: plain)
    else { return result }
    var (biasDecision, scaleDecision) = (bias.decision, scale.decision)
    if scaleDecision == .corrected, biasDecision == .corrected {
      if scale.residuals.sigma < 0.9 * bias.residuals.sigma {
        biasDecision = .superseded
      } else {
        scaleDecision = .superseded
      }
    }
    result.bias = bias.parameter(biasDecision)
    result.scale = scale.parameter(scaleDecision)
    // In a room a bias and a scale do the same to positions, so only one of them is used.
    var common = scale.residuals
    if scaleDecision == .corrected {
      result.bias?.mean = 0
    } else {
      result.scale?.mean = 0
      common = bias.residuals
      common.add([(result.bias?.mean ?? 0) - bias.values[0]], to: .bias)
      common.settle()
    }
    result.countWrongRanges(common)
    let least = min(bias.residuals.sigma, scale.residuals.sigma)
    let corrected = result.addOffsets(to: common, beside: least)
    if includesMotion { result.addMotion(to: corrected) }
    if scaleDecision == .corrected {
      result.bias?.remaining = 0
    } else {
      result.scale?.remaining = 0
      let (mean, sigma) = (result.bias?.mean ?? 0, result.bias?.sigma ?? 0)
      let unused = result.subtractsBias ? 0 : mean * mean
      result.bias?.remaining = sigma * sigma + unused
    }
    return result
  }

  /// Searches for offsets of the anchors, and returns the residuals with those that are corrected.
  ///
  /// `least` is the standard deviation of a range that a bias or a scale alone leaves, metres.
  private mutating func addOffsets(
    to common: EpochResiduals, beside least: Double
  ) -> EpochResiduals {
    guard let fit = SharedErrorFit(of: .offsets, to: common) else { return common }
    let found = fit.offsets(after: common, beside: least)
    offsets = found
    // A common error that is not corrected remains: offsets cannot tell it from the position either.
    guard found.decision == .corrected else { return common }
    countWrongRanges(fit.residuals)
    return fit.residuals
  }

  /// Counts the wrong ranges again, as the epochs are without moving their ranges.
  private mutating func addMotion(to residuals: EpochResiduals) {
    guard let measured = residuals.asMeasured() else { return }
    countWrongRanges(measured)
  }

  private mutating func countWrongRanges(_ residuals: EpochResiduals) {
    sigma = residuals.sigma
    persistentSigma = sigma * residuals.persistentShare.squareRoot()
    let census = residuals.census(sigma)
    wholeSigma = (sigma * sigma + census.wrong / max(1, census.count)).squareRoot()
    let usual = OutlierOdds()
    let number = Self.usualOdds + census.checked + census.late + census.early
    outliers = OutlierOdds(
      late: (Self.usualOdds * usual.late + census.late) / number,
      early: (Self.usualOdds * usual.early + census.early) / number)
  }

  /// The number of ranges that the usual odds of wrong ranges count for.
  private static let usualOdds = 10.0
}

extension RangeErrorEstimate {
  /// The bias to subtract from ranges, metres; 0 if it is not corrected.
  public var correctedBias: Double { subtractsBias ? bias?.mean ?? 0 : 0 }

  /// Whether a bias is subtracted: with evidence of its own, or beside offsets that were found with
  /// it.
  private var subtractsBias: Bool {
    bias?.isCorrected == true || offsets?.decision == .corrected
  }

  /// The scale to divide ranges by; 1 without evidence of its own.
  public var correctedScale: Double { 1 + (scale?.mean ?? 0) }

  /// Returns the offset of an anchor to subtract after bias and scale, metres; 0 if it is not
  /// corrected.
  public func correctedOffset(of anchor: Int) -> Double {
    guard let offsets, offsets.decision == .corrected, offsets.values.indices.contains(anchor)
    else { return 0 }
    return offsets.values[anchor]
  }

  /// Returns `measured` (metres) from an anchor without the corrected errors.
  public func corrected(_ measured: Double, of anchor: Int) -> Double {
    (measured - correctedBias) / correctedScale - correctedOffset(of: anchor)
  }

  /// Whether an error common to all ranges remains after correction.
  public var hasRemainingErrors: Bool {
    (bias?.remaining ?? 0) > 0 || (scale?.remaining ?? 0) > 0
  }

  /// Returns the covariance of a position that includes what remains of the errors common to all
  /// ranges, m².
  ///
  /// A common error is not averaged out by more ranges. It shifts the position by what the weighted
  /// ranges make of it, whatever else the covariance covers.
  ///
  /// - Parameters:
  ///   - position: the position.
  ///   - covariance: its covariance from the other errors, zero in known coordinates.
  ///   - anchors: the anchors of the ranges.
  ///   - sigmas: the standard deviations of the ranges, metres.
  ///   - weights: the weights of the ranges, from 0 to 1.
  /// - Returns: The sum; `covariance` if the ranges do not determine the position to first order.
  public func covariance(
    at position: Vector<3>, from covariance: Matrix<3, 3>, anchors: [Vector<3>],
    sigmas: [Double], weights: [Double]
  ) -> Matrix<3, 3> {
    let (length, share) = (bias?.remaining ?? 0, scale?.remaining ?? 0)
    guard length > 0 || share > 0, covariance.isFinite else { return covariance }
    let isKnown = (0..<3).map { covariance[$0, $0] == 0 }
    var information = Matrix<3, 3>.zero
    var (byLength, byShare) = (Vector<3>.zero, Vector<3>.zero)
    for index in anchors.indices {
      let offset = position - anchors[index]
      let distance = offset.length
      guard distance > 0 else { continue }
      var direction = (1 / distance) * offset
      for axis in 0..<3 where isKnown[axis] { direction[axis] = 0 }
      let precision = weights[index] / (sigmas[index] * sigmas[index])
      information.addOuterProduct(of: direction, times: precision)
      byLength += precision * direction
      byShare += (precision * distance) * direction
    }
    let typical = information.trace
    for axis in 0..<3 where isKnown[axis] { information[axis, axis] = typical }
    guard let root = Cholesky(information) else { return covariance }
    var result = covariance
    result.addOuterProduct(of: root.solve(byLength), times: length)
    result.addOuterProduct(of: root.solve(byShare), times: share)
    return result.isFinite ? result : covariance
  }
}

extension RangeErrorEstimate.Parameter {
  /// Whether the ranges are corrected.
  public var isCorrected: Bool { decision == .corrected }
}
