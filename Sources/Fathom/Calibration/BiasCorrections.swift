/// What ranges read too much, found once and taken off before they are tracked with.
extension TrackerCalibration {
  /// The ranges that a bias was found from are tracked afterwards: with a prior of twice its
  /// standard deviation, what both together say of it is no more certain than what either does.
  private static let caution = 2.0

  /// The calibration with what all ranges, and those to single anchors, read too much, as far as
  /// `ranges` show it.
  ///
  /// A ``TrackSmoother`` goes over the beginning of the ranges with and without offsets of single
  /// anchors; they are taken for granted where the evidence for them is strong. Where ranges have a
  /// bias and a scale in common, those that it found are what a ``Tracker`` begins with, instead of
  /// nothing, and what is left of them to find is as small as they are uncertain. Give it the
  /// anchors that ``corrected(_:)`` returns.
  ///
  /// - Parameters:
  ///   - ranges: of one tag, in order of time.
  ///   - anchors: the anchors.
  /// - Returns: The same settings, with ``bias``, ``scale`` and ``offsets`` where there are any, and
  ///   smaller standard deviations of the former.
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

  /// The calibration without bias and scale, where offsets of single anchors explain the ranges
  /// better; the same where they do not, or there is no bias.
  ///
  /// Seen from far away, a few centimetres between anchors that stand close together turn the track,
  /// and a bias and a scale can be found that turn it back. So both are given a chance: the bias,
  /// with what offsets it leaves, has to be more probable than offsets without it. The probability
  /// of offsets is that of the ranges with them taken off, less what each costs of what was known
  /// before [MacKay 2003, Ch. 28].
  ///
  /// - Parameters:
  ///   - ranges: of one tag, in order of time, those that were calibrated on.
  ///   - anchors: the anchors.
  /// - Returns: The settings for a bias or those without, with ``biasEvidence`` beside offsets.
  ///
  /// ## Cost
  /// Nothing without a bias; else that of ``withCorrections(on:anchors:)``, twice.
  public func weighingOffsets(on ranges: [RangeMeasurement], anchors: [Anchor]) -> Self {
    guard let unbiased else { return self }
    var other = self
    (other.configuration, other.unbiased) = (unbiased.settings, nil)
    let evidence =
      evidence(of: configuration, on: ranges, anchors: anchors)
      - other.evidence(of: unbiased.compared, on: ranges, anchors: anchors)
    // Ranges that start no track say nothing.
    guard evidence.isFinite else { return self }
    var result = evidence < 0 ? other : self
    result.biasEvidence = evidence
    return result
  }

  /// How probable a tracker of `compared` finds the ranges beside what offsets these settings find.
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

  /// What a smoother makes of the beginning of `ranges`.
  private func smoothed(
    _ ranges: [RangeMeasurement], anchors: [Anchor]
  ) -> SmoothedTrack? {
    TrackSmoother(anchors: anchors, configuration: configuration)
      .smoothed(Self.beginning(of: ranges, anchors: anchors))
  }

  /// What a smoother looks at of `ranges`, thinned.
  static func beginning(of ranges: [RangeMeasurement], anchors: [Anchor]) -> [RangeMeasurement] {
    var thinned = ThinnedRanges(anchorCount: anchors.count, limit: greatestCorrectionCount)
    for range in ranges where !thinned.isFull { thinned.add(range) }
    return thinned.ranges
  }

  /// The anchors with ``bias``, ``scale`` and ``offsets`` in what their ranges read too much.
  public func corrected(_ anchors: [Anchor]) -> [Anchor] {
    let each = offsets.isEmpty ? anchors : anchors.corrected(by: offsets.map { ($0, 0) })
    return each.map { anchor in
      var anchor = anchor
      anchor.bias += anchor.scale * bias
      anchor.scale *= 1 + scale
      return anchor
    }
  }

  /// The whole bias of ranges, metres, of which a tracker among corrected anchors found `rest`.
  public func whole(bias rest: (value: Double, sigma: Double)) -> (value: Double, sigma: Double) {
    (bias + (1 + scale) * rest.value, (1 + scale) * rest.sigma)
  }

  /// The whole scale of ranges less 1, of which a tracker among corrected anchors found `rest`.
  public func whole(scale rest: (value: Double, sigma: Double)) -> (value: Double, sigma: Double) {
    ((1 + scale) * (1 + rest.value) - 1, (1 + scale) * rest.sigma)
  }
}
