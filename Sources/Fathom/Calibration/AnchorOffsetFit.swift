/// The fit of an offset of each anchor, with the evidence for it.
///
/// A reflection, an antenna or a survey makes the ranges of an anchor err alike in one place, and in
/// another way elsewhere. So all ranges of an anchor in one of eight places together count as one
/// measurement of its offset, and the offsets are as large as the noise before they are known.
struct AnchorOffsetFit {
  /// The residuals after the fit.
  private(set) var residuals: EpochResiduals
  /// The offsets, metres.
  private(set) var values: [Double]
  /// Their standard deviations, metres.
  private(set) var sigmas: [Double]
  private(set) var prediction = 0.0
  /// Whether each place is predicted better with the offsets found in the others than without.
  private var gainsEverywhere = false
  private let hasMoved: Bool
  /// The standard deviation of a range that the best explanation without offsets leaves, metres.
  private let noise: Double

  /// The most anchors: the equations are dense.
  private static let mostAnchors = 256

  /// Fits the offsets to the residuals without them; nil with too many anchors.
  ///
  /// A bias or a scale that leaves the standard deviation `least`, in metres, competes with them: offsets
  /// in a room imitate either.
  init?(to plain: EpochResiduals, beside least: Double) {
    guard plain.anchorCount <= Self.mostAnchors else { return nil }
    residuals = plain
    noise = min(plain.sigma, least)
    let count = plain.anchorCount
    values = Array(repeating: 0, count: count)
    sigmas = Array(repeating: plain.sigma, count: count)
    hasMoved = CommonErrorFit.hasMoved(plain)
    let share = Double(CommonErrorFit.places) / Double(plain.count)
    let precision = 1 / (plain.sigma * plain.sigma)
    /// Factors the information of the measurements and of the prior.
    func factored(_ information: DenseMatrix) -> DenseCholesky? {
      var matrix = DenseMatrix(rows: count, columns: count)
      for row in 0..<count {
        for column in 0..<count { matrix[row, column] = share * information[row, column] }
        matrix[row, row] += precision
      }
      return try? DenseCholesky(matrix)
    }
    func solved(_ information: DenseMatrix, _ gradient: [Double]) -> [Double]? {
      let right = DenseMatrix(column: gradient.map { share * $0 })
      return (try? factored(information)?.solve(right))?.column(0)
    }
    for _ in 0..<Self.mostSteps {
      let all = residuals.offsetNormals(of: Array(0..<plain.count))
      guard let found = solved(all.information, all.gradient) else { return nil }
      let change = zip(found, values).map { ($0 - $1).magnitude }.max() ?? 0
      values = found
      residuals.offsets = found
      residuals.refine()
      if change < 0.02 * plain.sigma { break }
    }
    let regions = CommonErrorFit.regions(of: residuals.positions)
    let sums = regions.map { residuals.offsetNormals(of: $0) }
    var (information, gradient) = sums[0]
    for other in sums.dropFirst() {
      for row in 0..<count {
        for column in 0..<count { information[row, column] += other.information[row, column] }
        gradient[row] += other.gradient[row]
      }
    }
    if let root = factored(information), let inverse = try? root.solve(.identity(count)) {
      sigmas = (0..<count).map { max(0, inverse[$0, $0]).squareRoot() }
    }
    var gains: [Double] = []
    for place in sums {
      var (rest, slope) = (information, gradient)
      for row in 0..<count {
        for column in 0..<count { rest[row, column] -= place.information[row, column] }
        slope[row] -= place.gradient[row]
      }
      guard let found = solved(rest, slope) else { return nil }
      var gain = 0.0
      for row in 0..<count {
        var product = 0.0
        for column in 0..<count { product += place.information[row, column] * found[column] }
        gain += found[row] * (2 * place.gradient[row] - product)
      }
      gains.append(gain)
    }
    prediction = CommonErrorFit.prediction(gains)
    gainsEverywhere = gains.allSatisfy { $0 > 0 }
    residuals.settle()
  }

  private static let mostSteps = 6
  /// The largest share of the noise that is left with offsets that are used.
  private static let mostNoise = 0.9

  /// Whether the ranges are to be corrected.
  var decision: RangeErrorEstimate.Decision {
    if !hasMoved { return .standing }
    // A few places tell many offsets, so no place may object. Offsets that hardly lower the noise
    // can be the curvature of the distances: with a noise of a tenth of the distance they are a
    // twentieth of the noise.
    let predicts = gainsEverywhere && prediction >= CommonErrorFit.leastPrediction
    return predicts && residuals.sigma <= Self.mostNoise * noise ? .corrected : .unpredictive
  }
}
