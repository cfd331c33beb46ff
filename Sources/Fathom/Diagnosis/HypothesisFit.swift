/// The positions of epochs under a hypothesis, and how well they fit.
///
/// Errors have Student's distribution with three degrees of freedom and one scale for all ranges,
/// which is estimated: wrong ranges count logarithmically, under every hypothesis alike.
struct HypothesisFit {
  /// The positions of the epochs.
  private(set) var model: EpochFit
  /// Measured minus expected distances, metres; also those of anchors that are not used.
  private(set) var residuals: [Double] = []
  /// The logarithm of the likelihood, with each place as one measurement, in nats.
  private(set) var logLikelihood = -Double.infinity
  /// The covariance of the numbers of the parameter that was fitted; nil if it is not determined.
  ///
  /// It includes what errors of single anchors that are the same everywhere can imitate.
  private(set) var covariance: DenseMatrix?
  /// The standard deviation that ranges are stated to have, metres.
  private let givenSigma: Double
  /// The extent of the problem, metres.
  private let extent: Double

  /// The weight of the stated standard deviation, in ranges.
  static let givenSigmaWeight = 2.0

  /// Fits the positions of all epochs.
  ///
  /// With a limit, the fit stops, with a likelihood of zero, if least squares leave more than that
  /// ``usualMisfit``.
  init(
    _ epochs: WeighedEpochs, _ hypothesis: RangeHypothesis, givenSigma: Double, extent: Double,
    from starts: [SIMD3<Double>] = [], searches: Bool = false, ifBelow limit: Double = .infinity
  ) {
    (self.givenSigma, self.extent) = (givenSigma, extent)
    let places = starts.isEmpty ? Array(repeating: .zero, count: epochs.count) : starts
    model = EpochFit(epochs, hypothesis, loss: .student, at: places, sigma: 0)
    locate(searches: starts.isEmpty || searches)
    if limit < .infinity, usualMisfit >= limit { return }
    model.sigma = meanError()
    settle()
    finish()
  }

  var epochs: WeighedEpochs { model.epochs }
  var hypothesis: RangeHypothesis { model.hypothesis }
  var positions: [SIMD3<Double>] { model.positions }
  /// The scale of the range errors, metres.
  var sigma: Double { model.sigma }

  /// The sum of the variances of the fitted numbers.
  var variance: Double {
    covariance.map { matrix in
      (0..<matrix.rows).reduce(0) { $0 + matrix[$1, $1] }
    } ?? 0
  }

