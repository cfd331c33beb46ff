extension RangeProblem {
  /// The local maxima of the likelihood that the ranges cannot tell apart, best first: one or two.
  func solutions(limit: Int) -> [Refinement<D>] {
    var found: [Refinement<D>] = []
    for start in starts() {
      let refined = refine(from: start, limit: limit)
      guard refined.position.isFinite, refined.cost.isFinite else { continue }
      if let same = found.firstIndex(where: { isSame($0.position, refined.position) }) {
        if refined.cost < found[same].cost { found[same] = refined }
      } else {
        found.append(refined)
      }
    }
    found.sort { $0.cost < $1.cost }
    guard let best = found.first else { return [] }
    // Twice the log-likelihood ratio, against the 99 % point of chi-square with one degree of freedom.
    return Array(found.prefix { $0.cost <= best.cost + 6.63 }.prefix(2))
  }

  /// Starts for the refinement: the linear solution where there is one, and either side of the
  /// flattest plane (line, point) through the anchors.
  private func starts() -> [Vector<D>] {
    var starts: [Vector<D>] = []
    if flat.rank == free, let coordinates = linearCoordinates(dimensions: free) {
      starts.append(given + flat.offset(of: coordinates))
    }
    guard var coordinates = linearCoordinates(dimensions: free - 1) else { return starts }
    let square = squareOffFlat(at: coordinates, dimensions: free - 1)
    var height = max(0, square).squareRoot()
    if height == 0, curvatureOffFlat(at: given + flat.offset(of: coordinates)) < 0 {
      // A saddle: the gradient vanishes there, yet the likelihood rises to either side.
      height = 0.01 * scale
    }
    for side in height > 0 ? [height, -height] : [0] {
      coordinates[free - 1] = side
      starts.append(given + flat.offset(of: coordinates))
    }
    return starts.filter(\.isFinite)
  }

  /// Second derivative of half the cost across the flat, at a position on it.
  private func curvatureOffFlat(at position: Vector<D>) -> Double {
    var sum = 0.0
    for index in 0..<count {
      let distance = (position - anchors[index]).length
      guard distance > 0 else { return -1 }
      sum += (1 - distances[index] / distance) / (sigmas[index] * sigmas[index])
    }
    return sum
  }

  /// Whether two positions are the same solution to the precision that a double root allows.
  private func isSame(_ first: Vector<D>, _ second: Vector<D>) -> Bool {
    (first - second).length <= 1e-6 * scale
  }
}
