/// What the residuals say of the ranges.
extension EpochResiduals {
  /// Ordinary and wrong ranges.
  struct Census {
    /// The sum of the squared residuals of ordinary ranges, m².
    var squares = 0.0
    /// The sum of the shares of the errors of ordinary ranges that their residuals show.
    var checked = 0.0
    /// The number of wrong ranges that are too long.
    var late = 0.0
    /// The number of wrong ranges that are too short.
    var early = 0.0
    /// The sum of the squared residuals of wrong ranges, m².
    var wrong = 0.0
    /// The number of all ranges.
    var count = 0.0
  }

  /// Counts ranges as wrong if their residual exceeds four of its standard deviations, which normal
  /// errors do once in 16,000 times.
  func census(_ sigma: Double) -> Census {
    var other = self
    other.fit.sigma = sigma * fit.hypothesis.gain
    return other.census()
  }

  private func census() -> Census {
    var result = Census()
    for error in checkedErrors() {
      result.count += 1
      let square = error.size * error.size
      // A residual that hardly shows the error cannot exceed its rounding.
      if square > 16 * sigma * sigma * max(0.01, error.check) {
        if error.size > 0 { result.late += 1 } else { result.early += 1 }
        result.wrong += square
      } else {
        result.squares += square
        result.checked += error.check
      }
    }
    return result
  }

  /// Returns the residuals of all ranges, metres, the share of the variance of the error that each
  /// shows, and its epoch and anchor.
  func checkedErrors() -> [(size: Double, check: Double, epoch: Int, anchor: Int)] {
    var result: [(size: Double, check: Double, epoch: Int, anchor: Int)] = []
    let gain = fit.hypothesis.gain
    for index in 0..<count {
      let place = fit.positions[index]
      guard let covariance = fit.covariance(of: index, floor: 1e-9) else { continue }
      for range in fit.used.ranges(of: index) {
        let (error, length) = fit.residual(range, at: place)
        var direction = (gain / max(length, 1e-9)) * (place - fit.used.sites[range])
        if fit.hypothesis.unknowns == 2 { direction.z = 0 }
        let weight = fit.loss.weight(error * error, fit.sigma * fit.sigma)
        let check = max(0, 1 - weight * covariance.form(direction))
        result.append((error / gain, check, index, fit.used.anchors[range]))
      }
    }
    return result
  }
}

extension EpochResiduals {
  /// The share of the variance of a link's errors that is still there after five seconds to a
  /// minute, 0 to 1; 0 without the times of epochs.
  ///
  /// It is the mean product of two residuals of the link so far apart, over the mean square. Both
  /// lack the part of the errors that positions have taken.
  var persistentShare: Double {
    var links = Array(
      repeating: [(time: Timestamp, size: Double)](), count: fit.hypothesis.sites.count)
    for error in checkedErrors() {
      guard let time = times[error.epoch], error.check > 0.1 else { continue }
      // A wrong range must not tell what ordinary ones do.
      let most = Self.ordinary * sigma * error.check.squareRoot()
      links[error.anchor].append((time, max(-most, min(most, error.size))))
    }
    var (square, number, product, pairs) = (0.0, 0.0, 0.0, 0.0)
    for link in links {
      for (index, one) in link.enumerated() {
        square += one.size * one.size
        number += 1
        for other in link[(index + 1)...] {
          let seconds = other.time.seconds(since: one.time)
          guard seconds >= Self.persistent.lowerBound else { continue }
          if seconds > Self.persistent.upperBound { break }
          product += one.size * other.size
          pairs += 1
        }
      }
    }
    guard pairs > 0, square > 0 else { return 0 }
    return max(0, min(1, product / pairs / (square / number)))
  }

  /// The times, in seconds, between residuals that share what lasts: longer than a filter remembers.
  private static let persistent = 5.0...60.0
  /// The largest residual that counts in full, standard deviations.
  private static let ordinary = 3.0
}
