import Fathom

/// A random path whose acceleration is white noise: the motion model of a constant-velocity filter.
///
/// Position and velocity of each axis start normally distributed and evolve as
/// `WhiteNoiseAcceleration` describes. They are drawn exactly on a grid of `step` seconds
/// [Bar-Shalom et al. 2001, Sec. 6.2.2]. Between grid points the path is its expectation given both
/// ends: the cubic with their positions and velocities. Consistency tests of a filter must
/// therefore measure on the grid.
package struct RandomAcceleration: Sendable, Equatable {
  /// The parameters of the random process.
  package struct Law: Sendable, Equatable {
    /// Expected position at the start, metres.
    package let position: Vector<3>
    /// Standard deviation of the position at the start per axis, metres.
    package let positionSigma: Vector<3>
    /// Expected velocity at the start, metres per second.
    package let velocity: Vector<3>
    /// Standard deviation of the velocity at the start per axis, metres per second.
    package let velocitySigma: Vector<3>
    /// Root of the spectral density of the acceleration per axis, (m/s²)/√Hz.
    package let density: Vector<3>
    /// Spacing of the grid, seconds; above 0.
    package let step: Double

    /// Creates a law.
    ///
    /// Standard deviations and densities must not be negative; `step` must be above 0.
    package init(
      position: Vector<3> = .zero, positionSigma: Vector<3>, velocity: Vector<3> = .zero,
      velocitySigma: Vector<3>, density: Vector<3>, step: Double
    ) {
      precondition(step > 0, "the grid needs a spacing")
      self.position = position
      self.positionSigma = positionSigma
      self.velocity = velocity
      self.velocitySigma = velocitySigma
      self.density = density
      self.step = step
    }
  }

  /// The parameters of the random process.
  package let law: Law
  /// End of the path, seconds; the position is constant afterwards.
  package let end: Double

  private let nodes: [CubicNode]

  /// Draws a path of `duration` seconds from `generator`.
  package init(_ law: Law, duration: Double, using generator: inout SeededGenerator) {
    self.law = law
    let count = Int((duration / law.step).rounded(.up)) + 1
    end = Double(count) * law.step
    var node = CubicNode(time: 0, position: law.position, velocity: law.velocity)
    for axis in 0..<3 {
      node.position[axis] += law.positionSigma[axis] * generator.normal()
      node.velocity[axis] += law.velocitySigma[axis] * generator.normal()
    }
    // Q = L Lᵀ with L lower triangular: √(h³/3) for the position; √(3h)/2 and √h/2 for the velocity.
    let step = law.step
    let place = (step * step * step / 3).squareRoot()
    let (shared, own) = ((3 * step).squareRoot() / 2, step.squareRoot() / 2)
    var nodes = [node]
    nodes.reserveCapacity(count + 1)
    for index in 1...count {
      node.time = Double(index) * step
      for axis in 0..<3 {
        let (first, second) = (generator.normal(), generator.normal())
        node.position[axis] += step * node.velocity[axis] + law.density[axis] * place * first
        node.velocity[axis] += law.density[axis] * (shared * first + own * second)
      }
      nodes.append(node)
    }
    self.nodes = nodes
  }

  /// Returns position and velocity `seconds` after the start.
  package func motion(at seconds: Double) -> MotionState {
    let seconds = min(max(seconds, 0), end)
    let index = min(Int(seconds / law.step), nodes.count - 2)
    return CubicNode.motion(between: nodes[index], and: nodes[index + 1], at: seconds)
  }
}
