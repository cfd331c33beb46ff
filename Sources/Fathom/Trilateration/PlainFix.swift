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
    switch options.loss.shape {
    case .squared:
      return solvePlainly(ranges, anchors, sigmas, bounds, options, PlainSquares())
    case .cauchy where !options.loss.onlyLate:
      let tuning = options.loss.tuning
      return solvePlainly(
        ranges, anchors, sigmas, bounds, options,
        PlainCauchy(inverseSquare: 1 / (tuning * tuning)))
    default: return false
    }
  }

  private mutating func solvePlainly<Loss: PlainLoss>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?,
    _ bounds: PositionBounds<D>?, _ options: Trilateration.Options, _ loss: Loss
  ) -> Bool {
    withUnsafeTemporaryAllocation(
      of: PlainEpoch.Pair.self, capacity: PlainEpoch.room(for: ranges.count)
    ) { pairs in
      guard let base = pairs.baseAddress else { return false }
      var absent = 0
      guard
        let epoch = PlainEpoch(ranges, anchors, sigmas, options, pairs: base, absent: &absent)
      else { return false }
      return solve(epoch, absent: absent, loss, bounds, options)
    }
  }

  private mutating func solve<Loss: PlainLoss>(
    _ epoch: PlainEpoch, absent: Int, _ loss: Loss, _ bounds: PositionBounds<D>?,
    _ options: Trilateration.Options
  ) -> Bool {
    let starts = PlainStarts(of: epoch)
    guard var found = PlainSolutions(of: epoch, from: starts, loss) else { return false }
    var place = epoch.assess(found.best.position, loss)
    let limit = chiSquareLimit(degreesOfFreedom: max(1, epoch.count - epoch.free))
    if place.allSquares > limit {
      // Where all ranges but one agree, only those across the plane of the anchors may be better.
      let isSearched =
        options.loss.shape != .squared && options.searchesForOutliers
        && epoch.count > epoch.free + 1
        && !place.isConfirmed(count: epoch.count, free: epoch.free)
      let before = found.best.position
      guard found.search(epoch, from: starts, isWide: isSearched) else { return false }
      if found.best.position != before { place = epoch.assess(found.best.position, loss) }
    }
    var chosen = found.best
    var alternative = found.other
    if let second = alternative, let bounds {
      let isInside = bounds.contains(Self.position(chosen.position, epoch, options))
      if isInside != bounds.contains(Self.position(second.position, epoch, options)) {
        if !isInside {
          chosen = second
          place = epoch.assess(chosen.position, loss)
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
    let there = epoch.assess(alternative.position, loss)
    let pull = options.loss.consistency(
      ranges: epoch.count - there.lost, unknowns: epoch.free)
    guard let inverse = there.inverse(consistency: pull, epoch.free) else { return false }
    self.alternative = Self.position(
      alternative.position, epoch, options)
    alternativeCovariance = Self.matrix(inverse)
    if verdict == .unique { verdict = .two }
    return true
  }

  /// Fills in what is known about a position; whether the answer is plain to see.
  private mutating func describe(
    _ chosen: PlainDescent, _ place: PlainAssessment, _ epoch: PlainEpoch,
    _ options: Trilateration.Options
  ) -> Bool {
    let here = chosen.position
    let free = epoch.free
    let kept = epoch.count - place.lost
    let consistency = options.loss.consistency(ranges: kept, unknowns: free)
    guard let inverse = place.inverse(consistency: consistency, free),
      let cofactor = place.unit.inverse(free)
    else { return false }
    // As in FixAssessment.
    let agrees = place.lost == 0 || (2 * kept >= epoch.count && kept > free)
    let surplus = max(1, kept - free)
    verdict =
      agrees && place.squares <= chiSquareLimit(degreesOfFreedom: surplus)
      ? .unique : .inconsistent
    let pull = PlainEpoch.Pair(repeating: consistency)
    let (one, none) = (PlainEpoch.Pair(repeating: 1), PlainEpoch.Pair.zero)
    shares.withUnsafeMutableBufferPointer { shares in
      var block = epoch.pairs
      for _ in 0..<epoch.blocks {
        let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
        let inverseSquare = 1 / (dx * dx + dy * dy + dz * dz)
        let weight = block[PlainEpoch.weight]
        let form = inverse.form(dx, dy, dz)
        var influence = (pull * weight * block[PlainEpoch.sharpness]) * (form * inverseSquare)
        influence.replace(with: none, where: influence .< none)
        influence.replace(with: one, where: influence .> one)
        let residual = block[PlainEpoch.residual]
        let (first, second) = epoch.indices(block)
        shares[first] = RangeShare(
          residual: residual[0], weight: weight[0], influence: influence[0])
        if second >= 0 {
          shares[second] = RangeShare(
            residual: residual[1], weight: weight[1], influence: influence[1])
        }
        if any(weight .< 0.5) {
          if weight[0] < 0.5 { discounted.append(first) }
          if second >= 0, weight[1] < 0.5 { discounted.append(second) }
        }
        block += PlainEpoch.blockLength
      }
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
