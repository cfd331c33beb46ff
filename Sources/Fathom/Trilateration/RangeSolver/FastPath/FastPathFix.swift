/// The fix of an epoch whose ranges agree so well that nothing else than one position can be meant.
///
/// It is the fix of ``RangeSolver`` at a fraction of the cost: the minimum reached from the global
/// minimum of the squared ranges. Whatever leaves a doubt is left to the full search:
///
/// - invalid input, priors, uncertain heights, known sides and scaled covariances
/// - anchors that do not span the space, and mirror planes
/// - residuals beside which another minimum may be as likely
/// - an error common to all ranges, a range without which the anchors hardly span the space, and a
///   likelihood that is bent
/// - losses other than the squared loss and Cauchy's symmetric loss
///
/// The type is not generic, so that moving it needs no type metadata.
struct FastPathFix {
  /// The position, metres.
  private(set) var position = SIMD3<Double>.zero
  /// The covariance of the position, m².
  private(set) var covariance = SymmetricMatrix3()
  /// The diagonal of (JᵀJ)⁻¹.
  private(set) var cofactor = SIMD3<Double>.zero
  /// See ``PositionFix/misfit``.
  private(set) var misfit = 0.0
  /// See ``PositionFix/contributions``.
  private(set) var contributions: [RangeContribution?] = []
  /// See ``PositionFix/discounted``.
  private(set) var discounted: [Int] = []
  /// Number of coordinates that were estimated.
  private(set) var unknowns = 0
  /// Number of evaluations of the cost.
  private(set) var evaluations = 0

  /// Solves an epoch; returns false if the fast path does not apply or leaves a doubt.
  ///
  /// After false, the properties are meaningless. Allocates only the arrays of the fix.
  @inline(__always)
  mutating func solve<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?, isBounded: Bool,
    _ options: PositionOptions
  ) -> Bool {
    guard D == 2 && options.height == nil || D == 3, options.heightSigma == nil,
      options.steps == .newton, options.maximumIterations >= 40, !options.scalesCovariance,
      ranges.count <= PackedEpoch.mostRanges
    else { return false }
    switch options.loss.shape {
    case .squared:
      return solve(ranges, anchors, sigmas, isBounded, options, PackedSquaredLoss())
    case .cauchy where !options.loss.onlyLate:
      let tuning = options.loss.tuning
      return solve(
        ranges, anchors, sigmas, isBounded, options,
        PackedCauchyLoss(inverseSquare: 1 / (tuning * tuning)))
    default: return false
    }
  }

  /// Returns ``contributions`` and ``discounted`` and empties both, so that no copy is shared.
  @inline(__always)
  mutating func removeLists() -> (contributions: [RangeContribution?], discounted: [Int]) {
    let lists = (contributions, discounted)
    (contributions, discounted) = ([], [])
    return lists
  }

  private mutating func solve<let D: Int, Loss: PackedLoss>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?, _ isBounded: Bool,
    _ options: PositionOptions, _ loss: Loss
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
      guard let minimum = PackedMinimum(epoch, loss, from: starts) else { return false }
      evaluations = minimum.evaluations
      return describe(
        minimum.descent.position, epoch, count: ranges.count, loss, options,
        isClear: minimum.isClear, isBounded: isBounded)
    }
  }

  /// Describes an epoch at its position; returns false if the covariance is not that of the
  /// linearised ranges.
  private mutating func describe<Loss: PackedLoss>(
    _ here: SIMD3<Double>, _ epoch: PackedEpoch, count: Int, _ loss: Loss,
    _ options: PositionOptions, isClear: Bool, isBounded: Bool
  ) -> Bool {
    var place = PackedAssessment()
    epoch.assess(here, loss, into: &place)
    let free = epoch.free
    guard place.downweighted == 0,
      place.allSquares <= chiSquareLimit(degreesOfFreedom: max(1, epoch.count - free))
    else { return false }
    let consistency = options.loss.consistency(ranges: epoch.count, unknowns: free)
    guard let inverses = place.information.inverses(free) else { return false }
    let (inverse, unit) = (inverses[0], inverses[1])
    guard isClear || epoch.mutuallyChecks(at: here, inverse) else { return false }
    if options.loss.shape != .squared, options.outliers.late > 0,
      epoch.mayHaveCommonOffset(at: here, inverse, options.outliers)
    {
      return false
    }
    covariance = (1 / consistency) * inverse
    if options.widensCovariance {
      let assumed = covariance
      guard epoch.isStraight(at: here, covariance, consistency),
        options.loss.shape == .squared || options.outliers == .none
          || epoch.widenByUnchecked(
            &covariance, at: here, assumed, consistency, isBounded: isBounded, loss,
            options.outliers)
      else { return false }
    }
    contributions = epoch.contributions(at: here, of: count, inverse)
    if epoch.count < count {
      for index in contributions.indices where contributions[index] == nil {
        discounted.append(index)
      }
    }
    position = epoch.origin + here
    misfit = (place.weightedSquares / place.weights).squareRoot()
    cofactor = SIMD3(unit.xx, unit.yy, unit.zz)
    unknowns = free
    return true
  }
}

