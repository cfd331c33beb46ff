extension RangeProblem {
  /// Solves the linearised equations along the first `dimensions` axes of the affine span.
  ///
  /// Squaring |p - aᵢ| = dᵢ and subtracting the weighted mean from every equation removes |p|² and
  /// leaves linear equations [Caffery 2000]:
  ///
  ///     2 (aᵢ - ā) · p = |aᵢ|² - dᵢ² - mean(|a|² - d²)
  ///
  /// They are solved by orthogonal factorisation, weighted with the inverse of σᵢ dᵢ, to which the
  /// error of dᵢ² is proportional. The solution is a starting point, not the maximum-likelihood
  /// position. Allocates. Returns coordinates along the axes of the affine span, zero from
  /// `dimensions` on, or nil if the anchors do not determine them.
  func linearCoordinates(dimensions: Int) -> Vector<D>? {
    var coordinates = Vector<D>.zero
    guard dimensions > 0 else { return coordinates }
    guard count > dimensions else { return nil }

    // A range counts as at least a tenth of the mean range: ranges near zero would get all the
    // weight.
    let smallest = max(0.1 * distances.reduce(0, +) / Double(count), 1e-3 * span.spread)
    let weights = (0..<count).map { 1 / (sigmas[$0] * max(distances[$0], smallest)) }
    var points: [Vector<D>] = []
    var sides: [Double] = []
    var weightSum = 0.0
    var meanPoint = Vector<D>.zero
    var meanSide = 0.0
    for index in 0..<count {
      let point = span.coordinates(of: anchors[index])
      var square = 0.0
      for axis in 0..<dimensions { square += point[axis] * point[axis] }
      let side = square - freeSquare(index)
      let weight = weights[index] * weights[index]
      points.append(point)
      sides.append(side)
      weightSum += weight
      meanPoint += weight * point
      meanSide += weight * side
    }
    guard weightSum > 0, weightSum.isFinite else { return nil }
    meanPoint = (1 / weightSum) * meanPoint
    meanSide /= weightSum

    // Weights relative to the largest: only their ratios matter, and no row overflows.
    let largest = weights.max() ?? 1
    var matrix = DenseMatrix(rows: count, columns: dimensions)
    var right = DenseMatrix(rows: count, columns: 1)
    for index in 0..<count {
      let weight = weights[index] / largest
      for axis in 0..<dimensions {
        matrix[index, axis] = 2 * weight * (points[index][axis] - meanPoint[axis])
      }
      right[index, 0] = weight * (sides[index] - meanSide)
    }
    guard let solution = try? leastSquares(matrix, right) else { return nil }
    for axis in 0..<dimensions { coordinates[axis] = solution.coefficients[axis, 0] }
    return coordinates
  }

  /// Returns the mean squared distance from the span of the first `dimensions` axes that the ranges
  /// imply, m².
  ///
  /// The value is negative if the ranges are too short to intersect.
  func squareOffSpan(at coordinates: Vector<D>, dimensions: Int) -> Double {
    var sum = 0.0
    for index in 0..<count {
      let point = span.coordinates(of: anchors[index])
      var square = freeSquare(index)
      for axis in 0..<dimensions {
        let offset = coordinates[axis] - point[axis]
        square -= offset * offset
      }
      sum += square
    }
    return sum / Double(count)
  }
}

extension RangeProblem {
  /// Returns the continuum of positions that the ranges leave across the affine span, or nil with
  /// too few ranges.
  ///
  /// The centre solves the linear equations along the affine span. The squared radius is the mean
  /// squared distance from the span.
  func continuum(directions: [Vector<D>]) -> Continuum<D>? {
    guard let coordinates = linearCoordinates(dimensions: span.rank) else { return nil }
    let square = squareOffSpan(at: coordinates, dimensions: span.rank)
    let centre = position(at: span.offset(of: coordinates))
    guard square.isFinite, centre.isFinite else { return nil }
    return Continuum(
      centre: centre, radius: max(0, square).squareRoot(), directions: directions)
  }
}
