/// The epochs of a recording in columns, each with the weight of its place.
///
/// Range errors last: all epochs of one place together count as one independent witness.
struct DiagnosedEpochs {
  /// The first range of each epoch; one more element than epochs.
  private(set) var starts = [0]
  /// The anchor of each range.
  private(set) var anchors: [Int] = []
  /// The measured distances, metres.
  private(set) var distances: [Double] = []
  /// One divided by the number of epochs in the place of each epoch.
  private(set) var weights: [Double] = []
  /// The number of places, at most ``mostPlaces``.
  private(set) var places = 0

  /// The largest number of places, which bounds the cost of finding them.
  static let mostPlaces = 24

  /// Creates columns of epochs; `reach` is the distance, in metres, below which two ranges are alike.
  init(_ epochs: [RangeErrorEstimate.Epoch], anchorCount: Int, reach: Double) {
    for epoch in epochs {
      anchors += epoch.anchors
      distances += epoch.distances
      starts.append(anchors.count)
    }
    findPlaces(anchorCount, reach)
  }

  /// The number of epochs.
  var count: Int { starts.count - 1 }

  /// The ranges of an epoch.
  func ranges(of epoch: Int) -> Range<Int> { starts[epoch]..<starts[epoch + 1] }

  /// The epochs at every `stride`-th index, with the same places.
  func every(_ stride: Int) -> DiagnosedEpochs {
    var result = self
    result.starts = [0]
    (result.anchors, result.distances) = ([], [])
    var epochs: [RangeErrorEstimate.Epoch] = []
    for index in Swift.stride(from: 0, to: count, by: stride) {
      let ranges = ranges(of: index)
      epochs.append(.init(anchors: Array(anchors[ranges]), distances: Array(distances[ranges])))
    }
    for epoch in epochs {
      result.anchors += epoch.anchors
      result.distances += epoch.distances
      result.starts.append(result.anchors.count)
    }
    let chosen = Swift.stride(from: 0, to: count, by: stride).map { weights[$0] }
    let sum = chosen.reduce(0, +)
    // As many witnesses as all epochs are.
    result.weights = chosen.map { $0 * Double(places) / max(sum, 1e-300) }
    return result
  }

  /// Groups the epochs by their ranges: an epoch belongs to the first place from which the median of
  /// its ranges differs by less than a tenth of the usual distance.
  ///
  /// Ranges are compared, because positions depend on what is in doubt. A tenth of the distance
  /// changes directions by 0.1 rad.
  private mutating func findPlaces(_ anchorCount: Int, _ reach: Double) {
    guard count > 0 else { return }
    let sorted = distances.sorted()
    var radius = max(0.1 * sorted[sorted.count / 2], reach)
    var members: [Int] = []
    while true {
      var leaders: [[Double]] = []
      members = []
      for epoch in 0..<count where leaders.count <= Self.mostPlaces {
        var own = [Double](repeating: .nan, count: anchorCount)
        for index in ranges(of: epoch) { own[anchors[index]] = distances[index] }
        let place = leaders.firstIndex { leader in
          var changes: [Double] = []
          for (one, other) in zip(leader, own) where !one.isNaN && !other.isNaN {
            changes.append((one - other).magnitude)
          }
          guard !changes.isEmpty else { return false }
          changes.sort()
          return changes[changes.count / 2] < radius
        }
        if let place {
          members.append(place)
        } else {
          members.append(leaders.count)
          leaders.append(own)
        }
      }
      if leaders.count <= Self.mostPlaces {
        places = leaders.count
        break
      }
      radius *= 1.5
    }
    var sizes = [Int](repeating: 0, count: places)
    for place in members { sizes[place] += 1 }
    weights = members.map { 1 / Double(sizes[$0]) }
  }
}

/// What ranges may be explained by: places and errors of the anchors, and what is known of the tags.
///
/// A range measures gain × distance + bias + offset of its anchor.
struct RangeHypothesis {
  /// The positions of the anchors.
  var sites: [SIMD3<Double>]
  /// The offset of each anchor, metres.
  var offsets: [Double]
  /// Whether the ranges of each anchor are used.
  var isUsed: [Bool]
  /// The offset of all ranges, metres.
  var bias = 0.0
  /// The scale of all ranges.
  var gain = 1.0
  /// The height of the tags, metres; nil if it is unknown.
  var height: Double?
  /// The standard deviation of the height, metres; nil for an exact one.
  var heightSigma: Double?
  /// Whether the lower of two mirror images is taken.
  var prefersLower = true