  /// The median of the epochs' sums of squared residuals, m².
  var usualMisfit: Double {
    let sorted = positions.indices.map { squares($0) }.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  /// The median dilution of precision of horizontal positions and of heights, a million if they are
  /// not determined.
  var dilutions: (horizontal: Double, vertical: Double) {
    var (horizontal, vertical): ([Double], [Double]) = ([], [])
    let isSpace = hypothesis.unknowns == 3 && hypothesis.heightSigma == nil
    for index in positions.indices {
      var shape = SymmetricMatrix3()
      for range in model.used.ranges(of: index) {
        let offset = positions[index] - model.used.sites[range]
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
  private mutating func locate(searches: Bool) {
    guard searches else {
      for index in positions.indices { descend(index) }
      return
    }
    let starts = starts
    for index in positions.indices {
      var (best, least) = (positions[index], Double.infinity)
      // The tag is usually near its last position; where ranges agree, there is no other minimum.
      let agreed = 9 * givenSigma * givenSigma * Double(max(1, model.redundancy(index)))
      for start in (index > 0 ? [positions[index - 1]] : []) + starts {
        model.positions[index] = start
        descend(index)
        let cost = squares(index)
        if cost < 0.98 * least { (best, least) = (positions[index], cost) }
        if least < agreed { break }
      }
      model.positions[index] = best
    }
  }

  /// Moves a position to its least squares.
  private mutating func descend(_ index: Int) {
    model.descend(index, .infinity, steps: 8, equalSigma: givenSigma)
  }

  /// The starts of a search: the centre of the used anchors, and around it.
  private var starts: [SIMD3<Double>] {
    let hypothesis = hypothesis
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
    return [centre]
      + [(-1.0, -1.0), (-1, 1), (1, -1), (1, 1)].map { x, y in
        centre + SIMD3(x * spread.x, y * spread.y, 0)
      }
  }

  /// Returns the sum of the squared errors of an epoch, m².
  private func squares(_ index: Int) -> Double {
    var sum = 0.0
    for range in model.used.ranges(of: index) {
      let error = model.residual(range, at: model.positions[index]).error
      sum += error * error
    }
    return sum
  }

  // MARK: Errors

  private func meanError() -> Double {
    var (sum, count) = (Self.givenSigmaWeight * givenSigma * givenSigma, Self.givenSigmaWeight)
    for index in positions.indices {
      sum += epochs.weights[index] * squares(index)
      count += epochs.weights[index] * Double(model.redundancy(index))
    }
    return max((sum / count).squareRoot(), 1e-4)
  }

  /// Refines positions and scale in turn until they agree.
  private mutating func settle() {
    for _ in 0..<20 {
      for index in positions.indices { model.descend(index, sigma, steps: 1) }
      let before = sigma
      updateSigma()
      if (sigma / before - 1).magnitude < 0.02 { break }
    }
  }

  /// Moves the scale towards its maximum of the likelihood.
  private mutating func updateSigma() {
    for _ in 0..<3 {
      var (sum, count) = (Self.givenSigmaWeight * givenSigma * givenSigma, Self.givenSigmaWeight)
      let square = sigma * sigma
      for index in positions.indices {
        let weight = epochs.weights[index]
        for range in model.used.ranges(of: index) {
          let error = model.residual(range, at: model.positions[index]).error
          let own = error * error
          sum += weight * square * own * model.loss.weight(own, square)
        }
        count += weight * Double(model.redundancy(index))
      }
      model.sigma = max((sum / count).squareRoot(), 1e-4)
    }
  }

  /// Fits a parameter that all epochs share, together with the positions.
  mutating func fit(_ parameter: RangeHypothesis.Parameter) {
    covariance = nil
    for _ in 0..<12 {
      guard let step = step(of: parameter), step.change.allSatisfy(\.isFinite) else { return }
      model.hypothesis.add(step.change, to: parameter)
      covariance = step.covariance
      for index in positions.indices { model.descend(index, sigma, steps: 2) }
      updateSigma()
      let isDone = step.change.indices.allSatisfy {
        step.change[$0].magnitude < 0.02 * max(step.covariance[$0, $0], 0).squareRoot()
      }
      if isDone { break }
    }
    settle()
    if let step = step(of: parameter) { covariance = step.covariance }
    finish()
  }

  /// Returns the Gauss-Newton step of a parameter, and its covariance; nil if it is not determined.
  private func step(
    of parameter: RangeHypothesis.Parameter
  ) -> (change: [Double], covariance: DenseMatrix)? {
    let sums = model.equations(of: parameter, in: positions.indices)
    guard var covariance = sums.covariance() else { return nil }
    let change = (covariance * DenseMatrix(column: sums.gradient)).column(0)
    let persistent = sums.persistentCovariance(covariance, sigma: sigma)
    for row in change.indices {
      for column in change.indices { covariance[row, column] += persistent[row, column] }
    }
    return (change, covariance)
  }

  /// Computes the residuals and the likelihood.
  private mutating func finish() {
    let (epochs, hypothesis, sigma) = (epochs, hypothesis, sigma)
    let (tail, half) = (model.loss.tail, 0.5 * model.loss.factor)
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
        residuals[range] -=
          hypothesis.bias + hypothesis.offsets[anchor] + hypothesis.gain * length
        guard hypothesis.isUsed[anchor] else {
          unused += 1
          continue
        }
        count += 1
        let scaled = residuals[range] / sigma
        let share = 1 / (1 + scaled * scaled / tail)
        own += half * .log(share)
        shape.addOuterProduct(of: (1 / length) * offset, times: share)
      }
      if isSpace, let height = hypothesis.height, let spread = hypothesis.heightSigma {
        let ratio = sigma / spread
        shape.zz += ratio * ratio * tail / model.loss.factor
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
      own -= Double(model.redundancy(index)) * .log(sigma) + Double(count)
      // An error of any size: within the extent of the problem, or ten standard deviations.
      own -= Double(unused) * .log(max(extent, 10 * sigma))
      total += epochs.weights[index] * own
    }
    total -= Self.givenSigmaWeight * (.log(sigma) + 0.5 * givenSigma * givenSigma / (sigma * sigma))
    logLikelihood = total
  }
}
