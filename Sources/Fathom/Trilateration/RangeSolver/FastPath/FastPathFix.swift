/// What there is to say about a packed epoch, before it takes the shape of a ``PositionFix``.
///
/// The same answer as ``RangeProblem/solutions(_:hardHeight:)`` gives: both minima of the squared
/// ranges refined, outliers searched for, the better one described. What it leaves to that: absent
/// anchors, anchors that span less than the space, mirror planes, searches over more than
/// ``PackedConsensus/mostSets`` sets, losses other than squares and Cauchy's, priors.
///
/// Not generic, so that it is moved without a look at what its type is.
struct FastPathFix {
  /// The position.
  private(set) var position = SIMD3<Double>.zero
  /// Its covariance.
  private(set) var covariance = SymmetricMatrix3()
  /// The position that the ranges cannot tell from it.
  private(set) var alternative: SIMD3<Double>?
  /// The covariance of that.
  private(set) var alternativeCovariance = SymmetricMatrix3()
  /// The diagonal of (JᵀJ)⁻¹.
  private(set) var cofactor = SIMD3<Double>.zero
  /// Whether the residuals are no larger than the assumed errors allow.
  private(set) var isLikely = false
  /// See ``PositionFix/misfit``.
  private(set) var misfit = 0.0
  /// See ``PositionFix/contributions``.
  private(set) var contributions: [RangeContribution?] = []
  /// See ``PositionFix/discounted``.
  private(set) var discounted: [Int] = []
  /// Number of coordinates that were estimated.
  private(set) var unknowns = 0
  /// Evaluations of the cost.
  private(set) var evaluations = 0

  /// Solves an epoch; false where it is not for the fast path, or its answer not clear: what is
  /// then left here means nothing.
  ///
  /// Allocates only what the fix holds.
  @inline(__always)
  mutating func solve<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?,
    _ bounds: PositionBounds<D>?, _ options: PositionOptions
  ) -> Bool {
    guard D == 2 && options.height == nil || D == 3, options.heightSigma == nil,
      options.steps == .newton, options.maximumIterations >= 40, !options.scalesCovariance,
      ranges.count <= PackedEpoch.mostRanges
    else { return false }
    switch options.loss.shape {
    case .squared:
      return solve(ranges, anchors, sigmas, bounds, options, PackedSquaredLoss())
    case .cauchy where !options.loss.onlyLate:
      let tuning = options.loss.tuning
      return solve(
        ranges, anchors, sigmas, bounds, options,
        PackedCauchyLoss(inverseSquare: 1 / (tuning * tuning)))
    default: return false
    }
  }

  /// ``contributions`` and ``discounted``, which are empty afterwards: handed on without being
  /// shared.
  @inline(__always)
  mutating func takeLists() -> (contributions: [RangeContribution?], discounted: [Int]) {
    let lists = (contributions, discounted)
    (contributions, discounted) = ([], [])
    return lists
  }

  private mutating func solve<let D: Int, Loss: PackedLoss>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?,
    _ bounds: PositionBounds<D>?, _ options: PositionOptions, _ loss: Loss
  ) -> Bool {
    withUnsafeTemporaryAllocation(
      of: PackedEpoch.Pair.self, capacity: PackedEpoch.capacity(for: ranges.count)
    ) { pairs in
      guard let base = pairs.baseAddress else { return false }
      var absent = 0
      guard
        let epoch = PackedEpoch.laidOut(
          ranges, anchors, sigmas, options, pairs: base, absent: &absent)
      else { return false }
      let starts = PackedStarts(of: epoch)
      var found = PackedSolutions(loss)
      guard found.descend(epoch, from: starts) else { return false }
      var place = PackedAssessment()
      epoch.assess(found.best.position, loss, into: &place)
      let limit = chiSquareLimit(degreesOfFreedom: max(1, epoch.count - epoch.free))
      if place.allSquares > limit {
        // Where all ranges but one agree, only those across the plane of the anchors may be better.
        let isSearched =
          options.loss.shape != .squared && options.searchesForOutliers
          && epoch.count > epoch.free + 1
          && !place.isConfirmed(count: epoch.count, free: epoch.free)
        let before = found.best.position
        guard found.search(epoch, from: starts, isWide: isSearched) else { return false }
        if found.best.position != before {
          epoch.assess(found.best.position, loss, into: &place)
        }
      }
      if let second = found.other, let bounds {
        let (one, two) = (epoch.origin + found.best.position, epoch.origin + second.position)
        let isInside = bounds.contains(Vector(one, height: options.height))
        if isInside != bounds.contains(Vector(two, height: options.height)) {
          found.choose(isInside ? found.best : second)
          if !isInside { epoch.assess(found.best.position, loss, into: &place) }
        }
      }
      evaluations = found.evaluations
      return describe(
        found.best.position, found.other?.position, &place, epoch, count: ranges.count, loss,
        options)
    }
  }

  /// Describes an epoch at the best position, of which ``PackedEpoch/assess(_:_:into:)`` has left
  /// in the blocks what `place` is the sum of, and the other one; whether it is clear.
  private mutating func describe<Loss: PackedLoss>(
    _ here: SIMD3<Double>, _ other: SIMD3<Double>?, _ place: inout PackedAssessment,
    _ epoch: PackedEpoch, count: Int, _ loss: Loss, _ options: PositionOptions
  ) -> Bool {
    let free = epoch.free
    let kept = epoch.count - place.lost
    let consistency = options.loss.consistency(ranges: kept, unknowns: free)
    guard let inverses = place.information.inverses(free) else { return false }
    let (inverse, unit) = (inverses[0], inverses[1])
    // As in FixAssessment.
    let agrees = place.lost == 0 || (2 * kept >= epoch.count && kept > free)
    isLikely =
      agrees && place.squares <= chiSquareLimit(degreesOfFreedom: max(1, kept - free))
    contributions = epoch.contributions(at: here, of: count, inverse)
    if place.lost > 0 || epoch.count < count {
      for index in contributions.indices where (contributions[index]?.weight ?? 0) < 0.5 {
        discounted.append(index)
      }
    }
    position = epoch.origin + here
    misfit = (place.weightedSquares / place.weights).squareRoot()
    covariance = (1 / consistency) * inverse
    cofactor = SIMD3(unit.xx, unit.yy, unit.zz)
    unknowns = free
    guard let other else { return true }
    var there = PackedAssessment()
    epoch.assess(other, loss, into: &there)
    let pull = options.loss.consistency(ranges: epoch.count - there.lost, unknowns: free)
    guard let inverses = there.information.inverses(free) else { return false }
    alternative = epoch.origin + other
    alternativeCovariance = (1 / pull) * inverses[0]
    return true
  }
}

