import RealModule

/// The best local minimum of a packed epoch, and a second one that the ranges cannot distinguish
/// from it.
///
/// It corresponds to ``LocalSolutions``, which handles any epoch.
struct PackedSolutions<Loss: PackedLoss> {
  /// The lowest minimum.
  private(set) var best: PackedDescent
  /// The second lowest minimum; nil if the ranges distinguish it from the best.
  private(set) var other: PackedDescent?
  /// Number of evaluations of the cost.
  private(set) var evaluations = 0
  private let loss: Loss

  /// The maximum excess cost of an alternative: the 99 % quantile of chi-square with one degree of
  /// freedom, for twice the log-likelihood ratio.
  static var mostExcess: Double { 6.63 }

  /// The maximum excess cost over the best minimum at which the search still refines a position.
  static var mostPromise: Double { 30 }

  /// Creates an empty set of minima.
  init(_ loss: Loss) {
    self.loss = loss
    best = PackedDescent(from: .zero)
  }

  /// Finds the minima reached from `starts`; returns false if they are ambiguous.
  @inline(__always)
  mutating func descend(_ epoch: PackedEpoch, from starts: borrowing PackedStarts) -> Bool {
    guard let start = starts.global else { return false }
    best = PackedDescent(from: start)
    guard best.refine(epoch, loss), best.position.isAllFinite else { return false }
    evaluations = best.evaluations
    guard !starts.isAlone else { return true }
    // An alternative of similar likelihood has residuals so small that its squared ranges cost no
    // more than this.
    let squares = loss.mostSquares(of: best.cost, raisedBy: Self.mostExcess)
    let root = squares.squareRoot()
    switch starts.other(belowSquareOf: 2 * root + root * root / epoch.leastRatio) {
    case .none: return true
    case .unclear: return false
    case .position(let start): return take(start, of: epoch)
    }
  }

  /// Selects one of the two minima.
  mutating func choose(_ one: PackedDescent) {
    best = one
    other = nil
  }

  /// Refines another start; returns false if the comparison is within rounding error.
  private mutating func take(_ start: SIMD3<Double>, of epoch: PackedEpoch) -> Bool {
    var next = PackedDescent(from: start)
    guard next.refine(epoch, loss), next.position.isAllFinite else { return false }
    evaluations += next.evaluations
    guard !epoch.isSame(next, best) else { return true }
    if next.cost < best.cost { swap(&next, &best) }
    let excess = loss.excess(next.cost, over: best.cost)
    guard excess > 1e-4, (excess - Self.mostExcess).magnitude > 1e-4 else { return false }
    if excess < Self.mostExcess { other = next }
    return true
  }

  /// Searches for a better minimum if the first ones leave large residuals; returns false if the
  /// result is ambiguous.
  ///
  /// Searches across the plane of the anchors, and if `isWide` for outliers as well.
  mutating func search(
    _ epoch: PackedEpoch, from starts: borrowing PackedStarts, isWide: Bool
  ) -> Bool {
    guard let normal = starts.normal() else { return false }
    let first = best
    var better = first
    func tryStart(_ start: SIMD3<Double>) -> Bool {
      var next = PackedDescent(from: start)
      guard next.refine(epoch, loss, against: better) else { return false }
      evaluations += next.evaluations
      if next.cost < better.cost { better = next }
      return true
    }
    if isWide {
      // A position from three ranges alone costs more than the minimum that it leads to.
      let ceiling = loss.cost(first.cost, raisedBy: Self.mostPromise)
      guard let consensus = PackedConsensus(epoch, loss, below: ceiling) else { return false }
      if consensus.best.score < .infinity, !tryStart(consensus.best.position) { return false }
      if consensus.second.score < .infinity, !tryStart(consensus.second.position) { return false }
      let graduated = epoch.graduated(from: first.position)
      evaluations += graduated.evaluations
      if graduated.position.isAllFinite, !tryStart(graduated.position) { return false }
    } else if !tryStart(starts.image(of: first.position, across: normal, reaching: 0)) {
      return false
    }
    guard tryStart(starts.image(of: first.position, across: normal)) else { return false }
    guard !epoch.isSame(first, better) else { return true }
    best = better
    other = nil
    let chosen = best
    // A minimum lower than the best is ambiguous, too.
    return take(starts.image(of: chosen.position, across: normal), of: epoch)
      && epoch.isSame(chosen, best)
  }
}

