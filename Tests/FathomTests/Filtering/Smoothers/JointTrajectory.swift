@testable import Fathom

/// The joint distribution of all states of a linear trajectory, as information matrix and vector.
struct JointTrajectory {
  /// The number of components of a state.
  let order: Int
  /// Blocks of the information matrix: of a state with itself, and with the previous state.
  private var diagonal: [DenseMatrix]
  private var below: [DenseMatrix] = []
  private var vector: [DenseMatrix]
  /// The error of a failed inversion, if any.
  private var failure: (any Error)?

  init(prior: [Double], covariance: DenseMatrix) {
    order = prior.count
    diagonal = [DenseMatrix(rows: order, columns: order)]
    vector = [DenseMatrix(rows: order, columns: 1)]
    let information = inverse(covariance)
    diagonal[0] = information
    vector[0] = information * DenseMatrix(column: prior)
  }

  /// Appends a state x = F x₋ + b + w: adds (x - F x₋ - b)ᵀ Q⁻¹ (x - F x₋ - b) to the exponent.
  mutating func append(transition: DenseMatrix, processNoise: DenseMatrix, push: [Double]) {
    let information = inverse(processNoise)
    let carried = transition.transposed() * information
    let last = diagonal.count - 1
    diagonal[last] = sum(diagonal[last], carried * transition)
    vector[last] = sum(vector[last], carried * DenseMatrix(column: push.map { -$0 }))
    below.append(negated(information * transition))
    diagonal.append(information)
    vector.append(information * DenseMatrix(column: push))
  }

  /// Adds a measurement z = H x + v of the last state.
  mutating func measure(_ values: [Double], observation: DenseMatrix, noise: DenseMatrix) {
    let weighted = observation.transposed() * inverse(noise)
    let last = diagonal.count - 1
    diagonal[last] = sum(diagonal[last], weighted * observation)
    vector[last] = sum(vector[last], weighted * DenseMatrix(column: values))
  }

  /// Returns mean and covariance of the last state given everything.
  func lastMarginal() throws -> (mean: DenseMatrix, covariance: DenseMatrix) {
    try marginal(of: diagonal.count - 1)
  }

  /// Returns mean and covariance of the state at `step`, counted from the prior, given everything.
  func marginal(of step: Int) throws -> (mean: DenseMatrix, covariance: DenseMatrix) {
    if let failure { throw failure }
    let size = order * diagonal.count
    var information = DenseMatrix(rows: size, columns: size)
    var right = DenseMatrix(rows: size, columns: order + 1)
    for block in diagonal.indices {
      for row in 0..<order {
        right[block * order + row, order] = vector[block][row, 0]
        for column in 0..<order {
          information[block * order + row, block * order + column] = diagonal[block][row, column]
          if block > 0 {
            let element = below[block - 1][row, column]
            information[block * order + row, (block - 1) * order + column] = element
            information[(block - 1) * order + column, block * order + row] = element
          }
        }
      }
    }
    let start = step * order
    for column in 0..<order { right[start + column, column] = 1 }
    let solution = try DenseCholesky(information).solve(right)
    var mean = DenseMatrix(rows: order, columns: 1)
    var covariance = DenseMatrix(rows: order, columns: order)
    for row in 0..<order {
      mean[row, 0] = solution[start + row, order]
      for column in 0..<order { covariance[row, column] = solution[start + row, column] }
    }
    return (mean, covariance)
  }

  private mutating func inverse(_ matrix: DenseMatrix) -> DenseMatrix {
    do {
      return try DenseCholesky(matrix).solve(.identity(matrix.rows))
    } catch {
      failure = error
      return matrix
    }
  }

  private func sum(_ first: DenseMatrix, _ second: DenseMatrix) -> DenseMatrix {
    DenseMatrix(
      rows: first.rows, columns: first.columns,
      columnMajor: zip(first.columnMajor, second.columnMajor).map(+))
  }

  private func negated(_ matrix: DenseMatrix) -> DenseMatrix {
    DenseMatrix(
      rows: matrix.rows, columns: matrix.columns, columnMajor: matrix.columnMajor.map { -$0 })
  }
}