extension PositionFix {
  /// The fix of a packed epoch, a given height to the bit.
  @inline(__always)
  init(_ fast: inout FastPathFix, height: Double?) {
    // Every property once, without a branch between them: no copy is then made of what is begun.
    position = Vector(fast.position, height: height)
    alternative = fast.alternative.map { Vector($0, height: height) }
    covariance = Matrix(fast.covariance)
    alternativeCovariance = fast.alternative == nil ? nil : Matrix(fast.alternativeCovariance)
    verdict = !fast.isLikely ? .inconsistent : fast.alternative == nil ? .unique : .two
    misfit = fast.misfit
    (contributions, discounted) = fast.takeLists()
    let planar = fast.cofactor.x + fast.cofactor.y
    dilution = DilutionOfPrecision(
      total: planar + fast.cofactor.z, planar: planar,
      vertical: fast.unknowns == 3 ? fast.cofactor.z : nil)
    unknowns = fast.unknowns
    iterations = fast.evaluations
  }
}

extension Vector {
  /// Two or three coordinates of a point, the third one given where it is not nil.
  fileprivate init(_ point: SIMD3<Double>, height: Double?) {
    self = .zero
    self[0] = point.x
    self[1] = point.y
    if Count == 3 { self[2] = height ?? point.z }
  }
}

extension Matrix where Rows == Columns {
  /// A symmetric matrix of two or three rows.
  fileprivate init(_ source: SymmetricMatrix3) {
    self = .zero
    withMutableElements { element in
      (element[0], element[1], element[Rows], element[Rows + 1]) =
        (source.xx, source.xy, source.xy, source.yy)
      if Rows == 3 {
        (element[2], element[6]) = (source.xz, source.xz)
        (element[5], element[7]) = (source.yz, source.yz)
        element[8] = source.zz
      }
    }
  }
}

