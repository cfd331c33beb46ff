/// Positions of many epochs, one column per coordinate.
public struct BatchPositions: Sendable {
  /// What became of an epoch.
  public enum Verdict: UInt8, Sendable, Hashable, CaseIterable {
    /// There is a position.
    case solved
    /// The iteration did not come to rest; no position is given.
    case unconverged
    /// The ranges of the epoch, or their anchors, do not determine a position.
    case undetermined
  }

  /// What became of every epoch.
  public internal(set) var verdicts: [Verdict]
  /// First coordinates, metres; 0 where ``verdicts`` has no position.
  public internal(set) var x: [Double]
  /// Second coordinates, metres; 0 where ``verdicts`` has no position.
  public internal(set) var y: [Double]
  /// Third coordinates, metres; 0 where ``verdicts`` has no position.
  ///
  /// Where the height was given it is that to the bit; for anchors in the plane it is 0.
  public internal(set) var z: [Double]
  /// Evaluations of the likelihood, one per epoch; empty for the linear solution.
  public internal(set) var iterations: [Int32] = []
  /// How many epochs were doubtful and solved again one by one, see
  /// ``LikelihoodBatch/Options/reconsidersDoubtful``.
  public internal(set) var reconsidered = 0
  /// Root mean square of the residuals, metres; empty unless asked for, 0 where there is no
  /// position.
  public internal(set) var misfits: [Double] = []
  /// The covariances, m², six numbers per epoch: xx, xy, xz, yy, yz, zz; empty unless asked for.
  var covariances: [Double] = []
  /// Whether the anchors lie in one plane (for two unknowns: on one line), so that every position
  /// off it has a mirror image that explains the ranges as well.
  public internal(set) var hasMirror = false

  init(count: Int) {
    verdicts = [Verdict](repeating: .solved, count: count)
    x = [Double](repeating: 0, count: count)
    // Not copies of `x`, which would be made when they are written.
    y = [Double](repeating: 0, count: count)
    z = [Double](repeating: 0, count: count)
  }

  /// Number of epochs.
  public var count: Int { verdicts.count }

  /// The position of an epoch, metres; nil where there is none.
  public subscript(epoch: Int) -> Vector<3>? {
    verdicts[epoch] == .solved ? Vector([x[epoch], y[epoch], z[epoch]]) : nil
  }

  /// The covariance of the position of an epoch, m², from the assumed range errors and the weights
  /// that the ranges got, corrected for what a robust loss takes from good ranges, as that of a
  /// single fix; zero in a given coordinate.
  ///
  /// - Returns: nil where there is no position, where the ranges do not determine it to first
  /// order,
  ///   and where covariances were not asked for.
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
