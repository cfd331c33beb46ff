import RealModule

/// Inertial data between two states of a smoothed track, and where the tag is at rest.
struct InertialLinks: Sendable {
  /// The inertial data after each state; nil where they are incomplete.
  private(set) var inputs: [InertialInput?] = []
  /// Whether the level frame after each state has the heading of that before it.
  private(set) var isSameFrame: [Bool] = []
  /// The states at which the tag is at rest.
  private(set) var rests: [Int] = []

  /// Time that may be missing in a step, in seconds: rounding of time stamps.
  private static let tolerance = 1e-3

  /// Creates no links.
  init() {}

  /// Assigns `readings`, in order of time, to the steps between the states at `times`.
  init(between times: [Timestamp], _ readings: [InertialMeasurement], errors: InertialErrors) {
    let count = max(0, times.count - 1)
    inputs = Array(repeating: InertialInput(), count: count)
    isSameFrame = Array(repeating: true, count: count)
    var attitude = LevelAttitude()
    var step = 0
    for reading in readings where reading.isUsable {
      let begin = attitude.last?.time ?? reading.time
      switch attitude.add(reading, errors: errors) {
      case .late: continue
      case .first:
        while step < count, times[step + 1] <= begin { step += 1 }
        var broken = step
        while broken < count, times[broken] < reading.time {
          isSameFrame[broken] = false
          broken += 1
        }
      case .step(let found):
        append(found, from: begin, to: reading.time, times, &step)
        if let began = found.restBegan, step < times.count {
          let state = times[step] <= reading.time ? step : step - 1
          if state >= 0, times[state] >= began, rests.last != state { rests.append(state) }
        }
      }
    }
    for index in inputs.indices {
      let missing = times[index + 1].seconds(since: times[index]) - (inputs[index]?.seconds ?? 0)
      if missing > Self.tolerance { inputs[index] = nil }
    }
  }

  /// Divides a step among the intervals between states; `step` is the first that may contain it.
  private mutating func append(
    _ found: LevelAttitude.Step, from begin: Timestamp, to end: Timestamp, _ times: [Timestamp],
    _ step: inout Int
  ) {
    while step < inputs.count, times[step + 1] <= begin { step += 1 }
    var index = step
    while index < inputs.count, times[index] < end {
      let (first, last) = (max(begin, times[index]), min(end, times[index + 1]))
      if last > first {
        var part = found
        part.seconds = last.seconds(since: first)
        inputs[index]?.append(part)
      }
      index += 1
    }
  }

  /// Removes the data of the steps that `isCut` tells.
  mutating func cut(where isCut: (Int) -> Bool) {
    for index in inputs.indices where isCut(index) { inputs[index] = nil }
  }

  /// Whether inertial data link state `index` to the next one.
  func isLinked(_ index: Int) -> Bool { inputs.indices.contains(index) && inputs[index] != nil }
}

/// Inertial data in a smoothed track.
///
/// States of 8 numbers in the plane and 10 in space have the heading of the level frame after the
/// velocities, and then the slow error of the acceleration in the world frame; see ``InertialInput``
/// for the model. The last number of a state in the plane is not used.
extension SmootherRun {
  /// Whether states have the unknowns of inertial data.
  static var hasInertial: Bool { N >= 8 }
  /// The index in a state of the heading of a sensor's frame, and of the first slow error.
  static var headingPlace: Int { 2 * axes }
  private static var errorPlace: Int { headingPlace + 1 }
  /// Variance of a heading that is new, in rad².
  private static var newHeading: Double { 10 }
  /// Information of the heading of each state, which keeps the equations definite.
  private static var leastInformation: Double { 1e-6 }

  /// Returns the density of the acceleration after state `index`, in (m/s²)/√Hz.
  func inertialDensity(_ index: Int) -> Double {
    max(1e-3, steps[index].inertialDensity ?? configuration.inertial?.accelerationNoise ?? 0)
  }

  /// Adds the unknowns of inertial data, what links them and the rests to the equations, and their
  /// cost.
  func addInertial(to chain: inout ChainEquations<N>, cost: inout Double) {
    guard Self.hasInertial, let errors = configuration.usedInertial else { return }
    let (heading, first) = (Self.headingPlace, Self.errorPlace)
    let variance = max(1e-12, errors.levelSigma * errors.levelSigma)
    for state in knots.times.indices {
      for place in heading..<N {
        let isUnused = place >= first + Self.axes
        chain.diagonal[N * N * state + (N + 1) * place] += isUnused ? 1 : Self.leastInformation
      }
    }
    for axis in 0..<Self.axes {
      let place = first + axis
      chain.diagonal[(N + 1) * place] += 1 / variance
      chain.right[place] -= states[place] / variance
      cost += 0.5 * states[place] * states[place] / variance
    }
    for (step, isSame) in inertial.isSameFrame.enumerated() {
      let seconds = steps[step].seconds
      let turning =
        errors.headingNoise * errors.headingNoise * seconds + (isSame ? 1e-12 : Self.newHeading)
      chain.follow(step, place: heading, memory: 1, variance: turning, states, &cost)
      let memory = errors.memory(over: seconds)
      let renewed = max(1e-12, (1 - memory * memory) * variance)
      for axis in 0..<Self.axes {
        chain.follow(step, place: first + axis, memory: memory, variance: renewed, states, &cost)
      }
    }
    addRests(to: &chain, cost: &cost)
  }

