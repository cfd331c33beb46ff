/// The anchors that receive one transmission, centred and validated: the common input of
/// pseudo-ranges and time differences.
struct ArrivalProblem<let D: Int> {
  /// Positions relative to the centre, metres: unknown coordinates first.
  private let offsets: [[Double]]
  let centre: Vector<D>
  private let height: Double?
  /// Standard deviations of the arrivals alone, metres.
  private let ownSigmas: [Double]
  /// Covariances of the anchors' positions, m²; nil if all are exact.
  private let covariances: [Matrix<D, D>?]?
  /// The number of unknown coordinates.
  let free: Int
  /// Number of axes along which the anchors differ.
  let rank: Int
  private let spread: Double
  /// The unknown coordinates of the axis along which the anchors differ least.
  private let normal: [Double]

  /// Validates the input as ``Trilateration`` does, with the same errors.
  ///
  /// Lengths are in metres, covariances in m². `sigmas` are those of the arrivals, nil for
  /// `defaultSigma`; `covariances` are those of the anchors' positions, nil for exact ones.
  /// `height` is the known last coordinate, `count` the required number of anchors, if any.
  init(
    anchors: [Vector<D>], sigmas: [Double]?, covariances: [Matrix<D, D>?]? = nil,
    defaultSigma: Double, height: Double?, count: Int? = nil
  ) throws(TrilaterationError) {
    for length in [count, sigmas?.count, covariances?.count] {
      if let length, length != anchors.count {
        throw .countMismatch(ranges: length, anchors: anchors.count)
      }
    }
    if let height, !height.isFinite { throw .heightNotFinite }
    let isGiven = sigmas != nil
    let sigmas = sigmas ?? [Double](repeating: defaultSigma, count: anchors.count)
    for index in anchors.indices {
      guard anchors[index].isFinite, covariances?[index]?.isFinite ?? true else {
        throw .anchorNotFinite(index: index)
      }
      guard sigmas[index] > 0, sigmas[index].isFinite else {
        throw isGiven ? .sigmaNotPositive(index: index) : .optionNotPositive("rangeSigma")
      }
    }
    self.init(anchors, sigmas, covariances, height)
  }

  private init(
    _ anchors: [Vector<D>], _ sigmas: [Double], _ covariances: [Matrix<D, D>?]?, _ height: Double?
  ) {
    let free = height == nil ? D : D - 1
    let span = AnchorSpan(of: anchors, free: free)
    offsets = anchors.map { ($0 - span.centre).array }
    centre = span.centre
    ownSigmas = sigmas
    let isExact = covariances?.allSatisfy { $0 == nil } ?? true
    self.covariances = isExact ? nil : covariances
    self.height = height
    self.free = free
    rank = span.rank
    spread = span.spread
    normal = free > 0 ? Array(span.axes.row(free - 1).array.prefix(free)) : []
  }

  /// Returns the problem of only the anchors at `indices`, centred anew.
  func selecting(_ indices: [Int]) -> ArrivalProblem {
    ArrivalProblem(
      indices.map { anchor($0) }, indices.map { ownSigmas[$0] },
      covariances.map { all in indices.map { all[$0] } }, height)
  }

  /// Returns the same problem with a last coordinate of `height`, metres.
  func at(height: Double) -> ArrivalProblem {
    ArrivalProblem(offsets.indices.map { anchor($0) }, ownSigmas, covariances, height)
  }

  /// The number of anchors.
  var count: Int { offsets.count }

  /// Whether the position of an anchor is uncertain.
  var hasUncertainAnchors: Bool { covariances != nil }

  private func anchor(_ index: Int) -> Vector<D> {
    guard let offset = Vector<D>(array: offsets[index]) else { return centre }
    return centre + offset
  }

  /// Returns the distance between two anchors, metres.
  func baseline(_ first: Int, _ second: Int) -> Double {
    (anchor(first) - anchor(second)).length
  }

