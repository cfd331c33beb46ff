/// The runs of several tags over common instants, tied by ranges.
struct TiedRun<let N: Int> {
  var runs: [SmootherRun<N>]
  let links: [Link]

  /// A range between the tags at two indices of ``runs``.
  struct Link {
    /// The index of the range among all.
    var index: Int
    var state: Int
    var first: Int
    /// The second tag; nil for one that the run does not have, which was at ``place``.
    var second: Int?
    var place = Vector<3>.zero
    var time: Timestamp
    var distance: Double
    /// The variance of a single range and that of an independent error with the same effect, in m².
    var single: Double
    var effective: Double
  }

  /// The largest number of steps: the more tags, the longer one takes, and the sooner data that contradict each
  /// other are left.
  private var longestSearch: Int { max(20, 200 / max(1, runs.count)) }
  private static var convergenceLimit: Double { 1e-3 }

  /// Tracks of least cost.
  struct Minimum {
    var run: TiedRun
    /// The negative logarithm of their probability, up to a constant.
    var cost: Double
    var iterations: Int
    var isConverged: Bool
  }

  /// The number of `Double` values that the equations need.
  var storage: Int {
    TiedEquations<N>.storage(
      count: times.count, tags: runs.count, shared: runs.reduce(0) { $0 + $1.common.count })
  }

  /// The common instants.
  var times: [Timestamp] { runs.first?.knots.times ?? [] }

  /// Returns the residual of a range between tags, and its derivative by the state of the first.
  private func expectation(_ link: Link) -> (residual: Double, derivative: InlineArray<N, Double>) {
    let after = link.time.seconds(since: runs[0].knots.times[link.state])
    var offset = Vector<3>.zero
    let axes = SmootherRun<N>.axes
    for axis in 0..<axes {
      func place(_ tag: Int) -> Double {
        let states = runs[tag].states
        return states[N * link.state + axis] + after * states[N * link.state + axes + axis]
      }
      offset[axis] = place(link.first) - (link.second.map(place) ?? link.place[axis])
    }
    if axes == 2 {
      let other = link.second.map { runs[$0].configuration.height ?? 0 } ?? link.place[2]
      offset[2] = (runs[link.first].configuration.height ?? 0) - other
    }
    let metres = offset.length
    var derivative = InlineArray<N, Double>(repeating: 0)
    for axis in 0..<axes {
      let slope = metres > 0 ? offset[axis] / metres : axis == 0 ? 1 : 0
      derivative[axis] = slope
      derivative[axes + axis] = after * slope
    }
    return (link.distance - metres, derivative)
  }

  private func weight(_ square: Double) -> Double {
    let freedom = runs[0].density.freedom
    return freedom.isFinite ? (freedom + 1) / (freedom + square) : 1
  }

  /// Writes the joint equations at the present tracks and returns the cost.
  fileprivate func linearise(
    _ chains: inout [SmootherEquations<N>], into equations: inout TiedEquations<N>
  ) -> Double {
    var cost = 0.0
    for index in runs.indices {
      chains[index].clear(shared: runs[index].common.count)
      cost += runs[index].linearise(into: &chains[index])
    }
    equations.assemble(chains)
    let freedom = runs[0].density.freedom
    for link in links {
      let (residual, derivative) = expectation(link)
      let square = residual * residual / link.single
      equations.add(
        link.state, between: (link.first, link.second), derivative: derivative,
        residual: residual, weight: weight(square) / link.effective)
      let tail =
        freedom.isFinite
        ? 0.5 * (freedom + 1) * Double.log(onePlus: square / freedom) : 0.5 * square
      cost += tail * link.single / link.effective
    }
    return cost
  }

  /// Linearises and solves until the tracks converge, by Gauss-Newton steps that are halved while the cost
  /// increases; nil if the equations cannot be solved.
  func minimised() -> Minimum? {
    var run = self
    var linearised = self
    var chains = runs.map { $0.emptyEquations }
    var equations = TiedEquations<N>(
      count: runs[0].knots.times.count, shared: runs.map(\.common.count))
    var cost = Double.infinity
    var (iterations, isConverged, share) = (0, false, 1.0)
    var step: (states: [Double], common: [Double]) = ([], [])
    for iteration in 1...longestSearch {
      let found = run.linearise(&chains, into: &equations)
      guard found.isFinite else { return nil }
      if found > cost * (1 + 1e-9) + 1e-9, share > 1e-3 {
        share /= 2
        run = linearised.moved(along: step, share: share, in: equations)
        continue
      }
      guard equations.factor() else { return nil }
      cost = found
      iterations = iteration
      linearised = run
      step = (equations.solution(), equations.common)
      share = 1
      run = linearised.moved(along: step, share: share, in: equations)
      isConverged = largestMove(step.states) < Self.convergenceLimit
      if isConverged { break }
    }
    return Minimum(run: run, cost: cost, iterations: iterations, isConverged: isConverged)
  }

