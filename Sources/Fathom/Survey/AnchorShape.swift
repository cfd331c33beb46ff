import RealModule

/// The layout of anchors from the ranges between them.
///
/// Classical scaling of the matrix of distances gives a start [Torgerson 1952], in which paths over other
/// anchors replace distances that were not measured. Levenberg-Marquardt steps on the measured distances
/// alone, with the Cauchy loss, give the estimate.
///
/// The error of a range between standing devices does not average out, because its paths do not change:
/// however often a pair was measured, it counts as one range.
struct AnchorShape {
  private let sites: [AnchorSurvey.Site]
  private let rangeSigma: Double
  /// The measured pairs with their median distance, metres.
  private let pairs: [(first: Int, second: Int, distance: Double)]

  init(_ ranges: [AnchorSurvey.AnchorRange], sites: [AnchorSurvey.Site], rangeSigma: Double) {
    self.sites = sites
    self.rangeSigma = rangeSigma
    var distances: [[Int]: [Double]] = [:]
    for range in ranges {
      let (first, second) = (
        min(range.anchors.0, range.anchors.1), max(range.anchors.0, range.anchors.1)
      )
      guard first >= 0, second < sites.count, first != second, range.distance > 0,
        range.distance.isFinite
      else { continue }
      distances[[first, second], default: []].append(range.distance)
    }
    pairs = distances.map { pair, values in
      (pair[0], pair[1], values.sorted()[values.count / 2])
    }.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
  }

  /// Gives positions to the anchors that ranges connect; returns the frame, nil without ranges between
  /// anchors, or where known anchors are enough for a track.
  func place(
    _ places: inout [AnchorSurvey.Place]
  ) throws(SurveyError) -> AnchorSurvey.Gauge? {
    let known = places.indices.filter { places[$0].isKnown }
    // Three known anchors carry a track, which sees more than ranges along walls do.
    guard !pairs.isEmpty, known.count < 3 else { return nil }
    let heights = places.map(\.height)
    let isFlat = heights.allSatisfy { $0 != nil }
    guard isFlat || heights.allSatisfy({ $0 == nil }) else { throw .heightsIncomplete }
    let dimensions = isFlat ? 2 : 3
    let members = places.indices.filter { index in
      pairs.contains { $0.first == index || $0.second == index }
    }
    let needed = dimensions * members.count - dimensions * (dimensions + 1) / 2
    guard members.count > dimensions, pairs.count >= needed else {
      throw .shapeUndetermined(pairs: pairs.count, needed: max(needed, dimensions + 1))
    }
    let edges = pairs.compactMap { pair -> Edge? in
      guard let first = members.firstIndex(of: pair.first),
        let second = members.firstIndex(of: pair.second)
      else { return nil }
      let rise = (heights[pair.first] ?? 0) - (heights[pair.second] ?? 0)
      return Edge(
        first: first, second: second, distance: pair.distance, rise: isFlat ? rise : 0)
    }
    var fit = ShapeFit(
      edges, count: members.count, dimensions: dimensions, sigma: rangeSigma)
    guard fit.solve() else { throw .shapeUndetermined(pairs: pairs.count, needed: needed) }
    for (place, member) in members.enumerated() {
      var position = Vector<3>.zero
      for axis in 0..<dimensions { position[axis] = fit.coordinates[dimensions * place + axis] }
      if isFlat { position[2] = heights[member] ?? 0 }
      places[member].adopt(
        shape: position, covariance: fit.covariance(of: place), sigma: fit.typicalSigma)
    }
    return .shape(origin: members[0], axis: members[1], side: members[2])
  }

  /// A measured distance between two members of the layout, which differ in height by `rise`.
  struct Edge {
    var first: Int
    var second: Int
    var distance: Double
    var rise: Double
  }
}

/// The fit of coordinates to distances, in the frame of the first anchors.
struct ShapeFit {
  private let edges: [AnchorShape.Edge]
  private let count: Int
  private let dimensions: Int
  private let sigma: Double
  /// The coordinates, `dimensions` per anchor.
  private(set) var coordinates: [Double]
  /// Which coordinates are free: all but those that the frame makes zero.
  private let free: [Int]
  private var inverse: DenseMatrix?

