/// The usable ranges of one epoch, centred on their anchors: the common input of the solvers.
struct RangeProblem<let D: Int>: Sendable {
  /// The affine span of the anchors.
  let span: AnchorSpan<D>
  /// Anchors relative to the centre of the affine span, metres.
  let anchors: [Vector<D>]
  /// Ranges, metres.
  let distances: [Double]
  /// Standard deviations of the ranges, metres.
  let sigmas: [Double]
  /// Number of leading coordinates that are unknown; the others keep the values of ``given``.
  let free: Int
  /// The known coordinates, from ``free`` on, relative to the centre; zero before.
  let given: Vector<D>
  /// The known coordinates, from ``free`` on, in the input's frame.
  let known: Vector<D>
  /// The loss function of the residuals.
  var loss = RobustLoss.squared
  /// The prior of the position.
  var prior: CentredPrior<D>?
  /// A typical distance of the problem, metres, for tolerances.
  let scale: Double
  /// The ranges as the kernels read them.
  let pairs: RangePairs

  /// Creates a problem of least squares without a prior.
  init(
    span: AnchorSpan<D>, anchors: [Vector<D>], distances: [Double], sigmas: [Double], free: Int,
    given: Vector<D>, known: Vector<D>
  ) {
    self.span = span
    self.anchors = anchors
    self.distances = distances
    self.sigmas = sigmas
    self.free = free
    self.given = given
    self.known = known
    scale = max(span.spread, distances.max() ?? 0)
    pairs = RangePairs(anchors, distances, sigmas)
  }

  /// Number of ranges.
  var count: Int { distances.count }

  /// Returns the squared range to an anchor minus the contribution of the known coordinates, m².
  func freeSquare(_ index: Int) -> Double {
    var square = distances[index] * distances[index]
    for axis in free..<max(free, D) {
      let offset = given[axis] - anchors[index][axis]
      square -= offset * offset
    }
    return square
  }
}

extension RangeProblem {
  /// Creates the problem of the given ranges; the coordinates of `known` from `free` on are known.
  init(
    distances: [Double], anchors: [Vector<D>], sigmas: [Double], free: Int, known: Vector<D>
  ) {
    let span = AnchorSpan(of: anchors, free: free)
    var given = Vector<D>.zero
    for axis in free..<max(free, D) { given[axis] = known[axis] - span.centre[axis] }
    self.init(
      span: span, anchors: anchors.map { $0 - span.centre }, distances: distances, sigmas: sigmas,
      free: free, given: given, known: known)
  }
}

extension RangeProblem {
  /// Returns the measured range minus the distance from a position, metres.
  @inline(__always)
  func residual(_ index: Int, at position: Vector<D>) -> Double {
    distances[index] - (position - anchors[index]).length
  }

  /// Returns the weight that the loss assigns to a range at a position.
  func weight(_ index: Int, at position: Vector<D>) -> Double {
    loss.weight(of: residual(index, at: position) / sigmas[index])
  }

  /// Returns the ranges with their weights at `position`, times `factor`, as a problem of least
  /// squares.
  func weighted(at position: Vector<D>, times factor: Double) -> Self {
    var squares = replacing(
      sigmas: sigmas.indices.map {
        let weight = max(Self.leastWeight, weight($0, at: position))
        return sigmas[$0] / (factor * weight).squareRoot()
      })
    squares.loss = .squared
    return squares
  }

  /// The least weight of a range, so that its standard deviation stays finite.
  private static var leastWeight: Double { 1e-12 }

  /// Returns the position that lies `offset` from the centre; known coordinates keep their input
  /// values to the bit.
  func position(at offset: Vector<D>) -> Vector<D> {
    var position = span.centre + offset
    for axis in free..<max(free, D) { position[axis] = known[axis] }
    return position
  }

  /// Returns the same problem with other ranges or other standard deviations.
  func replacing(distances: [Double]? = nil, sigmas: [Double]? = nil) -> Self {
    replacing(anchors, distances ?? self.distances, sigmas ?? self.sigmas)
  }

  /// Returns the problem of a subset of the ranges.
  func subset(_ members: [Int]) -> Self {
    replacing(
      members.map { anchors[$0] }, members.map { distances[$0] }, members.map { sigmas[$0] })
  }

  private func replacing(
    _ anchors: [Vector<D>], _ distances: [Double], _ sigmas: [Double]
  ) -> Self {
    var result = RangeProblem(
      span: span, anchors: anchors, distances: distances, sigmas: sigmas, free: free, given: given,
      known: known)
    (result.loss, result.prior) = (loss, prior)
    return result
  }
}

/// A prior of the position relative to the centre of the anchors.
struct CentredPrior<let D: Int>: Sendable {
  /// The mean.
  var mean: Vector<D>
  /// The inverse of the covariance, 1/m²; zero in directions without prior.
  var information: Matrix<D, D>
}

/// The valid ranges of an epoch.
struct UsableRanges<let D: Int> {
  /// Their indices in the input.
  var indices: [Int] = []
  var distances: [Double] = []
  var anchors: [Vector<D>] = []
  var sigmas: [Double] = []
  /// The indices of the invalid ranges in the input.
  var discounted: [Int] = []

  func problem(free: Int, known: Vector<D>) -> RangeProblem<D> {
    RangeProblem(
      distances: distances, anchors: anchors, sigmas: sigmas, free: free, known: known)
  }
}

extension UsableRanges {
  /// Selects the valid ranges and their anchors.
  init(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?, _ options: PositionOptions
  ) throws(TrilaterationError) {
    guard ranges.count == anchors.count else {
      throw .countMismatch(ranges: ranges.count, anchors: anchors.count)
    }
    guard sigmas == nil || sigmas?.count == ranges.count else {
      throw .countMismatch(ranges: ranges.count, anchors: sigmas?.count ?? 0)
    }
    if let height = options.height, !height.isFinite { throw .heightNotFinite }
    if let sigma = options.heightSigma, !(sigma > 0 && sigma.isFinite) {
      throw .heightSigmaNotPositive
    }
    guard sigmas != nil || (options.rangeSigma > 0 && options.rangeSigma.isFinite) else {
      throw .optionNotPositive("rangeSigma")
    }
    self.init()
    for index in ranges.indices {
      guard anchors[index].isFinite else { throw .anchorNotFinite(index: index) }
      let sigma = sigmas?[index] ?? options.rangeSigma
      guard sigma > 0, sigma.isFinite else { throw .sigmaNotPositive(index: index) }
      let absence = MeasuredDistance.absence(
        of: ranges[index], zeroIsDistance: options.zeroIsDistance)
      if absence != nil { self.discounted.append(index) }
    }
    guard !self.discounted.isEmpty else {
      self.indices = Array(ranges.indices)
      self.distances = ranges
      self.anchors = anchors
      self.sigmas = sigmas ?? [Double](repeating: options.rangeSigma, count: ranges.count)
      coverRounding()
      return
    }
    var discounted = self.discounted[...]
    for index in ranges.indices {
      if discounted.first == index {
        discounted.removeFirst()
        continue
      }
      self.indices.append(index)
      self.distances.append(ranges[index])
      self.anchors.append(anchors[index])
      self.sigmas.append(sigmas?[index] ?? options.rangeSigma)
    }
    coverRounding()
  }

  /// Raises each standard deviation to the precision of a `Double` of the range's length: a range of
  /// 1e20 m is not known to 0.1 m.
  private mutating func coverRounding() {
    for index in distances.indices where distances[index].ulp > sigmas[index] {
      sigmas[index] = distances[index].ulp
    }
  }
}
