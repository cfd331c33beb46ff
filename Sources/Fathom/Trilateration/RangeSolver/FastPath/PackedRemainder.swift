import RealModule

/// A range that no other range checks well enough to describe its error by a line.
struct UncheckedRange {
  /// The number of the range in its packed epoch.
  var index: Int
  /// Its anchor.
  var anchor: SIMD3<Double>
  /// The errors that neither its residual nor the other ranges reveal.
  var hidden: HiddenErrors
}

/// The solutions of a packed epoch without one of its ranges, as in ``UncheckedRanges``.
extension PackedEpoch {
  /// Widens the covariance by the solutions without a range; returns false if they need a search.
  func widen<Loss: PackedLoss>(
    _ covariance: inout SymmetricMatrix3, without range: UncheckedRange, at here: SIMD3<Double>,
    _ assumed: SymmetricMatrix3, _ loss: Loss, _ odds: OutlierOdds
  ) -> Bool {
    let precision = value(Self.inverseVariance, of: range.index).squareRoot()
    let length = value(Self.range, of: range.index)
    func residual(at place: SIMD3<Double>) -> Double {
      let sight = place - range.anchor
      return length - SecularPolynomial.dot(sight, sight).squareRoot()
    }
    return withoutRange(range.index) { others in
      var nearest = PackedDescent(from: here)
      guard nearest.refine(others, loss), nearest.position.isAllFinite else { return false }
      let starts = PackedStarts(of: others)
      guard let global = starts.global else { return false }
      widen(
        &covariance, by: nearest.position, among: others, range,
        isLater: residual(at: nearest.position) >= 0, at: here, assumed, loss)
      /// Returns whether a descent from another minimum of the squared ranges needs no search.
      func add(_ start: SIMD3<Double>) -> Bool {
        var other = PackedDescent(from: start)
        guard other.refine(others, loss), other.position.isAllFinite else { return false }
        guard !isSame(other, nearest) else { return true }
        // The other side of the remaining ranges counts if it is likely enough.
        let residual = residual(at: other.position)
        let scaled = residual * precision
        let density = odds.density(of: scaled, span: max(1, .log(scale * precision)))
        if range.hidden.isLikely(density, costing: loss.excess(other.cost, over: nearest.cost)) {
          widen(
            &covariance, by: other.position, among: others, range, isLater: residual >= 0,
            at: here, assumed, loss)
        }
        return true
      }
      guard add(global) else { return false }
      if starts.isAlone { return true }
      switch starts.other(belowSquareOf: .infinity) {
      case .none: return true
      case .unclear: return false
      case .position(let start): return add(start)
      }
    }
  }

  /// Widens the covariance by a solution of the other ranges.
  private func widen<Loss: PackedLoss>(
    _ covariance: inout SymmetricMatrix3, by solution: SIMD3<Double>, among others: PackedEpoch,
    _ range: UncheckedRange, isLater: Bool, at here: SIMD3<Double>, _ assumed: SymmetricMatrix3,
    _ loss: Loss
  ) {
    let isSpace = free == 3
    var information = PackedExpansion(of: others, at: solution, isNewton: false, loss).matrix
    if !isSpace { information.leaveOutCoordinates(from: free) }
    let least = 1e-12 * information.trace
    information.xx += least
    information.yy += least
    if isSpace { information.zz += least }
    guard information.isRegular(isSpace: isSpace),
      let spread = information.inverse(isSpace: isSpace)
    else { return }
    let (offset, sight) = (solution - here, here - range.anchor)
    let line = spread * sight
    let apart = SecularPolynomial.dot(offset, offset).squareRoot()
    let reach = SecularPolynomial.dot(line, line).squareRoot()
    let distance = SecularPolynomial.dot(sight, sight).squareRoot()
    let direction: SIMD3<Double>
    if apart > 1e-3 * (distance > 0 ? (reach / distance).squareRoot() : 0) {
      direction = (1 / apart) * offset
    } else if reach > 0 {
      direction = (1 / reach) * line
    } else {
      return
    }
    let own = min(max(0, spread.form(direction)).squareRoot(), scale)
    let needed = range.hidden.deviation(
      apart: isLater ? apart : -apart, own: own,
      noise: max(0, assumed.form(direction)).squareRoot())
    covariance.widen(along: direction, to: needed * needed, isSpace: isSpace)
  }

  /// Passes the epoch without a range, which is valid only meanwhile, to `body`.
  ///
  /// The range stays in its place with zero inverse variance, as padding does.
  private func withoutRange<Result>(_ index: Int, _ body: (PackedEpoch) -> Result) -> Result {
    let numbers = UnsafeMutableRawPointer(pairs).assumingMemoryBound(to: Double.self)
    let place =
      numbers + 2 * ((index >> 1) * Self.blockLength + Self.inverseVariance) + (index & 1)
    let inverseVariance = place.pointee
    place.pointee = 0
    defer { place.pointee = inverseVariance }
    return body(self)
  }
}
