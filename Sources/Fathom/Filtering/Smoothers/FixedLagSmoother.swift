import DequeModule

/// The estimates of a stream a fixed number of instants late.
///
/// After every instant the estimates of the last `lag` ones are followed back from the newest, as in
/// ``RauchTungStriebelSmoother``; the oldest of them is the answer. With a lag as long as the
/// stream it is that smoother.
///
/// Cost of an instant: `lag` steps back of about 2 N³ multiplications each. No allocation after the
/// first `lag` instants.
public struct FixedLagSmoother<let N: Int>: Sendable {
  /// How many instants the answer is late, at least 1.
  public let lag: Int
  private var newest: Gaussian<N>
  private var reversals: Deque<Reversal<N>> = []

  /// A stream that begins with `start`, answered `lag` instants late.
  public init(start: Gaussian<N>, lag: Int) {
    precondition(lag >= 1, "a smoother looks back at least one instant")
    self.lag = lag
    newest = start
    reversals.reserveCapacity(lag + 1)
  }

  /// Adds an instant.
  ///
  /// - Parameters:
  ///   - filtered: the estimate after the updates of the instant.
  ///   - reversal: of the prediction from the instant before.
  /// - Returns: The estimate of the instant `lag` before it; nil while there is none.
  public mutating func append(
    _ filtered: Gaussian<N>, reversal: Reversal<N>
  ) -> Gaussian<N>? {
    newest = filtered
    reversals.append(reversal)
    guard reversals.count >= lag else { return nil }
    if reversals.count > lag { reversals.removeFirst() }
    return oldest()
  }

  /// The estimates of the instants not answered yet, oldest first, given everything so far: what is
  /// left when a stream ends.
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
