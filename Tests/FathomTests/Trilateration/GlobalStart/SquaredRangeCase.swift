import FathomEvaluation

@testable import Fathom

/// A random geometry for minimising squared ranges.
struct SquaredRangeCase {
  /// General, coplanar anchors, nearly coplanar anchors, close anchors, distant tag, tag at an
  /// anchor.
  static let kinds = 0..<6

  var anchors: [Vector<3>]
  var ranges: [Double]
  var sigmas: [Double]

  /// Creates a geometry of a kind; `noise` is in standard deviations of the ranges.
  init(_ kind: Int, _ count: Int, noise: Double, using generator: inout SeededGenerator) {
    anchors = (0..<count).map { _ in
      var anchor = 10 * Vector<3>.random(using: &generator)
      if kind == 1 { anchor[2] = 2 }
      if kind == 2 { anchor[2] = 2 + 0.05 * generator.normal() }
      return kind == 3 ? 0.1 * anchor : anchor
    }
    let tag =
      kind == 5 ? anchors[0] : (kind == 4 ? 50 : 10) * Vector<3>.random(using: &generator)
    sigmas = anchors.map { _ in generator.uniform(in: 0.05...0.35) }
    ranges = zip(anchors, sigmas).map { anchor, sigma in
      ((anchor - tag).length + noise * sigma * generator.normal()).magnitude + 1e-9
    }
  }

  /// Returns the cost to be minimised.
  func cost(_ position: Vector<3>) -> Double {
    let mean = ranges.reduce(0, +) / Double(ranges.count)
    var sum = 0.0
    for index in ranges.indices {
      let weight = 1 / (2 * sigmas[index] * max(ranges[index], 0.1 * mean))
      let offset = position - anchors[index]
      let error = weight * (offset.dot(offset) - ranges[index] * ranges[index])
      sum += error * error
    }
    return sum
  }

  /// Returns the largest distance between a position of one solver and the nearest of the other,
  /// metres.
  func disagreement(
    of one: SquaredRangeSolver, and other: SquaredRangeSolver
  ) throws -> Double {
    func positions(_ solver: SquaredRangeSolver) throws -> [Vector<3>] {
      try Trilateration.squaredRangeMinimum(
        ranges: ranges, anchors: anchors, sigmas: sigmas, by: solver)
    }
    func farthest(_ some: [Vector<3>], from others: [Vector<3>]) -> Double {
      some.map { place in others.map { (place - $0).length }.min() ?? .infinity }.max()
        ?? .infinity
    }
    let (first, second) = (try positions(one), try positions(other))
    return max(farthest(first, from: second), farthest(second, from: first))
  }
}