extension PositionFix {
  /// Converts the fix of a packed epoch; a known height is exact to the bit.
  @inline(__always)
  init(_ fast: inout FastPathFix, height: Double?) {
    // Sets every property once, without a branch in between, so that no partial copy is made.
    position = Vector(fast.position, height: height)
    covariance = Matrix(fast.covariance)
    verdict = .unique
    misfit = fast.misfit
    (contributions, discounted) = fast.removeLists()
    let planar = fast.cofactor.x + fast.cofactor.y
    dilution = DilutionOfPrecision(
      total: planar + fast.cofactor.z, planar: planar,
      vertical: fast.unknowns == 3 ? fast.cofactor.z : nil)
    unknowns = fast.unknowns
    iterations = fast.evaluations
  }
}

extension Vector {
  /// Creates two or three coordinates of a point; `height`, if given, replaces the third.
  fileprivate init(_ point: SIMD3<Double>, height: Double?) {
    self = .zero
    self[0] = point.x
    self[1] = point.y
    if Count == 3 { self[2] = height ?? point.z }
  }
}

extension PackedEpoch {
  /// Returns the contributions of `count` input ranges at a position that has been assessed.
  @inline(__always)
  fileprivate func contributions(
    at here: SIMD3<Double>, of count: Int, _ covariance: SymmetricMatrix3
  ) -> [RangeContribution?] {
    // Appends one by one: creating an array at once looks its type up at run time.
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

/// Sums over the ranges of a packed epoch at a position.
struct PackedAssessment: ~Copyable {
  /// Σ w u uᵀ/σ², and Σ u uᵀ.
  var information = SymmetricMatrixPair()
  /// Sum of squares of all residuals in standard deviations.
  var allSquares = 0.0
  /// Number of ranges with a weight below one half.
  var downweighted = 0
  /// Σ w r², m².
  var weightedSquares = 0.0
  /// Σ w.
  var weights = 0.0
}

extension PackedEpoch {
  /// Writes residuals, weights and informations to the blocks and their sums to `place`.
  ///
  /// The blocks are not copied here: a copy right after the writes would stall on them.
  func assess<Loss: PackedLoss>(
    _ here: SIMD3<Double>, _ loss: Loss, into place: inout PackedAssessment
  ) {
    var (information, unit) = (SymmetricMatrixPair(), SymmetricMatrixPair())
    var (all, downweighted) = (Pair.zero, Pair.zero)
    var (weights, weighted) = (Pair.zero, Pair.zero)
    let (one, half) = (Pair(repeating: 1), Pair(repeating: 0.5))
    // In two passes, as in the expansion.
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
      // The padding of an odd last range contributes nothing.
      let isRange = inverseVariance .> 0
      let isLost = weight .< half
      let share = weight.replacing(with: 0, where: .!isRange)
      all += scaled
      weights += share
      weighted += share * squares
      downweighted += Pair.zero.replacing(with: one, where: isLost)
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
    place.allSquares = all.both
    place.downweighted = Int(downweighted.both)
    (place.weightedSquares, place.weights) = (weighted.both, weights.both)
  }
}
