import RealModule

/// The odometry between two states of a smoothed track, joined into one measurement.
///
/// Increments between the states are summed in the frame of the odometry, with the covariance of
/// their errors [Forster et al. 2017]: a displacement D with its derivative by the drift, and the
/// change of the heading error. With the heading ψ of that frame in a state, the scale error k and
/// the drift b of the recording,
///
///     p₂ - p₁ = (1 + k) R(ψ₁) (D + b D'),    ψ₂ - ψ₁ = b t.
struct OdometryLink: Sendable {
  /// The displacement in the frame of the odometry, in metres.
  private(set) var displacement = (x: 0.0, y: 0.0)
  /// Its derivative by the drift, in metres per rad/s.
  private(set) var byDrift = (x: 0.0, y: 0.0)
  /// The time, in seconds.
  private(set) var seconds = 0.0
  /// The covariance of displacement and heading error.
  private(set) var covariance = Matrix<3, 3>.zero

  /// Appends a part of an increment, with its turn in the direction of the odometry.
  ///
  /// `heading` is that of the odometry at the beginning of the part, in radians.
  mutating func append(_ part: OdometryIncrement, heading: Double, errors: OdometryErrors) {
    let moved = part.displacement(heading: heading)
    let elapsed = part.seconds
    let middle = seconds + elapsed / 2
    byDrift.x -= middle * moved.y
    byDrift.y += middle * moved.x
    displacement.x += moved.x
    displacement.y += moved.y
    seconds += elapsed
    // An error of the heading turns the displacements that follow.
    let turn: Matrix<3, 3> = Matrix([[1, 0, -moved.y], [0, 1, moved.x], [0, 0, 1]])
    covariance = (turn * covariance).timesTransposed(turn)
    let sure = errors.displacementVariance(distance: part.distance, seconds: elapsed)
    covariance[0, 0] += sure
    covariance[1, 1] += sure
    covariance[2, 2] += errors.headingVariance(
      turn: part.turn.radians, distance: part.distance, seconds: elapsed)
  }
}

extension OdometryLink {
  /// Adds the errors of wheels that slip.
  mutating func addSlip(_ errors: OdometryErrors) {
    let distance = (displacement.x * displacement.x + displacement.y * displacement.y).squareRoot()
    let variance = errors.slipVariance(distance: distance, seconds: seconds)
    covariance[0, 0] += variance
    covariance[1, 1] += variance
    covariance[2, 2] += errors.slipHeadingVariance(over: seconds)
  }

  /// Returns the link of each step between `times`; nil for those that `increments`, in order of time,
  /// do not cover.
  static func links(
    between times: [Timestamp], _ increments: [OdometryIncrement], errors: OdometryErrors
  ) -> [OdometryLink?] {
    var links = [OdometryLink?](repeating: nil, count: max(0, times.count - 1))
    var first = 0
    // The heading of the odometry at the beginning of increment `first`.
    var heading = 0.0
    func turn(_ index: Int) -> Double { errors.turnFactor * increments[index].turn.radians }
    for step in links.indices {
      let (begin, end) = (times[step], times[step + 1])
      while first < increments.count, increments[first].end <= begin {
        heading += turn(first)
        first += 1
      }
      var link = OdometryLink()
      var (index, facing, reached) = (first, heading, begin)
      while index < increments.count, reached < end,
        increments[index].begin <= reached.advanced(bySeconds: tolerance)
      {
        let whole = increments[index]
        let last = min(whole.end, end)
        let share = max(0, last.seconds(since: reached)) / whole.seconds
        let before = max(0, reached.seconds(since: whole.begin)) / whole.seconds
        let part = OdometryIncrement(
          begin: reached, end: last, forward: share * whole.forward, left: share * whole.left,
          turn: Angle(radians: share * turn(index)))
        if last > reached {
          link.append(part, heading: facing + before * turn(index), errors: errors)
        }
        reached = max(reached, last)
        if whole.end > end { break }
        facing += turn(index)
        index += 1
      }
      if reached >= end { links[step] = link }
    }
    return links
  }

  /// Time that may be missing between increments, in seconds: rounding of time stamps.
  private static let tolerance = 1e-3
}

/// Odometry in a smoothed track.
///
/// States of an odd number of elements have the heading of the odometry's frame as their last one.
extension SmootherRun {
  /// Whether states have a heading.
  static var hasHeading: Bool { N % 2 == 1 }

  /// Information of the heading of each state, which keeps the equations definite without odometry.
  private static var headingInformation: Double { 1e-6 }

  /// Adds the odometry between the states to the equations, and its cost.
  func addOdometry(to chain: inout ChainEquations<N>, cost: inout Double) {
    guard Self.hasHeading, let first = layout.odometry else { return }
    for state in knots.times.indices {
      chain.diagonal[N * N * state + (N + 1) * (N - 1)] += Self.headingInformation
    }
    for (step, link) in sensors.links.enumerated() {
      guard let link, let information = link.information(heading(step), scale: common[first])
      else { continue }
      let factor = odometryFactor(link, step: step, first: first)
      let moved = information * factor.residual
      let square = factor.residual.dot(moved)
      let freedom = density.freedom
      // The density of a vector of three numbers: wheels that slip have little weight.
      let weight = StudentDensity.weight(square, freedom: freedom, errors: 3)
      cost += StudentDensity.tail(square, freedom: freedom, errors: 3)
      chain.link(step, factor, weight: weight, information: information)
    }
  }

