import FathomEvaluation

@testable import Fathom

/// A tag whose motion follows the motion model exactly, among distant surrounding anchors: the
/// tracker's assumptions are true.
struct RandomFlight: Sendable {
  /// Root of the spectral density of the acceleration on every axis, (m/s²)/√Hz.
  var density: Double
  /// Standard deviation of the ranges, metres.
  var sigma: Double
  /// Time between ranges, in seconds.
  var interval = 0.05

  /// Eight corners of a box of 400 m with alternating heights, so that no plane contains them.
  static let anchors: [Anchor] = (0..<8).map { index in
    let (x, y) = (index % 2 == 0 ? -200.0 : 200, index / 2 % 2 == 0 ? -190.0 : 210)
    let lift = 10 * Double(index)
    let z = index / 4 == 0 ? -150 - lift : 170 + lift
    return Anchor(position: Vector([x, y, z]))
  }

  /// The ranges up to `end` seconds, one anchor at a time.
  func ranges(to end: Double, using generator: inout SeededGenerator) -> [SimulatedWalk.Range] {
    let root =
      WhiteNoiseAcceleration(density: density).noise(over: interval).semidefiniteRoot()
    var place = Vector<3>([3, -2, 4])
    var velocity = 0.5 * Vector<3>.random(using: &generator)
    return (0..<Int((end / interval).rounded())).map { index in
      let anchor = index % Self.anchors.count
      let truth = place
      let distance = (truth - Self.anchors[anchor].position).length
      for axis in 0..<3 {
        let shock = root * Vector<2>.random(using: &generator)
        place[axis] += interval * velocity[axis] + shock[0]
        velocity[axis] += shock[1]
      }
      return SimulatedWalk.Range(
        time: instant(interval * Double(index)), anchor: anchor,
        distance: distance + sigma * generator.normal(), truth: truth)
    }
  }
}
