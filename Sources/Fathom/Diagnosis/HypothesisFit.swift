/// The positions of epochs under a hypothesis, and how well they fit.
///
/// Errors have Student's distribution with three degrees of freedom and one scale for all ranges,
/// which is estimated: wrong ranges count logarithmically, under every hypothesis alike.
struct HypothesisFit {
  let epochs: DiagnosedEpochs
  var hypothesis: RangeHypothesis
  /// The positions of the epochs, metres.
  var positions: [SIMD3<Double>] = []
  /// Measured minus expected distances, metres; also those of anchors that are not used.
  var residuals: [Double] = []
  /// The scale of the range errors, metres.
  var sigma = 0.0
  /// The logarithm of the likelihood, with each place as one measurement, in nats.
  var logLikelihood = -Double.infinity
  /// The covariance of the numbers of the parameter that was fitted.
  ///
  /// It includes what errors of single anchors that are the same everywhere can imitate.
  var covariance: [[Double]] = []
  /// The used ranges of all epochs under the hypothesis, so that loops read what follows itself.
  var used = UsedRanges()
  /// The standard deviation that ranges are stated to have, metres.
  let givenSigma: Double
  /// The extent of the problem, metres.
  let extent: Double

  /// Degrees of freedom of Student's distribution: with 2, wrong ranges cost less; with 6, twice.
  static let freedom = 3.0
  /// The weight of the stated standard deviation, in ranges.
  static let givenSigmaWeight = 2.0

  /// Fits the positions of all epochs.
  ///
  /// With a limit, the fit stops, with a likelihood of zero, if least squares leave more than that
  /// ``usualMisfit``.
  init(
    _ epochs: DiagnosedEpochs, _ hypothesis: RangeHypothesis, givenSigma: Double, extent: Double,
    from starts: [SIMD3<Double>] = [], searches: Bool = false, ifBelow limit: Double = .infinity
  ) {
    self.epochs = epochs
    self.hypothesis = hypothesis
    (self.givenSigma, self.extent) = (givenSigma, extent)
    used = UsedRanges(epochs, hypothesis)
    positions = starts.isEmpty ? Array(repeating: .zero, count: epochs.count) : starts
    locate(searches: starts.isEmpty || searches)
    if limit < .infinity, usualMisfit >= limit { return }
    sigma = meanError()
    settle()
    finish()
  }