extension PackedEpoch {
  /// Returns whether two minima are the same within the accuracy of a double root.
  func isSame(_ one: PackedDescent, _ two: PackedDescent) -> Bool {
    let apart = one.position - two.position
    return SecularPolynomial.dot(apart, apart) <= 1e-12 * scale * scale
  }
}

extension SIMD3 where Scalar == Double {
  /// Whether all numbers are finite.
  var isAllFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
}

/// The search of ``RangeProblem/consensusPosition()`` over a packed epoch, at a fraction of the
/// cost.
///
/// Both positions that a minimal subset determines are lanes of a vector and are evaluated
/// together.
///
/// Legend: a the first anchor of a subset, u and v the offsets of the others from it, n = u × v;
/// the positions are a + α u + β v ± h n.
struct PackedConsensus<Loss: PackedLoss> {
  typealias Pair = PackedEpoch.Pair

  private let epoch: PackedEpoch
  private let loss: Loss
  /// The two most likely positions and their costs, see ``PackedLoss``; infinite if not found.
  private(set) var best = (position: SIMD3<Double>.zero, score: Double.infinity)
  private(set) var second = (position: SIMD3<Double>.zero, score: Double.infinity)

  /// The maximum number of subsets; for an epoch with more, the full search samples them.
  static var mostSets: Int { 120 }

  /// Positions above this cost are discarded.
  private var ceiling: Double

  /// Evaluates the positions of all minimal subsets that cost less than `ceiling`, or returns nil
  /// if there are more than ``mostSets``.
  init?(_ epoch: PackedEpoch, _ loss: Loss, below ceiling: Double = .infinity) {
    self.epoch = epoch
    self.loss = loss
    self.ceiling = ceiling
    let count = epoch.count
    let pairs = count * (count - 1) / 2
    guard (epoch.free == 3 ? pairs * (count - 2) / 3 : pairs) <= Self.mostSets else { return nil }
    for one in 0..<count {
      for two in one + 1..<max(one + 1, count) {
        guard epoch.free == 3 else {
          evaluateCircles(one, two)
          continue
        }
        for three in two + 1..<max(two + 1, count) { evaluateSpheres(one, two, three) }
      }
    }
  }

  /// Evaluates the intersections of three spheres.
  private mutating func evaluateSpheres(_ one: Int, _ two: Int, _ three: Int) {
    let first = epoch.anchor(one)
    let (u, v) = (epoch.anchor(two) - first, epoch.anchor(three) - first)
    let (uu, uv, vv) = (
      SecularPolynomial.dot(u, u), SecularPolynomial.dot(u, v), SecularPolynomial.dot(v, v)
    )
    let n = SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
    let normal = SecularPolynomial.dot(n, n)
    // Collinear anchors leave a circle.
    guard normal > 1e-12 * uu * vv else { return }
    let square = epoch.squaredRange(one)
    let b = 0.5 * (square - epoch.squaredRange(two) + uu)
    let c = 0.5 * (square - epoch.squaredRange(three) + vv)
    let inverse = 1 / normal
    let alpha = (b * vv - c * uv) * inverse
    let beta = (c * uu - b * uv) * inverse
    // Spheres that do not intersect come closest in the plane of the anchors, or nearly so.
    let height = (max(0, square - alpha * b - beta * c) * inverse).squareRoot()
    let lift = Pair(height, -height)
    let foot = first + alpha * u + beta * v
    evaluate(foot.x + lift * n.x, foot.y + lift * n.y, foot.z + lift * n.z)
  }