extension PackedEpoch {
  /// What became of each of `count` input ranges at a position, once it is assessed.
  @inline(__always)
  fileprivate func contributions(
    at here: SIMD3<Double>, of count: Int, _ covariance: SymmetricMatrix3
  ) -> [RangeContribution?] {
    // One by one: what makes an array in one go looks its type up at run time.
    var contributions: [RangeContribution?] = []
    contributions.reserveCapacity(count)
    let (one, none) = (Pair(repeating: 1), Pair.zero)
    var block = pairs
    for _ in 0..<blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      var influence = block[Self.information] * covariance.form(dx, dy, dz)
      influence.replace(with: none, where: influence .< none)
      influence.replace(with: one, where: influence .> one)
      let (residual, weight) = (block[Self.residual], block[Self.weight])
      let (first, second) = indices(block)
      while contributions.count < first { contributions.append(nil) }
      contributions.append(
        RangeContribution(residual: residual[0], weight: weight[0], influence: influence[0]))
      while contributions.count < second { contributions.append(nil) }
      if second >= 0 {
        contributions.append(
          RangeContribution(residual: residual[1], weight: weight[1], influence: influence[1]))
      }
      block += Self.blockLength
    }
    while contributions.count < count { contributions.append(nil) }
    return contributions
  }
}

/// What the ranges of a packed epoch say at a position.
struct PackedAssessment: ~Copyable {
  /// Σ w u uᵀ/σ², and Σ u uᵀ.
  var information = SymmetricMatrixPair()
  /// Sum of squares of all residuals in standard deviations.
  var allSquares = 0.0
  /// The same without those that have lost more than half of their weight.
  var squares = 0.0
  /// How many have.
  var lost = 0
  /// Σ w r², m².
  var weightedSquares = 0.0
  /// Σ w.
  var weights = 0.0

  /// Whether so many ranges agree with each other that no search can find a position for more of
  /// them.
  func isConfirmed(count: Int, free: Int) -> Bool {
    lost <= 1 && count - lost >= free + 4
      && squares <= chiSquareLimit(degreesOfFreedom: count - lost - free)
  }
}

extension PackedEpoch {
  /// Leaves residuals, weights and informations in the blocks and their sums in `place`: there they
  /// stay, a copy right after they were written would wait for them.
  func assess<Loss: PackedLoss>(
    _ here: SIMD3<Double>, _ loss: Loss, into place: inout PackedAssessment
  ) {
    var (information, unit) = (SymmetricMatrixPair(), SymmetricMatrixPair())
    var (all, kept, lost) = (Pair.zero, Pair.zero, Pair.zero)
    var (weights, weighted) = (Pair.zero, Pair.zero)
    let (one, half) = (Pair(repeating: 1), Pair(repeating: 0.5))
    // In two passes, as the expansion.
    var block = pairs
    for _ in 0..<blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      let square = dx * dx + dy * dy + dz * dz + 1e-200
      let inverseVariance = block[Self.inverseVariance]
      let residual = block[Self.range] - square.squareRoot()
      let squares = residual * residual
      let scaled = inverseVariance * squares
      let growth = 1 + loss.inverseSquare * scaled
      let both = 1 / (square * growth)
      let weight = both * square
      // The directions are d / |d|: one reciprocal of the square serves their products.
      let inverse = both * growth
      block[Self.residual] = residual
      block[Self.weight] = weight
      // Nothing for the partner of an odd range.
      let isRange = inverseVariance .> 0
      let isLost = weight .< half
      let share = weight.replacing(with: 0, where: .!isRange)
      all += scaled
      weights += share
      weighted += share * squares
      lost += Pair.zero.replacing(with: one, where: isLost)
      kept += scaled.replacing(with: 0, where: isLost)
      block[Self.stiffness] = inverse.replacing(with: 0, where: .!isRange)
      block[Self.information] = inverse * (weight * inverseVariance)
      block += Self.blockLength
    }
    block = pairs
    for _ in 0..<blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      unit.add(dx, dy, dz, weight: block[Self.stiffness])
      information.add(dx, dy, dz, weight: block[Self.information])
      block += Self.blockLength
    }
    place.information = .totals(information, unit)
    (place.allSquares, place.squares) = (all.both, kept.both)
    place.lost = Int(lost.both)
    (place.weightedSquares, place.weights) = (weighted.both, weights.both)
  }
}
