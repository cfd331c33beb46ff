import RealModule

/// Whether the covariance of a packed epoch describes its error, and what unchecked ranges add to it:
/// ``LikelihoodRegion`` as far as it needs no iteration, and ``UncheckedRanges``.
///
/// All functions are called right after an assessment, whose residuals and weights they read.
extension PackedEpoch {
  /// Returns whether the region of likely positions is nearly that of the covariance, as in
  /// ``LikelihoodRegion``.
  func isStraight(
    at here: SIMD3<Double>, _ covariance: SymmetricMatrix3, _ consistency: Double
  ) -> Bool {
    let axis = covariance.longestAxis()
    let reach = (PositionLimits.depth * covariance.form(axis)).squareRoot()
    let (ahead, behind) = (here + reach * axis, here - reach * axis)
    let lowest = lowestSquares
    let excess = (
      consistency * (squares(at: ahead) - lowest), consistency * (squares(at: behind) - lowest)
    )
    if PositionLimits.isStraight(excess.0), PositionLimits.isStraight(excess.1) { return true }
    guard let information = covariance.inverse(isSpace: free == 3) else { return false }
    for side in 0..<2 {
      let end = side == 0 ? ahead : behind
      guard let step = step(at: end, across: axis) else { return false }
      let offset = end + step - here
      guard PositionLimits.isStraight(consistency * (squares(at: here + offset) - lowest)),
        PositionLimits.isStraight(information.form(offset))
      else { return false }
    }
    return true
  }

  /// The sum of the weighted squares at the assessed position.
  private var lowestSquares: Double {
    var sum = Pair.zero
    var block = pairs
    for _ in 0..<blocks {
      let residual = block[Self.residual]
      sum += (block[Self.weight] * block[Self.inverseVariance]) * (residual * residual)
      block += Self.blockLength
    }
    return sum.both
  }

  /// Returns the sum of squares at another position, with the weights of the assessed one.
  private func squares(at place: SIMD3<Double>) -> Double {
    var sum = Pair.zero
    var block = pairs
    for _ in 0..<blocks {
      let (dx, dy, dz) = (place.x - block[0], place.y - block[1], place.z - block[2])
      let residual = block[Self.range] - (dx * dx + dy * dy + dz * dz).squareRoot()
      sum += (block[Self.weight] * block[Self.inverseVariance]) * (residual * residual)
      block += Self.blockLength
    }
    return sum.both
  }

  /// Returns the Gauss-Newton step from an end of the axis in the plane perpendicular to it.
  private func step(at end: SIMD3<Double>, across axis: SIMD3<Double>) -> SIMD3<Double>? {
    var (gx, gy, gz) = (Pair.zero, Pair.zero, Pair.zero)
    var sum = SymmetricMatrixPair()
    var block = pairs
    for _ in 0..<blocks {
      let (dx, dy, dz) = (end.x - block[0], end.y - block[1], end.z - block[2])
      let distance = ((dx * dx + 1e-200) + (dy * dy + dz * dz)).squareRoot()
      let weight = block[Self.weight] * block[Self.inverseVariance]
      let pull = weight * (block[Self.range] - distance) / distance
      gx += pull * dx
      gy += pull * dy
      gz += pull * dz
      sum.add(dx, dy, dz, weight: weight / (distance * distance))
      block += Self.blockLength
    }
    let (matrix, gradient) = (sum.total, SIMD3(gx.both, gy.both, gz.both))
    // Two directions across the axis; in the plane, one.
    let (one, two) = axis.across(isSpace: free == 3)
    let (a, b) = (matrix.form(one), SecularPolynomial.dot(gradient, one))
    var step = (b / a) * one
    if free == 3 {
      let product = matrix * two
      let (c, d) = (SecularPolynomial.dot(one, product), SecularPolynomial.dot(two, product))
      let e = SecularPolynomial.dot(gradient, two)
      let determinant = a * d - c * c
      guard determinant > 0 else { return nil }
      step = ((b * d - c * e) / determinant) * one + ((a * e - b * c) / determinant) * two
    }
    return step.isAllFinite ? step : nil
  }

