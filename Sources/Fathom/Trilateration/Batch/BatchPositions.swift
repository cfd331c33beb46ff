/// Positions of many epochs, one column per coordinate.
public struct BatchPositions: Sendable {
  /// What the ranges of every epoch determine, as for a single ``PositionFix``.
  public internal(set) var verdicts: [PositionVerdict]
  /// First coordinates, metres; NaN for epochs without a position.
  public internal(set) var x: [Double]
  /// Second coordinates, metres; NaN for epochs without a position.
  public internal(set) var y: [Double]
  /// Third coordinates, metres; NaN for epochs without a position.
  ///
  /// Equal to the known height to the bit if there is one; 0 for anchors in the plane.
  public internal(set) var z: [Double]
  /// Number of iterations per epoch; empty for the linear solution.
  public internal(set) var iterations: [Int32] = []
  /// Root mean square of the weighted residuals, metres, see ``PositionFix/misfit``; NaN for epochs
  /// without a position, empty for the linear solution.
  public internal(set) var misfits: [Double] = []
  /// The covariances, m², six numbers per epoch: xx, xy, xz, yy, yz, zz; NaN for epochs without one,
  /// empty for the linear solution.
  var covariances: [Double] = []
  /// The other positions of the epochs that have any.
  private var alternatives: [Int: [PositionAlternative<3>]] = [:]

  init(count: Int) {
    verdicts = [PositionVerdict](repeating: .tooFew, count: count)
    x = [Double](repeating: .nan, count: count)
    // Separate arrays instead of copies of `x`, which would be copied on the first write.
    y = [Double](repeating: .nan, count: count)
    z = [Double](repeating: .nan, count: count)
  }

  /// Number of epochs.
  public var count: Int { verdicts.count }

  /// The position of an epoch, metres; nil if it has none.
  public subscript(epoch: Int) -> Vector<3>? {
    x[epoch].isNaN ? nil : Vector([x[epoch], y[epoch], z[epoch]])
  }

  /// Returns the covariance of the position of an epoch, m², as ``PositionFix/covariance``; nil
  /// without one.
  public func covariance(at epoch: Int) -> Matrix<3, 3>? {
    guard !covariances.isEmpty, !covariances[6 * epoch].isNaN else { return nil }
    var result = Matrix<3, 3>.zero
    var element = 6 * epoch
    for row in 0..<3 {
      for column in row..<3 {
        result[row, column] = covariances[element]
        result[column, row] = covariances[element]
        element += 1
      }
    }
    return result
  }

  /// Returns the other positions that the ranges of an epoch cannot distinguish from the first, as
  /// ``PositionFix/alternatives``.
  public func alternatives(at epoch: Int) -> [PositionAlternative<3>] {
    alternatives[epoch] ?? []
  }

  /// Stores the fix of an epoch.
  mutating func set(_ epoch: Int, _ fix: PositionFix<3>) {
    verdicts[epoch] = fix.verdict
    iterations[epoch] = Int32(clamping: fix.iterations)
    guard let position = fix.position else { return }
    (x[epoch], y[epoch], z[epoch]) = (position[0], position[1], position[2])
    misfits[epoch] = fix.misfit ?? .nan
    if !fix.alternatives.isEmpty { alternatives[epoch] = fix.alternatives }
    guard let covariance = fix.covariance else { return }
    var element = 6 * epoch
    for row in 0..<3 {
      for column in row..<3 {
        covariances[element] = covariance[row, column]
        element += 1
      }
    }
  }
}
