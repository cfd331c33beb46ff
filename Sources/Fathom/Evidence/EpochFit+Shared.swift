/// The normal equations of a parameter that epochs share, with their positions eliminated.
struct SharedEquations {
  /// The information about the numbers of the parameter.
  var information: DenseMatrix
  /// The information times the change of the parameter that fits best.
  var gradient: [Double]
  /// The part of the gradient from the curvature of the distances.
  var curvature: [Double]
  /// The part of the gradient per metre of a persistent error of each anchor; empty for ``offsets``,
  /// which are such errors.
  var shares: [[Double]]
  /// The number of epochs, without those that are left out.
  var epochs = 0

  init(count: Int, anchors: Int) {
    information = DenseMatrix(rows: count, columns: count)
    gradient = Array(repeating: 0, count: count)
    curvature = gradient
    shares = Array(repeating: gradient, count: anchors)
  }

  /// Adds those of other epochs, times a factor.
  mutating func add(_ other: Self, times factor: Double = 1) {
    epochs += factor > 0 ? other.epochs : -other.epochs
    for row in gradient.indices {
      gradient[row] += factor * other.gradient[row]
      curvature[row] += factor * other.curvature[row]
      for column in gradient.indices {
        information[row, column] += factor * other.information[row, column]
      }
    }
    for anchor in shares.indices {
      for row in gradient.indices { shares[anchor][row] += factor * other.shares[anchor][row] }
    }
  }

  /// Returns the covariance of the parameter with the information times `weight`, and a prior
  /// `precision` of each number; nil if it is not determined.
  func covariance(times weight: Double = 1, _ precision: Double = 0) -> DenseMatrix? {
    try? factor(times: weight, precision)?.solve(.identity(gradient.count))
  }

  private func factor(times weight: Double, _ precision: Double) -> DenseCholesky? {
    var matrix = information
    for row in gradient.indices {
      for column in gradient.indices { matrix[row, column] *= weight }
      matrix[row, row] += precision
    }
    return try? DenseCholesky(matrix)
  }

  /// Returns the numbers of the parameter that fit best, where it has the `values` now, with the
  /// information times `weight` and a prior of zero with a `precision`; nil if they are not determined.
  func values(
    beside values: [Double], times weight: Double, _ precision: Double
  ) -> [Double]? {
    let right = absolute(values).map { weight * $0 }
    let found = try? factor(times: weight, precision)?.solve(DenseMatrix(column: right)).column(0)
    return found.flatMap { $0.allSatisfy(\.isFinite) ? $0 : nil }
  }

  /// Returns how much the sum of squares falls, in chi-square, with other numbers of the parameter in
  /// place of zeros, where it has the `values` now.
  func gain(of found: [Double], beside values: [Double]) -> Double {
    let fitted = (information * DenseMatrix(column: found)).column(0)
    let slope = absolute(values)
    return found.indices.reduce(0) { $0 + found[$1] * (2 * slope[$1] - fitted[$1]) }
  }

  /// The gradient for zeros in place of `values`.
  private func absolute(_ values: [Double]) -> [Double] {
    let moved = (information * DenseMatrix(column: values)).column(0)
    return gradient.indices.map { gradient[$0] + moved[$0] }
  }

  /// Returns what a persistent error of each anchor, with standard deviation `sigma` in metres, adds to
  /// the covariance of the parameter.
  ///
  /// Reflections, antennas and surveys make the ranges of an anchor err alike for long. What such errors
  /// can imitate does not fall with the number of ranges.
  func persistentCovariance(_ covariance: DenseMatrix, sigma: Double) -> DenseMatrix {
    var result = DenseMatrix(rows: gradient.count, columns: gradient.count)
    for share in shares {
      let error = covariance * DenseMatrix(column: share)
      for row in gradient.indices {
        for column in gradient.indices {
          result[row, column] += sigma * sigma * error[row, 0] * error[column, 0]
        }
      }
    }
    return result
  }
}

/// Parameters that all epochs share.
extension EpochFit {
  /// A range in the equations of its epoch.
  private struct Row {
    var anchor: Int
    var columns: Range<Int>
    /// How much the range depends on each of its numbers of the parameter.
    var slope: SIMD3<Double>
    /// How much it depends on the position.
    var direction: SIMD3<Double>
    var error: Double
    var weight: Double
    /// What the error of the position adds to the distance on average, metres.
    var excess: Double
  }

