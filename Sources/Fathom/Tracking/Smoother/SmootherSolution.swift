import RealModule

/// A run after its search; computes the tracks on demand.
struct SmootherSolution<let N: Int>: Sendable {
  /// The run at its last linearisation.
  let linearised: JointRun<N>
  /// The run after the step from there.
  let run: JointRun<N>
  /// The negative logarithm of the probability of `linearised`, up to a constant.
  let cost: Double
  /// The number of linearisations.
  let iterations: Int
  /// Whether the last step was below the convergence limit.
  let isConverged: Bool

  /// Returns the tracks with the covariance of the last linearisation; `equations` provides storage.
  ///
  /// The linearisation is repeated. A track costs as much as two steps of the search, and only one
  /// of several runs needs its track.
  func tracks(in equations: inout JointEquations<N>) -> [SmoothedTrack] {
    _ = linearised.linearise(into: &equations)
    // The same equations were solvable before.
    _ = equations.factor()
    return run.tracks(equations, iterations: iterations, isConverged: isConverged)
  }
}

// MARK: - Search

extension JointRun {
  /// Largest step of a position that ends the search, in metres.
  private static var convergenceLimit: Double { 1e-3 }
  /// Gain of a step in the logarithm of the probability, per number of the states, that ends a rough
  /// search: steps of 0.3 % of the standard deviations in the root mean square.
  private static var roughGain: Double { 0.5e-5 }

  /// Linearises and solves until the tracks converge; returns nil if the equations cannot be
  /// solved.
  ///
  /// A rough search ends when steps gain little in the sum over all states, even if a few still move.
  /// `equations` provides storage, which the next run over the same states and ties can reuse.
  func solved(
    in equations: inout JointEquations<N>, isRough: Bool = false
  ) -> SmootherSolution<N>? {
    var run = self
    // The run and its cost at the last linearisation.
    var linearised = self
    var cost = Double.infinity
    var iterations = 0
    var isConverged = false
    var step: [[Double]] = []
    var share = 1.0
    let size = runs.reduce(0) { $0 + $1.states.count }
    for iteration in 1...longestSearch {
      let found = run.linearise(into: &equations)
      guard found.isFinite else { return nil }
      if found > cost * (1 + 1e-9) + 1e-9, share > 1e-3 {
        // The cost increased: halve the step.
        share /= 2
        run.move(from: linearised, along: step, equations, share: share)
        continue
      }
      guard equations.factor() else { return nil }
      let gain = cost - found
      cost = found
      iterations = iteration
      // The step writes every number of the run, so it can reuse the other run's storage.
      swap(&linearised, &run)
      equations.solve(into: &step)
      share = 1
      run.move(from: linearised, along: step, equations, share: share)
      isConverged =
        (isRough && gain < Self.roughGain * Double(size))
        || Self.largestMove(step) < Self.convergenceLimit
      if isConverged { break }
    }
    return SmootherSolution(
      linearised: linearised, run: run, cost: cost, iterations: iterations,
      isConverged: isConverged)
  }

  /// Searches with storage of its own; see ``solved(in:isRough:)``.
  func solved() -> SmootherSolution<N>? {
    var equations = emptyEquations
    return solved(in: &equations)
  }

  /// Sets the run to `start` after a share of a step: of states, and of the common unknowns of `equations`.
  private mutating func move(
    from start: Self, along step: [[Double]], _ equations: JointEquations<N>, share: Double
  ) {
    for tag in runs.indices {
      runs[tag].move(
        from: start.runs[tag], along: step[tag],
        equations.common[equations.first[tag]..<equations.first[tag + 1]], share: share)
    }
  }

  private static func largestMove(_ step: [[Double]]) -> Double {
    var largest = 0.0
    for states in step {
      for first in stride(from: 0, to: states.count, by: N) {
        for axis in 0..<SmootherRun<N>.axes {
          largest = max(largest, states[first + axis].magnitude)
        }
      }
    }
    return largest
  }
}

extension SmootherRun {
  /// Searches for the most probable track of this run alone; see ``JointRun/solved(in:isRough:)``.
  func solved(
    in equations: inout JointEquations<N>, isRough: Bool = false
  ) -> SmootherSolution<N>? {
    JointRun(runs: [self]).solved(in: &equations, isRough: isRough)
  }

  fileprivate mutating func move(
    from start: Self, along step: [Double], _ unknowns: ArraySlice<Double>, share: Double
  ) {
    for index in states.indices { states[index] = start.states[index] + share * step[index] }
    for (index, value) in zip(common.indices, unknowns) {
      common[index] = start.common[index] + share * value
    }
  }
}
