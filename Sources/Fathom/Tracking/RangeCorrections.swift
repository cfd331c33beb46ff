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
    var thinned = ThinnedRanges(anchorCount: anchors.count, limit: Self.greatestCorrectionCount)
    for range in ranges where !thinned.isFull { thinned.add(range) }
    let smoother = TrackSmoother(anchors: anchors, configuration: configuration)
    guard let track = smoother.smoothed(thinned.ranges) else { return self }
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

extension [Anchor] {
  /// The anchors with `offsets` added to what their ranges read too much, metres; nil for none.
  func corrected(by offsets: [(value: Double, sigma: Double)?]) -> Self {
    zip(self, offsets).map { anchor, offset in
      var anchor = anchor
      anchor.bias += anchor.scale * (offset?.value ?? 0)
      return anchor
    }
  }
}