  func heading(_ state: Int) -> Double { states[N * state + N - 1] }

  /// Returns the residual and the derivatives of the odometry after state `step`.
  func odometryFactor(
    _ link: OdometryLink, step: Int, first: Int
  ) -> ChainEquations<N>.StepFactor {
    let (own, next) = (N * step, N * (step + 1))
    let (scale, drift) = (common[first], common[first + 1])
    let (cosine, sine) = (Double.cos(heading(step)), Double.sin(heading(step)))
    func turned(_ v: (x: Double, y: Double)) -> (x: Double, y: Double) {
      (cosine * v.x - sine * v.y, sine * v.x + cosine * v.y)
    }
    let plain = turned(
      (
        link.displacement.x + drift * link.byDrift.x, link.displacement.y + drift * link.byDrift.y
      ))
    let byDrift = turned(link.byDrift)
    let moved = (x: (1 + scale) * plain.x, y: (1 + scale) * plain.y)
    var factor = ChainEquations<N>.StepFactor()
    factor.residual = Vector([
      moved.x - (states[next] - states[own]), moved.y - (states[next + 1] - states[own + 1]),
      drift * link.seconds - (heading(step + 1) - heading(step)),
    ])
    // Derivatives of the expected minus the measured value.
    factor.own[0, 0] = -1
    factor.own[1, 1] = -1
    factor.own[2, N - 1] = -1
    factor.own[0, N - 1] = moved.y
    factor.own[1, N - 1] = -moved.x
    factor.next[0, 0] = 1
    factor.next[1, 1] = 1
    factor.next[2, N - 1] = 1
    factor.columns = (first, first + 1)
    factor.common[0, 0] = -plain.x
    factor.common[1, 0] = -plain.y
    factor.common[0, 1] = -(1 + scale) * byDrift.x
    factor.common[1, 1] = -(1 + scale) * byDrift.y
    factor.common[2, 1] = -link.seconds
    return factor
  }
}

extension OdometryLink {
  /// Returns the inverse covariance of its residual in the world frame, for a heading of the
  /// odometry's frame and a scale error; nil for a covariance without inverse.
  func information(_ heading: Double, scale: Double) -> Matrix<3, 3>? {
    let (cosine, sine) = ((1 + scale) * Double.cos(heading), (1 + scale) * Double.sin(heading))
    let turn: Matrix<3, 3> = Matrix([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
    var world = (turn * covariance).timesTransposed(turn).symmetrized()
    for axis in 0..<3 { world[axis, axis] += 1e-12 }
    return Cholesky(world)?.inverse()
  }
}

extension ChainEquations {
  /// A linearised measurement of three numbers that links a state to the next one, with two common
  /// unknowns.
  struct StepFactor {
    /// Measured minus expected values.
    var residual = Vector<3>.zero
    /// Derivatives of the expected values with respect to the state and the next one.
    var own = Matrix<3, N>.zero
    var next = Matrix<3, N>.zero
    /// The common unknowns, and the derivatives with respect to them.
    var columns = (0, 0)
    var common = Matrix<3, 2>.zero
  }

  /// Adds a measurement that links state `index` to the next one.
  mutating func link(
    _ index: Int, _ factor: StepFactor, weight: Double, information: Matrix<3, 3>
  ) {
    let scaled = weight * information
    let (own, next) = (scaled * factor.own, scaled * factor.next)
    let others = scaled * factor.common
    let residual = scaled * factor.residual
    let block = N * N * index
    for row in 0..<N {
      var (ownSide, nextSide) = (0.0, 0.0)
      for line in 0..<3 {
        ownSide += factor.own[line, row] * residual[line]
        nextSide += factor.next[line, row] * residual[line]
      }
      right[N * index + row] += ownSide
      right[N * (index + 1) + row] += nextSide
      for column in 0..<N {
        var (first, cross, second) = (0.0, 0.0, 0.0)
        for line in 0..<3 {
          first += factor.own[line, row] * own[line, column]
          cross += factor.own[line, row] * next[line, column]
          second += factor.next[line, row] * next[line, column]
        }
        diagonal[block + N * row + column] += first
        upper[block + N * row + column] += cross
        diagonal[block + N * N + N * row + column] += second
      }
      for place in 0..<2 {
        let column = place == 0 ? factor.columns.0 : factor.columns.1
        var (ownEdge, nextEdge) = (0.0, 0.0)
        for line in 0..<3 {
          ownEdge += factor.own[line, row] * others[line, place]
          nextEdge += factor.next[line, row] * others[line, place]
        }
        border[stride * (N * index + row) + column] += ownEdge
        border[stride * (N * (index + 1) + row) + column] += nextEdge
      }
    }
    for first in 0..<2 {
      let row = first == 0 ? factor.columns.0 : factor.columns.1
      for line in 0..<3 { common[row] += factor.common[line, first] * residual[line] }
      for second in 0..<2 {
        let column = second == 0 ? factor.columns.0 : factor.columns.1
        for line in 0..<3 {
          corner[shared * row + column] += factor.common[line, first] * others[line, second]
        }
      }
    }
  }
}
