import FathomEvaluation
import RealModule
import TestSupport

@testable import Fathom

/// A random epoch in space, or at a known height, with its true position.
struct RandomEpoch {
  var anchors: [Vector<3>] = []
  var ranges: [Double] = []
  var tag = Vector<3>.zero
  /// The known height of the tag; nil if it is unknown.
  var height: Double?
  let sigma = 0.1

  /// The options that solve it.
  var options: PositionOptions {
    var options = PositionOptions()
    options.rangeSigma = sigma
    options.height = height
    return options
  }

  /// Where the anchors stand and the tag is.
  enum Layout: String, CaseIterable {
    case planar, spatial, coplanar, clustered, ceiling
  }

  /// Creates an epoch of 4 to 9 ranges with normal errors, of which at most the shares `late` and
  /// `early`, and together at most `wrong`, err by up to five metres more.
  init(
    _ layout: Layout, late: Double, early: Double, wrong: Double,
    using generator: inout SeededGenerator
  ) {
    let count = Int(generator.uniform(in: 4...9.999))
    let size = generator.uniform(in: 4...20)
    func place(_ margin: Double) -> Vector<3> {
      let reach = -margin * size...(1 + margin) * size
      return Vector([generator.uniform(in: reach), generator.uniform(in: reach), 0])
    }
    switch layout {
    case .planar:
      for _ in 0..<count { anchors.append(place(0)) }
      (tag, height) = (place(0.15), 0)
    case .spatial:
      for _ in 0..<count {
        var anchor = place(0)
        anchor[2] = generator.uniform(in: 0...0.5 * size)
        anchors.append(anchor)
      }
      tag = place(0.1)
      tag[2] = generator.uniform(in: 0...0.4 * size)
    case .coplanar, .ceiling:
      let above = generator.uniform(in: 2.5...5)
      for _ in 0..<count {
        var anchor = place(0)
        anchor[2] = above + (layout == .coplanar ? 0.02 : 0.3) * generator.normal()
        anchors.append(anchor)
      }
      tag = place(0.1)
      tag[2] = layout == .coplanar ? generator.uniform(in: 0...above - 0.5) : 1
      if layout == .ceiling { height = 1 }
    case .clustered:
      let isSpace = generator.uniform(in: 0...1) < 0.5
      let centres = [place(0), place(0)]
      for index in 0..<count {
        let spread = 0.1 * size * Vector<3>([generator.normal(), generator.normal(), 0])
        var anchor = centres[index % 2] + spread
        if isSpace { anchor[2] = generator.uniform(in: 0...0.4 * size) }
        anchors.append(anchor)
      }
      tag = place(0.1)
      if isSpace { tag[2] = generator.uniform(in: 0...0.4 * size) } else { height = 0 }
    }
    measure(&generator)
    let most = Int(wrong * Double(count) + 1e-9)
    let lateCount = Int(generator.uniform(in: 0...late * Double(count) + 0.999))
    let earlyCount = Int(generator.uniform(in: 0...early * Double(count) + 0.999))
    for index in 0..<min(most, lateCount + earlyCount) {
      let isExponential = generator.uniform(in: 0...1) < 0.5
      let error =
        isExponential
        ? -Double.log(1 - generator.uniform(in: 0...0.999)) : generator.uniform(in: 0.3...5)
      // Anchors are in random order.
      ranges[index] += index < lateCount ? error : -error
    }
    ranges = ranges.map { max(0.02, $0) }
  }

  /// Layouts that leave a direction weakly determined, and two that do not.
  enum WeakLayout: String, CaseIterable {
    case collinear, twoClusters, corridor, coplanar, spread, knownHeight
  }

  /// Creates an epoch of 4 to 24 ranges with normal errors.
  init(_ layout: WeakLayout, using generator: inout SeededGenerator) {
    let scales = [3.0, 10, 30, 100]
    let scale = scales[Int(generator.uniform(in: 0...3.999))]
    let count = [4, 5, 6, 8, 12, 24][Int(generator.uniform(in: 0...5.999))]
    func random() -> Vector<3> { Vector.random(using: &generator) }
    func normal() -> Vector<3> {
      Vector([generator.normal(), generator.normal(), generator.normal()])
    }
    let axes = PrincipalAxes(
      of: {
        var matrix = Matrix<3, 3>.zero
        for _ in 0..<3 { matrix.addOuterProduct(of: normal(), times: 1) }
        return matrix
      }()
    ).axes
    for index in 0..<count {
      let place = random()
      switch layout {
      case .collinear: anchors.append(scale * place[0] * axes.row(0) + 0.02 * scale * normal())
      case .twoClusters:
        anchors.append((index % 2 == 0 ? scale : -scale) * axes.row(0) + 0.1 * scale * normal())
      case .corridor:
        anchors.append(
          scale * Vector([place[0], 0.05 * place[1], 0.05 * (1 + place[2])]))
      case .coplanar:
        anchors.append(
          scale * (place[0] * axes.row(0) + place[1] * axes.row(1))
            + 0.02 * scale * generator.normal() * axes.row(2))
      case .spread: anchors.append(scale * place)
      case .knownHeight:
        anchors.append(Vector([scale * place[0], scale * place[1], 3 + place[2]]))
      }
    }
    tag = [0.5, 1, 1, 4][Int(generator.uniform(in: 0...3.999))] * scale * random()
    if layout == .knownHeight { (tag[2], height) = (1, 1) }
    measure(&generator)
  }

  private mutating func measure(_ generator: inout SeededGenerator) {
    ranges = anchors.map { max(0.02, ($0 - tag).length + sigma * generator.normal()) }
  }

  /// Returns Cauchy's cost at a position.
  func cost(_ position: Vector<3>, _ loss: RobustLoss = .cauchy) -> Double {
    zip(anchors, ranges).reduce(0) { sum, pair in
      sum + loss.cost(of: (pair.1 - (pair.0 - position).length) / sigma)
    }
  }

  /// Returns whether a fix is farther from the tag than its own uncertainty allows: five standard
  /// deviations along an axis, or 6.5 in Mahalanobis distance.
  func isFar(_ fix: PositionFix<3>) -> Bool {
    guard let position = fix.position, var covariance = fix.covariance else { return true }
    let error = position - tag
    if height != nil { covariance[2, 2] = 1 }
    for axis in 0..<3 where error[axis].magnitude > 5 * covariance[axis, axis].squareRoot() {
      return true
    }
    guard let root = Cholesky(covariance) else { return true }
    return error.dot(root.solve(error)) > 6.5 * 6.5
  }
}

extension RandomEpoch {
  /// Returns the lowest cost that an exhaustive search finds: descents, by a method of its own, from
  /// the intersections of all minimal subsets and from points all over the region.
  func leastCost(_ loss: RobustLoss, using generator: inout SeededGenerator) -> Double {
    var starts: [Vector<3>] = []
    for members in minimalSubsets(
      of: height == nil ? 3 : 2, among: anchors.count, limit: 1000)
    {
      var options = PositionOptions()
      options.height = height
      let minima = try? Trilateration.squaredRangeMinimum(
        ranges: members.map { ranges[$0] }, anchors: members.map { anchors[$0] }, options: options)
      starts += minima ?? []
    }
    let reach = ranges.max() ?? 1
    for _ in 0..<20 {
      var start = reach * Vector<3>.random(using: &generator)
      if let height { start[2] = height }
      starts.append(start)
    }
    let search = RobustDescent(
      anchors: anchors, ranges: ranges, sigma: sigma, isLevel: height != nil, loss: loss)
    return starts.reduce(Double.infinity) { min($0, search.cost(search.minimum(from: $1))) }
  }
}
