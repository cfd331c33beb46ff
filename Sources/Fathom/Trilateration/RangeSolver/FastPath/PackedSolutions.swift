import RealModule

/// The best local minimum of a packed epoch and the one that the ranges cannot tell from it, as
/// ``LocalSolutions`` of any epoch.
struct PackedSolutions<Loss: PackedLoss> {
  /// The lowest minimum.
  private(set) var best: PackedDescent
  /// The next one; nil where the ranges tell it apart.
  private(set) var other: PackedDescent?
  /// Evaluations of the cost.
  private(set) var evaluations = 0
  private let loss: Loss

  /// By how much less likely an alternative may be: the 99 % point of chi-square with one degree of
  /// freedom, for twice the logarithm of the ratio.
  static var mostExcess: Double { 6.63 }

  /// By how much a position of the search may be less likely than the best minimum: it is then not
  /// looked at.
  static var mostPromise: Double { 30 }

  /// No minima yet.
  init(_ loss: Loss) {
    self.loss = loss
    best = PackedDescent(from: .zero)
  }

  /// Finds the minima that `starts` lead to; false where that is not clear.
  @inline(__always)
  mutating func descend(_ epoch: PackedEpoch, from starts: borrowing PackedStarts) -> Bool {
    guard let start = starts.global else { return false }
    best = PackedDescent(from: start)
    guard best.refine(epoch, loss), best.position.isAllFinite else { return false }
    evaluations = best.evaluations
    guard !starts.isAlone else { return true }
    // Whatever is not much less likely than the best has residuals so small that the squared ranges
    // cost no more than this there.
    let squares = loss.mostSquares(of: best.cost, raisedBy: Self.mostExcess)
    let root = squares.squareRoot()
    switch starts.other(belowSquareOf: 2 * root + root * root / epoch.leastRatio) {
    case .none: return true
    case .unclear: return false
    case .position(let start): return take(start, of: epoch)
    }
  }

  /// Settles on one of the two.
  mutating func choose(_ one: PackedDescent) {
    best = one
    other = nil
  }

  /// Refines another start; false where it is too close to call.
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

  /// Looks for a better minimum where the first ones leave large residuals, as for any epoch; false
  /// where the answer is not clear.
  ///
  /// Across the plane of the anchors, and where the search `isWide` for outliers as well.
  mutating func search(
    _ epoch: PackedEpoch, from starts: borrowing PackedStarts, isWide: Bool
  ) -> Bool {
    guard let normal = starts.normal() else { return false }
    let first = best
    var better = first
    func look(_ start: SIMD3<Double>) -> Bool {
      var next = PackedDescent(from: start)
      guard next.refine(epoch, loss, against: better) else { return false }
      evaluations += next.evaluations
      if next.cost < better.cost { better = next }
      return true
    }
    if isWide {
      // What three ranges alone determine costs more than the minimum that it leads to.
      let ceiling = loss.cost(first.cost, raisedBy: Self.mostPromise)
      guard let consensus = PackedConsensus(epoch, loss, below: ceiling) else { return false }
      if consensus.best.score < .infinity, !look(consensus.best.position) { return false }
      if consensus.second.score < .infinity, !look(consensus.second.position) { return false }
      let graduated = epoch.graduated(from: first.position)
      evaluations += graduated.evaluations
      if graduated.position.isAllFinite, !look(graduated.position) { return false }
    } else if !look(starts.image(of: first.position, across: normal, reaching: 0)) {
      return false
    }
    guard look(starts.image(of: first.position, across: normal)) else { return false }
    guard !epoch.isSame(first, better) else { return true }
    best = better
    other = nil
    let chosen = best
    // Lower even than the best is not clear either.
    return take(starts.image(of: chosen.position, across: normal), of: epoch)
      && epoch.isSame(chosen, best)
  }
}

extension PackedEpoch {
  /// Whether two minima are the same to the precision that a double root allows.
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
/// Both positions that a smallest set determines are lanes of a vector, so that they are judged as
/// one.
///
/// Legend: a the first anchor of a set, u and v the offsets of the others from it, n = u × v; the
/// positions are a + α u + β v ± h n.
struct PackedConsensus<Loss: PackedLoss> {
  typealias Pair = PackedEpoch.Pair

  private let epoch: PackedEpoch
  private let loss: Loss
  /// The two likeliest positions and their costs, see ``PackedLoss``; infinite where there is none.
  private(set) var best = (position: SIMD3<Double>.zero, score: Double.infinity)
  private(set) var second = (position: SIMD3<Double>.zero, score: Double.infinity)

  /// How many sets are tried at most: of an epoch with more the full search takes a sample.
  static var mostSets: Int { 120 }

  /// What more than this costs is not worth a look.
  private var ceiling: Double

  /// Judges the positions of all smallest sets, of which those count that cost less than `ceiling`;
  /// nil where there are more than ``mostSets``.
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
          judgeCircles(one, two)
          continue
        }
        for three in two + 1..<max(two + 1, count) { judgeSpheres(one, two, three) }
      }
    }
  }

  /// Where three spheres meet.
  private mutating func judgeSpheres(_ one: Int, _ two: Int, _ three: Int) {
    let first = epoch.anchor(one)
    let (u, v) = (epoch.anchor(two) - first, epoch.anchor(three) - first)
    let (uu, uv, vv) = (
      SecularPolynomial.dot(u, u), SecularPolynomial.dot(u, v), SecularPolynomial.dot(v, v)
    )
    let n = SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
    let normal = SecularPolynomial.dot(n, n)
    // Anchors on a line leave a circle.
    guard normal > 1e-12 * uu * vv else { return }
    let square = epoch.squaredRange(one)
    let b = 0.5 * (square - epoch.squaredRange(two) + uu)
    let c = 0.5 * (square - epoch.squaredRange(three) + vv)
    let inverse = 1 / normal
    let alpha = (b * vv - c * uv) * inverse
    let beta = (c * uu - b * uv) * inverse
    // Spheres that miss each other come closest in the plane of the anchors, or nearly so.
    let height = (max(0, square - alpha * b - beta * c) * inverse).squareRoot()
    let lift = Pair(height, -height)
    let foot = first + alpha * u + beta * v
    judge(foot.x + lift * n.x, foot.y + lift * n.y, foot.z + lift * n.z)
  }

  /// Where two circles at the given height meet.
  private mutating func judgeCircles(_ one: Int, _ two: Int) {
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
    judge(
      first.x + alpha * ux - lift * uy, first.y + alpha * uy + lift * ux,
      Pair(repeating: epoch.given))
  }

  /// Takes in two positions.
  @inline(__always)
  private mutating func judge(_ x: Pair, _ y: Pair, _ z: Pair) {
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
  /// The anchor of a range.
  @inline(__always)
  fileprivate func anchor(_ range: Int) -> SIMD3<Double> {
    SIMD3(
      value(Self.anchor, of: range), value(Self.anchor + 1, of: range),
      value(Self.anchor + 2, of: range))
  }

  /// The square of a range.
  @inline(__always)
  fileprivate func squaredRange(_ range: Int) -> Double {
    let distance = value(Self.range, of: range)
    return distance * distance
  }
}

extension PackedEpoch {
  /// Where least squares lead when their loss turns step by step into that of Geman and McClure, as
  /// ``RangeProblem/graduated(from:)`` of any epoch, with one re-weighted step per loss.
  ///
  /// - Parameter start: where the largest residual says how convex the first loss has to be.
  /// - Returns: a start for the loss proper, and how often the cost was evaluated.
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

  /// The greatest square of a residual in standard deviations.
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
