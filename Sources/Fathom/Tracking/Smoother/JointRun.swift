import RealModule

/// The runs of one or more tags over common instants, and the ranges that tie their tracks.
struct JointRun<let N: Int>: Sendable {
  var runs: [SmootherRun<N>]
  /// The ranges between tags, in order of their states.
  var links: [Link] = []
  /// The largest number of steps.
  var longestSearch = 30

  /// A range between the tags at two indices of ``runs``.
  struct Link: Sendable {
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

  /// The common instants.
  var times: [Timestamp] { runs.first?.knots.times ?? [] }

  private var pairs: [TieOrder.Pair] {
    links.compactMap { link in
      link.second.map { TieOrder.Pair(state: link.state, first: link.first, second: $0) }
    }
  }

  /// The number of `Double` values that the equations need.
  var storage: Int {
    JointEquations<N>.storage(
      count: times.count, shared: runs.map(\.common.count), ties: pairs)
  }

  /// Storage for the equations of runs over these states.
  var emptyEquations: JointEquations<N> {
    JointEquations(count: times.count, shared: runs.map(\.common.count), ties: pairs)
  }

  /// Writes the equations at the present tracks into `equations` and returns the cost: the negative logarithm
  /// of the probability of the tracks, up to a constant.
  func linearise(into equations: inout JointEquations<N>) -> Double {
    equations.clear()
    var cost = 0.0
    for index in runs.indices { cost += runs[index].linearise(into: &equations.chains[index]) }
    for link in links { cost += add(link, to: &equations) }
    return cost
  }

  private func add(_ link: Link, to equations: inout JointEquations<N>) -> Double {
    let (residual, derivative) = expectation(link)
    let square = residual * residual / link.single
    let freedom = runs[0].density.freedom
    let weight = StudentDensity.weight(square, freedom: freedom)
    if link.second == nil {
      equations.chains[link.first].add(
        link.state, derivative: derivative, common: ChainEquations<N>.SharedDerivative(),
        residual: residual, weight: weight / link.effective)
    } else {
      equations.add(derivative: derivative, residual: residual, weight: weight / link.effective)
    }
    let tail = StudentDensity.tail(square, freedom: freedom)
    return tail * link.single / link.effective
  }

  /// Returns the residual of a range between tags, and its derivative by the state of the first.
  private func expectation(_ link: Link) -> (residual: Double, derivative: InlineArray<N, Double>) {
    let after = link.time.seconds(since: times[link.state])
    var offset = position(of: link.first, at: link.state, after: after)
    offset =
      offset - (link.second.map { position(of: $0, at: link.state, after: after) } ?? link.place)
    let axes = SmootherRun<N>.axes
    let metres = offset.length
    var derivative = InlineArray<N, Double>(repeating: 0)
    for axis in 0..<axes {
      let slope = metres > 0 ? offset[axis] / metres : axis == 0 ? 1 : 0
      derivative[axis] = slope
      derivative[axes + axis] = after * slope
    }
    return (link.distance - metres, derivative)
  }

  /// Returns how a range between tags is used.
  func verdict(_ link: Link) -> RangeVerdict {
    runs[0].density.verdict(expectation(link).residual, variance: link.single)
  }

  // MARK: Places

  /// The position of a tag some seconds after an instant.
  func position(of place: Int, at index: Int, after seconds: Double = 0) -> Vector<3> {
    runs[place].position(index, after: seconds)
  }

  /// The position of a tag at a time.
  func position(of place: Int, at time: Timestamp) -> Vector<3> {
    let index = max(0, times.firstPlace { $0 > time } - 1)
    return position(of: place, at: index, after: time.seconds(since: times[index]))
  }

  /// The velocity of a tag at an instant.
  func velocity(of place: Int, at index: Int) -> Vector<3> { runs[place].velocity(index) }
}

extension StudentDensity {
  /// Returns how a range with a residual in metres and a variance in m² is used.
  func verdict(_ residual: Double, variance: Double) -> RangeVerdict {
    let weight = weight(residual * residual / variance)
    if weight >= 0.5 { return .used }
    return residual > 3 * variance.squareRoot()
      ? .nonLineOfSight(weight: weight) : .discounted(weight: weight)
  }
}
