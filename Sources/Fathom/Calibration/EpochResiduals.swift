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
  }

  private let epochs: [RangeErrorEstimate.Epoch]
  private let anchors: [Vector<3>]
  private let height: Double?
  private let heightSigma: Double?
  /// The positions of the epochs, metres.
  private(set) var positions: [Vector<3>]
  /// Standard deviation of a range, metres.
  private(set) var sigma = 0.0
  /// The bias removed from the ranges, metres.
  var bias = 0.0
  /// The scale removed from the ranges, minus 1.
  var scale = 0.0

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
    height = options.height
    heightSigma = options.height == nil ? nil : options.heightSigma
    let unknowns = options.height == nil || options.heightSigma != nil ? 3 : 2
    let known = options.height != nil && options.heightSigma != nil ? 1 : 0
    let redundant = epochs.filter { $0.anchors.count + known > unknowns }
    // Least squares first, whose residuals tell the scale of the loss.
    func positions(_ loss: RobustLoss, _ sigma: Double) -> [Vector<3>?] {
      var options = options
      options.loss = loss
      options.rangeSigma = sigma
      // Only the positions are used.
      options.widensCovariance = false
      return redundant.map { epoch in
        let places = epoch.anchors.map { anchors[$0] }
        let fix = try? Trilateration.solve(
          ranges: epoch.distances, anchors: places,
          sigmas: Array(repeating: sigma, count: places.count), within: bounds, options: options)
        return fix?.position
      }
    }
    let squared = positions(.squared, options.rangeSigma)
    let located = redundant.indices.filter { squared[$0] != nil }
    guard located.count >= 10 else { return nil }
    self.epochs = located.map { redundant[$0] }
    self.positions = located.compactMap { squared[$0] }
    sigma = spread()
    let robust = positions(.cauchy, sigma)
    for (place, index) in located.enumerated() {
      // Of both starts, the one with the lower cost is refined.
      guard let other = robust[index] else { continue }
      if cost(place, at: other) < cost(place, at: self.positions[place]) {
        self.positions[place] = other
      }
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

  // MARK: Positions

  private var unknowns: Int { height == nil || heightSigma != nil ? 3 : 2 }

  private func redundancy(of index: Int) -> Int {
    epochs[index].anchors.count + (heightSigma == nil ? 0 : 1) - unknowns
  }

  private func residual(_ distance: Double, _ length: Double) -> Double {
    (distance - bias) / (1 + scale) - length
  }

  private func cost(_ index: Int, at position: Vector<3>) -> Double {
    let limit = Self.tuning * Self.tuning
    // The product of up to eight terms needs one logarithm.
    var sum = 0.0
    let epoch = epochs[index]
    for place in epoch.anchors.indices {
      let length = (position - anchors[epoch.anchors[place]]).length
      let scaled = residual(epoch.distances[place], length) / sigma
      sum += limit * Double.log(onePlus: scaled * scaled / limit)
    }
    if let height, let heightSigma {
      let scaled = (position[2] - height) / heightSigma
      sum += scaled * scaled
    }
    return sum
  }

  /// Sums up the normal equations of the position of an epoch.
  private func equations(
    _ index: Int, at position: Vector<3>
  ) -> (information: Matrix<3, 3>, gradient: Vector<3>) {
    var (information, gradient) = (Matrix<3, 3>.zero, Vector<3>.zero)
    let epoch = epochs[index]
    for place in epoch.anchors.indices {
      let (direction, length) = direction(from: anchors[epoch.anchors[place]], to: position)
      let error = residual(epoch.distances[place], length)
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
  private func direction(
    from anchor: Vector<3>, to position: Vector<3>
  ) -> (direction: Vector<3>, length: Double) {
    let offset = position - anchor
    let length = max(offset.length, 1e-9)
    var direction = (1 / length) * offset
    if unknowns == 2 { direction[2] = 0 }
    return (direction, length)
  }

  private func weight(_ error: Double) -> Double {
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

  /// Returns the standard deviation of a range from the residuals, metres.
  ///
  /// That of which the upper quartile of the epochs is what normal errors give: wrong ranges in a
  /// quarter of the epochs do not count, because the position allows for them by their odds.
  func spread() -> Double {
    let variances = epochs.indices.map { index in
      var sum = 0.0
      let epoch = epochs[index]
      for place in epoch.anchors.indices {
        let length = (positions[index] - anchors[epoch.anchors[place]]).length
        let error = residual(epoch.distances[place], length)
        sum += error * error
      }
      return sum
        / chiSquarePoint(degreesOfFreedom: Double(redundancy(of: index)), normal: Self.quartile)
    }.sorted()
    return max(Self.leastSigma, variances[variances.count * 3 / 4].squareRoot())
  }

  /// The upper quartile of the normal distribution.
  private static let quartile = 0.6745

  // MARK: Common errors

  /// Returns the sums of every epoch for a common error, and the information that it shares with a
  /// lasting error of each anchor.
  func normals(of error: CommonError) -> (epochs: [Normal], shared: [Double]) {
    var shared = [Double](repeating: 0, count: anchors.count)
    let normals = epochs.indices.map { index -> Normal in
      let (epoch, position) = (epochs[index], positions[index])
      var (information, _) = equations(index, at: position)
      let trace = information.trace
      for axis in 0..<3 { information[axis, axis] += 1e-6 * trace }
      guard let factor = Cholesky(information) else { return Normal() }
      var (bySlope, byError) = (Vector<3>.zero, Vector<3>.zero)
      for place in epoch.anchors.indices {
        let (direction, length) = direction(from: anchors[epoch.anchors[place]], to: position)
        let residual = residual(epoch.distances[place], length)
        let weight = weight(residual)
        bySlope += (weight * (error == .bias ? 1 : length)) * direction
        byError += (weight * residual) * direction
      }
      let (moved, shifted) = (factor.solve(bySlope), factor.solve(byError))
      var normal = Normal()
      for place in epoch.anchors.indices {
        let anchor = epoch.anchors[place]
        let (direction, length) = direction(from: anchors[anchor], to: position)
        let residual = residual(epoch.distances[place], length)
        let weight = weight(residual)
        let slope = error == .bias ? 1 : length
        let reduced = slope - direction.dot(moved)
        normal.information += weight * slope * reduced
        normal.gradient += weight * slope * (residual - direction.dot(shifted))
        shared[anchor] += weight * reduced
      }
      return normal
    }
    return (normals, shared)
  }
}
