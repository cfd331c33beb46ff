import CVectors

extension TrackBelief {
  /// Mixes the beliefs of both modes: each becomes the moment-matched mixture of both.
  ///
  /// - Parameter shares: the weight of the gentle belief in the new gentle one, and in the new
  ///   lively one.
  mutating func mix(shares: Pair) {
    let spreads = shares * (1 - shares)
    let panelCount = panelCount
    withMutableElements { p in
      // The differences of the means take the place of the gain for a while.
      cvectors_mix(p.panels, p.mean.numbers, p.gain.numbers, panelCount, shares, spreads)
    }
  }
}
