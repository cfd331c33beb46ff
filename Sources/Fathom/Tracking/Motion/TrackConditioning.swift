import CVectors

extension TrackState {
  /// A range as it looks from a state estimate, in both modes.
  struct Expectation {
    /// Measured less expected distance, metres.
    var residual: Pair
    /// Variance of the expected distance, m², without that of the range itself.
    var spread: Pair
    /// What `spread` is the sum of, without regard to correlations, m²: it is not known to more
    /// than rounding makes of these.
    var terms: Pair
  }

  /// Compares a range with the state estimate.
  ///
  /// - Parameters:
  ///   - distance: the range, metres.
  ///   - anchor: position of its anchor.
  ///   - link: place of the link's error, nil for a link without one.
  /// - Returns: How far off the range is, and what spread was expected.
  mutating func expectation(
    of distance: Double, anchor: Vector<3>, link: Int?
  ) -> Expectation {
    var range = cvectors_range(
      distance: distance, anchor: (anchor[0], anchor[1], anchor[2]), height: height,
      scale: linkScale, axes: axes, panels: max(axes, panelCount), bias: hasCommon ? bias : -1,
      link: link.map { firstLink + $0 } ?? -1)
    var expectation = cvectors_expectation()
    withMutableElements { elements in
      cvectors_expect(
        elements.panels, elements.mean.numbers, elements.gain.numbers, &range, &expectation)
    }
    return Expectation(
      residual: expectation.residual, spread: expectation.spread, terms: expectation.terms)
  }

  /// The least noise of a range as a share of the variances that it looks at: with less, rounding
  /// could leave a covariance that is none.
  private static let leastNoise = 1e-12

  /// Takes in the range that `expectation` is about, with noise of the given variances, m².
  mutating func condition(on expectation: Expectation, variance: Pair) {
    let least = Self.leastNoise * expectation.terms
    let noise = variance.replacing(with: least, where: least .> variance)
    let inverse = 1 / (expectation.spread + noise)
    let root = inverse.squareRoot()
    let step = inverse * expectation.residual
    let panelCount = panelCount
    withMutableElements { p in
      cvectors_condition(p.panels, p.mean.numbers, p.gain.numbers, panelCount, step, root)
    }
  }
}