  init(_ edges: [AnchorShape.Edge], count: Int, dimensions: Int, sigma: Double) {
    self.edges = edges
    self.count = count
    self.dimensions = dimensions
    self.sigma = sigma
    coordinates = Array(repeating: 0, count: count * dimensions)
    // Anchor k of the frame has only k coordinates other than zero.
    free = (0..<count).flatMap { anchor in
      (0..<min(anchor, dimensions)).map { anchor * dimensions + $0 }
    }
  }

  /// Computes the coordinates; returns whether the distances determine them.
  mutating func solve() -> Bool {
    guard start() else { return false }
    var cost = cost(of: coordinates)
    var damping = 1e-3
    for _ in 0..<200 {
      guard let (normal, gradient) = equations() else { return false }
      var damped = normal
      for index in free.indices { damped[index, index] *= 1 + damping }
      guard let factor = try? DenseCholesky(damped),
        let step = try? factor.solve(DenseMatrix(column: gradient))
      else { return false }
      var next = coordinates
      for (index, coordinate) in free.enumerated() { next[coordinate] += step[index, 0] }
      let reached = self.cost(of: next)
      if reached <= cost {
        let gain = cost - reached
        (coordinates, cost) = (next, reached)
        damping = max(damping / 8, 1e-12)
        if gain <= 1e-12 * (1 + cost) { break }
      } else {
        damping *= 8
        if damping > 1e9 { break }
      }
    }
    guard let (normal, _) = equations(), let factor = try? DenseCholesky(normal),
      let inverse = try? factor.solve(.identity(free.count))
    else { return false }
    self.inverse = inverse
    let widest = free.indices.map { inverse[$0, $0] }.max() ?? .infinity
    return widest <= AnchorSurvey.greatestSigma * AnchorSurvey.greatestSigma
  }

  /// Returns the covariance of an anchor's coordinates, m²; zero in those that the frame fixes.
  func covariance(of anchor: Int) -> Matrix<3, 3> {
    var result = Matrix<3, 3>.zero
    guard let inverse else { return result }
    for (row, first) in free.enumerated() where first / dimensions == anchor {
      for (column, second) in free.enumerated() where second / dimensions == anchor {
        result[first % dimensions, second % dimensions] = inverse[row, column]
      }
    }
    return result
  }

  /// Root of the mean variance of the free coordinates, metres.
  var typicalSigma: Double {
    guard let inverse, !free.isEmpty else { return sigma }
    return (free.indices.reduce(0) { $0 + inverse[$1, $1] } / Double(free.count)).squareRoot()
  }

  // MARK: Equations

  /// The distance between two anchors at `coordinates`, and its gradient by those of the first.
  private func distance(
    _ edge: AnchorShape.Edge, _ coordinates: [Double]
  ) -> (length: Double, gradient: [Double]) {
    var difference: [Double] = []
    var square = edge.rise * edge.rise
    for axis in 0..<dimensions {
      let value =
        coordinates[dimensions * edge.first + axis] - coordinates[dimensions * edge.second + axis]
      difference.append(value)
      square += value * value
    }
    let length = max(square.squareRoot(), 1e-9)
    return (length, difference.map { $0 / length })
  }

  private func weight(_ residual: Double) -> Double {
    let scaled = residual / (2.385 * sigma)
    return 1 / (sigma * sigma * (1 + scaled * scaled))
  }

  private func cost(of coordinates: [Double]) -> Double {
    edges.reduce(0) { sum, edge in
      let scaled = (edge.distance - distance(edge, coordinates).length) / (2.385 * sigma)
      return sum + 2.385 * 2.385 * .log(onePlus: scaled * scaled) / 2
    }
  }

