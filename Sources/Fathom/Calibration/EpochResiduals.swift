/// The residuals of the redundant epochs of a recording about their robust positions.
struct EpochResiduals {
  /// An error common to all ranges.
  enum CommonError: Sendable {
    case bias
    case scale
  }

  /// The sums of one epoch for the value of a common error, with the position eliminated.
  struct Normal {
    /// The information about the error, 1/unit².
    var information = 0.0
    /// The information times the change of the error that fits best, 1/unit.
    var gradient = 0.0
    /// The part of the gradient from the curvature of the distances.
    var curvature = 0.0
  }

  /// The epochs, with their distances at one instant each.
  private(set) var epochs: [RangeErrorEstimate.Epoch]
  /// The epochs with their distances as measured.
  private let measured: [RangeErrorEstimate.Epoch]
  let anchors: [Vector<3>]
  private let height: Double?
  private let heightSigma: Double?
  /// The positions of the epochs, metres.
  private(set) var positions: [Vector<3>]
  /// Standard deviation of a range, metres.
  var sigma = 0.0
  /// The bias removed from the ranges, metres.
  var bias = 0.0
  /// The scale removed from the ranges, minus 1.
  var scale = 0.0
  /// The offsets of the anchors removed from the ranges after bias and scale, metres.
  var offsets: [Double]

  /// The cost, beyond twice the redundancy, up to which an epoch is consistent.
  private static let clearCost = 4.0
  /// Tuning of the Cauchy loss, standard deviations.
  private static let tuning = RobustLoss.cauchy.tuning
  /// The smallest standard deviation, metres: the tick of common radios, 15.65 ps, is 4.7 mm.
  private static let leastSigma = 0.005

  /// Locates all epochs with more ranges than unknowns; nil if there are fewer than ten.
  init?(
    _ epochs: [RangeErrorEstimate.Epoch], anchors: [Vector<3>], within bounds: PositionBounds<3>?,
    options: PositionOptions
  ) {
    self.anchors = anchors
    offsets = Array(repeating: 0, count: anchors.count)
    height = options.height
    heightSigma = options.height == nil ? nil : options.heightSigma
    let unknowns = options.height == nil || options.heightSigma != nil ? 3 : 2
    let known = options.height != nil && options.heightSigma != nil ? 1 : 0
    let simultaneous = epochs.map(\.simultaneous)
    let indices = epochs.indices.filter { simultaneous[$0].anchors.count + known > unknowns }
    let redundant = indices.map { simultaneous[$0] }
    // Least squares first, whose residuals tell the scale of the loss.
    func position(_ epoch: RangeErrorEstimate.Epoch, _ loss: RobustLoss, _ sigma: Double)
      -> Vector<3>?
    {
      var options = options
      options.loss = loss
      options.rangeSigma = sigma
      // Only the positions are used.
      options.widensCovariance = false
      let places = epoch.anchors.map { anchors[$0] }
      let fix = try? Trilateration.solve(
        ranges: epoch.distances, anchors: places,
        sigmas: Array(repeating: sigma, count: places.count), within: bounds, options: options)
      return fix?.position
    }
    let squared = redundant.map { position($0, .squared, options.rangeSigma) }
    let located = redundant.indices.filter { squared[$0] != nil }
    guard located.count >= 10 else { return nil }
    self.epochs = located.map { redundant[$0] }
    measured = located.map { epochs[indices[$0]] }
    self.positions = located.compactMap { squared[$0] }
    sigma = max(Self.leastSigma, meanError())
    settle()
    // Where ranges contradict each other, least squares can start in the wrong place.
    for place in self.epochs.indices {
      let own = cost(place, at: self.positions[place])
      guard own > Self.clearCost + 2 * Double(redundancy(of: place)),
        let other = position(self.epochs[place], .cauchy, sigma), cost(place, at: other) < own
      else { continue }
      self.positions[place] = other
    }
  }

  /// Number of epochs.
  var count: Int { epochs.count }

  /// Mean distance from the anchors, metres.
  var meanDistance: Double {
    var (sum, number) = (0.0, 0)
    for index in epochs.indices {
      for anchor in epochs[index].anchors {
        sum += (positions[index] - anchors[anchor]).length
        number += 1
      }
    }
    return sum / Double(max(1, number))
  }

  /// Refines all positions and the standard deviation in turn until they agree.
  mutating func settle() {
    for _ in 0..<6 {
      refine()
      let found = spread()
      let change = (found / sigma - 1).magnitude
      sigma = found
      if change < 0.02 { break }
    }
  }

  /// Returns the residuals of the distances as measured, with the motion between them; nil if the
  /// ranges of every epoch have one instant.
  func asMeasured() -> EpochResiduals? {
    guard measured.contains(where: { !$0.motion.isEmpty }) else { return nil }
    var result = self
    result.epochs = measured
    result.settle()
    return result
  }

  // MARK: Positions

  private var unknowns: Int { height == nil || heightSigma != nil ? 3 : 2 }

