/// The fit of an error that epochs share, with the evidence for it: of a bias or a scale of all ranges, or
/// of an offset of each anchor.
///
/// A reflection, an antenna or a survey makes the ranges of an anchor err alike. An error of all ranges is
/// as certain as one independent measurement of each anchor makes it. An offset is such an error, and
/// differs from place to place: all ranges of an anchor in one of eight places together count as one
/// measurement of its offset.
struct SharedErrorFit {
  /// The residuals after the fit.
  let residuals: EpochResiduals
  /// The numbers of the parameter: metres, for a scale less 1.
  let values: [Double]
  /// Mean gain of the prediction in places not used for the estimate, over its standard error.
  let prediction: Double
  /// Whether each place is predicted better with the values found in the others than without.
  let gainsEverywhere: Bool
  /// Whether the tag has been to different places.
  let hasMoved: Bool
  /// The standard deviation of the values before anything is known: that of a range.
  private let priorSigma: Double
  /// The number of independent measurements per epoch.
  private let weight: Double
  /// The equations of the values that were found.
  private let equations: SharedEquations

  /// Number of places that predict each other.
  private static let places = 8
  private static let mostSteps = 12
  /// The fewest epochs that show a bias or a scale: eight for each place.
  static let fewestEpochs = 64
  /// The most anchors with offsets: the equations are dense.
  private static let mostAnchors = 256
  /// The least prediction of a value that is used: eight places have seven degrees of freedom, and
  /// chance exceeds 4 once in 400 times.
  static let leastPrediction = 4.0
  /// The largest share of the noise that is left with offsets that are used.
  static let mostNoise = 0.9

  /// Fits a parameter to the residuals without it; nil if there are too many anchors for offsets.
  init?(of parameter: RangeHypothesis.Parameter, to plain: EpochResiduals) {
    let count = plain.fit.hypothesis.count(of: parameter)
    guard count <= Self.mostAnchors else { return nil }
    var (residuals, values) = (plain, [Double](repeating: 0, count: count))
    let weight = parameter == .offsets ? Double(Self.places) / Double(plain.count) : 1
    // An error much larger than its traces in the ranges cannot be found in them.
    let prior = parameter == .gain ? plain.sigma / max(plain.meanDistance, 1e-9) : plain.sigma
    let precision = 1 / (prior * prior)
    // Again with the noise that the first fit leaves, on which the weights and the curvature depend.
    // Offsets could lower the noise without end, each in some places: they keep to that before them.
    var rounds = parameter == .offsets ? 1 : 2
    let shown = plain.fit.equations(of: parameter, in: 0..<plain.count).epochs
    if parameter != .offsets, shown < Self.fewestEpochs { rounds = 0 }
    for _ in 0..<rounds {
      for _ in 0..<Self.mostSteps {
        let sums = residuals.fit.equations(of: parameter, in: 0..<plain.count)
        guard let found = sums.values(beside: values, times: weight, precision) else { break }
        let step = zip(found, values).map { $0 - $1 }
        values = found
        residuals.add(step, to: parameter)
        if step.allSatisfy({ $0.magnitude < 0.01 * prior }) { break }
      }
      if rounds > 1 { residuals.settle() }
    }
    let sums = Self.regions(of: residuals.fit.positions).map {
      residuals.fit.equations(of: parameter, in: $0)
    }
    var whole = sums[0]
    for other in sums.dropFirst() { whole.add(other) }
    if parameter == .offsets { residuals.settle() }
    (self.residuals, self.values, self.weight, priorSigma) = (residuals, values, weight, prior)
    equations = whole
    hasMoved = Self.hasMoved(residuals)
    var gains: [Double] = []
    for place in sums {
      var rest = whole
      rest.add(place, times: -1)
      guard let found = rest.values(beside: values, times: weight, precision) else { continue }
      gains.append(place.gain(of: found, beside: values))
    }
    prediction = Self.prediction(gains)
    gainsEverywhere = gains.allSatisfy { $0 > 0 }
  }

  /// Returns the mean of the gains over its standard error; 0 without any.
  private static func prediction(_ gains: [Double]) -> Double {
    guard gains.count > 1 else { return 0 }
    let number = Double(gains.count)
    let mean = gains.reduce(0, +) / number
    let variance = gains.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (number - 1)
    return variance > 0 ? mean / (variance / number).squareRoot() : 0
  }

  // MARK: Places

  /// Divides positions into places of about equally many: the longest range of the largest group is
  /// halved, until there are enough.
  private static func regions(of positions: [SIMD3<Double>]) -> [[Int]] {
    var groups = [Array(positions.indices)]
    while groups.count < places {
      // The first of the largest groups.
      var largest = 0
      for index in groups.indices where groups[index].count > groups[largest].count {
        largest = index
      }
      let group = groups.remove(at: largest)
      let axis = (0..<3).max { extent(of: group, $0, positions) < extent(of: group, $1, positions) }
      let sorted = group.sorted {
        (positions[$0][axis ?? 0], $0) < (positions[$1][axis ?? 0], $1)
      }
      groups.append(Array(sorted[..<(sorted.count / 2)]))
      groups.append(Array(sorted[(sorted.count / 2)...]))
    }
    return groups
  }