  private func equations() -> (normal: DenseMatrix, gradient: [Double])? {
    var normal = DenseMatrix(rows: free.count, columns: free.count)
    var gradient = [Double](repeating: 0, count: free.count)
    var places = [Int?](repeating: nil, count: coordinates.count)
    for (index, coordinate) in free.enumerated() { places[coordinate] = index }
    for edge in edges {
      let (length, direction) = distance(edge, coordinates)
      let residual = edge.distance - length
      let weight = weight(residual)
      var row: [(Int, Double)] = []
      for axis in 0..<dimensions {
        if let index = places[dimensions * edge.first + axis] {
          row.append((index, direction[axis]))
        }
        if let index = places[dimensions * edge.second + axis] {
          row.append((index, -direction[axis]))
        }
      }
      for (index, value) in row {
        gradient[index] += weight * value * residual
        for (other, second) in row { normal[index, other] += weight * value * second }
      }
    }
    return gradient.allSatisfy(\.isFinite) ? (normal, gradient) : nil
  }

  // MARK: Start

  /// Starts from classical scaling of all distances; false if ranges do not connect the anchors.
  private mutating func start() -> Bool {
    var distances = DenseMatrix(rows: count, columns: count)
    for row in 0..<count {
      for column in 0..<count where row != column { distances[row, column] = .infinity }
    }
    for edge in edges {
      let flat = max(edge.distance * edge.distance - edge.rise * edge.rise, 0).squareRoot()
      distances[edge.first, edge.second] = flat
      distances[edge.second, edge.first] = flat
    }
    for middle in 0..<count {
      for row in 0..<count {
        for column in 0..<count {
          let path = distances[row, middle] + distances[middle, column]
          if path < distances[row, column] { distances[row, column] = path }
        }
      }
    }
    guard distances.isFinite else { return false }
    // Double centring of the squares gives the inner products about the centre.
    var means = [Double](repeating: 0, count: count)
    var total = 0.0
    for row in 0..<count {
      for column in 0..<count {
        let square = distances[row, column] * distances[row, column]
        means[row] += square / Double(count)
        total += square / Double(count * count)
      }
    }
    var products = DenseMatrix(rows: count, columns: count)
    for row in 0..<count {
      for column in 0..<count {
        let square = distances[row, column] * distances[row, column]
        products[row, column] = -(square - means[row] - means[column] + total) / 2
      }
    }
    guard let decomposition = try? SymmetricEigendecomposition(products) else { return false }
    // Eigenvalues are in rising order.
    for axis in 0..<dimensions {
      let place = count - 1 - axis
      let scale = max(decomposition.eigenvalues[place], 1e-6).squareRoot()
      for anchor in 0..<count {
        coordinates[dimensions * anchor + axis] = scale * decomposition.eigenvectors[anchor, place]
      }
    }
    rotateIntoFrame()
    return coordinates.allSatisfy(\.isFinite)
  }

  /// Moves the first anchor to the origin, and turns the next ones onto the axes with Givens rotations.
  private mutating func rotateIntoFrame() {
    for anchor in (0..<count).reversed() {
      for axis in 0..<dimensions {
        coordinates[dimensions * anchor + axis] -= coordinates[axis]
      }
    }
    for member in 1...dimensions where member < count {
      for axis in stride(from: dimensions - 1, to: member - 1, by: -1) {
        let (a, b) = (
          coordinates[dimensions * member + member - 1], coordinates[dimensions * member + axis]
        )
        let length = Double.hypot(a, b)
        guard length > 0 else { continue }
        let (cosine, sine) = (a / length, b / length)
        for anchor in 0..<count {
          let u = coordinates[dimensions * anchor + member - 1]
          let v = coordinates[dimensions * anchor + axis]
          coordinates[dimensions * anchor + member - 1] = cosine * u + sine * v
          coordinates[dimensions * anchor + axis] = cosine * v - sine * u
        }
      }
      if coordinates[dimensions * member + member - 1] < 0 {
        for anchor in 0..<count { coordinates[dimensions * anchor + member - 1] *= -1 }
      }
    }
  }
}
