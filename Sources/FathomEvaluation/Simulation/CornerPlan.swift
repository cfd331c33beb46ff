import Fathom

/// How fast each point of a path can be passed.
///
/// Legend: height w = v² / (2 a), the way from rest to speed v; turn k = |u₂ - u₁| of the directions
/// before and after a point. Passing at v takes the time v k / a for the change of velocity, and the way
/// w k of either line.
struct CornerPlan {
  /// w of each point; 0 where the traveller rests.
  var height: [Double]
  /// k of each point; 0 at rests.
  var turn: [Double]
  private let lengths: [Double]

  init(_ lines: [PathLine], points: [Waypoint], corner: Double, fastest: Double) {
    lengths = lines.map(\.length)
    height = Array(repeating: 0, count: points.count)
    turn = Array(repeating: 0, count: points.count)
    guard lines.count > 1 else { return }
    for index in 1..<lines.count where points[index].stop == 0 {
      let k = (lines[index].direction - lines[index - 1].direction).length
      let room = min(corner, lengths[index - 1] / 2, lengths[index] / 2)
      turn[index] = k
      height[index] = min(fastest, room / k)
    }
    // On a line w can change by its straight part only; lowering the greater end until it fits
    // frees room on its other line, so one pass each way is enough.
    for index in lines.indices where height[index + 1] > height[index] + straightLength(index) {
      height[index + 1] = reachable(from: index, to: index + 1, lengths[index])
    }
    for index in lines.indices.reversed()
    where height[index] > height[index + 1] + straightLength(index) {
      height[index] = reachable(from: index + 1, to: index, lengths[index])
    }
  }

  /// Way between the roundings at the two ends of a line, metres.
  func straightLength(_ index: Int) -> Double {
    max(0, lengths[index] - height[index] * turn[index] - height[index + 1] * turn[index + 1])
  }

  /// The w at `end` that full acceleration from `begin` gives, the rounding at `end` deducted.
  private func reachable(from begin: Int, to end: Int, _ length: Double) -> Double {
    (length - height[begin] * turn[begin] + height[begin]) / (1 + turn[end])
  }
}

/// A straight line between two different points.
struct PathLine {
  /// Where it begins, metres.
  var start: Vector<3>
  /// Unit vector towards its end.
  var direction: Vector<3>
  /// Metres.
  var length: Double

  /// The line between two points, which must differ.
  init(from start: Vector<3>, to end: Vector<3>) {
    let way = end - start
    self.start = start
    length = way.length
    direction = (1 / length) * way
  }
}
