import RealModule

/// How noisy ranges are, as what is left of them beside a smoothed track says.
///
/// A ``Tracker`` scales the noise while it goes, and its calibration may leave that to it. A smoother
/// takes the noise as it is told, and would believe itself too much.
extension SmootherRun {
  /// What the variance of single ranges is over what it was taken to be, at least 1.
  ///
  /// The most likely scale of the Student-t distribution of the residuals, where it is larger than
  /// assumed by more than chance makes it: at the assumed one, the mean of (ν + 1) q / (ν + q) over
  /// the normalised squares q has the expectation 1 and at most the variance 2 / n. That the track
  /// follows a part of every error makes residuals smaller, so that less is taken than there is.
  /// Ranges that say themselves how good they are are believed.
  var noiseFactor: Double {
    var squares: [Double] = []
    for (index, range) in ranges.enumerated() where range.sigma == nil {
      let state = Int(knots.states[index])
      guard state >= 0 else { continue }
      let residual = expectation(range, state: state).residual
      squares.append(residual * residual / variances(range).single)
    }
    guard !squares.isEmpty else { return 1 }
    let chance = 3 * (2 / Double(squares.count)).squareRoot()
    guard meanShare(squares, 1) > 1 + chance else { return 1 }
    var (low, high) = (0.0, Self.greatestLogarithm)
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if meanShare(squares, .exp(middle)) > 1 { low = middle } else { high = middle }
    }
    return .exp(low)
  }

  /// Of a factor: ranges whose sigma is a thousandth of the truth.
  private static var greatestLogarithm: Double { .log(1e6) }

  /// The mean of (ν + 1) q / (ν s + q) over `squares` q; of q / s for normal errors.
  private func meanShare(_ squares: [Double], _ scale: Double) -> Double {
    let freedom = density.freedom
    let sum = squares.reduce(0.0) { sum, square in
      sum
        + (freedom.isFinite
          ? (freedom + 1) * square / (freedom * scale + square) : square / scale)
    }
    return sum / Double(squares.count)
  }
}
