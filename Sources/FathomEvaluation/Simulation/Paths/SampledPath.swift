import Fathom
import FathomRecordings

/// A path through given positions at given times, for example those of a recording.
///
/// ## Edge cases
/// Before the first and after the last time the path is at rest. Of several positions at one time
/// the last counts. Gaps of any length are interpolated.
package struct SampledPath: Sendable, Equatable {
  /// The interpolation between two positions.
  package enum Interpolation: String, Sendable, CaseIterable {
    /// Linear at constant velocity; the velocity jumps at the positions.
    case linear
    /// Cubic with continuous velocity. The velocity at each position is that of the parabola
    /// through it and its two neighbours.
    case cubic
  }

  /// The interpolation between two positions.
  package let interpolation: Interpolation
  private let nodes: [CubicNode]

  /// Creates the path along `track`, which must have at least one position.
  ///
  /// The first time of the track is the start of the simulation.
  package init(_ track: PositionTrack, interpolation: Interpolation) {
    precondition(track.count > 0, "a path needs a position")
    self.interpolation = interpolation
    var nodes: [CubicNode] = []
    for (time, position) in zip(track.times, track.positions) {
      let node = CubicNode(
        time: time.seconds(since: track.times[0]), position: position, velocity: .zero)
      if nodes.last?.time == node.time { nodes.removeLast() }
      nodes.append(node)
    }
    for index in nodes.indices { nodes[index].velocity = Self.velocity(at: index, of: nodes) }
    self.nodes = nodes
  }

  /// Returns the slope of the parabola through a node and its neighbours; at the ends, that of the
  /// line.
  private static func velocity(at index: Int, of nodes: [CubicNode]) -> Vector<3> {
    func slope(_ first: Int, _ second: Int) -> Vector<3> {
      (1 / (nodes[second].time - nodes[first].time))
        * (nodes[second].position - nodes[first].position)
    }
    guard nodes.count > 1 else { return .zero }
    if index == 0 { return slope(0, 1) }
    if index == nodes.count - 1 { return slope(index - 1, index) }
    let before = nodes[index].time - nodes[index - 1].time
    let after = nodes[index + 1].time - nodes[index].time
    return (1 / (before + after))
      * (after * slope(index - 1, index) + before * slope(index, index + 1))
  }

  /// Returns position and velocity `seconds` after the first time.
  package func motion(at seconds: Double) -> MotionState {
    let last = nodes[nodes.count - 1]
    guard nodes.count > 1, seconds >= 0, seconds < last.time else {
      let place = seconds < 0 ? nodes[0] : last
      return MotionState(
        position: place.position, velocity: .zero,
        ahead: place.velocity.horizontalDirection ?? Vector([1, 0, 0]))
    }
    let next = nodes.firstPlace { $0.time > seconds }
    let (first, second) = (nodes[next - 1], nodes[next])
    switch interpolation {
    case .cubic: return CubicNode.motion(between: first, and: second, at: seconds)
    case .linear:
      let velocity = (1 / (second.time - first.time)) * (second.position - first.position)
      return MotionState(
        position: first.position + (seconds - first.time) * velocity, velocity: velocity)
    }
  }
}