  /// Returns the equations of a parameter from some epochs, with their weights.
  ///
  /// Epochs whose position is open are left out. So are those that a bias or a scale leaves without
  /// redundancy, which any of them explains.
  ///
  /// Distances are convex: a position that errs by s across a range is too far from the anchor by
  /// s²/2d on average. Without this term, noise alone would show as negative biases and offsets where
  /// the geometry is weak [Box 1971]. Where it exceeds the noise, the position is open along some
  /// direction: a shift along it absorbs errors of the ranges, so that the epoch does not show them.
  func equations(
    of parameter: RangeHypothesis.Parameter, in indices: some Sequence<Int>
  ) -> SharedEquations {
    var result = SharedEquations(
      count: hypothesis.count(of: parameter),
      anchors: parameter == .offsets ? 0 : hypothesis.sites.count)
    let fewest = parameter == .bias || parameter == .gain ? 2 : 1
    var rows: [Row] = []
    // The columns of the coupling of the parameter with a position, and those it moves the position by.
    var coupling = [SIMD3<Double>](repeating: .zero, count: result.gradient.count)
    var columns: [Int] = []
    var latest = [Int](repeating: -1, count: result.gradient.count)
    for index in indices where redundancy(index) >= fewest {
      guard let covariance = covariance(of: index, floor: 1e-6),
        collect(&rows, of: parameter, index, covariance)
      else { continue }
      result.epochs += 1
      columns.removeAll(keepingCapacity: true)
      // The height that is known beside the ranges holds the position, too.
      var byError = SIMD3<Double>.zero
      if let height = hypothesis.height, let own = hypothesis.heightSigma {
        byError.z = (height - positions[index].z) / (own * own)
      }
      for row in rows {
        byError += (row.weight * row.error) * row.direction
        for (place, column) in row.columns.enumerated() {
          if latest[column] != index {
            (latest[column], coupling[column]) = (index, .zero)
            columns.append(column)
          }
          coupling[column] += (row.weight * row.slope[place]) * row.direction
        }
      }
      add(rows, columns, coupling, moved: covariance * byError, covariance, index, to: &result)
    }
    return result
  }

  /// Collects the ranges of an epoch; returns whether its position is not open.
  private func collect(
    _ rows: inout [Row], of parameter: RangeHypothesis.Parameter, _ index: Int,
    _ covariance: SymmetricMatrix3
  ) -> Bool {
    rows.removeAll(keepingCapacity: true)
    let (isSpace, gain, trace) = (hypothesis.unknowns == 3, hypothesis.gain, covariance.trace)
    for range in used.ranges(of: index) {
      let anchor = used.anchors[range]
      let offset = positions[index] - used.sites[range]
      let length = max((offset * offset).sum().squareRoot(), 1e-9)
      let whole = (gain / length) * offset
      var direction = whole
      if !isSpace { direction.z = 0 }
      let across = max(0, trace - covariance.form(direction) / (gain * gain))
      let excess = gain * 0.5 * across / length
      guard excess <= sigma else { return false }
      let error = used.distances[range] - gain * length + excess
      rows.append(
        Row(
          anchor: anchor, columns: hypothesis.columns(of: parameter, anchor),
          slope: slope(of: parameter, length, whole), direction: direction, error: error,
          weight: loss.weight(error * error, sigma * sigma), excess: excess))
    }
    return true
  }

  /// Returns how much a distance depends on each number of a parameter that concerns it.
  @inline(__always)
  private func slope(
    of parameter: RangeHypothesis.Parameter, _ length: Double, _ direction: SIMD3<Double>
  ) -> SIMD3<Double> {
    switch parameter {
    case .bias, .offset, .offsets: SIMD3(1, 0, 0)
    case .gain: SIMD3(length, 0, 0)
    case .height: SIMD3(direction.z, 0, 0)
    case .site(_, let isSpace): isSpace ? -direction : -SIMD3(direction.x, direction.y, 0)
    }
  }

  /// Adds the ranges of an epoch to the equations, with the position eliminated: its Schur complement.
  ///
  /// `moved` is how far the errors move the position.
  private func add(
    _ rows: [Row], _ columns: [Int], _ coupling: [SIMD3<Double>], moved: SIMD3<Double>,
    _ covariance: SymmetricMatrix3, _ index: Int, to result: inout SharedEquations
  ) {
    let whole = epochs.weights[index]
    for column in columns {
      let moves = covariance * coupling[column]
      result.gradient[column] -= whole * (coupling[column] * moved).sum()
      for row in rows {
        let weight = whole * row.weight
        let drawn = (row.direction * moves).sum()
        result.curvature[column] -= weight * row.excess * drawn
        if !result.shares.isEmpty { result.shares[row.anchor][column] -= weight * drawn }
      }
      for other in columns {
        result.information[other, column] -= whole * (coupling[other] * moves).sum()
      }
    }
    for row in rows {
      let weight = whole * row.weight
      for (place, column) in row.columns.enumerated() {
        let slope = weight * row.slope[place]
        result.gradient[column] += slope * row.error
        result.curvature[column] += slope * row.excess
        if !result.shares.isEmpty { result.shares[row.anchor][column] += slope }
        for (second, other) in row.columns.enumerated() {
          result.information[other, column] += slope * row.slope[second]
        }
      }
    }
  }
}
