/// RSSI-dependent range biases that are estimated once and subtracted before tracking.
extension TrackerCalibration {
  /// Returns the calibration with an RSSI-dependent range bias, if `ranges` support one; otherwise,
  /// or without signal levels, the same settings.
  ///
  /// A ``TrackSmoother`` processes the beginning of the ranges with a ``RSSIBiasCurve`` among the
  /// common unknowns, and with offsets of single anchors if there is evidence for them. The curve
  /// is adopted if the ranges without it are decisively more likely for a ``Tracker``, less the
  /// cost of the curve against its prior [MacKay 2003, Ch. 28]. Then the settings are found again
  /// from the corrected ranges. Their lower limit of the range errors is reduced by the prior
  /// variance of such curves.
  ///
  /// - Parameters:
  ///   - ranges: The ranges of one tag used for the calibration, in order of time.
  ///   - anchors: The anchors.
  ///   - configuration: The configuration from which these settings were found.
  ///   - isSigmaKnown: As for
  ///     ``calibrated(on:anchors:from:isSigmaKnown:searchesForCommonErrors:)``.
  /// - Returns: The settings, with ``rssiBiasCurve`` if there is one. Subtract it from all ranges,
  ///   including those passed here; see ``RSSIBiasCurve/corrected(_:)``.
  ///
  /// ## Cost
  /// Nothing for ranges without levels. Otherwise two smoothed tracks over the first 10 000 ranges,
  /// thinned; if a curve is found, the cost of
  /// ``calibrated(on:anchors:from:isSigmaKnown:searchesForCommonErrors:)`` in addition.
  public func withRSSIBiasCurve(
    on ranges: [RangeMeasurement], anchors: [Anchor],
    from configuration: Tracker.Configuration = Tracker.Configuration(),
    isSigmaKnown: Bool = false
  ) -> Self {
    guard ranges.contains(where: { $0.rssi != nil }), self.configuration.isValid(for: anchors)
    else { return self }
    let sites = corrected(anchors)
    let smoother = TrackSmoother(among: sites, validated: self.configuration)
    let stretch = Self.stretch(
      of: ranges, anchors: anchors, limit: Self.greatestCorrectionCount)
    guard let found = smoother.signals(in: stretch) else { return self }
    let corrected = ranges.map(found.curve.corrected)
    let evidence =
      Self.logLikelihood(of: self.configuration, on: corrected, anchors: sites)
      - Self.logLikelihood(of: self.configuration, on: ranges, anchors: sites) - found.cost
    guard evidence > Self.decisiveEvidence else { return self }
    var quieter = configuration
    let variance = configuration.errors.sigma * configuration.errors.sigma
    quieter.errors.sigma =
      max(variance / 2, variance - RSSIBiasCurve.biasSigma * RSSIBiasCurve.biasSigma).squareRoot()
    var result = Self.calibrated(
      on: corrected, anchors: anchors, from: quieter, isSigmaKnown: isSigmaKnown)
    result.rssiBiasCurve = found.curve
    result.rssiBiasEvidence = evidence
    return result
  }
}

extension TrackSmoother {
  /// Returns the RSSI-dependent bias of `ranges`, in order of time, and its cost against the prior
  /// in nats; nil if they have no levels or determine no position.
  func signals(in ranges: [RangeMeasurement]) -> (curve: RSSIBiasCurve, cost: Double)? {
    guard let curve = RSSIBiasCurve(over: ranges) else { return nil }
    let problem = SmootherProblem(
      ranges, interruptions: [], anchors: anchors, configuration: configuration)
    return configuration.exactHeight == nil
      ? problem.signals(from: curve, SmootherRun<6>.self)
      : problem.signals(from: curve, SmootherRun<4>.self)
  }
}

extension SmootherProblem {
  /// Returns the curve of the most probable track, starting from a zero curve.
  fileprivate func signals<let N: Int>(
    from curve: RSSIBiasCurve, _ kind: SmootherRun<N>.Type
  ) -> (curve: RSSIBiasCurve, cost: Double)? {
    guard var run: SmootherRun<N> = run() else { return nil }
    run = run.with(curve)
    run = run.withOffsets
    var equations = run.emptyEquations
    return run.solved(in: &equations)?.tracks(in: &equations)[0].signals
  }
}
