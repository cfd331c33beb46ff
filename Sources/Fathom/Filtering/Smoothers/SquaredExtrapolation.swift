/// A monotone acceleration of slowly converging fixed-point iterations, such as EM.
///
/// [Varadhan & Roland 2008], SQUAREM with the step length S3. Three consecutive points of x' = F(x)
/// give the extrapolated point
///
///     x₀ - 2 α r + α² v,    r = x₁ - x₀,    v = (x₂ - x₁) - r,    α = -|r| / |v|
///
/// It is the fixed point when every step covers the same fraction of the remaining distance. The
/// extrapolated point is accepted only when its objective value is at least that at x₁; otherwise
/// the iteration continues from x₂. The accepted values therefore never decrease.
///
/// ```swift
/// var search = SquaredExtrapolation(from: start)
/// while !isEnough {
///   if !search.accepts(function(search.next)) { search.fallBack() }
///   search.advance(to: iterate(search.next), value: function(search.next))
/// }
/// ```
struct SquaredExtrapolation<let N: Int>: Sendable {
  /// The image of the last accepted point.
  private(set) var image: Vector<N>
  /// The values at all accepted points.
  private(set) var values: [Double] = []
  /// The largest change of a component in one extrapolation.
  private let reach: Double
  /// The extrapolated point; nil when ``image`` is next.
  private var leap: Vector<N>?
  /// The first of two steps: its start and its end.
  private var step: (from: Vector<N>, to: Vector<N>)?

  /// Creates an iteration that begins at `start`.
  ///
  /// `reach`, above 0, is the largest change of a component in one extrapolation. Without a fixed
  /// point the formula can extrapolate without bound.
  init(from start: Vector<N>, reach: Double = .infinity) {
    image = start
    self.reach = reach
  }

  /// The point to evaluate next.
  var next: Vector<N> { leap ?? image }

  /// Whether ``next`` is an extrapolated point.
  var isLeaping: Bool { leap != nil }

  /// Returns whether the next point is accepted; only an extrapolated point can be rejected.
  ///
  /// - Parameter value: The objective value there, to be maximised; NaN rejects the point.
  /// - Returns: Whether to call ``advance(to:value:)`` from there, or ``fallBack()``.
  func accepts(_ value: Double) -> Bool {
    guard leap != nil, let last = values.last else { return true }
    // At the fixed point, rounding decides.
    return value >= last - 1e-13 * last.magnitude
  }

  /// Discards the extrapolated point, if any: ``image`` is next.
  mutating func fallBack() { leap = nil }

  /// Records a step of the iteration: the image of the next point, and the objective value at the
  /// point.
  mutating func advance(to image: Vector<N>, value: Double) {
    let point = next
    (self.image, leap) = (image, nil)
    values.append(value)
    guard let first = step else {
      step = (point, image)
      return
    }
    step = nil
    leap = leap(from: first.from, over: first.to, to: image)
  }

  /// Returns the extrapolation of three consecutive points; nil when the steps do not shrink.
  private func leap(
    from first: Vector<N>, over second: Vector<N>, to third: Vector<N>
  ) -> Vector<N>? {
    let change = second - first
    let bend = (third - second) - change
    let factor = (change.dot(change) / bend.dot(bend)).squareRoot()
    guard factor > 1, factor.isFinite else { return nil }
    var leap = first
    for index in 0..<N {
      let length = factor * (2 * change[index] + factor * bend[index])
      leap[index] += min(reach, max(-reach, length))
    }
    return leap.isFinite ? leap : nil
  }
}