  private func redundancy(of index: Int) -> Int {
    epochs[index].anchors.count + (heightSigma == nil ? 0 : 1) - unknowns
  }

  func residual(_ distance: Double, _ length: Double, of anchor: Int) -> Double {
    (distance - bias) / (1 + scale) - offsets[anchor] - length
  }

  private func cost(_ index: Int, at position: Vector<3>) -> Double {
    let limit = Self.tuning * Self.tuning
    // The product of up to eight terms needs one logarithm.
    var sum = 0.0
    let epoch = epochs[index]
    for place in epoch.anchors.indices {
      let length = (position - anchors[epoch.anchors[place]]).length
      let scaled = residual(epoch.distances[place], length, of: epoch.anchors[place]) / sigma
      sum += limit * Double.log(onePlus: scaled * scaled / limit)
    }
    if let height, let heightSigma {
      let scaled = (position[2] - height) / heightSigma
      sum += scaled * scaled
    }
    return sum
  }

  /// Sums up the normal equations of the position of an epoch.
  func equations(
    _ index: Int, at position: Vector<3>
  ) -> (information: Matrix<3, 3>, gradient: Vector<3>) {
    var (information, gradient) = (Matrix<3, 3>.zero, Vector<3>.zero)
    let epoch = epochs[index]
    for place in epoch.anchors.indices {
      let (direction, length) = direction(from: anchors[epoch.anchors[place]], to: position)
      let error = residual(epoch.distances[place], length, of: epoch.anchors[place])
      let weight = weight(error)
      information.addOuterProduct(of: direction, times: weight)
      gradient += (weight * error) * direction
    }
    if let height {
      if let heightSigma {
        let precision = 1 / (heightSigma * heightSigma)
        information[2, 2] += precision
        gradient[2] += precision * (height - position[2])
      } else {
        information[2, 2] = 1
      }
    }
    return (information, gradient)
  }

  /// Returns the unit vector from an anchor to a position, without a known height, and the distance.
  func direction(
    from anchor: Vector<3>, to position: Vector<3>
  ) -> (direction: Vector<3>, length: Double) {
    let offset = position - anchor
    let length = max(offset.length, 1e-9)
    var direction = (1 / length) * offset
    if unknowns == 2 { direction[2] = 0 }
    return (direction, length)
  }

  func weight(_ error: Double) -> Double {
    let scaled = error / (sigma * Self.tuning)
    return 1 / ((1 + scaled * scaled) * sigma * sigma)
  }

  /// Moves every position to its nearest minimum by damped Gauss-Newton steps.
  mutating func refine() {
    for index in epochs.indices {
      var position = positions[index]
      var best = cost(index, at: position)
      var damping = 1e-3
      for _ in 0..<12 {
        var (information, gradient) = equations(index, at: position)
        let trace = information.trace
        for axis in 0..<3 {
          information[axis, axis] += damping * information[axis, axis] + 1e-9 * trace
        }
        guard let step = Cholesky(information)?.solve(gradient) else { break }
        let next = position + step
        let found = cost(index, at: next)
        if found <= best {
          let gain = best - found
          (position, best) = (next, found)
          damping *= 0.2
          if gain < 1e-6 * (1 + best) { break }
        } else {
          damping *= 8
        }
      }
      if position.isFinite { positions[index] = position }
    }
  }

  /// Returns the standard deviation of ordinary ranges from the residuals, metres.
  ///
  /// The median over the ranges is not affected by few wrong ones. It is also a lower bound: with a
  /// value that is too small, the loss discards ordinary ranges, and an estimate without them
  /// confirms it.
  func spread() -> Double {
    let median = max(Self.leastSigma, medianError())
    var result = median
    for _ in 0..<2 {
      let census = census(result)
      guard census.checked > 0 else { break }
      result = max(median, (census.squares / census.checked).squareRoot())
    }
    return min(result, 2 * median)
  }

  /// Returns the root mean square of the residuals, metres.
  private func meanError() -> Double {
    var (sum, count) = (0.0, 0)
    for index in epochs.indices {
      let (epoch, position) = (epochs[index], positions[index])
      for place in epoch.anchors.indices {
        let length = (position - anchors[epoch.anchors[place]]).length
        let error = residual(epoch.distances[place], length, of: epoch.anchors[place])
        sum += error * error
        count += 1
      }
    }
    return (sum / Double(max(1, count))).squareRoot()
  }

  /// Returns the standard deviation of normal errors with the median of the residuals, each in the
  /// share of its error that it shows, metres.
  private func medianError() -> Double {
    var errors: [(size: Double, share: Double)] = []
    var total = 0.0
    for error in checkedErrors() where error.check > 0.01 {
      errors.append((error.size.magnitude / error.check.squareRoot(), error.check))
      total += error.check
    }
    errors.sort { ($0.size, $0.share) < ($1.size, $1.share) }
    var sum = 0.0
    for error in errors {
      sum += error.share
      // Half of a normal distribution is within 0.6745 standard deviations.
      if sum >= 0.5 * total { return error.size / 0.674_49 }
    }
    return 0
  }

