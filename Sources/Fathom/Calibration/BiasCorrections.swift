/// Range biases that are estimated once and subtracted before tracking.
extension TrackerCalibration {
  /// Factor from the standard deviation of an estimated bias to its prior in tracking.
  ///
  /// Tracking uses the same ranges again. With a prior of twice the standard deviation, the
  /// combination of both is no more certain than either alone.
  private static let caution = 2.0

  /// Returns the calibration with the bias and scale of all ranges and the offsets of single
  /// anchors, as far as `ranges` determine them.
  ///
  /// A ``TrackSmoother`` processes the beginning of the ranges with and without offsets of single
  /// anchors. The offsets are adopted if the evidence for them is strong. If ranges have a common
  /// bias and scale, a ``Tracker`` starts from the estimated values instead of zero, with their
  /// uncertainty as the prior of what remains. Pass the anchors that ``corrected(_:)`` returns to
  /// that tracker.
  ///
  /// - Parameters:
  ///   - ranges: The ranges of one tag, in order of time.
  ///   - anchors: The anchors.
  /// - Returns: The same settings with ``bias``, ``scale`` and ``offsets`` if there are any, and
  ///   with smaller standard deviations of bias and scale.
  public func withCorrections(on ranges: [RangeMeasurement], anchors: [Anchor]) -> Self {
    guard let track = smoothed(ranges, anchors: anchors) else { return self }
    var result = self
    if track.offsets.contains(where: { $0 != nil }) {
      result.offsets = track.offsets.map { $0?.value ?? 0 }
    }
    if let bias = track.bias {
      result.bias = bias.value
      result.configuration.errors.biasSigma = min(
        configuration.errors.biasSigma, Self.caution * bias.sigma)
    }
    if let scale = track.scale {
      result.scale = scale.value
      result.configuration.errors.scaleSigma = min(
        configuration.errors.scaleSigma, Self.caution * scale.sigma)
    }
    return result
  }

  /// Returns the calibration without bias and scale if offsets of single anchors explain the ranges
  /// better; otherwise, or without a bias, the same calibration.
  ///
  /// Seen from far away, offsets of a few centimetres between closely spaced anchors rotate the
  /// track, and a false bias and scale can rotate it back. This method therefore compares both
  /// models: the bias with the offsets that remain beside it must be more probable than offsets
  /// without a bias. The probability of offsets is that of the corrected ranges, less the cost of
  /// each offset against its prior [MacKay 2003, Ch. 28].
  ///
  /// - Parameters:
  ///   - ranges: The ranges of one tag used for the calibration, in order of time.
  ///   - anchors: The anchors.
  /// - Returns: The settings with or without a bias, with ``biasEvidence`` relative to offsets.
  ///
  /// ## Cost
  /// Nothing without a bias; otherwise twice the cost of ``withCorrections(on:anchors:)``.
  public func weighingOffsets(on ranges: [RangeMeasurement], anchors: [Anchor]) -> Self {
    guard let unbiased else { return self }
    var other = self
    (other.configuration, other.unbiased) = (unbiased.settings, nil)
    let evidence =
      evidence(of: configuration, on: ranges, anchors: anchors)
      - other.evidence(of: unbiased.compared, on: ranges, anchors: anchors)
    // Ranges that start no track are no evidence.
    guard evidence.isFinite else { return self }
    var result = evidence < 0 ? other : self
    result.biasEvidence = evidence
    return result
  }

  /// Returns the log-likelihood of the ranges for a tracker of `compared` with the offsets that
  /// these settings find, less the cost of the offsets, in nats.
  private func evidence(
    of compared: Tracker.Configuration, on ranges: [RangeMeasurement], anchors: [Anchor]
  ) -> Double {
    let offsets = smoothed(ranges, anchors: anchors)?.offsets ?? []
    let prior = SmootherRun<6>.offsetSigma
    let cost = offsets.reduce(0.0) { cost, offset in
      cost + (offset.map { SmootherRun<6>.cost(of: $0, prior: prior) } ?? 0)
    }
    let sites =
      offsets.isEmpty ? anchors : anchors.corrected(by: offsets.map { $0 ?? (0, 0) })
    return Self.logLikelihood(of: compared, on: ranges, anchors: sites) - cost
  }

  /// Returns the smoothed track of the beginning of `ranges`.
  private func smoothed(
    _ ranges: [RangeMeasurement], anchors: [Anchor]
  ) -> SmoothedTrack? {
    TrackSmoother(anchors: anchors, configuration: configuration)
      .smoothed(Self.beginning(of: ranges, anchors: anchors))
  }

  /// Returns the beginning of `ranges` that a smoother processes, thinned.
  static func beginning(of ranges: [RangeMeasurement], anchors: [Anchor]) -> [RangeMeasurement] {
    var thinned = ThinnedRanges(anchorCount: anchors.count, limit: greatestCorrectionCount)
    for range in ranges where !thinned.isFull { thinned.add(range) }
    return thinned.ranges
  }

  /// Returns the anchors with ``bias``, ``scale`` and ``offsets`` added to their range errors.
  public func corrected(_ anchors: [Anchor]) -> [Anchor] {
    let each = offsets.isEmpty ? anchors : anchors.corrected(by: offsets.map { ($0, 0) })
    return each.map { anchor in
      var anchor = anchor
      anchor.bias += anchor.scale * bias
      anchor.scale *= 1 + scale
      return anchor
    }
  }

  /// Returns the total bias of ranges in metres, from the remaining bias that a tracker with
  /// corrected anchors estimated.
  public func whole(bias rest: (value: Double, sigma: Double)) -> (value: Double, sigma: Double) {
    (bias + (1 + scale) * rest.value, (1 + scale) * rest.sigma)
  }

  /// Returns the total scale of ranges less 1, from the remaining scale that a tracker with
  /// corrected anchors estimated.
  public func whole(scale rest: (value: Double, sigma: Double)) -> (value: Double, sigma: Double) {
    ((1 + scale) * (1 + rest.value) - 1, (1 + scale) * rest.sigma)
  }
}