  /// Returns the distance between the 10 % and 90 % quantiles of a coordinate, metres.
  private static func extent(
    of group: [Int], _ axis: Int, _ positions: [SIMD3<Double>]
  ) -> Double {
    let sorted = group.map { positions[$0][axis] }.sorted()
    guard !sorted.isEmpty else { return 0 }
    return sorted[sorted.count * 9 / 10] - sorted[sorted.count / 10]
  }

  /// Whether the positions spread enough to change the directions to the anchors: by a tenth of the
  /// mean distance, that is by 0.1 rad, for the outer 30 %.
  private static func hasMoved(_ residuals: EpochResiduals) -> Bool {
    let positions = residuals.fit.positions
    var centre = SIMD3<Double>.zero
    for axis in 0..<3 { centre[axis] = positions.map { $0[axis] }.sorted()[positions.count / 2] }
    let distances = positions.map { (($0 - centre) * ($0 - centre)).sum().squareRoot() }.sorted()
    return distances[positions.count * 7 / 10] >= 0.1 * residuals.meanDistance
  }
}

// MARK: A bias or a scale of all ranges

extension SharedErrorFit {
  /// The variances of a bias or a scale: from the independent errors of the ranges, which move positions
  /// and remain where every anchor is measured, and from persistent errors of the anchors.
  private var variances: (chance: Double, persistent: Double)? {
    guard let covariance = equations.covariance() else { return nil }
    // Where the curvature of the distances changes the value, its next order changes it, too.
    let curvature = equations.curvature[0] * covariance[0, 0]
    return (
      covariance[0, 0] + curvature * curvature,
      equations.persistentCovariance(covariance, sigma: residuals.fit.sigma)[0, 0]
    )
  }

  /// The standard deviation of a bias or a scale, with each anchor as one independent measurement.
  private var sigma: Double {
    variances.map { ($0.chance + $0.persistent).squareRoot() } ?? .infinity
  }

  /// Whether the ranges are to be corrected for a bias or a scale, as far as this error alone decides.
  var decision: RangeErrorEstimate.Decision {
    if !(values[0].magnitude >= 2 * sigma) { return .insignificant }
    if !hasMoved { return .standing }
    return prediction >= Self.leastPrediction ? .corrected : .unpredictive
  }

  /// Returns a bias or a scale as a parameter of the estimate.
  func parameter(_ decision: RangeErrorEstimate.Decision) -> RangeErrorEstimate.Parameter {
    let value = values[0]
    let own = sigma * sigma
    let posterior = 1 / (1 / own + 1 / (priorSigma * priorSigma))
    // Sigma counts each anchor once, the value of the fit all ranges: so its prior is
    // applied again, with that weight. What chance alone explains is no error: the most likely
    // variance of the errors is the square of the value less that of chance.
    let counted = own > 0 ? value * posterior / own : value
    let (square, chance) = (value * value, variances?.chance ?? 0)
    let shrunk = square > chance ? counted * (1 - chance / square) : 0
    return RangeErrorEstimate.Parameter(
      value: value, sigma: posterior.squareRoot(), prediction: prediction, decision: decision,
      mean: shrunk, remaining: posterior)
  }
}

// MARK: Offsets of the anchors

extension SharedErrorFit {
  /// Returns the offsets, in metres after bias and scale, with the decision about them.
  ///
  /// A bias or a scale that leaves the standard deviation `least`, in metres, competes with them: offsets
  /// in a room imitate either.
  func offsets(
    after plain: EpochResiduals, beside least: Double
  ) -> RangeErrorEstimate.Offsets {
    let gain = residuals.fit.hypothesis.gain
    let covariance = equations.covariance(times: weight, 1 / (priorSigma * priorSigma))
    let variances = values.indices.map { covariance?[$0, $0] ?? priorSigma * priorSigma }
    // Few places determine many offsets, so each of them must be predicted better. Offsets that hardly
    // lower the noise can be the curvature of the distances: with a noise of a tenth of the distance they
    // are a twentieth of the noise.
    let predicts = gainsEverywhere && prediction >= Self.leastPrediction
    let lowers = residuals.sigma <= Self.mostNoise * min(plain.sigma, least)
    return RangeErrorEstimate.Offsets(
      values: values.map { $0 / gain }, sigmas: variances.map { $0.squareRoot() / gain },
      prediction: prediction,
      decision: !hasMoved ? .standing : predicts && lowers ? .corrected : .unpredictive)
  }
}
