import Fathom
import FathomRecordings

/// A way through given positions at given instants: that of a recording, for example.
///
/// ## Edge cases
/// Before the first and after the last instant it stands still there. Of several positions at one instant
/// the last counts. Gaps are bridged however long they are.
package struct SampledPath: Sendable, Equatable {
  /// What happens between two positions.
  package enum Interpolation: String, Sendable, CaseIterable {
    /// A straight line at even speed; velocity jumps at the positions.
    case linear
    /// A cubic: velocity is continuous, and at each position that of the parabola through it and its
    /// two neighbours.
    case cubic
  }

  /// What happens between two positions.
  package let interpolation: Interpolation
  private let nodes: [CubicNode]

  /// The way along `track`, which has at least one position; its first instant is the start of the
  /// simulation.
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

  /// The slope of the parabola through a node and its neighbours; of the line at the ends.
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

  /// Where it is and how it moves `seconds` after the first instant.
  package func motion(at seconds: Double) -> MotionState {
    let last = nodes[nodes.count - 1]
    guard nodes.count > 1, seconds >= 0, seconds < last.time else {
      let place = seconds < 0 ? nodes[0] : last
      return MotionState(
        position: place.position, velocity: .zero,
        ahead: place.velocity.horizontalDirection ?? Vector([1, 0, 0]))
    }
    // The last node that is not later, by bisection.
    var (low, high) = (0, nodes.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if nodes[middle].time <= seconds { low = middle } else { high = middle }
    }
    let (first, second) = (nodes[low], nodes[low + 1])
    switch interpolation {
    case .cubic: return CubicNode.motion(between: first, and: second, at: seconds)
    case .linear:
      let velocity = (1 / (second.time - first.time)) * (second.position - first.position)
      return MotionState(
        position: first.position + (seconds - first.time) * velocity, velocity: velocity,
        ahead: velocity.horizontalDirection ?? Vector([1, 0, 0]))
    }
  }
}