  /// Returns whether the others clearly check every range, as in ``RangeProblem/isClear(_:)``.
  func mutuallyChecks(at here: SIMD3<Double>, _ inverse: SymmetricMatrix3) -> Bool {
    var most = Pair.zero
    var block = pairs
    for _ in 0..<blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      let influence = block[Self.information] * inverse.form(dx, dy, dz)
      most.replace(with: influence, where: influence .> most)
      block += Self.blockLength
    }
    return max(most[0], most[1]) <= PositionLimits.clearInfluence
  }

  /// Returns whether an error common to all ranges may explain them better, as in
  /// ``RangeProblem/commonOffset(at:_:)``: whether least squares gain about as much by it as it costs.
  ///
  /// `inverse` is that of the information of the weighted ranges.
  func mayHaveCommonOffset(
    at here: SIMD3<Double>, _ inverse: SymmetricMatrix3, _ odds: OutlierOdds
  ) -> Bool {
    guard count > free + 1 else { return false }
    var (bx, by, bz) = (Pair.zero, Pair.zero, Pair.zero)
    var (corner, push, precision) = (Pair.zero, Pair.zero, Pair.zero)
    var block = pairs
    for _ in 0..<blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      let weight = block[Self.weight] * block[Self.inverseVariance]
      // The information is the weight over the squared distance.
      let slope = (weight * block[Self.information]).squareRoot()
      bx += slope * dx
      by += slope * dy
      bz += slope * dz
      corner += weight
      push += weight * block[Self.residual]
      precision += block[Self.inverseVariance].squareRoot()
      block += Self.blockLength
    }
    let border = SIMD3(bx.both, by.both, free == 3 ? bz.both : 0)
    let remaining = corner.both - inverse.form(border)
    guard remaining > 1e-9 * corner.both else { return false }
    let sigma = Double(count) / precision.both
    let offset = push.both / remaining
    let price = odds.price(
      ofOffset: offset, sigma: sigma, span: max(1, .log(scale / sigma)))
    // The ranges get other weights with the offset, and gain more.
    return push.both * offset > price - 2.5
  }

  /// Widens the covariance by the ranges that may be wrong although they fit, for the covariance
  /// `assumed` from the assumed errors alone.
  ///
  /// Returns false if that needs a search, or if a position may be ruled out by bounds. Allocates
  /// nothing.
  func widenByUnchecked<Loss: PackedLoss>(
    _ covariance: inout SymmetricMatrix3, at here: SIMD3<Double>, _ assumed: SymmetricMatrix3,
    _ consistency: Double, isBounded: Bool, _ loss: Loss, _ odds: OutlierOdds
  ) -> Bool {
    var scatter: AnchorScatter?
    var number = 0
    var block = pairs
    for _ in 0..<blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      let influence = consistency * block[Self.information] * assumed.form(dx, dy, dz)
      let precision = block[Self.inverseVariance].squareRoot()
      for lane in 0..<2 where precision[lane] > 0 {
        let residual = block[Self.residual][lane] * precision[lane]
        guard HiddenErrors.mayMatter(residual: residual, influence: influence[lane]) else {
          continue
        }
        let hidden = HiddenErrors(
          residual: residual, influence: influence[lane], odds,
          span: max(1, .log(scale * precision[lane])))
        guard hidden.matter else { continue }
        let anchor = SIMD3(block[0][lane], block[1][lane], block[2][lane])
        let shape = scatter ?? AnchorScatter(of: self)
        scatter = shape
        guard influence[lane] <= HiddenErrors.mostInfluence,
          shape.share(of: anchor) <= HiddenErrors.mostShare
        else {
          let range = UncheckedRange(index: number + lane, anchor: anchor, hidden: hidden)
          guard !isBounded, widen(&covariance, without: range, at: here, assumed, loss, odds) else {
            return false
          }
          continue
        }
        let sight = here - anchor
        let distance = SecularPolynomial.dot(sight, sight).squareRoot()
        let line = assumed * ((1 / distance) * sight)
        let length = SecularPolynomial.dot(line, line).squareRoot()
        let along = (1 / length) * line
        let needed = hidden.deviation(
          lean: length * consistency * block[Self.weight][lane] * precision[lane],
          noise: assumed.form(along).squareRoot())
        covariance.widen(along: along, to: needed * needed, isSpace: free == 3)
      }
      block += Self.blockLength
      number += 2
    }
    return true
  }
}

/// The spread of the anchors of a packed epoch.
private struct AnchorScatter {
  private var mean = SIMD3<Double>.zero
  /// The inverse of the sum of the products; nil if the anchors hardly span the space.
  private var inverse: SymmetricMatrix3?
  private let count: Double

  init(of epoch: PackedEpoch) {
    count = Double(epoch.count)
    for index in 0..<epoch.count { mean += Self.anchor(index, of: epoch) }
    mean = (1 / count) * mean
    var sum = SymmetricMatrix3()
    for index in 0..<epoch.count {
      let offset = Self.anchor(index, of: epoch) - mean
      sum.addOuterProduct(of: offset, times: 1)
    }
    inverse = sum.inverse(isSpace: epoch.free == 3)
  }

  private static func anchor(_ index: Int, of epoch: PackedEpoch) -> SIMD3<Double> {
    SIMD3(
      epoch.value(0, of: index), epoch.value(1, of: index),
      epoch.free == 3 ? epoch.value(2, of: index) : 0)
  }

  /// See ``AnchorSpan/share(of:_:_:)``.
  func share(of anchor: SIMD3<Double>) -> Double {
    guard let inverse else { return 1 }
    return 1 / count + inverse.form(anchor - mean)
  }
}

extension SIMD3 where Scalar == Double {
  /// Returns two unit vectors perpendicular to a unit vector and to each other; in the plane, the
  /// second is vertical.
  fileprivate func across(isSpace: Bool) -> (SIMD3, SIMD3) {
    guard isSpace else { return (SIMD3(-y, x, 0), SIMD3(0, 0, 1)) }
    var first = x.magnitude < 0.6 ? SIMD3(0, -z, y) : SIMD3(z, 0, -x)
    first = (1 / SecularPolynomial.dot(first, first).squareRoot()) * first
    return (
      first,
      SIMD3(
        y * first.z - z * first.y, z * first.x - x * first.z, x * first.y - y * first.x)
    )
  }
}
