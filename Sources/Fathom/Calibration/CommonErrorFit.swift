/// The fit of a bias or a scale common to all ranges, with the evidence for it.
struct CommonErrorFit {
  /// The residuals after the fit.
  private(set) var residuals: EpochResiduals
  private(set) var value = 0.0
  /// Standard deviation of the value, with each anchor as one independent measurement.
  private(set) var sigma = Double.infinity
  private(set) var prediction = 0.0
  /// Variance of the value from the independent errors of the ranges alone, which move positions.
  private var chance = 0.0
  private let priorSigma: Double
  private let hasMoved: Bool

  /// Number of places that predict each other.
  static let places = 8

  /// Fits the error to the residuals without it.
  init(of error: EpochResiduals.CommonError, to plain: EpochResiduals) {
    residuals = plain
    // An error much larger than its traces in the ranges cannot be found in them.
    priorSigma = error == .bias ? plain.sigma : plain.sigma / max(plain.meanDistance, 1e-9)
    let precision = 1 / (priorSigma * priorSigma)
    // Again with the noise that the first fit leaves, on which the weights and the curvature depend.
    for _ in 0..<2 {
      for _ in 0..<12 {
        let sums = Self.sum(residuals.normals(of: error).epochs)
        let step = (sums.gradient - precision * value) / (sums.information + precision)
        guard step.isFinite else { break }
        value += step
        if error == .bias { residuals.bias = value } else { residuals.scale = value }
        residuals.refine()
        if step.magnitude < 0.01 * priorSigma { break }
      }
      residuals.settle()
    }
    let (normals, shared) = residuals.normals(of: error)
    let whole = Self.sum(normals)
    let information = whole.information
    if information > 0 {
      let squares = shared.reduce(0) { $0 + $1 * $1 }
      sigma = residuals.sigma * squares.squareRoot() / information
      // Independent errors of the ranges remain where every anchor is measured.
      // Where the curvature of the distances changes the value, its next order does so as well.
      let curvature = whole.curvature / information
      chance = 1 / information + curvature * curvature
      sigma = (sigma * sigma + chance).squareRoot()
    }
    let regions = Self.regions(of: residuals.positions)
    hasMoved = Self.hasMoved(residuals)
    let sums = regions.map { region in Self.sum(region.map { normals[$0] }) }
    prediction = Self.prediction(of: value, in: sums, precision: precision)
  }

  /// Whether the ranges are to be corrected, as far as this error alone decides.
  var decision: RangeErrorEstimate.Decision {
    if !(value.magnitude >= 2 * sigma) { return .insignificant }
    if !hasMoved { return .standing }
    return prediction >= Self.leastPrediction ? .corrected : .unpredictive
  }

  /// Returns the parameter of the estimate.
  func parameter(_ decision: RangeErrorEstimate.Decision) -> RangeErrorEstimate.Parameter {
    let own = sigma * sigma
    let posterior = 1 / (1 / own + 1 / (priorSigma * priorSigma))
    // Sigma counts each anchor once, the value of the fit all ranges: so its prior is
    // applied again, with that weight. What chance alone explains is no error: the most likely
    // variance of the errors is the square of the value less that of chance.
    let counted = own > 0 ? value * posterior / own : value
    let square = value * value
    let shrunk = square > chance ? counted * (1 - chance / square) : 0
    return RangeErrorEstimate.Parameter(
      value: value, sigma: posterior.squareRoot(), prediction: prediction, decision: decision,
      mean: shrunk, remaining: posterior)
  }

  private static func sum(_ normals: [EpochResiduals.Normal]) -> EpochResiduals.Normal {
    normals.reduce(into: EpochResiduals.Normal()) {
      $0.information += $1.information
      $0.gradient += $1.gradient
      $0.curvature += $1.curvature
    }
  }

  /// Returns the mean gain in each place, in chi-square, of the value found in all others, over its
  /// standard error.
  private static func prediction(
    of value: Double, in places: [EpochResiduals.Normal], precision: Double
  ) -> Double {
    let all = sum(places)
    let gains = places.map { place in
      let others = all.information - place.information + precision
      let change = (all.gradient - place.gradient) / others
      func cost(_ change: Double) -> Double {
        change * (change * place.information - 2 * place.gradient)
      }
      return cost(-value) - cost(change)
    }
    return prediction(gains)
  }

  /// Returns the mean of the gains over its standard error.
  static func prediction(_ gains: [Double]) -> Double {
    let number = Double(gains.count)
    let mean = gains.reduce(0, +) / number
    let variance = gains.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (number - 1)
    return variance > 0 ? mean / (variance / number).squareRoot() : 0
  }

  /// The least prediction of a value that is used: eight places have seven degrees of freedom, and
  /// chance exceeds 4 once in 400 times.
  static let leastPrediction = 4.0

  /// Divides positions into places of about equally many: the longest range of the largest group is
  /// halved, until there are enough.
  static func regions(of positions: [Vector<3>]) -> [[Int]] {
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
  private static func extent(of group: [Int], _ axis: Int, _ positions: [Vector<3>]) -> Double {
    let sorted = group.map { positions[$0][axis] }.sorted()
    guard !sorted.isEmpty else { return 0 }
    return sorted[sorted.count * 9 / 10] - sorted[sorted.count / 10]
  }

  /// Whether the positions spread enough to change the directions to the anchors: by a tenth of the
  /// mean distance, that is by 0.1 rad, for the outer 30 %.
  static func hasMoved(_ residuals: EpochResiduals) -> Bool {
    let positions = residuals.positions
    var centre = Vector<3>.zero
    for axis in 0..<3 { centre[axis] = positions.map { $0[axis] }.sorted()[positions.count / 2] }
    let distances = positions.map { ($0 - centre).length }.sorted()
    return distances[positions.count * 7 / 10] >= 0.1 * residuals.meanDistance
  }
}
