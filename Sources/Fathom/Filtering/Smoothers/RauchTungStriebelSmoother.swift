/// The estimates of a whole run given everything measured in it.
///
/// [Rauch, Tung & Striebel 1965; Särkkä 2013, Alg. 8.2]. The smoother knows nothing of models: it
/// keeps what the filter believed after every update, and the way back of every prediction, which
/// each filter with `predictReversibly` returns. So it is the smoother of the linear, the extended,
/// the unscented and the cubature filter, with any time steps and any measurements missing.
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
  /// What the filter believed at every instant, in order.
  public private(set) var filtered: [Gaussian<N>]
  private var reversals: [Reversal<N>] = []

  /// A run that begins with `start`: the estimate after the updates of the first instant.
  public init(start: Gaussian<N>) {
    filtered = [start]
  }

  /// Adds an instant.
  ///
  /// - Parameters:
  ///   - filtered: the estimate after the updates of the instant.
  ///   - reversal: of the prediction from the instant before.
  public mutating func append(_ filtered: Gaussian<N>, reversal: Reversal<N>) {
    self.filtered.append(filtered)
    reversals.append(reversal)
  }

  /// The estimate of the last instant replaced: after another update of the same instant.
  public mutating func replaceLast(_ filtered: Gaussian<N>) {
    self.filtered[self.filtered.count - 1] = filtered
  }

  /// The estimate at every instant given all measurements.
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
