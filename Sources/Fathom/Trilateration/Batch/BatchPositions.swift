/// Positions of many epochs, one column per coordinate.
public struct BatchPositions: Sendable {
  /// The outcome of an epoch.
  public enum Verdict: UInt8, Sendable, Hashable, CaseIterable {
    /// The epoch has a position.
    case solved
    /// The iteration did not converge; the epoch has no position.
    case unconverged
    /// The ranges of the epoch, or their anchors, do not determine a position.
    case undetermined
  }

  /// The outcome of every epoch.
  public internal(set) var verdicts: [Verdict]
  /// First coordinates, metres; 0 for epochs without a position, see ``verdicts``.
  public internal(set) var x: [Double]
  /// Second coordinates, metres; 0 for epochs without a position, see ``verdicts``.
  public internal(set) var y: [Double]
  /// Third coordinates, metres; 0 for epochs without a position, see ``verdicts``.
  ///
  /// Equal to the known height to the bit if there is one; 0 for anchors in the plane.
  public internal(set) var z: [Double]
  /// Number of evaluations of the likelihood per epoch; empty for the linear solution.
  public internal(set) var iterations: [Int32] = []
  /// Number of doubtful epochs that were solved again individually, see
  /// ``LikelihoodBatch/Options/reconsidersDoubtful``.
  public internal(set) var reconsidered = 0
  /// Root mean square of the residuals, metres, 0 for epochs without a position; empty unless
  /// requested.
  public internal(set) var misfits: [Double] = []
  /// The covariances, m², six numbers per epoch: xx, xy, xz, yy, yz, zz; empty unless requested.
  var covariances: [Double] = []
  /// Whether the anchors lie in one plane (for two unknowns: on one line).
  ///
  /// Every position off it then has a mirror image that fits the ranges equally well.
  public internal(set) var hasMirror = false

  init(count: Int) {
    verdicts = [Verdict](repeating: .solved, count: count)
    x = [Double](repeating: 0, count: count)
    // Separate arrays instead of copies of `x`, which would be copied on the first write.
    y = [Double](repeating: 0, count: count)
    z = [Double](repeating: 0, count: count)
  }

  /// Number of epochs.
  public var count: Int { verdicts.count }

  /// The position of an epoch, metres; nil if it has none.
  public subscript(epoch: Int) -> Vector<3>? {
    verdicts[epoch] == .solved ? Vector([x[epoch], y[epoch], z[epoch]]) : nil
  }

  /// Returns the covariance of the position of an epoch, m².
  ///
  /// It follows from the assumed range errors and the weights of the ranges. As for a single fix,
  /// it is corrected for the weight that a robust loss takes from good ranges. It is zero in a
  /// known coordinate.
  ///
  /// - Returns: The covariance, or nil without a position, if the ranges do not determine it to
  ///   first order, or if covariances were not requested.
  public func covariance(at epoch: Int) -> Matrix<3, 3>? {
    guard verdicts[epoch] == .solved, !covariances.isEmpty else { return nil }
    var result = Matrix<3, 3>.zero
    var element = 6 * epoch
    for row in 0..<3 {
      for column in row..<3 {
        result[row, column] = covariances[element]
        result[column, row] = covariances[element]
        element += 1
      }
    }
    return result.trace > 0 ? result : nil
  }
}
