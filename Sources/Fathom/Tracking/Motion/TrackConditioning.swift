import CVectors

extension TrackState {
  /// The predicted measurement of a range, in both modes.
  struct Expectation {
    /// Measured minus expected distance, in metres.
    var residual: Pair
    /// Variance of the expected distance in m², without that of the range.
    var spread: Pair
    /// Sum of the variances that contribute to `spread`, without correlations, in m².
    ///
    /// It scales the rounding error of `spread`.
    var terms: Pair
  }

  /// Compares a range with the state estimate.
  ///
  /// - Parameters:
  ///   - distance: The range in metres.
  ///   - anchor: The position of the anchor.
  ///   - link: The slot of the link's error; nil for a link without one.
  ///   - factor: The factor on the link's error in this range.
  /// - Returns: The residual and the expected spread.
  mutating func expectation(
    of distance: Double, anchor: Vector<3>, link: Int?, factor: Double = 1
  ) -> Expectation {
    var range = cvectors_range(
      distance: distance, anchor: (anchor[0], anchor[1], anchor[2]), height: height,
      scale: factor * linkScale, axes: axes, panels: max(axes, panelCount),
      bias: hasCommon ? bias : -1,
      link: link.map { firstLink + $0 } ?? -1)
    var expectation = cvectors_expectation()
    withMutableElements { elements in
      cvectors_expect(
        elements.panels, elements.mean.numbers, elements.gain.numbers, &range, &expectation)
    }
    return Expectation(
      residual: expectation.residual, spread: expectation.spread, terms: expectation.terms)
  }

  /// Minimum noise of a range relative to the variances in its prediction: with less, rounding
  /// could make the covariance indefinite.
  private static let leastNoise = 1e-12

  /// Updates the state with the range of `expectation`, with noise of the given variances in m².
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
