import RealModule

extension RangeProblem {
  /// Returns minus twice the logarithm of the likelihood of the ranges, if each is wrong with the
  /// given odds.
  ///
  /// It compares explanations that call different ranges wrong, which the loss does not: the loss
  /// of a range increases with its error, although an obstructed path delays by any amount.
  func explanationCost(at position: Vector<D>, _ odds: OutlierOdds) -> Double {
    // One logarithm for as many likelihoods as their product does not underflow.
    var (sum, product) = (0.0, 1.0)
    var (lastSigma, span) = (0.0, 1.0)
    let allowed = OutlierOdds(late: odds.late, early: loss.onlyLate ? 0 : odds.early)
    for index in 0..<count {
      let sigma = sigmas[index]
      if sigma != lastSigma { (lastSigma, span) = (sigma, orders(sigma)) }
      let scaled = residual(index, at: position) / sigma
      let wrong = allowed.density(of: scaled, span: span)
      let square = scaled * scaled
      // The exponential is skipped where it is lost beside the other term.
      let right = square > 140 && wrong > 1e-14 ? 0 : Double.exp(-0.5 * min(1400, square))
      guard wrong + right >= 1e-100 else {
        // A range that is neither right nor wrong costs its square.
        sum += wrong == 0 ? square : -2 * .log(wrong + right)
        continue
      }
      product *= wrong + right
      if product < 1e-200 {
        sum -= 2 * .log(product)
        product = 1
      }
    }
    sum -= 2 * .log(product)
    if let prior {
      let offset = position - prior.mean
      sum += offset.dot(prior.information * offset)
    }
    return sum
  }

  /// Returns ln(size/σ), over which the errors of a wrong range are spread.
  func orders(_ sigma: Double) -> Double { max(1, .log(scale / sigma)) }
}

extension OutlierOdds {
  /// Returns the density of a wrong range with an error of `scaled` standard deviations, relative to the
  /// peak of the normal density, spread over `span` orders of magnitude.
  func density(of scaled: Double, span: Double) -> Double {
    (scaled > 0 ? late : early) * HiddenErrors.peak / (span * max(1, scaled.magnitude))
  }
}
