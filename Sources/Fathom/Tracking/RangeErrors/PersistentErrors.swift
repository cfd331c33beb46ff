/// The effect on positions of errors that are longer than the memory of a track.
///
/// A filter averages errors out that change within seconds. An error of a link that stays for
/// minutes, and a common error that remains, move the position by what the ranges make of it, however
/// many ranges there are: with the unit vectors u from the anchors, A = Σ u uᵀ and errors e, by
/// A⁻¹ Σ u e. Their covariance is added to that of the track [Schmidt 1966].
struct PersistentErrors: Sendable {
  /// Variance of the persistent error of a link, m².
  private let link: Double
  /// Variance of the error that all links have in common, m².
  private let common: Double
  private let isLevel: Bool
  /// What is added to A, so that the effect on an axis that no range determines has a bound.
  private let least: Double

  /// The time since its last range for which a link counts, in seconds.
  static let memory = 5.0
  /// The largest standard deviation that an axis is given, metres: that of a start.
  private static let mostSigma = 2.0

  /// Creates the errors that `errors` describes; nil without any.
  init?(_ errors: RangeErrors, isLevel: Bool) {
    link = errors.persistentSigma * errors.persistentSigma
    common = errors.remainingBiasSigma * errors.remainingBiasSigma
    guard link + common > 0 else { return nil }
    self.isLevel = isLevel
    // Not so small that the inverse drowns in rounding.
    least = max(1e-12, (link + common) / (Self.mostSigma * Self.mostSigma))
  }

  /// Adds the effect on a position to its covariance.
  ///
  /// - Parameters:
  ///   - covariance: the covariance of the position, m².
  ///   - position: the position.
  ///   - anchors: the anchors.
  ///   - ranged: whether the anchor of an index had a range in the last ``memory`` seconds.
  ///   - arrived: whether it had a time difference; nil if there are none. They count where there are no
  ///     ranges, with unit vectors relative to their mean: what all arrivals have in common is not in a
  ///     difference.
  func widen(
    _ covariance: inout Matrix<3, 3>, at position: Vector<3>, anchors: [Anchor],
    ranged: (Int) -> Bool, arrived: ((Int) -> Bool)? = nil
  ) {
    var sums = DirectionSums()
    let isRelative = arrived != nil && !anchors.indices.contains(where: ranged)
    for index in anchors.indices
    where isRelative ? arrived?(index) ?? false : ranged(index) {
      if let unit = unit(from: anchors[index].position, to: position) { sums.add(unit) }
    }
    if isRelative, sums.count > 0 {
      sums.squares.addOuterProduct(of: sums.sum, times: -1 / sums.count)
      sums.sum = .zero
    }
    widen(&covariance, by: sums)
  }

  /// Returns the unit vector from an anchor, level at a known height; nil at the anchor itself.
  @inline(__always)
  func unit(from anchor: Vector<3>, to position: Vector<3>) -> SIMD3<Double>? {
    let offset = position - anchor
    var unit = SIMD3(offset[0], offset[1], offset[2])
    let length = (unit * unit).sum().squareRoot()
    guard length > 0 else { return nil }
    unit /= length
    if isLevel { unit.z = 0 }
    return unit
  }

  /// Adds the effect of errors along the directions of `sums` to the covariance of a position, m².
  func widen(_ covariance: inout Matrix<3, 3>, by sums: DirectionSums) {
    var bounded = sums.squares
    bounded.xx += least
    bounded.yy += least
    bounded.zz += least
    guard let inverse = bounded.inverse(isSpace: !isLevel) else { return }
    // With B = A + c I, B⁻¹ A B⁻¹ = B⁻¹ - c B⁻².
    var added = link * inverse
    for axis in 0..<3 {
      var unit = SIMD3<Double>.zero
      unit[axis] = 1
      added.addOuterProduct(of: inverse * unit, times: -link * least)
    }
    added.addOuterProduct(of: inverse * sums.sum, times: common)
    guard added.trace.isFinite else { return }
    covariance[0, 0] += added.xx
    covariance[1, 1] += added.yy
    covariance[2, 2] += added.zz
    covariance[0, 1] += added.xy
    covariance[0, 2] += added.xz
    covariance[1, 2] += added.yz
    covariance[1, 0] = covariance[0, 1]
    covariance[2, 0] = covariance[0, 2]
    covariance[2, 1] = covariance[1, 2]
  }
}

/// The sums Σ u uᵀ and Σ u over unit vectors from anchors.
struct DirectionSums: Sendable {
  var squares = SymmetricMatrix3()
  var sum = SIMD3<Double>.zero
  var count = 0.0

  @inline(__always)
  mutating func add(_ unit: SIMD3<Double>, times factor: Double = 1) {
    squares.addOuterProduct(of: unit, times: factor)
    sum += factor * unit
    count += factor
  }
}

/// The sums over the anchors with ranges in the last seconds, kept up to date range by range.
///
/// A range replaces the direction of its anchor, whatever the number of anchors. Twice a second all
/// directions are computed again at the present position, without those that are older than
/// ``PersistentErrors/memory``.
struct RangedDirections: Sendable {
  private(set) var sums = DirectionSums()
  private var units: [SIMD3<Double>?]
  private var times: [Timestamp]
  private var renewal = Timestamp(nanoseconds: .min)

  /// The time between two computations of all directions, seconds: a tag moves less than a metre.
  private static let interval = 0.5

  init(anchorCount: Int) {
    units = Array(repeating: nil, count: anchorCount)
    times = Array(repeating: Timestamp(nanoseconds: .min), count: anchorCount)
  }

  /// Adds a range at `time`, with the present position.
  mutating func add(
    _ anchor: Int, at time: Timestamp, position: Vector<3>, _ errors: PersistentErrors,
    anchors: [Anchor]
  ) {
    times[anchor] = time
    if time >= renewal {
      renewal = time.advanced(bySeconds: Self.interval)
      renew(at: time, position: position, errors, anchors: anchors)
      return
    }
    if let before = units[anchor] { sums.add(before, times: -1) }
    units[anchor] = errors.unit(from: anchors[anchor].position, to: position)
    if let unit = units[anchor] { sums.add(unit) }
  }

  @inline(never)
  private mutating func renew(
    at time: Timestamp, position: Vector<3>, _ errors: PersistentErrors, anchors: [Anchor]
  ) {
    sums = DirectionSums()
    let begin = time.advanced(bySeconds: -PersistentErrors.memory)
    for index in anchors.indices {
      units[index] =
        times[index] >= begin ? errors.unit(from: anchors[index].position, to: position) : nil
      if let unit = units[index] { sums.add(unit) }
    }
  }
}
