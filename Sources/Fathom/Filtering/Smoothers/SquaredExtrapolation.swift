/// Long steps towards the fixed point of an iteration that creeps, as that of expectation and
/// maximisation does, and never downhill.
///
/// [Varadhan & Roland 2008], SQUAREM with the steplength S3. Three points in a row of x' = F(x)
/// lead to
///
///     x₀ - 2 α r + α² v,    r = x₁ - x₀,    v = (x₂ - x₁) - r,    α = -|r| / |v|
///
/// which is the fixed point where every step goes the same share of what is left. The leap counts
/// only where what F raises is not less there than at x₁; otherwise x₂ is next. So the values never
/// fall, whatever the leaps do.
///
/// ```swift
/// var search = SquaredExtrapolation(from: start)
/// while !isEnough {
///   if !search.accepts(function(search.next)) { search.fallBack() }
///   search.advance(to: iterate(search.next), value: function(search.next))
/// }
/// ```
struct SquaredExtrapolation<let N: Int>: Sendable {
  /// Where the iteration has led: the image of the last point that counted.
  private(set) var image: Vector<N>
  /// The values at all points that counted.
  private(set) var values: [Double] = []
  /// The largest change of a component in one leap.
  private let reach: Double
  /// Where a leap leads; nil where ``image`` is next.
  private var leap: Vector<N>?
  /// The first of two steps: where it began, and where it led.
  private var step: (from: Vector<N>, to: Vector<N>)?

  /// An iteration that begins at `start`.
  ///
  /// - Parameters:
  ///   - start: the first point.
  ///   - reach: the largest change of a component in one leap, above 0: where there is no fixed
  ///     point, the formula leads anywhere.
  init(from start: Vector<N>, reach: Double = .infinity) {
    image = start
    self.reach = reach
  }

  /// The point to look at next.
  var next: Vector<N> { leap ?? image }

  /// Whether ``next`` is a leap ahead.
  var isLeaping: Bool { leap != nil }

  /// Whether the next point is to count: always, unless a leap led to it.
  ///
  /// - Parameter value: what is found there, as large as possible; a value that is none is too
  ///   small.
  /// - Returns: Whether to ``advance(to:value:)`` from there, or to ``fallBack()``.
  func accepts(_ value: Double) -> Bool {
    guard leap != nil, let last = values.last else { return true }
    // At the fixed point, rounding decides.
    return value >= last - 1e-13 * last.magnitude
  }

  /// Gives up the leap, if there is one: ``image`` is next.
  mutating func fallBack() { leap = nil }

  /// Takes in a step of the iteration from the next point.
  ///
  /// - Parameters:
  ///   - image: where it led.
  ///   - value: what was found at the point.
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

  /// Where three points in a row lead; nil where the steps do not get shorter.
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
