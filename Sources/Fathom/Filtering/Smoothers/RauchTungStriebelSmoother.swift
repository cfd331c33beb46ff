/// A Rauch-Tung-Striebel smoother: the estimates of a run given all of its measurements.
///
/// [Rauch, Tung & Striebel 1965; Särkkä 2013, Alg. 8.2]. The smoother is independent of models. It
/// stores the filtered estimate after every update and the reversal of every prediction, which each
/// filter's `predictReversibly` returns. It therefore smooths the linear, extended, unscented and
/// cubature filters, with any time steps and any missing measurements.
///
/// ```swift
/// var smoother = RauchTungStriebelSmoother(start: filter.state)
/// for (seconds, range) in ranges {
///   let reversal = filter.predictReversibly(by: motion, over: seconds)
///   try filter.update(range, of: model, noise: noise)
///   smoother.append(filter.state, reversal: reversal)
/// }
/// let track = smoother.smoothed()
/// ```
public struct RauchTungStriebelSmoother<let N: Int>: Sendable {
  /// The filtered estimate at every instant, in order.
  public private(set) var filtered: [Gaussian<N>]
  private var reversals: [Reversal<N>] = []

  /// Creates a smoother of a run that begins with `start`, the estimate after the updates of the
  /// first instant.
  public init(start: Gaussian<N>) {
    filtered = [start]
  }

  /// Adds an instant.
  ///
  /// - Parameters:
  ///   - filtered: The estimate after the updates of the instant.
  ///   - reversal: The reversal of the prediction from the previous instant.
  public mutating func append(_ filtered: Gaussian<N>, reversal: Reversal<N>) {
    self.filtered.append(filtered)
    reversals.append(reversal)
  }

  /// Replaces the estimate of the last instant, after another update of the same instant.
  public mutating func replaceLast(_ filtered: Gaussian<N>) {
    self.filtered[self.filtered.count - 1] = filtered
  }

  /// Returns the estimate at every instant given all measurements.
  ///
  /// Linear in the number of instants; allocates the result.
  public func smoothed() -> [Gaussian<N>] {
    var result = filtered
    for index in reversals.indices.reversed() {
      result[index] = reversals[index].smoothed(from: result[index + 1])
    }
    return result
  }
}
