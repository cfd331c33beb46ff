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

  /// Compares a range in metres with the state estimate; returns the residual and the expected
  /// spread.
  ///
  /// `link` is the slot of the link's error, nil without one; `factor` is on that error in this
  /// range.
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

  /// A weighted sum of at most four elements of the state.
  struct Combination {
    private(set) var elements = InlineArray<4, Int>(repeating: 0)
    private(set) var factors = InlineArray<4, Double>(repeating: 0)
    private(set) var count = 0

    /// Adds `factor` times element `index`.
    mutating func add(_ index: Int, times factor: Double) {
      elements[count] = index
      factors[count] = factor
      count += 1
    }
  }

  /// Compares the measured value of a weighted sum of elements with the state estimate.
  mutating func expectation(of measured: Double, as sum: Combination) -> Expectation {
    let size = size
    return withMutableElements { p in
      var (expected, spread, terms) = (Pair.zero, Pair.zero, Pair.zero)
      for row in 0..<size {
        var covariance = Pair.zero
        for place in 0..<sum.count {
          let index = sum.elements[place]
          covariance += sum.factors[place] * p[max(row, index), min(row, index)]
        }
        p.gain[row] = covariance
      }
      // The row after the last, which the panels contain.
      if size % 2 == 1 { p.gain[size] = .zero }
      for place in 0..<sum.count {
        let (index, factor) = (sum.elements[place], sum.factors[place])
        expected += factor * p.mean[index]
        spread += factor * p.gain[index]
        terms += factor * factor * p[index, index]
      }
      return Expectation(
        residual: measured - expected, spread: spread.replacing(with: 0, where: spread .< 0),
        terms: terms)
    }
  }

  /// The links of a measurement whose errors it may show to be disturbed.
  struct DisturbedLinks {
    /// The slot of a link, and the factor on its error in the measurement.
    fileprivate var first: (slot: Int, factor: Double)
    /// The other link of a difference.
    fileprivate var second: (slot: Int, factor: Double)?

    /// Creates the link of a range.
    init(range slot: Int, factor: Double) { first = (slot, factor) }

    /// Creates the links of a difference.
    init(difference slots: (first: Int, second: Int)) {
      first = (slots.first, 1)
      second = (slots.second, -1)
    }
  }

  /// Adds `variance`, m², by which a measurement errs more than expected, to the errors of its links, and
  /// returns its expectation with them.
  ///
  /// Only the covariance of the measurement with these errors changes, so that the rest of the
  /// expectation is not computed again. Two links have equal parts of the variance.
  @inline(__always)
  mutating func disturbed(
    _ links: DisturbedLinks, by variance: Pair, _ expectation: Expectation
  ) -> Expectation {
    disturb(links.first, by: links.second == nil ? variance : 0.5 * variance)
    if let second = links.second { disturb(second, by: 0.5 * variance) }
    var expectation = expectation
    expectation.spread += variance
    expectation.terms += variance
    return expectation
  }

  @inline(__always)
  private mutating func disturb(_ link: (slot: Int, factor: Double), by variance: Pair) {
    let index = firstLink + link.slot
    // A stored error counts `linkScale` times.
    let inverse = 1 / (link.factor * linkScale)
    withMutableElements { elements in
      elements[index, index] += inverse * inverse * variance
      elements.gain[index] += inverse * variance
    }
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