  /// Returns the run after a share of a step.
  private func moved(
    along step: (states: [Double], common: [Double]), share: Double, in equations: TiedEquations<N>
  ) -> Self {
    var result = self
    let order = equations.order
    for tag in runs.indices {
      for index in 0..<equations.count {
        for row in 0..<N {
          result.runs[tag].states[N * index + row] +=
            share * step.states[order * index + N * tag + row]
        }
      }
      for index in runs[tag].common.indices {
        result.runs[tag].common[index] += share * step.common[equations.first[tag] + index]
      }
    }
    return result
  }

  private func largestMove(_ step: [Double]) -> Double {
    var largest = 0.0
    for first in stride(from: 0, to: step.count, by: N) {
      for axis in 0..<SmootherRun<N>.axes { largest = max(largest, step[first + axis].magnitude) }
    }
    return largest
  }

  fileprivate func verdict(_ link: Link) -> RangeVerdict {
    let residual = expectation(link).residual
    let weight = runs[0].density.weight(residual * residual / link.single)
    if weight >= 0.5 { return .used }
    return residual > 3 * link.single.squareRoot()
      ? .nonLineOfSight(weight: weight) : .discounted(weight: weight)
  }
}

extension TiedRun.Minimum {
  /// Returns the tracks with their covariances, and how the ranges between tags were used; nil if the equations
  /// cannot be solved.
  func solution() -> (tracks: [SmoothedTrack], verdicts: [RangeVerdict])? {
    var chains = run.runs.map { $0.emptyEquations }
    var equations = TiedEquations<N>(
      count: run.times.count, shared: run.runs.map(\.common.count))
    _ = run.linearise(&chains, into: &equations)
    guard equations.factor() else { return nil }
    return (
      run.tracks(&equations, iterations: iterations, isConverged: isConverged),
      run.links.map { run.verdict($0) }
    )
  }
}

extension TiedRun {
  /// Returns the tracks with the covariances of the factored equations.
  ///
  /// The factor on the errors of ranges is the largest of the tags, because a track also has the errors of
  /// those that it is tied to.
  fileprivate func tracks(
    _ equations: inout TiedEquations<N>, iterations: Int, isConverged: Bool
  ) -> [SmoothedTrack] {
    let corners = runs.indices.map { tag in
      let (size, first) = (runs[tag].common.count, equations.first[tag])
      return (0..<size * size).map { place in
        equations.corner[equations.shared * (first + place / size) + first + place % size]
      }
    }
    let errors = runs.indices.map { runs[$0].residualErrorModel(corners[$0]) }
    let factor = errors.map(\.factor).max() ?? 1
    var shared = equations.corner
    // The common-mode error is not estimated; its variance is added [Schmidt 1966].
    for tag in runs.indices
    where runs[tag].hasBias && runs[tag].configuration.errors.hasTransientCommonMode {
      shared[(equations.shared + 1) * equations.first[tag]] +=
        runs[tag].configuration.errors.commonVariance
    }
    var covariances = runs.map { _ in
      LargePages.array(of: Matrix<N, N>.zero, count: equations.count)
    }
    equations.withCovariances(corner: shared) { index, tag, own, ofCommon in
      let kept = runs[tag].bandwidthFactor(errors[tag], own, ofCommon)
      covariances[tag][index] = (kept * factor) * own + ofCommon
    }
    return runs.indices.map { tag in
      let instants = links.filter { $0.first == tag || $0.second == tag }.map {
        ($0.time, $0.state)
      }
      return runs[tag].track(
        covariances[tag], corner: corners[tag], errors: errors[tag], at: instants,
        iterations: iterations, isConverged: isConverged)
    }
  }
}