  /// Evaluates the intersections of two circles at the known height.
  private mutating func evaluateCircles(_ one: Int, _ two: Int) {
    let (first, other) = (epoch.anchor(one), epoch.anchor(two))
    let (ux, uy) = (other.x - first.x, other.y - first.y)
    let uu = ux * ux + uy * uy
    let (up, otherUp) = (epoch.given - first.z, epoch.given - other.z)
    guard uu > 1e-12 * epoch.spread * epoch.spread else { return }
    let square = epoch.squaredRange(one) - up * up
    let otherSquare = epoch.squaredRange(two) - otherUp * otherUp
    let b = 0.5 * (square - otherSquare + uu)
    let alpha = b / uu
    let height = (max(0, square - alpha * b) / uu).squareRoot()
    let lift = Pair(height, -height)
    evaluate(
      first.x + alpha * ux - lift * uy, first.y + alpha * uy + lift * ux,
      Pair(repeating: epoch.given))
  }

  /// Evaluates two positions.
  @inline(__always)
  private mutating func evaluate(_ x: Pair, _ y: Pair, _ z: Pair) {
    var score = Pair(repeating: Loss.costOfNothing)
    for index in 0..<epoch.count {
      let anchor = epoch.anchor(index)
      let (dx, dy, dz) = (x - anchor.x, y - anchor.y, z - anchor.z)
      let distance = (dx * dx + dy * dy + dz * dz).squareRoot()
      let residual = epoch.value(PackedEpoch.range, of: index) - distance
      loss.add(
        epoch.value(PackedEpoch.inverseVariance, of: index) * (residual * residual), to: &score)
      if all(score .>= ceiling) { return }
    }
    for lane in 0..<2 where score[lane] < ceiling {
      let found = (position: SIMD3(x[lane], y[lane], z[lane]), score: score[lane])
      if found.score < best.score {
        (best, second) = (found, best)
      } else {
        second = found
      }
      ceiling = min(ceiling, second.score)
    }
  }
}

extension PackedEpoch {
  /// Returns the anchor of a range.
  @inline(__always)
  fileprivate func anchor(_ range: Int) -> SIMD3<Double> {
    SIMD3(
      value(Self.anchor, of: range), value(Self.anchor + 1, of: range),
      value(Self.anchor + 2, of: range))
  }

  /// Returns the square of a range.
  @inline(__always)
  fileprivate func squaredRange(_ range: Int) -> Double {
    let distance = value(Self.range, of: range)
    return distance * distance
  }
}

extension PackedEpoch {
  /// Returns the position that least squares reach while their loss changes gradually into that of
  /// Geman and McClure.
  ///
  /// It corresponds to ``RangeProblem/graduated(from:)``, with one re-weighted step per loss.
  ///
  /// - Parameter start: a position, whose largest residual determines the convexity of the first
  ///   loss.
  /// - Returns: A starting point for the actual loss, and the number of evaluations of the cost.
  func graduated(
    from start: SIMD3<Double>
  ) -> (position: SIMD3<Double>, evaluations: Int) {
    let largest = squareOfLargestResidual(at: start)
    let final = RobustLoss.gemanMcClure.tuning
    var control = max(1, 2 * largest / (final * final))
    var (position, evaluations) = (start, 0)
    let isSpace = free == 3
    while evaluations < 200 {
      let loss = PackedGemanMcClureLoss(inverseSquare: 1 / (final * final * control))
      let here = PackedExpansion(of: self, at: position, isNewton: false, loss)
      evaluations += 1
      guard let step = here.step(damping: 0, isSpace: isSpace) else { break }
      position += step
      guard control > 1 else { break }
      control = max(1, control / 1.4)
    }
    return (position, evaluations)
  }

  /// Returns the largest squared residual in standard deviations.
  private func squareOfLargestResidual(at here: SIMD3<Double>) -> Double {
    var largest = 0.0
    for index in 0..<count {
      let (dx, dy, dz) = (
        here.x - value(Self.anchor, of: index), here.y - value(Self.anchor + 1, of: index),
        here.z - value(Self.anchor + 2, of: index)
      )
      let residual =
        value(Self.range, of: index) - (dx * dx + dy * dy + dz * dz).squareRoot()
      largest = max(largest, value(Self.inverseVariance, of: index) * (residual * residual))
    }
    return largest
  }
}
