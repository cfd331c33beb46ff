extension TrackBelief {
  /// A range as it looks from a belief, in both modes.
  struct Expectation {
    /// Measured less expected distance, metres.
    var residual: Pair
    /// Variance of the expected distance, m², without that of the range itself.
    var spread: Pair
    /// What `spread` is the sum of, without regard to correlations, m²: it is not known to more
    /// than rounding makes of these.
    var terms: Pair
  }

  /// Compares a range with the belief.
  ///
  /// - Parameters:
  ///   - distance: the range, metres.
  ///   - anchor: position of its anchor.
  ///   - link: place of the link's error, nil for a link without one.
  /// - Returns: How far off the range is, and what spread was expected.
  mutating func expectation(
    of distance: Double, anchor: Vector<3>, link: Int?
  ) -> Expectation {
    let view = View(
      anchor: anchor, height: height, panelCount: panelCount, common: hasCommon ? bias : nil,
      link: link.map { firstLink + $0 }, linkScale: linkScale)
    if axes == 2 {
      return withMutableElements { Self.expectation($0, axes: 2, of: distance, view) }
    }
    return withMutableElements { Self.expectation($0, axes: 3, of: distance, view) }
  }

  /// What an expectation depends on.
  private struct View {
    var anchor: Vector<3>
    var height: Double
    var panelCount: Int
    /// Index of the common bias; nil without one.
    var common: Int?
    /// Index of the link's error; nil without one.
    var link: Int?
    var linkScale: Double
  }

  @inline(__always)
  private static func expectation(
    _ p: TrackElements, axes: Int, of distance: Double, _ view: View
  ) -> Expectation {
    let (x, y) = (p.mean[0] - view.anchor[0], p.mean[1] - view.anchor[1])
    let z = (axes == 3 ? p.mean[2] : Pair(repeating: view.height)) - view.anchor[2]
    let square = x * x + y * y + z * z
    let metres = Pair(square[0].squareRoot(), square[1].squareRoot())
    var expected = metres
    var stretch = Pair(repeating: 1)
    if let bias = view.common {
      stretch += p.mean[bias + 1]
      expected = stretch * metres + p.mean[bias]
    }
    let slope = stretch / metres
    // At the anchor itself the direction does not exist; the x axis stands in for it.
    let isAway = metres .> 0
    let hx = stretch.replacing(with: slope * x, where: isAway)
    let hy = Pair.zero.replacing(with: slope * y, where: isAway)
    let hz = axes == 3 ? Pair.zero.replacing(with: slope * z, where: isAway) : .zero

    project(p, axes: axes, view, slopes: (hx, hy, hz), metres: metres)
    var spread = Pair.zero
    var terms = hx * hx * p[0, 0] + hy * hy * p[1, 1]
    if axes == 3 { terms += hz * hz * p[2, 2] }
    if let bias = view.common {
      terms += p[bias, bias] + metres * metres * p[bias + 1, bias + 1]
    }
    if let link = view.link {
      expected += view.linkScale * p.mean[link]
      spread += view.linkScale * p.gain[link]
      terms += view.linkScale * view.linkScale * p[link, link]
    }
    spread += hx * p.gain[0] + hy * p.gain[1]
    if axes == 3 { spread += hz * p.gain[2] }
    if let bias = view.common { spread += p.gain[bias] + metres * p.gain[bias + 1] }
    return Expectation(
      residual: distance - expected, spread: spread.replacing(with: 0, where: spread .< 0),
      terms: terms)
  }

  /// Writes down what the state has in common with a distance that changes with the position by
  /// `slopes`, with the scale by `metres`, and with the bias and the link's error.
  ///
  /// Of each of these the covariances with what stands below it are columns; those with what stands
  /// above it are in its own row.
  @inline(__always)
  private static func project(
    _ p: TrackElements, axes: Int, _ view: View, slopes: (Pair, Pair, Pair), metres: Pair
  ) {
    let (hx, hy) = (SIMD4(twice: slopes.0), SIMD4(twice: slopes.1))
    let (hz, stretch) = (SIMD4(twice: slopes.2), SIMD4(twice: metres))
    let scale = view.linkScale
    let end = view.panelCount
    // The panels of the position, then those below, as far as the link's and from it on.
    let own = view.link.map { $0 / 2 } ?? end
    for index in 0..<axes {
      let panel = p.panel(index)
      var sum = hx * panel[0] + hy * panel[1]
      // The third column of the first panel lies in the rows below.
      if axes == 3 {
        sum += hz * (index > 0 ? panel[2] : SIMD4(lowHalf: p[2, 0], highHalf: p[2, 1]))
      }
      let (first, second) = (2 * index, 2 * index + 1)
      if let bias = view.common {
        sum += SIMD4(
          lowHalf: p[bias, first] + metres * p[bias + 1, first],
          highHalf: p[bias, second] + metres * p[bias + 1, second])
      }
      if let link = view.link {
        sum += scale * SIMD4(lowHalf: p[link, first], highHalf: p[link, second])
      }
      p.gain[panel: index] = sum
    }
    for index in axes..<max(axes, end) {
      let panel = p.panel(index)
      var sum = hx * panel[0] + hy * panel[1]
      if axes == 3 { sum += hz * panel[2] }
      if view.common != nil { sum += panel[2 * axes] + stretch * panel[2 * axes + 1] }
      if let link = view.link {
        sum +=
          scale
          * (index < own
            ? SIMD4(lowHalf: p[link, 2 * index], highHalf: p[link, 2 * index + 1])
            : panel[link])
      }
      p.gain[panel: index] = sum
    }
  }

  /// The least noise of a range as a share of the variances that it looks at: with less, rounding
  /// could leave a covariance that is none.
  private static let leastNoise = 1e-12

  /// Takes in the range that `expectation` is about, with noise of the given variances, m².
  mutating func condition(on expectation: Expectation, variance: Pair) {
    let least = Self.leastNoise * expectation.terms
    let noise = variance.replacing(with: least, where: least .> variance)
    let inverse = 1 / (expectation.spread + noise)
    let root = SIMD4(twice: Pair(inverse[0].squareRoot(), inverse[1].squareRoot()))
    let step = SIMD4(twice: inverse * expectation.residual)
    let panelCount = panelCount
    withMutableElements { p in
      for index in 0..<panelCount {
        let gain = p.gain[panel: index]
        p.mean[panel: index] += step * gain
        p.gain[panel: index] = root * gain
      }
      for index in 0..<panelCount {
        Self.subtractSquare(p.panel(index), index, own: p.gain[panel: index], p.gain)
      }
    }
  }

  /// Takes the product of gains off a panel.
  @inline(__always)
  private static func subtractSquare(
    _ panel: UnsafeMutablePointer<SIMD4<Double>>, _ index: Int, own: SIMD4<Double>,
    _ gain: TrackElements.Column
  ) {
    for other in 0..<index {
      panel[2 * other] -= own * SIMD4(twice: gain[2 * other])
      panel[2 * other + 1] -= own * SIMD4(twice: gain[2 * other + 1])
    }
    // On the diagonal, what rounding can make of a variance that all but vanishes.
    let first = panel[2 * index] - own * SIMD4(twice: own.lowHalf)
    let second = panel[2 * index + 1] - own * SIMD4(twice: own.highHalf)
    let (low, high) = (first.lowHalf, second.highHalf)
    panel[2 * index] = SIMD4(
      lowHalf: Pair.zero.replacing(with: low, where: low .> 0), highHalf: first.highHalf)
    panel[2 * index + 1] = SIMD4(
      lowHalf: second.lowHalf, highHalf: Pair.zero.replacing(with: high, where: high .> 0))
  }
}