  /// Adds a velocity of zero where the tag is at rest.
  private func addRests(to chain: inout ChainEquations<N>, cost: inout Double) {
    let variance = InertialErrors.restSpeed * InertialErrors.restSpeed
    let freedom = density.freedom
    for state in inertial.rests {
      for axis in 0..<Self.axes {
        let place = Self.axes + axis
        let residual = -states[N * state + place]
        var derivative = InlineArray<N, Double>(repeating: 0)
        derivative[place] = 1
        let square = residual * residual / variance
        let weight = StudentDensity.weight(square, freedom: freedom)
        cost += StudentDensity.tail(square, freedom: freedom)
        chain.add(
          state, derivative: derivative, common: ChainEquations<N>.SharedDerivative(),
          residual: residual, weight: weight / variance)
      }
    }
  }

  /// Returns what inertial data add to the motion along `axis` after state `index`, and the derivatives
  /// of that by the heading and by the slow error.
  func inertialMotion(
    _ input: InertialInput, _ index: Int, axis: Int
  ) -> ChainEquations<N>.StepMotion {
    let heading = states[N * index + Self.headingPlace]
    let error = states[N * index + Self.errorPlace + axis]
    let seconds = steps[index].seconds
    func turned(_ v: Vector<3>) -> (value: Double, slope: Double) {
      if axis == 2 { return (v[2], 0) }
      let (c, s) = (Double.cos(heading), Double.sin(heading))
      let turned = (c * v[0] - s * v[1], s * v[0] + c * v[1])
      return axis == 0 ? (turned.0, -turned.1) : (turned.1, turned.0)
    }
    let (d, u) = (turned(input.displacement), turned(input.velocity))
    let half = 0.5 * seconds * seconds
    return ChainEquations<N>.StepMotion(
      displacement: d.value - half * error, velocity: u.value - seconds * error,
      heading: (Self.headingPlace, d.slope, u.slope),
      error: (Self.errorPlace + axis, -half, -seconds))
  }
}

extension ChainEquations {
  /// A known part of the motion after a state along one axis, in metres and m/s.
  struct StepMotion {
    var displacement: Double
    var velocity: Double
    /// Two further numbers of the state on which it depends, with its derivatives by them.
    var heading: (place: Int, displacement: Double, velocity: Double)
    var error: (place: Int, displacement: Double, velocity: Double)
  }

  /// Adds to the equations that link axis `axis` of state `index` to the next one, which ``tie`` adds,
  /// that the motion depends on two further numbers of the state.
  mutating func couple(
    _ index: Int, axis: Int, seconds: Double, information: (Double, Double, Double),
    _ motion: StepMotion, miss: Double, change: Double
  ) {
    let (a, b, c) = information
    let (p, v) = (axis, Self.axes + axis)
    let own = N * N * index
    let first = a * miss + b * change
    let second = b * miss + c * change
    for (place, byPlace, bySpeed) in [motion.heading, motion.error] {
      // The row of A times the derivatives of the prediction by this number.
      let (x, y) = (a * byPlace + b * bySpeed, b * byPlace + c * bySpeed)
      for (target, value) in [(p, x), (v, seconds * x + y)] {
        diagonal[own + N * place + target] += value
        diagonal[own + N * target + place] += value
      }
      for (other, otherPlace, otherSpeed) in [motion.heading, motion.error] {
        diagonal[own + N * place + other] += x * otherPlace + y * otherSpeed
      }
      upper[own + N * place + p] -= x
      upper[own + N * place + v] -= y
      right[N * index + place] += byPlace * first + bySpeed * second
    }
  }

  /// Links number `place` of state `index` to that of the next one as a first-order process with
  /// the given autocorrelation and variance of its change.
  mutating func follow(
    _ index: Int, place: Int, memory: Double, variance: Double, _ states: [Double],
    _ cost: inout Double
  ) {
    let information = 1 / variance
    let own = N * N * index + (N + 1) * place
    let (first, next) = (N * index + place, N * (index + 1) + place)
    let miss = states[next] - memory * states[first]
    diagonal[own] += memory * memory * information
    diagonal[own + N * N] += information
    upper[own] -= memory * information
    right[first] += memory * information * miss
    right[next] -= information * miss
    cost += 0.5 * information * miss * miss
  }
}
