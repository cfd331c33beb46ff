/// The usable ranges of one epoch, centred on their anchors: what the solvers share.
struct RangeProblem<let D: Int>: Sendable {
  /// The flat of the anchors.
  let flat: AnchorFlat<D>
  /// Anchors relative to the centre of the flat, metres.
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
  /// What is believed about the position besides the ranges.
  var prior: CentredPrior<D>?

  /// Number of ranges.
  var count: Int { distances.count }

  /// A length that typical distances of the problem have, metres: for tolerances.
  var scale: Double { max(flat.spread, distances.max() ?? 0) }

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
    let flat = AnchorFlat(of: anchors, free: free)
    self.flat = flat
    self.anchors = anchors.map { $0 - flat.centre }
    self.distances = distances
    self.sigmas = sigmas
    self.free = free
    var given = Vector<D>.zero
    for axis in free..<max(free, D) { given[axis] = known[axis] - flat.centre[axis] }
    self.given = given
    self.known = known
  }
}

/// A belief about the position relative to the centre of the anchors.
struct CentredPrior<let D: Int>: Sendable {
  /// The most likely position.
  var mean: Vector<D>
  /// The inverse of its covariance, 1/m²; zero where nothing is believed.
  var information: Matrix<D, D>
}
