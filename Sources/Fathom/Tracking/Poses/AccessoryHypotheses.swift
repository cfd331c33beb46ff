import RealModule

/// The positions of an accessory that explain its ranges, with their probabilities.
///
/// A device moves mostly on a level, so that ranges say little about the height of the accessory, and
/// that little is far from normal: below and above are mirror images, and on the circle around a
/// straight path the horizontal position depends on the square of the height. The likelihood is
/// therefore maximised over the horizontal position at many heights, and integrated over them by
/// Laplace's approximation [Tierney & Kadane 1986]. Each peak is one hypothesis, with the mean and the
/// covariance of its part.
struct AccessoryHypotheses {
  /// A position with its covariance.
  struct Hypothesis {
    var position: SIMD3<Double>
    var covariance: Matrix<3, 3>
    /// The logarithm of the probability, up to a constant.
    var logWeight: Double
    /// The most likely point of the peak, from which the next solution starts.
    var peak: SIMD3<Double>
  }

  /// The hypotheses, the likeliest first.
  private(set) var all: [Hypothesis] = []
  /// The weights of the groups at the likeliest one.
  private(set) var weights: [Double] = []

  /// Heights of the first pass over the prior, and of the later ones over the likely interval.
  private static let coarseHeights = 29
  private static let fineHeights = 33
  /// Standard deviations of the prior of the height that the first pass covers.
  private static let reach = 3.5
  /// Odds below which a height does not count, nats.
  private static let negligible = 10.0
  /// Heights in the likely interval at which the passes end, and the most passes.
  private static let enoughHeights = 10
  private static let mostPasses = 4
  /// Ratio of a valley to the lower peak below which two peaks are two hypotheses.
  private static let valley = 0.2
  /// Distance of two peaks that are one, metres and as a share of their standard deviation.
  private static let sameDistance = 0.02
  private static let sameShare = 0.2
  /// Odds below which a hypothesis is not refined, nats.
  private static let hopeless = 30.0
  private static let steps = 12
  private static let nextSteps = 4

  /// Computes the hypotheses near any of `starts`, horizontal positions with heights.
  init(
    _ groups: [RangeGroup], from starts: [SIMD3<Double>],
    _ configuration: AccessoryLocator.Configuration
  ) {
    let unweighted = AccessoryLikelihood(groups, configuration)
    let prior = unweighted.meanHeight
    var first: [Hypothesis] = []
    for start in starts {
      var likelihood = unweighted
      guard let place = likelihood.linearised(near: start, steps: Self.steps) else { continue }
      first += Self.peaks(of: likelihood, from: place, prior: prior, passes: 1)
    }
    first = Self.distinct(first)
    guard let best = first.max(by: { $0.logWeight < $1.logWeight }) else { return }
    // The weights of one count for all, or a wrong one could ignore what refutes it: those of the one that
    // a Student density favours, which outliers do not decide.
    var weighted = unweighted
    var least = Double.infinity
    for one in first {
      var candidate = unweighted
      let cost = candidate.reweigh(at: one.peak)
      if cost < least { (least, weighted) = (cost, candidate) }
    }
    weights = weighted.weights
    for start in first where start.logWeight > best.logWeight - Self.hopeless {
      var likelihood = weighted
      guard let place = likelihood.linearised(near: start.peak, steps: Self.steps) else {
        continue
      }
      all += Self.peaks(of: likelihood, from: place, prior: prior, passes: Self.mostPasses)
    }
    all = Self.distinct(all)
    all.sort { $0.logWeight > $1.logWeight }
  }

  /// Returns the hypotheses without those that another start found as well.
  private static func distinct(_ found: [Hypothesis]) -> [Hypothesis] {
    var kept: [Hypothesis] = []
    for one in found {
      let isKnown = kept.contains { other in
        let offset = one.peak - other.peak
        let spread = min(one.covariance.trace, other.covariance.trace)
        return (offset * offset).sum()
          < max(sameDistance * sameDistance, sameShare * sameShare * spread)
      }
      if !isKnown { kept.append(one) }
    }
    return kept
  }

  // MARK: Integration over the height

  fileprivate struct Node {
    var height: Double
    var point: AccessoryLikelihood.Point
    var logWeight: Double
  }

