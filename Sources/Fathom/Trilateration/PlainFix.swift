extension PositionFix {
  /// Solves a plain epoch; false where the epoch is not plain, or its answer not plain to see: what
  /// is then left here means nothing.
  ///
  /// The same answer as ``RangeProblem/solutions(_:hardHeight:)`` gives: both minima of the squared
  /// ranges refined, outliers searched for, the better one described. What it leaves to that: absent
  /// anchors, flats, mirror planes, searches over more than ``PlainConsensus/mostSets`` sets, losses
  /// other than squares and Cauchy's, priors.
  ///
  /// Allocates only what the fix holds.
  mutating func solvePlainly(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?,
    _ bounds: PositionBounds<D>?, _ options: Trilateration.Options
  ) -> Bool {
    guard D == 2 && options.height == nil || D == 3, options.heightSigma == nil,
      options.steps == .newton, options.maximumIterations >= 40, !options.scalesCovariance,
      ranges.count <= PlainEpoch.mostRanges
    else { return false }
    let loss: StartPair.Loss
    switch options.loss.shape {
    case .squared: loss = .squared
    case .cauchy where !options.loss.onlyLate:
      loss = .cauchy(inverseSquare: 1 / (options.loss.tuning * options.loss.tuning))
    default: return false
    }
    return withUnsafeTemporaryAllocation(
      of: Double.self, capacity: max(1, ranges.count) * PlainEpoch.rowLength
    ) { rows in
      guard let base = rows.baseAddress else { return false }
      var absent = 0
      guard
        let epoch = PlainEpoch(ranges, anchors, sigmas, options, rows: base, absent: &absent)
      else { return false }
      return solve(epoch, absent: absent, loss, bounds, options)
    }
  }

  private mutating func solve(
    _ epoch: PlainEpoch, absent: Int, _ loss: StartPair.Loss, _ bounds: PositionBounds<D>?,
    _ options: Trilateration.Options
  ) -> Bool {
    guard let starts = epoch.starts(),
      var found = epoch.solutions(from: starts, loss), found.best.position.isPlain
    else { return false }
    var place = epoch.assess(found.best.position, loss)
    let limit = chiSquareLimit(degreesOfFreedom: max(1, epoch.count - epoch.free))
    if place.allSquares > limit {
      // Where all ranges but one agree, only those across the plane of the anchors may be better.
      let isSearched =
        options.loss.shape != .squared && options.searchesForOutliers
        && epoch.count > epoch.free + 1
        && !place.isConfirmed(count: epoch.count, free: epoch.free)
      let before = found.best.position
      guard epoch.search(isSearched, from: starts, &found, loss) else { return false }
      if found.best.position != before { place = epoch.assess(found.best.position, loss) }
    }
    var chosen = found.best.position
    var alternative = found.other?.position
    if let second = alternative, let bounds {
      let isInside = bounds.contains(Self.position(chosen, epoch, options))
      if isInside != bounds.contains(Self.position(second, epoch, options)) {
        if !isInside {
          chosen = second
          place = epoch.assess(chosen, loss)
        }
        alternative = nil
      }
    }
    guard describe(chosen, place, epoch, options) else { return false }
    unknowns = epoch.free
    iterations = found.evaluations
    if absent > 0 {
      for index in shares.indices where shares[index] == nil { discounted.append(index) }
      discounted.sort()
    }
    guard let alternative else { return true }
    let there = epoch.assess(alternative, loss)
    guard let inverse = there.inverse(consistency: options.loss.consistency, epoch.free) else {
      return false
    }
    self.alternative = Self.position(alternative, epoch, options)
    alternativeCovariance = Self.matrix(inverse)
    if verdict == .unique { verdict = .two }
    return true
  }

  /// Fills in what is known about a position; whether the answer is plain to see.
  private mutating func describe(
    _ here: SIMD3<Double>, _ place: PlainAssessment, _ epoch: PlainEpoch,
    _ options: Trilateration.Options
  ) -> Bool {
    let free = epoch.free
    guard let inverse = place.inverse(consistency: options.loss.consistency, free),
      let cofactor = place.unit.inverse(free)
    else { return false }
    // As in FixAssessment.
    let kept = epoch.count - place.lost
    let agrees = place.lost == 0 || (2 * kept >= epoch.count && kept > free)
    let surplus = max(1, kept - free)
    verdict =
      agrees && place.squares <= chiSquareLimit(degreesOfFreedom: surplus)
      ? .unique : .inconsistent
    var row = epoch.rows
    for _ in 0..<epoch.count {
      let index = Int(row[PlainEpoch.index])
      let (dx, dy) = (here.x - row[0], here.y - row[1])
      let dz = free == 3 ? here.z - row[2] : 0
      let full = here.z - row[2]
      let square = dx * dx + dy * dy + full * full
      let weight = row[PlainEpoch.weight]
      let pull = options.loss.consistency * weight * row[PlainEpoch.sharpness]
      let influence = pull * inverse.form(dx, dy, dz) / square
      shares[index] = RangeShare(
        residual: row[PlainEpoch.residual], weight: weight,
        influence: min(1, max(0, influence)))
      if weight < 0.5 { discounted.append(index) }
      row += PlainEpoch.rowLength
    }
    position = Self.position(here, epoch, options)
    misfit = (place.weightedSquares / place.weights).squareRoot()
    covariance = Self.matrix(inverse)
    dilution = DilutionOfPrecision(cofactor: Self.matrix(cofactor), free: free)
    return true
  }

  /// The position that stands at an offset from the centre, a given coordinate to the bit.
  private static func position(
    _ offset: SIMD3<Double>, _ epoch: PlainEpoch, _ options: Trilateration.Options
  ) -> Vector<D> {
    var result = Vector<D>.zero
    let sum = epoch.centre + offset
    result[0] = sum.x
    result[1] = sum.y
    if D == 3 { result[2] = options.height ?? sum.z }
    return result
  }

  /// A symmetric matrix in the shape of the fix.
  private static func matrix(_ source: SymmetricMatrix3) -> Matrix<D, D> {
    var result = Matrix<D, D>.zero
    result.withMutableElements { element in
      (element[0], element[1], element[D], element[D + 1]) =
        (source.xx, source.xy, source.xy, source.yy)
      if D == 3 {
        (element[2], element[6]) = (source.xz, source.xz)
        (element[5], element[7]) = (source.yz, source.yz)
        element[8] = source.zz
      }
    }
    return result
  }
}

extension SIMD3 where Scalar == Double {
  /// Whether all numbers are finite.
  fileprivate var isPlain: Bool { x.isFinite && y.isFinite && z.isFinite }
}
