/// The usable ranges of one epoch, centred on their anchors: what the solvers share.
struct RangeProblem<let D: Int>: Sendable {
  /// The affine span of the anchors.
  let span: AnchorSpan<D>
  /// Anchors relative to the centre of the affine span, metres.
  let anchors: [Vector<D>]
  /// Ranges, metres.
  let distances: [Double]
  /// Standard deviations of the ranges, metres.
  let sigmas: [Double]
  /// How many leading coordinates are unknown; the others keep the values of ``given``.
  let free: Int
  /// Position relative to the centre whose coordinates from ``free`` on are given, zero before.
  let given: Vector<D>
  /// The coordinates from ``free`` on as they were given, not relative to anything.
  let known: Vector<D>
  /// What a residual costs.
  var loss = RobustLoss.squared
  /// The prior of the position.
  var prior: CentredPrior<D>?

  /// Number of ranges.
  var count: Int { distances.count }

  /// A length that typical distances of the problem have, metres: for tolerances.
  var scale: Double { max(span.spread, distances.max() ?? 0) }

  /// Square of the range to `anchor` less what the given coordinates contribute to it, m².
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
  /// The problem of the given ranges; the coordinates of `known` from `free` on are given.
  init(
    distances: [Double], anchors: [Vector<D>], sigmas: [Double], free: Int, known: Vector<D>
  ) {
    let span = AnchorSpan(of: anchors, free: free)
    self.span = span
    self.anchors = anchors.map { $0 - span.centre }
    self.distances = distances
    self.sigmas = sigmas
    self.free = free
    var given = Vector<D>.zero
    for axis in free..<max(free, D) { given[axis] = known[axis] - span.centre[axis] }
    self.given = given
    self.known = known
  }
}

/// A prior of the position relative to the centre of the anchors.
struct CentredPrior<let D: Int>: Sendable {
  /// The most likely position.
  var mean: Vector<D>
  /// The inverse of its covariance, 1/m²; zero where nothing is known.
  var information: Matrix<D, D>
}

/// The ranges of an epoch that are distances.
struct UsableRanges<let D: Int> {
  /// Where they stand in the input.
  var indices: [Int] = []
  var distances: [Double] = []
  var anchors: [Vector<D>] = []
  var sigmas: [Double] = []
  /// Where the others stand in the input.
  var discounted: [Int] = []

  func problem(free: Int, known: Vector<D>) -> RangeProblem<D> {
    RangeProblem(
      distances: distances, anchors: anchors, sigmas: sigmas, free: free, known: known)
  }
}

extension UsableRanges {
  /// The ranges that are distances, with their anchors.
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
  }
}
