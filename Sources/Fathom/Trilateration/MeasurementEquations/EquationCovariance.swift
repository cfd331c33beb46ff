/// The covariance of the unknowns of position equations.
struct EquationCovariance {
  /// Covariance of all unknowns.
  var matrix: DenseMatrix
  /// Unit vectors of free coordinates whose variance is a bound.
  var undetermined: [[Double]]
}

extension PositionEquations {
  /// Returns the information of the rows as weights of their squares: 1 for squared losses, less if
  /// the loss reduces efficiency or discounts a row.
  ///
  /// The variance of an M-estimate is E[ψ²]/E[κ]² times that of least squares [Huber 1964], 1/0.95
  /// times for normal errors with the default tuning. With little redundancy, residuals are smaller
  /// than errors and the loss hardly acts. To first order in the variance of residuals over the
  /// squared tuning constant, no efficiency is lost. The efficiency loss is therefore taken as
  /// proportional to the square of a ratio: the mean weight reduction of good rows over that
  /// expected for normal errors.
  func informationWeights(_ residuals: [Double]) -> [Double] {
    let weights = weights(residuals, under: loss)
    guard loss.shape != .squared else { return weights }
    let kept = weights.indices.filter { isSuspect($0) && weights[$0] >= 0.5 }
    guard !kept.isEmpty else { return weights }
    let mean = kept.reduce(0) { $0 + weights[$1] } / Double(kept.count)
    let usual = loss.weightOfNormalErrors
    let reduction = usual < 1 ? (1 - mean) / (1 - usual) : 0
    let efficiency = 1 - min(1, reduction * reduction) * (1 - min(1, loss.consistency * usual))
    return weights.indices.map {
      isSuspect($0) ? efficiency * min(1, 2 * weights[$0]) : weights[$0]
    }
  }

  /// Returns the covariance of all unknowns, or nil if a direction is not determined at all.
  ///
  /// It is the inverse of the information. If the anchors lie in a plane or line, the first-order
  /// variance across it grows without bound. There the second derivatives k of the residuals along
  /// that direction limit it: the squared offset t² has a standard deviation of 2 / |k|, which
  /// replaces the variance.
  func covariance(at unknowns: [Double]) -> EquationCovariance? {
    let weights = informationWeights(residuals(unknowns))
    // A minimum weight keeps nuisance parameters regular if all of their rows are discounted.
    let information = information(slopes(unknowns), weights.map { max($0, 1e-12) })
    guard let (own, pull) = eliminatingNuisances(information),
      let axes = try? SymmetricEigendecomposition(own)
    else { return nil }
    let greatest = axes.eigenvalues.map(\.magnitude).max() ?? 0
    var matrix = DenseMatrix(rows: self.unknowns, columns: self.unknowns)
    var undetermined: [[Double]] = []
    for (index, value) in axes.eigenvalues.enumerated() {
      let axis = axes.eigenvectors.column(index)
      let bound = isSpanDeficient ? varianceBound(along: axis, at: unknowns, weights) : .infinity
      let first = value > 1e-13 * greatest ? 1 / value : .infinity
      let variance = min(first, bound)
      guard variance.isFinite else { return nil }
      if bound < first { undetermined.append(axis) }
      for row in 0..<free {
        for column in 0..<free { matrix[row, column] += variance * axis[row] * axis[column] }
      }
    }
    guard free < self.unknowns else {
      return matrix.isFinite ? EquationCovariance(matrix: matrix, undetermined: undetermined) : nil
    }
    // The best nuisance parameters for a given position change by -pull times the change of the
    // position.
    guard let root = try? DenseCholesky(block(information, from: free)),
      let rest = try? root.solve(.identity(self.unknowns - free))
    else { return nil }
    let leading = block(matrix, upTo: free)
    let cross = pull * leading
    let spread = cross * pull.transposed()
    for row in 0..<rest.rows {
      for column in 0..<free {
        matrix[free + row, column] = -cross[row, column]
        matrix[column, free + row] = -cross[row, column]
      }
      for column in 0...row {
        let sum = rest[row, column] + spread[row, column]
        matrix[free + row, free + column] = sum
        matrix[free + column, free + row] = sum
      }
    }
    return matrix.isFinite ? EquationCovariance(matrix: matrix, undetermined: undetermined) : nil
  }

  /// Returns the information about the position with the nuisance parameters eliminated, and their
  /// dependence on the position, or nil if they are not determined.
  private func eliminatingNuisances(
    _ information: DenseMatrix
  ) -> (own: DenseMatrix, pull: DenseMatrix)? {
    let own = block(information, upTo: free)
    let count = unknowns - free
    guard count > 0 else { return (own, DenseMatrix(rows: 0, columns: free)) }
    var cross = DenseMatrix(rows: count, columns: free)
    for row in 0..<count {
      for column in 0..<free { cross[row, column] = information[free + row, column] }
    }
    guard let root = try? DenseCholesky(block(information, from: free)),
      let pull = try? root.solve(cross)
    else { return nil }
    let taken = cross.transposed() * pull
    var rest = own
    for row in 0..<free {
      for column in 0...row {
        rest[row, column] = own[row, column] - (taken[row, column] + taken[column, row]) / 2
        rest[column, row] = rest[row, column]
      }
    }
    return (rest, pull)
  }

  private func block(_ matrix: DenseMatrix, upTo end: Int) -> DenseMatrix {
    var result = DenseMatrix(rows: end, columns: end)
    for row in 0..<end { for column in 0..<end { result[row, column] = matrix[row, column] } }
    return result
  }

  private func block(_ matrix: DenseMatrix, from start: Int) -> DenseMatrix {
    let count = matrix.rows - start
    var result = DenseMatrix(rows: count, columns: count)
    for row in 0..<count {
      for column in 0..<count { result[row, column] = matrix[start + row, start + column] }
    }
    return result
  }

  /// Returns 2 / |k|, where k are the second derivatives of the rows along `axis`, minus the part
  /// that nuisance parameters explain.
  private func varianceBound(
    along axis: [Double], at unknowns: [Double], _ weights: [Double]
  ) -> Double {
    let step = 1e-4 * scale
    func slopesMoved(by length: Double) -> DenseMatrix {
      var moved = unknowns
      for index in 0..<free { moved[index] += length * axis[index] }
      return slopes(moved)
    }
    let nuisances = self.unknowns - free
    let direction = DenseMatrix(column: axis + [Double](repeating: 0, count: nuisances))
    let (ahead, behind) = (
      slopesMoved(by: step) * direction, slopesMoved(by: -step) * direction
    )
    var bends = (0..<ahead.rows).map {
      weights[$0].squareRoot() * (ahead[$0, 0] - behind[$0, 0]) / (2 * step)
    }
    if nuisances > 0 {
      let here = slopes(unknowns)
      let rows = bends.indices.map { row in
        (free..<self.unknowns).map { weights[row].squareRoot() * here[row, $0] }
      }
      let solution = try? leastSquares(
        DenseMatrix(rows), DenseMatrix(column: bends), rank: .minimumNorm(relativeCutoff: 1e-12))
      guard let solution else { return .infinity }
      let explained = DenseMatrix(rows) * solution.coefficients
      bends = bends.indices.map { bends[$0] - explained[$0, 0] }
    }
    let length = bends.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return length > 0 ? 2 / length : .infinity
  }
}