  /// Returns the standard deviations of the arrivals including that of the anchors along the line
  /// of sight, metres: √(σ² + uᵀΣu).
  ///
  /// Without a position, the anchor covariance is assumed isotropic.
  func sigmas(at unknowns: [Double]?) -> [Double] {
    guard let covariances else { return ownSigmas }
    return ownSigmas.indices.map { index in
      let own = ownSigmas[index] * ownSigmas[index]
      guard let spread = covariances[index] else { return ownSigmas[index] }
      let even = max(0, spread.trace) / Double(D)
      guard let unknowns else { return (own + even).squareRoot() }
      let line = position(unknowns) - anchor(index)
      let length = line.length
      guard length > 0, length.isFinite else { return (own + even).squareRoot() }
      let unit = (1 / length) * line
      return (own + max(0, unit.dot(spread * unit))).squareRoot()
    }
  }

  /// Returns the distance of the anchor at `index` along the known coordinate, metres.
  private func rise(_ index: Int) -> Double {
    guard let height else { return 0 }
    return height - centre[D - 1] - offsets[index][D - 1]
  }

  /// Returns the distance to the anchor at `index`, metres.
  func distance(_ index: Int, _ unknowns: [Double]) -> Double {
    difference(index, unknowns).distance
  }

  /// Returns the derivative of that distance by the free coordinates; zero at the anchor itself.
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

  /// Returns the position that the unknowns represent; a known height is returned unchanged.
  func position(_ unknowns: [Double]) -> Vector<D> {
    var position = centre
    for axis in 0..<free { position[axis] += unknowns[axis] }
    if let height { position[D - 1] = height }
    return position
  }

  /// Returns a typical length of the problem: the larger of the spreads of the anchors and of
  /// `ranges`, metres.
  func scale(of ranges: [Double]) -> Double {
    let least = ranges.min() ?? 0
    let greatest = ranges.max() ?? 0
    return max(spread, greatest - least)
  }

  /// Returns starts from the stationary points of the squared errors: positions, then the offset.
  ///
  /// There is one pseudo-range per anchor, in metres. `weights` count besides the standard
  /// deviations; nil for equal ones. For a rank-deficient anchor span, there are also starts on
  /// either side of it.
  func starts(pseudoRanges: [Double], weights: [Double]? = nil) -> [[Double]] {
    let sigmas = sigmas(at: nil)
    let informations = sigmas.indices.map { (weights?[$0] ?? 1) / (sigmas[$0] * sigmas[$0]) }
    let total = informations.reduce(0, +)
    let points = SquaredPseudoRanges(
      points: pseudoRanges.indices.map { Array(offsets[$0].prefix(free)) + [pseudoRanges[$0]] },
      knownSquares: pseudoRanges.indices.map { rise($0) * rise($0) },
      weights: informations.map { $0 / total }
    ).stationaryPoints()
    guard rank < free else { return points }
    // On the affine span of the anchors the gradient across it vanishes, but the likelihood may
    // increase to either side.
    let step = 0.05 * scale(of: pseudoRanges)
    return points
      + points.prefix(2).flatMap { point in
        [step, -step].map { side in
          point.indices.map { $0 < free ? point[$0] + side * normal[$0] : point[$0] }
        }
      }
  }

  /// Returns the positions and offsets that minimal subsets of the pseudo-ranges determine.
  func startsOfMinimalSubsets(pseudoRanges: [Double]) -> [[Double]] {
    minimalSubsets(of: free + 1, among: pseudoRanges.count, limit: 120).flatMap { members in
      SquaredPseudoRanges(
        points: members.map { Array(offsets[$0].prefix(free)) + [pseudoRanges[$0]] },
        knownSquares: members.map { rise($0) * rise($0) },
        weights: members.map { _ in 1 / Double(members.count) }
      ).mirrorImages()
    }
  }

  /// Returns the dilution for arrivals of equal error at the first `count` anchors, or nil if it is
  /// infinite.
  func dilution(at unknowns: [Double], of count: Int) -> DilutionOfPrecision? {
    // Subtracting the mean from every column eliminates the offset with the best precision.
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