  /// The number of unknown coordinates.
  var unknowns: Int { height != nil && heightSigma == nil ? 2 : 3 }

  /// Parameters that all epochs share.
  enum Parameter: Equatable {
    case bias
    case gain
    case height
    case offset(Int)
    /// The position of an anchor, at its height or with it.
    case site(Int, isSpace: Bool)
  }

  /// The number of numbers of a parameter.
  func count(of parameter: Parameter) -> Int {
    if case .site(_, let isSpace) = parameter { isSpace ? 3 : 2 } else { 1 }
  }

  mutating func add(_ step: [Double], to parameter: Parameter) {
    switch parameter {
    case .bias: bias += step[0]
    case .gain: gain = max(1e-6, gain + step[0])
    case .height: height = (height ?? 0) + step[0]
    case .offset(let anchor): offsets[anchor] += step[0]
    case .site(let anchor, _): for axis in step.indices { sites[anchor][axis] += step[axis] }
    }
  }
}

/// The positions of epochs under a hypothesis, and how well they fit.
///
/// Errors have Student's distribution with three degrees of freedom and one scale for all ranges,
/// which is estimated: wrong ranges count logarithmically, under every hypothesis alike.
struct HypothesisFit {
  let epochs: DiagnosedEpochs
  private(set) var hypothesis: RangeHypothesis
  /// The positions of the epochs, metres.
  private(set) var positions: [SIMD3<Double>] = []
  /// Measured minus expected distances, metres; also those of anchors that are not used.
  private(set) var residuals: [Double] = []
  /// The scale of the range errors, metres.
  private(set) var sigma = 0.0
  /// The logarithm of the likelihood, with each place as one witness, in nats.
  private(set) var logLikelihood = -Double.infinity
  /// The covariance of the numbers of the parameter that was fitted.
  ///
  /// It includes what errors of single anchors that are the same everywhere can imitate.
  private(set) var covariance: [[Double]] = []
  /// The used ranges of all epochs under the hypothesis, so that loops read what follows itself.
  private var used = UsedRanges()
  /// The standard deviation that ranges are told to have, metres.
  private let told: Double
  /// The extent of the problem, metres.
  private let extent: Double

  /// Degrees of freedom of Student's distribution: with 2, wrong ranges cost less; with 6, twice.
  private static let freedom = 3.0
  /// The weight of the told standard deviation, in ranges.
  private static let toldWeight = 2.0

