extension PositionEquations {
  /// Starting points of the search for a position.
  struct Starts {
    /// Unknowns from all measurements with equal weights.
    var first: [[Double]]
    /// The maximum number of starts to refine, the most likely first.
    var most: Int
    /// Unknowns from subsets of the measurements, used if the first starts leave large residuals.
    var wide: () -> [[Double]] = { [] }
    /// Unknowns from weighted measurements: the alternatives that remain after discounting
    /// outliers.
    var weighted: ([Double]) -> [[Double]] = { _ in [] }
  }

  /// Returns the local maxima of the likelihood that the measurements cannot distinguish.
  ///
  /// If the sum of squared residuals exceeds the 99.9 % quantile of chi-square and `searches` is
  /// set, graduated non-convexity and the wide starts provide further candidates. A better solution
  /// from these has only its own mirror images as alternatives: contradictory subsets of
  /// measurements would yield any number of alternatives. Returns one or two solutions, best first;
  /// none if a continuum remains.
  func solutions(from starts: Starts, searching searches: Bool) -> [EquationFit] {
    var fits = fits(from: starts.first, refining: starts.most)
    guard let first = fits.first else { return [] }
    if searches, loss.shape != .squared, !explains(residuals(first.unknowns)) {
      let wide = [graduated(from: first.unknowns)] + starts.wide()
      let found = self.fits(from: wide, refining: 6)
      if let best = found.first, best.cost < first.cost,
        !isSame(best.unknowns, first.unknowns)
      {
        fits = [best]
      } else {
        fits = [first]
      }
      let weights = weights(residuals(fits[0].unknowns), under: loss)
      add(self.fits(from: starts.weighted(weights), refining: starts.most), to: &fits)
    }
    fits.sort { $0.cost < $1.cost }
    let best = fits[0]
    // Far away all directions of arrival are parallel: a descent that diverges there gives a
    // direction, not a position.
    let origin = [Double](repeating: 0, count: free)
    let isPlace = fits.map { $0.isSettled || distance($0.unknowns, origin) <= 10 * scale }
    guard isPlace[0] else { return [] }
    fits = fits.indices.filter { isPlace[$0] }.map { fits[$0] }
    // Twice the log-likelihood ratio, against the 99 % quantile of chi-square with one degree of
    // freedom.
    return Array(fits.prefix { $0.cost <= best.cost + 6.63 }.prefix(2))
  }

  /// Returns whether the sum of squared residuals is below the 99.9 % quantile of chi-square.
  private func explains(_ residuals: [Double]) -> Bool {
    var (sum, count) = (0.0, 0)
    for (kind, residual) in zip(kinds, residuals) where kind != .prior {
      sum += residual * residual
      count += 1
    }
    return sum <= chiSquareLimit(degreesOfFreedom: max(1, count - unknowns))
  }

  /// Returns the minima reached from the most likely starts, best first.
  private func fits(from starts: [[Double]], refining most: Int) -> [EquationFit] {
    var candidates: [(unknowns: [Double], cost: Double)] = []
    let origin = [Double](repeating: 0, count: free)
    for start in starts
    where start.allSatisfy(\.isFinite) && distance(start, origin) <= 1e6 * scale {
      let cost = cost(residuals(start), under: loss)
      let isNew = !candidates.contains { distance($0.unknowns, start) <= 1e-3 * scale }
      if cost.isFinite && isNew { candidates.append((start, cost)) }
    }
    candidates.sort { $0.cost < $1.cost }
    var fits: [EquationFit] = []
    for candidate in candidates.prefix(most) {
      add([refine(from: candidate.unknowns, knowing: fits)], to: &fits)
    }
    return fits.sorted { $0.cost < $1.cost }
  }

  /// Adds minima that are not yet known.
  private func add(_ found: [EquationFit], to fits: inout [EquationFit]) {
    for fit in found where fit.cost.isFinite && fit.unknowns.allSatisfy(\.isFinite) {
      if let same = fits.firstIndex(where: { isSame($0.unknowns, fit.unknowns) }) {
        if fit.cost < fits[same].cost { fits[same] = fit }
      } else {
        fits.append(fit)
      }
    }
  }
}
