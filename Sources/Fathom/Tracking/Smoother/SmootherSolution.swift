import RealModule

/// A run whose track has settled: how probable it is, and the track where it is asked for.
struct SmootherSolution<let N: Int>: Sendable {
  /// The run where it was linearised last.
  let linearised: SmootherRun<N>
  /// The run after the step from there.
  let run: SmootherRun<N>
  /// The negative logarithm of the probability of `linearised`, up to a constant.
  let cost: Double
  /// Of the equations there.
  let logarithmOfDeterminant: Double
  /// How often the ranges were linearised.
  let iterations: Int
  /// Whether the step moved no position further than ends the search.
  let isConverged: Bool

  /// Logarithm of the probability of all ranges under the model, up to a constant, after Laplace:
  /// the width of the minimum against that of what was known before.
  var evidence: Double {
    var evidence = -cost - 0.5 * logarithmOfDeterminant
    for index in run.common.indices {
      let sigma = run.priorSigma(ofCommon: index)
      if sigma > 0 { evidence -= .log(sigma) }
    }
    return evidence
  }

  /// The track, with the covariance of the last linearisation; `chain` is room for the equations.
  ///
  /// That is done once more: a track costs as much as two steps of the search, and of several runs
  /// only one is asked for its track.
  func track(in chain: inout SmootherEquations<N>) -> SmoothedTrack {
    chain.clear(shared: run.common.count)
    _ = linearised.linearise(into: &chain)
    // The equations could be solved before, and are the same.
    _ = chain.factor()
    return run.track(&chain, iterations: iterations, isConverged: isConverged)
  }
}

// MARK: - Search

extension SmootherRun {
  private static var longestSearch: Int { 30 }
  /// A step that moves no position further ends the search, metres.
  private static var convergenceLimit: Double { 1e-3 }
  /// More anchors than this are not given offsets of their own.
  private static var mostOffsets: Int { 24 }

  /// Linearises and solves until the track settles; nil where the equations cannot be solved.
  ///
  /// `chain` is room for the equations, which the next run over the same states can use again.
  func solved(in chain: inout SmootherEquations<N>) -> SmootherSolution<N>? {
    var run = self
    // Where it was linearised last, and the cost and the determinant there.
    var linearised = self
    var cost = Double.infinity
    var logarithmOfDeterminant = 0.0
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
        // Too far: half of the step from where it was better.
        share /= 2
        run.move(from: linearised, along: step, share: share)
        continue
      }
      guard chain.factor() else { return nil }
      (cost, logarithmOfDeterminant) = (found, chain.logarithmOfDeterminant)
      iterations = iteration
      // Every number of the run is written by the step: it takes over what is not needed any more.
      swap(&linearised, &run)
      chain.solve(into: &step.states)
      step.common = chain.common
      share = 1
      run.move(from: linearised, along: step, share: share)
      isConverged = largestMove(step.states) < Self.convergenceLimit
      if isConverged { break }
    }
    return SmootherSolution(
      linearised: linearised, run: run, cost: cost,
      logarithmOfDeterminant: logarithmOfDeterminant, iterations: iterations,
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

  /// The same run from where it is, with an offset for every anchor, solved.
  ///
  /// Nil where there are too many anchors, and where an offset lies further from zero than offsets
  /// do: what does so is something else, such as a wall in the way.
  func solvedWithOffsets(in chain: inout SmootherEquations<N>) -> SmootherSolution<N>? {
    guard anchors.count <= Self.mostOffsets else { return nil }
    var run = self
    if firstOffset == nil {
      run.firstOffset = common.count
      run.common += Array(repeating: 0, count: anchors.count)
    }
    guard let solution = run.solved(in: &chain) else { return nil }
    let isPlausible = solution.run.offsets.allSatisfy { $0.magnitude <= 4 * Self.offsetSigma }
    return isPlausible ? solution : nil
  }
}