  /// Fits the positions of all epochs.
  ///
  /// With a limit, the fit stops, with a likelihood of zero, if least squares leave more than that
  /// ``usualMisfit``.
  init(
    _ epochs: DiagnosedEpochs, _ hypothesis: RangeHypothesis, told: Double, extent: Double,
    from starts: [SIMD3<Double>] = [], searches: Bool = false, ifBelow limit: Double = .infinity
  ) {
    self.epochs = epochs
    self.hypothesis = hypothesis
    (self.told, self.extent) = (told, extent)
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

  /// The median dilution of precision of horizontal positions and of heights; infinity if they are not
  /// determined.
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
      horizontal.append(inverse.map { ($0.xx + $0.yy).squareRoot() } ?? .infinity)
      vertical.append(inverse.map { $0.zz.squareRoot() } ?? .infinity)
    }
    horizontal.sort()
    vertical.sort()
    guard !horizontal.isEmpty else { return (.infinity, .infinity) }
    return (horizontal[horizontal.count / 2], vertical[vertical.count / 2])
  }

  /// Fits a parameter that all epochs share, together with the positions.
  mutating func fit(_ parameter: RangeHypothesis.Parameter) {
    for _ in 0..<12 {
      guard let step = step(of: parameter), step.change.allSatisfy(\.isFinite) else { return }
      hypothesis.add(step.change, to: parameter)
      used = UsedRanges(epochs, hypothesis)
      covariance = step.covariance
      for index in positions.indices { descend(index, sigma, steps: 2) }
      updateSigma()
      let isDone = zip(step.change, step.covariance.indices).allSatisfy {
        $0.magnitude < 0.02 * max(step.covariance[$1][$1], 0).squareRoot()
      }
      if isDone { break }
    }
    settle()
    if let step = step(of: parameter) { covariance = step.covariance }
    finish()
  }

  // MARK: Positions

  /// Finds the least-squares position of every epoch, from its present one or among several starts.
  private mutating func locate(searches: Bool) {
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
      let agreed = 9 * told * told * max(1, redundancy(index))
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

  private func residual(_ range: Int, _ length: Double) -> Double {
    epochs.distances[range] - hypothesis.bias - hypothesis.offsets[epochs.anchors[range]]
      - hypothesis.gain * length
  }

  private func squares(_ index: Int, _ place: SIMD3<Double>) -> Double {
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
  private struct Equations {
    var information = SymmetricMatrix3()
    var gradient = SIMD3<Double>.zero
    var cost = 0.0
  }

  /// Sums up the normal equations for a scale of the errors; infinity for equal weights.
  @inline(__always)
  private func equations(_ index: Int, _ place: SIMD3<Double>, _ sigma: Double) -> Equations {
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
      // With equal weights the ranges count as told.
      let precision = sigma.isFinite ? 1 / (own * own) : told * told / (own * own)
      result.information.zz += precision
      result.gradient.z += precision * error
      result.cost += precision * error * error
    }
    return result
  }

  /// Moves a position downhill by damped Gauss-Newton steps.
  private mutating func descend(_ index: Int, _ sigma: Double, steps: Int) {
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
  private func redundancy(_ index: Int) -> Double {
    let known = hypothesis.unknowns - (hypothesis.heightSigma == nil ? 0 : 1)
    return Double(max(0, used.ranges(of: index).count - known))
  }

  private func meanError() -> Double {
    var (sum, count) = (Self.toldWeight * told * told, Self.toldWeight)
    for index in positions.indices {
      sum += epochs.weights[index] * squares(index, positions[index])
      count += epochs.weights[index] * redundancy(index)
    }
    return max((sum / count).squareRoot(), 1e-4)
  }

  /// Refines positions and scale in turn until they agree.
  private mutating func settle() {
    for _ in 0..<20 {
      for index in positions.indices { descend(index, sigma, steps: 1) }
      let before = sigma
      updateSigma()
      if (sigma / before - 1).magnitude < 0.02 { break }
    }
  }

  /// Moves the scale towards its maximum of the likelihood.
  private mutating func updateSigma() {
    for _ in 0..<3 {
      var (sum, count) = (Self.toldWeight * told * told, Self.toldWeight)
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
  private mutating func finish() {
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
    total -= Self.toldWeight * (.log(sigma) + 0.5 * told * told / (sigma * sigma))
    logLikelihood = total
  }

  // MARK: Shared parameters

  /// Returns the Gauss-Newton step of a parameter with the positions eliminated, and its covariance.
  private func step(
    of parameter: RangeHypothesis.Parameter
  ) -> (change: [Double], covariance: [[Double]])? {
    let count = hypothesis.count(of: parameter)
    let isSpace = hypothesis.unknowns == 3
    var (matrix, right) = (SymmetricMatrix3(), SIMD3<Double>.zero)
    // How much of the gradient is due to each anchor's errors.
    var shared = [SIMD3<Double>](repeating: .zero, count: hypothesis.sites.count)
    for index in positions.indices {
      let place = positions[index]
      let own = equations(index, place, sigma)
      var information = own.information
      let trace = 1e-6 * information.trace
      information.xx += trace
      information.yy += trace
      information.zz += trace
      guard let inverse = information.inverse(isSpace: isSpace) else { continue }
      var (slopes, gradient) = (SymmetricMatrix3(), SIMD3<Double>.zero)
      // One column of the coupling with the position for each number of the parameter.
      var coupling = [SIMD3<Double>](repeating: .zero, count: count)
      for range in used.ranges(of: index) {
        let anchor = used.anchors[range]
        let offset = place - used.sites[range]
        let length = max((offset * offset).sum().squareRoot(), 1e-9)
        let direction = (hypothesis.gain / length) * offset
        let slope = slope(of: parameter, anchor, length, direction)
        let error = used.distances[range] - hypothesis.gain * length
        let weight = (Self.freedom + 1) / (Self.freedom * sigma * sigma + error * error)
        slopes.addOuterProduct(of: slope, times: weight)
        gradient += (weight * error) * slope
        var flat = direction
        if !isSpace { flat.z = 0 }
        for column in 0..<count { coupling[column] += (weight * slope[column]) * flat }
      }
      let weight = epochs.weights[index]
      for range in used.ranges(of: index) {
        let anchor = used.anchors[range]
        let offset = place - used.sites[range]
        let length = max((offset * offset).sum().squareRoot(), 1e-9)
        let direction = (hypothesis.gain / length) * offset
        var flat = direction
        if !isSpace { flat.z = 0 }
        let error = used.distances[range] - hypothesis.gain * length
        let own = weight * (Self.freedom + 1) / (Self.freedom * sigma * sigma + error * error)
        let slope = slope(of: parameter, anchor, length, direction)
        let moved = inverse * flat
        for column in 0..<count {
          shared[anchor][column] += own * (slope[column] - (coupling[column] * moved).sum())
        }
      }
      let moved = inverse * own.gradient
      for row in 0..<count {
        right[row] += weight * (gradient[row] - (coupling[row] * moved).sum())
        for column in 0...row {
          let product = (coupling[row] * (inverse * coupling[column])).sum()
          matrix.add(weight * (slopes[row, column] - product), row, column)
        }
      }
    }
    if count == 1 {
      (matrix.yy, matrix.zz) = (1, 1)
      (matrix.xy, matrix.xz, matrix.yz) = (0, 0, 0)
      guard matrix.xx > 0 else { return nil }
    }
    guard var inverse = matrix.inverse(isSpace: count != 2) else { return nil }
    let change = inverse * right
    let whole = inverse
    for share in shared { inverse.addOuterProduct(of: sigma * (whole * share), times: 1) }
    return (
      (0..<count).map { change[$0] },
      (0..<count).map { row in (0..<count).map { inverse[row, $0] } }
    )
  }

  /// Returns how much a distance depends on each number of a parameter.
  @inline(__always)
  private func slope(
    of parameter: RangeHypothesis.Parameter, _ anchor: Int, _ length: Double,
    _ direction: SIMD3<Double>
  ) -> SIMD3<Double> {
    switch parameter {
    case .bias: return SIMD3(1, 0, 0)
    case .gain: return SIMD3(length, 0, 0)
    case .height: return SIMD3(direction.z, 0, 0)
    case .offset(let other): return SIMD3(other == anchor ? 1 : 0, 0, 0)
    case .site(let other, let isSpace):
      guard other == anchor else { return .zero }
      return !isSpace ? -SIMD3(direction.x, direction.y, 0) : -direction
    }
  }
}

/// The ranges that a hypothesis uses, in columns.
private struct UsedRanges {
  var starts = [0]
  var anchors: [Int] = []
  var sites: [SIMD3<Double>] = []
  /// The distances without bias and offsets, metres.
  var distances: [Double] = []

  init() {}

  init(_ epochs: DiagnosedEpochs, _ hypothesis: RangeHypothesis) {
    starts.reserveCapacity(epochs.count + 1)
    anchors.reserveCapacity(epochs.anchors.count)
    sites.reserveCapacity(epochs.anchors.count)
    distances.reserveCapacity(epochs.anchors.count)
    for index in 0..<epochs.count {
      for range in epochs.ranges(of: index) {
        let anchor = epochs.anchors[range]
        guard hypothesis.isUsed[anchor] else { continue }
        anchors.append(anchor)
        sites.append(hypothesis.sites[anchor])
        distances.append(epochs.distances[range] - hypothesis.bias - hypothesis.offsets[anchor])
      }
      starts.append(anchors.count)
    }
  }

  @inline(__always)
  func ranges(of epoch: Int) -> Range<Int> { starts[epoch]..<starts[epoch + 1] }
}

extension SymmetricMatrix3 {
  /// The element in a row and a column.
  fileprivate subscript(row: Int, column: Int) -> Double {
    switch (max(row, column), min(row, column)) {
    case (0, _): xx
    case (1, 0): xy
    case (1, _): yy
    case (_, 0): xz
    case (_, 1): yz
    default: zz
    }
  }

  fileprivate mutating func add(_ value: Double, _ row: Int, _ column: Int) {
    switch (max(row, column), min(row, column)) {
    case (0, _): xx += value
    case (1, 0): xy += value
    case (1, _): yy += value
    case (_, 0): xz += value
    case (_, 1): yz += value
    default: zz += value
    }
  }
}
