import RealModule

/// A run after its search; computes the track on demand.
struct SmootherSolution<let N: Int>: Sendable {
  /// The run at its last linearisation.
  let linearised: SmootherRun<N>
  /// The run after the step from there.
  let run: SmootherRun<N>
  /// The negative logarithm of the probability of `linearised`, up to a constant.
  let cost: Double
  /// The number of linearisations.
  let iterations: Int
  /// Whether the last step was below the convergence limit.
  let isConverged: Bool

  /// Returns the track with the covariance of the last linearisation; `chain` provides storage.
  ///
  /// The linearisation is repeated. A track costs as much as two steps of the search, and only one
  /// of several runs needs its track.
  func track(in chain: inout SmootherEquations<N>) -> SmoothedTrack {
    chain.clear(shared: run.common.count)
    _ = linearised.linearise(into: &chain)
    // The same equations were solvable before.
    _ = chain.factor()
    return run.track(&chain, iterations: iterations, isConverged: isConverged)
  }
}

// MARK: - Search

extension SmootherRun {
  private static var longestSearch: Int { 30 }
  /// Largest step of a position that ends the search, in metres.
  private static var convergenceLimit: Double { 1e-3 }
  /// Gain of a step in the logarithm of the probability, per number of the states, that ends a rough
  /// search: steps of 0.3 % of the standard deviations in the root mean square.
  private static var roughGain: Double { 0.5e-5 }

  /// Linearises and solves until the track converges; returns nil if the equations cannot be
  /// solved.
  ///
  /// A rough search ends when steps gain little in the sum over all states, even if a few still move.
  /// `chain` provides storage for the equations, which the next run over the same states can reuse.
  func solved(
    in chain: inout SmootherEquations<N>, isRough: Bool = false
  ) -> SmootherSolution<N>? {
    var run = self
    // The run and its cost at the last linearisation.
    var linearised = self
    var cost = Double.infinity
    var iterations = 0
    var isConverged = false
    var step = (states: [Double](), common: [Double]())
    var share = 1.0
    chain.clear(shared: common.count)
    for iteration in 1...Self.longestSearch {
      if iteration > 1 { chain.clear() }
      let found = run.linearise(into: &chain)
      guard found.isFinite else { return nil }
      if found > cost * (1 + 1e-9) + 1e-9, share > 1e-3 {
        // The cost increased: halve the step.
        share /= 2
        run.move(from: linearised, along: step, share: share)
        continue
      }
      guard chain.factor() else { return nil }
      let gain = cost - found
      cost = found
      iterations = iteration
      // The step writes every number of the run, so it can reuse the other run's storage.
      swap(&linearised, &run)
      chain.solve(into: &step.states)
      step.common = chain.common
      share = 1
      run.move(from: linearised, along: step, share: share)
      isConverged =
        (isRough && gain < Self.roughGain * Double(states.count))
        || largestMove(step.states) < Self.convergenceLimit
      if isConverged { break }
    }
    return SmootherSolution(
      linearised: linearised, run: run, cost: cost, iterations: iterations,
      isConverged: isConverged)
  }

  private mutating func move(
    from start: Self, along step: (states: [Double], common: [Double]), share: Double
  ) {
    for index in states.indices {
      states[index] = start.states[index] + share * step.states[index]
    }
    for index in common.indices {
      common[index] = start.common[index] + share * step.common[index]
    }
  }

  private func largestMove(_ step: [Double]) -> Double {
    var largest = 0.0
    for first in stride(from: 0, to: step.count, by: N) {
      for axis in 0..<Self.axes { largest = max(largest, step[first + axis].magnitude) }
    }
    return largest
  }
}
