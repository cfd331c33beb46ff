import RealModule

/// The positions of epochs under a hypothesis about anchors and ranges.
///
/// Calibration and diagnosis share it: the equation of a range, its loss, the position of an epoch, and
/// the elimination of positions from the equations of parameters that all epochs share.
struct EpochFit {
  let epochs: WeighedEpochs
  let loss: RangeLoss
  /// The hypothesis; the positions remain until they are moved.
  var hypothesis: RangeHypothesis {
    didSet { used = UsedRanges(epochs, hypothesis) }
  }
  /// The used ranges of all epochs under the hypothesis, so that loops read what follows itself.
  private(set) var used: UsedRanges
  /// The positions of the epochs, metres.
  var positions: [SIMD3<Double>]
  /// The scale of the range errors, metres.
  var sigma: Double

  init(
    _ epochs: WeighedEpochs, _ hypothesis: RangeHypothesis, loss: RangeLoss,
    at positions: [SIMD3<Double>], sigma: Double
  ) {
    self.epochs = epochs
    self.hypothesis = hypothesis
    self.loss = loss
    self.positions = positions
    self.sigma = sigma
    used = UsedRanges(epochs, hypothesis)
  }

  /// Returns the degrees of freedom of an epoch that its ranges leave.
  @inline(__always)
  func redundancy(_ index: Int) -> Int {
    let known = hypothesis.unknowns - (hypothesis.heightSigma == nil ? 0 : 1)
    return max(0, used.ranges(of: index).count - known)
  }

  /// Returns the error of a range for the position of its epoch, and the distance, in metres.
  @inline(__always)
  func residual(_ range: Int, at place: SIMD3<Double>) -> (error: Double, length: Double) {
    let offset = place - used.sites[range]
    let length = (offset * offset).sum().squareRoot()
    return (used.distances[range] - hypothesis.gain * length, length)
  }

  // MARK: Positions

  /// The normal equations of a position.
  struct Equations {
    var information = SymmetricMatrix3()
    var gradient = SIMD3<Double>.zero
    var cost = 0.0
  }

  /// Sums up the normal equations of a position for a scale of the errors.
  ///
  /// With an infinite scale all ranges have the weight 1, and `equalSigma` is their standard deviation
  /// beside a known height.
  @inline(__always)
  func equations(
    _ index: Int, _ place: SIMD3<Double>, _ sigma: Double, equalSigma: Double = 1
  ) -> Equations {
    var result = Equations()
    let isSpace = hypothesis.unknowns == 3
    let variance = sigma * sigma
    let limit = loss.tail * variance
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
        weight = loss.weight(error * error, variance)
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
    if sigma.isFinite { result.cost = loss.factor * (result.cost + .log(product)) }
    if isSpace, let height = hypothesis.height, let own = hypothesis.heightSigma {
      let error = height - place.z
      let precision = sigma.isFinite ? 1 / (own * own) : equalSigma * equalSigma / (own * own)
      result.information.zz += precision
      result.gradient.z += precision * error
      result.cost += precision * error * error
    }
    return result
  }

  /// Moves a position downhill by damped Gauss-Newton steps, until the cost falls by less than
  /// `least`, or by that share for an infinite scale.
  mutating func descend(
    _ index: Int, _ sigma: Double, steps: Int, least: Double = 1e-4, equalSigma: Double = 1
  ) {
    var place = positions[index]
    if let height = hypothesis.height, hypothesis.heightSigma == nil { place.z = height }
    let isSpace = hypothesis.unknowns == 3
    var current = equations(index, place, sigma, equalSigma: equalSigma)
    var damping = 1e-4
    for _ in 0..<steps {
      var information = current.information
      let floor = 1e-9 * information.trace
      information.xx += damping * information.xx + floor
      information.yy += damping * information.yy + floor
      information.zz += damping * information.zz + floor
      guard let inverse = information.inverse(isSpace: isSpace) else { break }
      let step = inverse * current.gradient
      let next = equations(index, place + step, sigma, equalSigma: equalSigma)
      if next.cost <= current.cost {
        let gain = current.cost - next.cost
        place += step
        current = next
        damping *= 0.1
        if gain < least * (sigma.isFinite ? 1 : current.cost) { break }
      } else {
        damping = max(1e-3, 10 * damping)
      }
    }
    if place.x.isFinite, place.y.isFinite, place.z.isFinite { positions[index] = place }
  }

  /// Returns the covariance of the position of an epoch, m², zero in a known height; nil if the ranges
  /// do not determine it.
  ///
  /// The `floor`, a share of the trace, is information about every coordinate.
  func covariance(of index: Int, floor: Double) -> SymmetricMatrix3? {
    inverse(of: equations(index, positions[index], sigma).information, floor: floor)
  }

  private func inverse(of information: SymmetricMatrix3, floor: Double) -> SymmetricMatrix3? {
    var information = information
    let trace = floor * information.trace
    information.xx += trace
    information.yy += trace
    information.zz += trace
    return information.inverse(isSpace: hypothesis.unknowns == 3)
  }
}
