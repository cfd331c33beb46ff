/// Time differences as the edges of a graph of arrivals: their covariance, and the arrivals behind them.
struct DifferenceGraph {
  /// Indices of the two arrivals of each difference, and its value in metres.
  private let edges: [(first: Int, second: Int, difference: Double)]
  /// Rows that turn errors of the differences into independent ones of variance 1.
  private let whitening: DenseMatrix
  private let arrivalCount: Int

  /// The number of independent differences.
  var count: Int { whitening.rows }

  /// The graph of `differences` between `anchors`, of which none is unnamed; nil without a covariance.
  ///
  /// - Parameters:
  ///   - differences: pairs of anchors that are among `anchors`.
  ///   - anchors: the indices by which differences name them.
  ///   - sigmas: standard deviations of the arrivals, metres.
  ///   - own: what every difference adds, metres.
  init?(_ differences: [TimeDifference], anchors: [Int], sigmas: [Double], own: Double) {
    var place: [Int: Int] = [:]
    for (index, anchor) in anchors.enumerated() { place[anchor] = index }
    edges = differences.compactMap { one in
      guard let first = place[one.first], let second = place[one.second] else { return nil }
      return (first, second, one.difference)
    }
    arrivalCount = anchors.count
    var covariance = DenseMatrix(rows: edges.count, columns: edges.count)
    for (row, left) in edges.enumerated() {
      for (column, right) in edges.enumerated() {
        for (arrival, sign) in [(left.first, 1.0), (left.second, -1)] {
          let variance = sigmas[arrival] * sigmas[arrival]
          if right.first == arrival { covariance[row, column] += sign * variance }
          if right.second == arrival { covariance[row, column] -= sign * variance }
        }
      }
      covariance[row, row] += own * own
    }
    guard let axes = try? SymmetricEigendecomposition(covariance) else { return nil }
    // Around a loop the errors of shared arrivals cancel: that combination measures nothing.
    let limit = 1e-12 * (axes.eigenvalues.last ?? 0)
    let kept = axes.eigenvalues.indices.filter { axes.eigenvalues[$0] > limit }
    whitening = DenseMatrix(
      kept.map { index in
        axes.eigenvectors.column(index).map { $0 / axes.eigenvalues[index].squareRoot() }
      })
  }

  /// The measured differences less those of `distances`, metres.
  func residuals(_ distances: [Double]) -> [Double] {
    edges.map { $0.difference - (distances[$0.first] - distances[$0.second]) }
  }

  /// Expectation minus measurement in standard deviations, for the distances of the arrivals.
  func whitened(_ distances: [Double]) -> [Double] {
    (whitening * DenseMatrix(column: residuals(distances).map { -$0 })).column(0)
  }

  /// The derivatives of ``whitened(_:)``, given those of the distances.
  func whitened(slopes: [[Double]]) -> DenseMatrix {
    whitening
      * DenseMatrix(
        edges.map { edge in zip(slopes[edge.first], slopes[edge.second]).map { $0 - $1 } })
  }

  /// Arrivals with mean zero that fit the differences best, metres; nil where they fall into groups
  /// without a difference between them.
  var arrivals: [Double]? {
    var incidence = DenseMatrix(rows: edges.count, columns: arrivalCount)
    for (row, edge) in edges.enumerated() {
      incidence[row, edge.first] = 1
      incidence[row, edge.second] = -1
    }
    let solution = try? leastSquares(
      incidence, DenseMatrix(column: edges.map(\.difference)),
      rank: .minimumNorm(relativeCutoff: 1e-10))
    guard let solution, solution.rank == arrivalCount - 1 else { return nil }
    return solution.coefficients.column(0)
  }
}