  /// The median of the epochs' sums of squared residuals, m².
  var usualMisfit: Double {
    let sorted = positions.indices.map { squares($0, positions[$0]) }.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  /// The median dilution of precision of horizontal positions and of heights, a million if they are
  /// not determined.
  var dilutions: (horizontal: Double, vertical: Double) {
    var (horizontal, vertical): ([Double], [Double]) = ([], [])
    let isSpace = hypothesis.unknowns == 3 && hypothesis.heightSigma == nil
    for index in positions.indices {
      var shape = SymmetricMatrix3()
      for range in used.ranges(of: index) {
        let offset = positions[index] - used.sites[range]
        let length = max((offset * offset).sum().squareRoot(), 1e-9)
        shape.addOuterProduct(of: (1 / length) * offset, times: 1)
      }
      let inverse = shape.inverse(isSpace: isSpace)
      horizontal.append(inverse.map { ($0.xx + $0.yy).squareRoot() } ?? 1e6)
      vertical.append(inverse.map { $0.zz.squareRoot() } ?? 1e6)
    }
    horizontal.sort()
    vertical.sort()
    guard !horizontal.isEmpty else { return (1e6, 1e6) }
    return (horizontal[horizontal.count / 2], vertical[vertical.count / 2])
  }

  // MARK: Positions

  /// Finds the least-squares position of every epoch, from its present one or among several starts.
  mutating func locate(searches: Bool) {
    guard searches else {
      for index in positions.indices { descend(index, .infinity, steps: 8) }
      return
    }
    var (centre, spread, number) = (SIMD3<Double>.zero, SIMD3<Double>.zero, 0.0)
    for (site, isUsed) in zip(hypothesis.sites, hypothesis.isUsed) where isUsed {
      centre += site
      number += 1
    }
    centre /= max(1, number)
    for (site, isUsed) in zip(hypothesis.sites, hypothesis.isUsed) where isUsed {
      spread += (site - centre) * (site - centre)
    }
    spread = (spread / max(1, number)).squareRoot()
    // Below or above the anchors, so that the descent ends at that mirror image.
    centre.z += (hypothesis.prefersLower ? -0.5 : 0.5) * (spread.x + spread.y)
    var starts = [centre]
    for (x, y) in [(-1.0, -1.0), (-1, 1), (1, -1), (1, 1)] {
      starts.append(centre + SIMD3(x * spread.x, y * spread.y, 0))
    }
    for index in positions.indices {
      var (best, least) = (positions[index], Double.infinity)
      // The tag is usually near its last position; where ranges agree, there is no other minimum.
      let agreed = 9 * givenSigma * givenSigma * max(1, redundancy(index))
      for start in (index > 0 ? [positions[index - 1]] : []) + starts {
        positions[index] = start
        descend(index, .infinity, steps: 8)
        let cost = squares(index, positions[index])
        if cost < 0.98 * least { (best, least) = (positions[index], cost) }
        if least < agreed { break }
      }
      positions[index] = best
    }
  }

  func residual(_ range: Int, _ length: Double) -> Double {
    epochs.distances[range] - hypothesis.bias - hypothesis.offsets[epochs.anchors[range]]
      - hypothesis.gain * length
  }

  func squares(_ index: Int, _ place: SIMD3<Double>) -> Double {
    var sum = 0.0
    for range in used.ranges(of: index) {
      let offset = place - used.sites[range]
      let error =
        used.distances[range] - hypothesis.gain * (offset * offset).sum().squareRoot()
      sum += error * error
    }
    return sum
  }

  /// The normal equations of a position.
  struct Equations {
    var information = SymmetricMatrix3()
    var gradient = SIMD3<Double>.zero
    var cost = 0.0
  }

  /// Sums up the normal equations for a scale of the errors; infinity for equal weights.
  @inline(__always)
  func equations(_ index: Int, _ place: SIMD3<Double>, _ sigma: Double) -> Equations {
    var result = Equations()
    let isSpace = hypothesis.unknowns == 3
    let limit = Self.freedom * sigma * sigma
    let gain = hypothesis.gain
    var product = 1.0
    for range in used.ranges(of: index) {
      let offset = place - used.sites[range]
      let length = max((offset * offset).sum().squareRoot(), 1e-9)
      var direction = (gain / length) * offset
      if !isSpace { direction.z = 0 }
      let error = used.distances[range] - gain * length
      var weight = 1.0
      if sigma.isFinite {
        weight = (Self.freedom + 1) / (limit + error * error)
        product *= 1 + error * error / limit
        if product > 1e200 {
          result.cost += .log(product)
          product = 1
        }
      } else {
        result.cost += error * error
      }
      result.information.addOuterProduct(of: direction, times: weight)
      result.gradient += (weight * error) * direction
    }
    if sigma.isFinite { result.cost = (Self.freedom + 1) * (result.cost + .log(product)) }
    if isSpace, let height = hypothesis.height, let own = hypothesis.heightSigma {
      let error = height - place.z
      // With equal weights the ranges count as given.
      let precision = sigma.isFinite ? 1 / (own * own) : givenSigma * givenSigma / (own * own)
      result.information.zz += precision
      result.gradient.z += precision * error
      result.cost += precision * error * error
    }
    return result
  }

  /// Moves a position downhill by damped Gauss-Newton steps.
  mutating func descend(_ index: Int, _ sigma: Double, steps: Int) {
    var place = positions[index]
    if let height = hypothesis.height, hypothesis.heightSigma == nil { place.z = height }
    let isSpace = hypothesis.unknowns == 3
    var current = equations(index, place, sigma)
    var damping = 1e-4
    for _ in 0..<steps {
      var information = current.information
      let trace = damping * information.trace
      information.xx += trace
      information.yy += trace
      information.zz += trace
      guard let inverse = information.inverse(isSpace: isSpace) else { break }
      let step = inverse * current.gradient
      let next = equations(index, place + step, sigma)
      if next.cost <= current.cost {
        let gain = current.cost - next.cost
        place += step
        current = next
        damping *= 0.1
        if gain < 1e-4 * (sigma.isFinite ? 1 : current.cost) { break }
      } else {
        damping = max(1e-3, 10 * damping)
      }
    }
    if place.x.isFinite, place.y.isFinite, place.z.isFinite { positions[index] = place }
  }

  // MARK: Errors

  /// Returns the degrees of freedom of an epoch that its ranges leave.
  func redundancy(_ index: Int) -> Double {
    let known = hypothesis.unknowns - (hypothesis.heightSigma == nil ? 0 : 1)
    return Double(max(0, used.ranges(of: index).count - known))
  }

  func meanError() -> Double {
    var (sum, count) = (Self.givenSigmaWeight * givenSigma * givenSigma, Self.givenSigmaWeight)
    for index in positions.indices {
      sum += epochs.weights[index] * squares(index, positions[index])
      count += epochs.weights[index] * redundancy(index)
    }
    return max((sum / count).squareRoot(), 1e-4)
  }

  /// Refines positions and scale in turn until they agree.
  mutating func settle() {
    for _ in 0..<20 {
      for index in positions.indices { descend(index, sigma, steps: 1) }
      let before = sigma
      updateSigma()
      if (sigma / before - 1).magnitude < 0.02 { break }
    }
  }

  /// Moves the scale towards its maximum of the likelihood.
  mutating func updateSigma() {
    for _ in 0..<3 {
      var (sum, count) = (Self.givenSigmaWeight * givenSigma * givenSigma, Self.givenSigmaWeight)
      let square = sigma * sigma
      for index in positions.indices {
        let weight = epochs.weights[index]
        for range in used.ranges(of: index) {
          let offset = positions[index] - used.sites[range]
          let error =
            used.distances[range] - hypothesis.gain * (offset * offset).sum().squareRoot()
          let own = error * error
          sum += weight * (Self.freedom + 1) * square * own / (Self.freedom * square + own)
        }
        count += weight * redundancy(index)
      }
      sigma = max((sum / count).squareRoot(), 1e-4)
    }
  }

  /// Computes the residuals and the likelihood.
  mutating func finish() {
    residuals = epochs.distances
    var total = 0.0
    let isSpace = hypothesis.unknowns == 3
    for index in positions.indices {
      var (own, count, unused) = (0.0, 0, 0)
      var shape = SymmetricMatrix3()
      for range in epochs.ranges(of: index) {
        let anchor = epochs.anchors[range]
        let offset = positions[index] - hypothesis.sites[anchor]
        let length = max((offset * offset).sum().squareRoot(), 1e-9)
        residuals[range] = residual(range, length)
        guard hypothesis.isUsed[anchor] else {
          unused += 1
          continue
        }
        count += 1
        let scaled = residuals[range] / sigma
        let share = 1 / (1 + scaled * scaled / Self.freedom)
        own += 0.5 * (Self.freedom + 1) * .log(share)
        shape.addOuterProduct(of: (1 / length) * offset, times: share)
      }
      if isSpace, let height = hypothesis.height, let spread = hypothesis.heightSigma {
        let ratio = sigma / spread
        shape.zz += ratio * ratio * Self.freedom / (Self.freedom + 1)
        let error = (positions[index].z - height) / spread
        own -= 0.5 * error * error
      }
      // A position is known to lie within the extent, whatever the ranges leave open.
      let least = sigma / extent * (sigma / extent)
      shape.xx += least
      shape.yy += least
      shape.zz += least
      let determinant =
        isSpace ? shape.determinant : shape.xx * shape.yy - shape.xy * shape.xy
      own -= 0.5 * .log(max(determinant, 1e-300))
      own -= redundancy(index) * .log(sigma) + Double(count)
      // An error of any size: within the extent of the problem, or ten standard deviations.
      own -= Double(unused) * .log(max(extent, 10 * sigma))
      total += epochs.weights[index] * own
    }
    total -= Self.givenSigmaWeight * (.log(sigma) + 0.5 * givenSigma * givenSigma / (sigma * sigma))
    logLikelihood = total
  }
}
