/// Anchors that hear one transmission, centred and checked: what pseudo-ranges and time differences
/// share.
struct ArrivalProblem<let D: Int> {
  /// Positions relative to the centre, metres: unknown coordinates first.
  private let offsets: [[Double]]
  private let centre: Vector<D>
  private let height: Double?
  /// Standard deviations of the arrivals, metres.
  let sigmas: [Double]
  /// How many coordinates are unknown.
  let free: Int
  /// Number of axes along which the anchors differ.
  let rank: Int
  private let spread: Double

  /// Checks the input as ``Trilateration`` does.
  ///
  /// - Parameters:
  ///   - anchors: positions, metres.
  ///   - sigmas: standard deviations of the arrivals, metres; nil for `defaultSigma`.
  ///   - defaultSigma: the standard deviation of those that have none.
  ///   - height: the known last coordinate, metres.
  ///   - count: how many anchors there must be, where something says so.
  /// - Throws: as ``Trilateration``.
  init(
    anchors: [Vector<D>], sigmas: [Double]?, defaultSigma: Double, height: Double?,
    count: Int? = nil
  ) throws(TrilaterationError) {
    if let count, count != anchors.count {
      throw .countMismatch(ranges: count, anchors: anchors.count)
    }
    if let sigmas, sigmas.count != anchors.count {
      throw .countMismatch(ranges: sigmas.count, anchors: anchors.count)
    }
    if let height, !height.isFinite { throw .heightNotFinite }
    let sigmas = sigmas ?? [Double](repeating: defaultSigma, count: anchors.count)
    for index in anchors.indices {
      guard anchors[index].isFinite else { throw .anchorNotFinite(index: index) }
      guard sigmas[index] > 0, sigmas[index].isFinite else {
        throw .sigmaNotPositive(index: index)
      }
    }
    self.init(anchors, sigmas, height)
  }

  private init(_ anchors: [Vector<D>], _ sigmas: [Double], _ height: Double?) {
    let free = height == nil ? D : D - 1
    let flat = AnchorFlat(of: anchors, free: free)
    offsets = anchors.map { ($0 - flat.centre).array }
    centre = flat.centre
    self.sigmas = sigmas
    self.height = height
    self.free = free
    rank = flat.rank
    spread = flat.spread
  }

  /// The problem of the anchors at `indices` alone, centred anew.
  func selecting(_ indices: [Int]) -> ArrivalProblem {
    ArrivalProblem(
      indices.map { index in
        guard let offset = Vector<D>(array: offsets[index]) else { return centre }
        return centre + offset
      }, indices.map { sigmas[$0] }, height)
  }

  /// The distance of the anchor at `index` across the given coordinates, metres.
  private func rise(_ index: Int) -> Double {
    guard let height else { return 0 }
    return height - centre[D - 1] - offsets[index][D - 1]
  }

  /// The distance to the anchor at `index`, metres.
  func distance(_ index: Int, _ unknowns: [Double]) -> Double {
    difference(index, unknowns).distance
  }

  /// The derivative of that distance by the free coordinates: zero at the anchor itself.
  func direction(_ index: Int, _ unknowns: [Double]) -> [Double] {
    let (offset, distance) = difference(index, unknowns)
    return distance > 0 ? offset.map { $0 / distance } : offset
  }

  private func difference(_ index: Int, _ unknowns: [Double]) -> (
    offset: [Double], distance: Double
  ) {
    let rise = rise(index)
    var square = rise * rise
    let offset = (0..<free).map { unknowns[$0] - offsets[index][$0] }
    for value in offset { square += value * value }
    return (offset, square.squareRoot())
  }

  /// The position that unknowns stand for; a given height comes out as it went in.
  func position(_ unknowns: [Double]) -> Vector<D> {
    var position = centre
    for axis in 0..<free { position[axis] += unknowns[axis] }
    if let height { position[D - 1] = height }
    return position
  }

  /// A length typical of the problem: the spread of the anchors and of `ranges`, metres.
  func scale(of ranges: [Double]) -> Double {
    let least = ranges.min() ?? 0
    let greatest = ranges.max() ?? 0
    return max(spread, greatest - least)
  }

  /// Starts from the stationary points of the squared errors: positions, then the offset.
  func starts(pseudoRanges: [Double]) -> [[Double]] {
    let informations = sigmas.map { 1 / ($0 * $0) }
    let total = informations.reduce(0, +)
    return SquaredPseudoRanges(
      points: pseudoRanges.indices.map { Array(offsets[$0].prefix(free)) + [pseudoRanges[$0]] },
      knownSquares: pseudoRanges.indices.map { rise($0) * rise($0) },
      weights: informations.map { $0 / total }
    ).stationaryPoints()
  }

  /// The dilution for arrivals of equal error at the first `count` anchors; nil where it is infinite.
  func dilution(at unknowns: [Double], of count: Int) -> DilutionOfPrecision? {
    // The offset is best eliminated by taking the mean off every column.
    var mean = [Double](repeating: 0, count: free)
    let rows = (0..<count).map { direction($0, unknowns) }
    for row in rows { for axis in 0..<free { mean[axis] += row[axis] / Double(count) } }
    let centred = DenseMatrix(rows.map { row in zip(row, mean).map { $0 - $1 } })
    guard let root = try? DenseCholesky(centred.transposed() * centred),
      root.reciprocalConditionNumber > 1e-13,
      let inverse = try? root.solve(.identity(free)),
      var dilution = DilutionOfPrecision(
        cofactor: PositionFix<D>.leading(inverse, free), free: free)
    else { return nil }
    var offset = 1 / Double(count)
    for row in 0..<free {
      for column in 0..<free { offset += mean[row] * inverse[row, column] * mean[column] }
    }
    dilution.geometric = (dilution.position * dilution.position + offset).squareRoot()
    return dilution
  }
}
