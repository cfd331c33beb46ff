/// What ranges read too much by the strength of their signals, found once and taken off before
/// they are tracked with.
extension TrackerCalibration {
  /// The calibration on ranges without what the strength of their signals adds to them, as far as
  /// `ranges` show it; the same settings where they do not, or have no signal levels.
  ///
  /// A ``TrackSmoother`` goes over the beginning of the ranges with a ``RSSIBiasCurve`` among what all
  /// of them have in common, and offsets of single anchors where there is evidence for these. The
  /// curve is taken for granted where a ``Tracker`` expects the ranges decisively better without it,
  /// less what the curve costs of what was known before [MacKay 2003, Ch. 28]. Then settings are
  /// found anew, from ranges whose errors may be smaller by what was assumed of such curves.
  ///
  /// - Parameters:
  ///   - ranges: of one tag, in order of time, those that were calibrated on.
  ///   - anchors: the anchors.
  ///   - configuration: what these settings were found from.
  /// - Returns: The settings, with ``rssiBiasCurve`` where there is one: take it off all ranges,
  ///   those given here included, see ``RSSIBiasCurve/corrected(_:)``.
  ///
  /// ## Cost
  /// Nothing for ranges without levels. Else two smoothed tracks over the first 10 000 ranges,
  /// thinned, and where a curve is found the cost of ``calibrated(on:anchors:from:)`` once more.
  public func withRSSIBiasCurve(
    on ranges: [RangeMeasurement], anchors: [Anchor],
    from configuration: Tracker.Configuration = Tracker.Configuration()
  ) -> Self {
    guard ranges.contains(where: { $0.rssi != nil }) else { return self }
    let smoother = TrackSmoother(anchors: anchors, configuration: self.configuration)
    guard let found = smoother.signals(in: Self.beginning(of: ranges, anchors: anchors)) else {
      return self
    }
    let corrected = ranges.map(found.curve.corrected)
    let evidence =
      Self.logLikelihood(of: self.configuration, on: corrected, anchors: anchors)
      - Self.logLikelihood(of: self.configuration, on: ranges, anchors: anchors) - found.cost
    guard evidence > Self.decisiveEvidence else { return self }
    var quieter = configuration
    let variance = configuration.errors.sigma * configuration.errors.sigma
    quieter.errors.sigma =
      max(variance / 2, variance - RSSIBiasCurve.biasSigma * RSSIBiasCurve.biasSigma).squareRoot()
    // The curve was found beside a bias, where there is one: what it leaves of that stays, unless the
    // ranges are against it.
    var result = Self.calibrated(
      on: corrected, anchors: anchors, from: quieter,
      withBiasFrom: isBiased ? 0 : Self.decisiveEvidence)
    result.rssiBiasCurve = found.curve
    result.rssiBiasEvidence = evidence
    return result
  }
}

extension TrackSmoother {
  /// What the strength of their signals adds to `ranges`, in order of time, and what it costs of
  /// what was known before, nats; nil where they have no levels or determine no position.
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
  /// The curve beside the track that is most probable with it, from a flat one.
  fileprivate func signals<let N: Int>(
    from curve: RSSIBiasCurve, _ kind: SmootherRun<N>.Type
  ) -> (curve: RSSIBiasCurve, cost: Double)? {
    guard var run: SmootherRun<N> = run(among: anchors) else { return nil }
    run = run.with(curve)
    var chain = run.emptyEquations
    guard let plain = run.solved(in: &chain) else { return nil }
    let alternatives = OffsetHypotheses(
      alike: .init(plain), single: plain.run.solvedWithOffsets(in: &chain).map { .init($0) })
    return OffsetHypotheses.chosen([alternatives])[0].signals
  }
}