  /// Returns the peaks of a likelihood over the height, along the branch through `start`.
  private static func peaks(
    of likelihood: AccessoryLikelihood, from start: SIMD3<Double>, prior: Double,
    passes: Int
  ) -> [Hypothesis] {
    let sigma = likelihood.configuration.heightSigma
    var interval = (prior - reach * sigma)...(prior + reach * sigma)
    interval =
      min(interval.lowerBound, start.z - sigma)...max(interval.upperBound, start.z + sigma)
    var nodes: [Node] = []
    for pass in 0..<passes {
      let count = pass == 0 ? coarseHeights : fineHeights
      nodes = Self.nodes(likelihood, interval, count, from: start, prior: prior)
      guard let top = nodes.map(\.logWeight).max() else { return [] }
      let likely = nodes.indices.filter { nodes[$0].logWeight > top - negligible }
      guard let first = likely.first, let last = likely.last, likely.count < enoughHeights else {
        break
      }
      let step = (interval.upperBound - interval.lowerBound) / Double(count - 1)
      if pass + 1 < passes {
        interval = (nodes[first].height - step)...(nodes[last].height + step)
      }
    }
    guard nodes.count > 1 else { return [] }
    let step = nodes[1].height - nodes[0].height
    return parts(of: nodes).compactMap { Hypothesis($0, step: step) }
  }

  /// Returns the most likely points at evenly spaced heights of an interval, from `start` upwards and
  /// downwards.
  private static func nodes(
    _ likelihood: AccessoryLikelihood, _ interval: ClosedRange<Double>, _ count: Int,
    from start: SIMD3<Double>, prior: Double
  ) -> [Node] {
    let width = interval.upperBound - interval.lowerBound
    let heights = (0..<count).map {
      interval.lowerBound + width * Double($0) / Double(count - 1)
    }
    let sigma = likelihood.configuration.heightSigma
    let middle = heights.firstIndex { $0 >= start.z } ?? count - 1
    func sweep(_ places: some Sequence<Int>) -> [Node] {
      var found: [Node] = []
      var place = SIMD2(start.x, start.y)
      for index in places {
        guard
          let point = likelihood.settled(place, height: heights[index], steps: nextSteps),
          point.determinant > 0
        else { break }
        place = point.place
        let offset = (heights[index] - prior) / sigma
        found.append(
          Node(
            height: heights[index], point: point,
            logWeight: -0.5 * (point.cost + offset * offset + Double.log(point.determinant))))
      }
      return found
    }
    return sweep((0..<middle).reversed()).reversed() + sweep(middle..<count)
  }

  /// Returns the nodes in parts with one peak each.
  private static func parts(of nodes: [Node]) -> [ArraySlice<Node>] {
    let threshold = -Double.log(valley)
    var parts: [ArraySlice<Node>] = []
    var begin = nodes.startIndex
    var (top, low) = (-Double.infinity, Double.infinity)
    var lowest = nodes.startIndex
    for index in nodes.indices {
      let value = nodes[index].logWeight
      if value < low { (low, lowest) = (value, index) }
      if top - low > threshold, value - low > threshold {
        // A new peak behind a valley.
        parts.append(nodes[begin..<lowest])
        (begin, top, low) = (lowest, value, .infinity)
      } else if value > top {
        (top, low, lowest) = (value, value, index)
      }
    }
    parts.append(nodes[begin...])
    return parts.filter { !$0.isEmpty }
  }
}

extension AccessoryHypotheses.Hypothesis {
  /// Creates the hypothesis of a part with one peak; nil if it has no weight.
  fileprivate init?(_ nodes: ArraySlice<AccessoryHypotheses.Node>, step: Double) {
    guard let top = nodes.max(by: { $0.logWeight < $1.logWeight }) else { return nil }
    var (mass, mean) = (0.0, SIMD3<Double>.zero)
    let weights = nodes.map { Double.exp($0.logWeight - top.logWeight) }
    for (node, weight) in zip(nodes, weights) {
      mass += weight
      mean += weight * SIMD3(node.point.place.x, node.point.place.y, node.height)
    }
    guard mass > 0, mass.isFinite else { return nil }
    mean /= mass
    var covariance = Matrix<3, 3>.zero
    for (node, weight) in zip(nodes, weights) {
      let share = weight / mass
      let scale = share / node.point.determinant
      let information = node.point.information
      covariance[0, 0] += scale * information.yy
      covariance[1, 1] += scale * information.xx
      covariance[0, 1] -= scale * information.xy
      covariance[1, 0] -= scale * information.xy
      covariance[2, 2] += share * step * step / 12
      let offset = SIMD3(node.point.place.x, node.point.place.y, node.height) - mean
      covariance.addOuterProduct(of: Vector(simd: offset), times: share)
    }
    guard covariance.isFinite else { return nil }
    position = mean
    self.covariance = covariance
    logWeight = top.logWeight + Double.log(mass * step)
    peak = SIMD3(top.point.place.x, top.point.place.y, top.height)
  }
}

extension AccessoryLikelihood {
  /// Linearises at the most likely position near `start`, at its height, and returns it.
  fileprivate mutating func linearised(
    near start: SIMD3<Double>, steps: Int
  ) -> SIMD3<Double>? {
    var position = start
    for _ in 0..<2 {
      guard linearise(at: position),
        let point = settled(SIMD2(position.x, position.y), height: position.z, steps: steps)
      else { return nil }
      position = SIMD3(point.place.x, point.place.y, position.z)
    }
    return position
  }
}
