import Fathom

/// A smooth random path inside a box.
///
/// On each axis an unbounded coordinate u has an Ornstein-Uhlenbeck velocity: normal with standard
/// deviation s and autocorrelation exp(-|t| / T) [Uhlenbeck & Ornstein 1930]. The coordinate of the
/// path is c + h sin(u / h), where c is the centre of the box and h half its side. The path
/// therefore reverses smoothly before a wall and is never faster than u.
///
/// The velocity is drawn from its exact distribution on a grid of T / 10 and interpolated linearly
/// between grid points, so it is continuous. On an axis without extent the coordinate is constant.
package struct RandomWalk: Sendable, Equatable {
  /// The box and the speed of a random walk.
  package struct Pace: Sendable, Equatable {
    /// The corner of the box with the smallest coordinates, metres.
    package let low: Vector<3>
    /// The corner of the box with the largest coordinates, metres.
    package let high: Vector<3>
    /// Start position inside the box, metres; nil for a random point of the box.
    package let start: Vector<3>?
    /// s: standard deviation of the velocity per axis, metres per second.
    package let speed: Double
    /// T: correlation time of the velocity, seconds; above 0.
    package let correlationTime: Double
  }

  /// The box and the speed.
  package let pace: Pace
  /// End of the walk, seconds; the position is constant afterwards.
  package let end: Double

  /// Grid points per correlation time.
  static let stepsPerCorrelationTime = 10.0

  private let step: Double
  private let nodes: [Node]

  private struct Node: Equatable {
    var place: Vector<3>
    var velocity: Vector<3>
  }

  /// Draws a walk of `duration` seconds from `generator`.
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
      // The arc sine of `sine`, as the angle in a right triangle of hypotenuse 1.
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

  /// Returns position and velocity `seconds` after the start.
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
    return MotionState(position: position, velocity: velocity)
  }
}
