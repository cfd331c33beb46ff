import Fathom

/// A smooth random way inside a box.
///
/// On each axis a point u wanders freely, its velocity an Ornstein-Uhlenbeck process: normal with the
/// standard deviation s, correlated as exp(-|t| / T) [Uhlenbeck & Ornstein 1930]. The axis
/// follows c + h sin(u / h), with c the middle of the box and h half its side: the way turns round
/// smoothly before a wall, and never moves faster than u.
///
/// The process is drawn on a grid of T / 10, exactly as it is distributed there; in between the velocity
/// changes evenly. Velocity is therefore continuous. A box without extent along an axis keeps it still.
package struct RandomWalk: Sendable, Equatable {
  /// The box and the pace of a random walk.
  package struct Pace: Sendable, Equatable {
    /// The corner of the box with the smallest coordinates, metres.
    package let low: Vector<3>
    /// The corner of the box with the largest coordinates, metres.
    package let high: Vector<3>
    /// Where it starts, metres, inside the box; nil for a random point of it.
    package let start: Vector<3>?
    /// s: standard deviation of the velocity per axis, metres per second.
    package let speed: Double
    /// T: how long a velocity lasts, seconds; above 0.
    package let correlationTime: Double
  }

  /// The box and the pace.
  package let pace: Pace
  /// When it ends, seconds; it stays there afterwards.
  package let end: Double

  /// Grid points per correlation time.
  static let stepsPerCorrelationTime = 10.0

  private let step: Double
  private let nodes: [Node]

  private struct Node: Equatable {
    var place: Vector<3>
    var velocity: Vector<3>
  }

  /// A walk of `duration` seconds that follows from `generator`.
  init(_ pace: Pace, duration: Double, using generator: inout SeededGenerator) {
    self.pace = pace
    step = pace.correlationTime / Self.stepsPerCorrelationTime
    let count = Int((duration / step).rounded(.up)) + 1
    end = Double(count) * step
    let memory = ElementaryFunctions.exponential(-1 / Self.stepsPerCorrelationTime)
    let fresh = pace.speed * (1 - memory * memory).squareRoot()

    var node = Node(place: .zero, velocity: .zero)
    for axis in 0..<3 {
      let half = (pace.high[axis] - pace.low[axis]) / 2
      let middle = (pace.high[axis] + pace.low[axis]) / 2
      let share = generator.uniform(in: -1...1)
      // Its arc sine, as the angle in a right triangle of hypotenuse 1.
      let sine = pace.start.map { half > 0 ? ($0[axis] - middle) / half : 0 } ?? share
      node.place[axis] =
        half * ElementaryFunctions.angle(y: sine, x: max(0, 1 - sine * sine).squareRoot())
      node.velocity[axis] = pace.speed * generator.normal()
    }
    var nodes = [node]
    nodes.reserveCapacity(count + 1)
    for _ in 0..<count {
      let before = node.velocity
      for axis in 0..<3 {
        node.velocity[axis] = memory * before[axis] + fresh * generator.normal()
      }
      node.place = node.place + (0.5 * step) * (before + node.velocity)
      nodes.append(node)
    }
    self.nodes = nodes
  }

  /// Where it is and how it moves `seconds` after the start.
  package func motion(at seconds: Double) -> MotionState {
    let seconds = min(max(seconds, 0), end)
    let index = min(Int(seconds / step), nodes.count - 2)
    let (node, next) = (nodes[index], nodes[index + 1])
    let time = seconds - Double(index) * step
    let push = (1 / step) * (next.velocity - node.velocity)
    let free = node.place + time * (node.velocity + (0.5 * time) * push)
    let pace = node.velocity + time * push

    var position = Vector<3>.zero
    var velocity = Vector<3>.zero
    for axis in 0..<3 {
      let half = (self.pace.high[axis] - self.pace.low[axis]) / 2
      position[axis] = (self.pace.high[axis] + self.pace.low[axis]) / 2
      guard half > 0 else { continue }
      position[axis] += half * ElementaryFunctions.sine(free[axis] / half)
      velocity[axis] = ElementaryFunctions.cosine(free[axis] / half) * pace[axis]
    }
    return MotionState(
      position: position, velocity: velocity,
      ahead: velocity.horizontalDirection ?? Vector([1, 0, 0]))
  }
}