  // MARK: Common errors

  /// Returns the covariance of a position from the root of its information, zero in a known height.
  private func positionCovariance(_ root: Cholesky<3>) -> Matrix<3, 3> {
    var result = Matrix<3, 3>.zero
    for axis in 0..<unknowns {
      var unit = Vector<3>.zero
      unit[axis] = 1
      let column = root.solve(unit)
      for row in 0..<unknowns { result[row, axis] = column[row] }
    }
    return result
  }

  /// Returns what the error of a position adds to its distances from the anchors of an epoch, on
  /// average, in metres; nil if that exceeds the standard deviation of a range.
  ///
  /// Distances are convex: a position that errs by s across a range is too far from the anchor by
  /// s²/2d on average. Without this term, noise alone would show as negative biases and offsets where
  /// the geometry is weak [Box 1971]. Where it exceeds the noise, the position is open along some
  /// direction: a shift along it absorbs errors of the ranges, so that the epoch does not show them.
  private func excess(_ index: Int, _ root: Cholesky<3>) -> [Double]? {
    let covariance = positionCovariance(root)
    let trace = covariance.trace
    var result: [Double] = []
    result.reserveCapacity(epochs[index].anchors.count)
    for anchor in epochs[index].anchors {
      let (direction, length) = direction(from: anchors[anchor], to: positions[index])
      let across = max(0, trace - direction.dot(covariance * direction))
      let excess = 0.5 * across / length
      guard excess <= sigma else { return nil }
      result.append(excess)
    }
    return result
  }

  /// Returns the sums of every epoch for a common error, and the information that it shares with a
  /// persistent error of each anchor.
  func normals(of error: CommonError) -> (epochs: [Normal], shared: [Double]) {
    var shared = [Double](repeating: 0, count: anchors.count)
    let normals = epochs.indices.map { index -> Normal in
      let (epoch, position) = (epochs[index], positions[index])
      var (information, _) = equations(index, at: position)
      let trace = information.trace
      for axis in 0..<3 { information[axis, axis] += 1e-6 * trace }
      // Any bias or scale explains an epoch that it leaves without redundancy.
      guard redundancy(of: index) > 1, let factor = Cholesky(information),
        let excess = excess(index, factor)
      else { return Normal() }
      var (bySlope, byError) = (Vector<3>.zero, Vector<3>.zero)
      for place in epoch.anchors.indices {
        let (direction, length) = direction(from: anchors[epoch.anchors[place]], to: position)
        let residual = residual(
          epoch.distances[place], length - excess[place], of: epoch.anchors[place])
        let weight = weight(residual)
        bySlope += (weight * (error == .bias ? 1 : length)) * direction
        byError += (weight * residual) * direction
      }
      let (moved, shifted) = (factor.solve(bySlope), factor.solve(byError))
      var normal = Normal()
      for place in epoch.anchors.indices {
        let anchor = epoch.anchors[place]
        let (direction, length) = direction(from: anchors[anchor], to: position)
        let residual = residual(epoch.distances[place], length - excess[place], of: anchor)
        let weight = weight(residual)
        let slope = error == .bias ? 1 : length
        let reduced = slope - direction.dot(moved)
        normal.information += weight * slope * reduced
        normal.gradient += weight * slope * (residual - direction.dot(shifted))
        normal.curvature += weight * reduced * excess[place]
        shared[anchor] += weight * reduced
      }
      return normal
    }
    return (normals, shared)
  }
}

extension EpochResiduals {
  /// The number of anchors.
  var anchorCount: Int { anchors.count }

  /// Returns the normal equations of the anchors' offsets from some epochs, with the positions
  /// eliminated: the information, 1/m², and the information times the offsets that fit best, 1/m.
  func offsetNormals(of indices: [Int]) -> (information: DenseMatrix, gradient: [Double]) {
    var sums = DenseMatrix(rows: anchors.count, columns: anchors.count)
    var gradient = [Double](repeating: 0, count: anchors.count)
    for index in indices {
      let (epoch, position) = (epochs[index], positions[index])
      var (information, _) = equations(index, at: position)
      let trace = information.trace
      for axis in 0..<3 { information[axis, axis] += 1e-6 * trace }
      guard let root = Cholesky(information), let excess = excess(index, root) else { continue }
      let rows = epoch.anchors.indices.map { place in
        let (direction, length) = direction(from: anchors[epoch.anchors[place]], to: position)
        let error = residual(
          epoch.distances[place], length - excess[place], of: epoch.anchors[place])
        return (
          anchor: epoch.anchors[place], direction: direction, error: error, weight: weight(error)
        )
      }
      for one in rows {
        let gain = one.weight * root.solve(one.direction)
        for other in rows {
          var reduced = -other.weight * gain.dot(other.direction)
          if one.anchor == other.anchor { reduced += one.weight }
          sums[one.anchor, other.anchor] += reduced
          gradient[one.anchor] += reduced * (other.error + offsets[other.anchor])
        }
      }
    }
    return (sums, gradient)
  }
}
