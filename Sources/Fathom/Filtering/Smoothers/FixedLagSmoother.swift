import DequeModule

/// A fixed-lag smoother: returns the estimates of a stream a fixed number of instants late.
///
/// After every instant the last `lag` estimates are smoothed backwards from the newest, as in
/// ``RauchTungStriebelSmoother``, and the oldest of them is returned. With a lag as long as the
/// stream the two smoothers agree.
///
/// The cost per instant is `lag` backward steps of about 2 N³ multiplications each. No allocation
/// after the first `lag` instants.
public struct FixedLagSmoother<let N: Int>: Sendable {
  /// The delay of the result in instants, at least 1.
  public let lag: Int
  private var newest: Gaussian<N>
  private var reversals: Deque<Reversal<N>> = []

  /// Creates a smoother of a stream that begins with `start`, delayed by `lag` instants.
  public init(start: Gaussian<N>, lag: Int) {
    precondition(lag >= 1, "the lag is less than 1")
    self.lag = lag
    newest = start
    reversals.reserveCapacity(lag + 1)
  }

  /// Adds an instant.
  ///
  /// - Parameters:
  ///   - filtered: The estimate after the updates of the instant.
  ///   - reversal: The reversal of the prediction from the previous instant.
  /// - Returns: The estimate `lag` instants earlier; nil during the first instants.
  public mutating func append(
    _ filtered: Gaussian<N>, reversal: Reversal<N>
  ) -> Gaussian<N>? {
    newest = filtered
    reversals.append(reversal)
    guard reversals.count >= lag else { return nil }
    if reversals.count > lag { reversals.removeFirst() }
    return oldest()
  }

  /// Returns the estimates of the instants not yet returned, oldest first, given everything so far.
  ///
  /// Call it when a stream ends.
  public func rest() -> [Gaussian<N>] {
    let open = reversals.count < lag ? reversals[...] : reversals.dropFirst()
    var result = [newest]
    for reversal in open.reversed() {
      result.append(reversal.smoothed(from: result[result.count - 1]))
    }
    return result.reversed()
  }

  private func oldest() -> Gaussian<N> {
    var estimate = newest
    for reversal in reversals.reversed() { estimate = reversal.smoothed(from: estimate) }
    return estimate
  }
}
