import FathomEvaluation
import Testing

@testable import Fathom

/// Parameters that epochs share, with positions eliminated, beside least squares with all unknowns.
@Suite struct EpochFitTests {
  private static let sites: [SIMD3<Double>] = [
    SIMD3(0, 0, 0.3), SIMD3(9, 0, 2.6), SIMD3(9, 7, 0.4), SIMD3(0, 7, 2.7), SIMD3(4, 3.5, 3.4),
    SIMD3(4.5, 0, 1.5),
  ]
  private static let sigma = 0.05
  /// Least squares: half the weight only at a million standard deviations.
  private static let squares = RangeLoss(factor: 1e12, tail: 1e12)

  /// Returns a fit of epochs at known places, whose ranges have errors of some centimetres.
  private static func fit(
    height: Double? = nil, heightSigma: Double? = nil, loss: RangeLoss = squares,
    change: (inout RangeEpoch) -> Void = { _ in }
  ) -> EpochFit {
    var random = SeededGenerator(seed: 7)
    var (epochs, positions): ([RangeEpoch], [SIMD3<Double>]) = ([], [])
    for _ in 0..<10 {
      let place = SIMD3(
        Double.random(in: 1...8, using: &random), Double.random(in: 1...6, using: &random),
        height ?? Double.random(in: 0.2...1.5, using: &random))
      var epoch = RangeEpoch(
        anchors: Array(sites.indices),
        distances: sites.map { site in
          let offset = place - site
          return (offset * offset).sum().squareRoot()
            + Double.random(in: -0.08...0.08, using: &random)
        })
      change(&epoch)
      epochs.append(epoch)
      positions.append(place)
    }
    let hypothesis = RangeHypothesis(sites: sites, height: height, heightSigma: heightSigma)
    var fit = EpochFit(
      WeighedEpochs(epochs), hypothesis, loss: loss, at: positions, sigma: sigma)
    for index in positions.indices { fit.descend(index, sigma, steps: 50, least: 0) }
    return fit
  }

  /// Returns the step of a parameter and its covariance from the normal equations of all positions and
  /// the parameter together.
  private static func dense(
    _ fit: EpochFit, _ parameter: RangeHypothesis.Parameter
  ) throws -> (step: [Double], covariance: DenseMatrix) {
    let axes = fit.hypothesis.unknowns
    let count = fit.hypothesis.count(of: parameter)
    let order = axes * fit.positions.count + count
    var normal = DenseMatrix(rows: order, columns: order)
    var right = [Double](repeating: 0, count: order)
    for (index, place) in fit.positions.enumerated() {
      var own = DenseMatrix(rows: axes, columns: axes)
      var rows: [(slope: [Double], error: Double, direction: SIMD3<Double>, length: Double)] = []
      for range in fit.used.ranges(of: index) {
        let offset = place - fit.used.sites[range]
        let length = (offset * offset).sum().squareRoot()
        let direction = (1 / length) * offset
        var slope = [Double](repeating: 0, count: order)
        for axis in 0..<axes {
          slope[axes * index + axis] = direction[axis]
          for other in 0..<axes { own[axis, other] += direction[axis] * direction[other] }
        }
        let anchor = fit.used.anchors[range]
        let first = axes * fit.positions.count
        switch parameter {
        case .bias: slope[first] = 1
        case .gain: slope[first] = length
        case .height: slope[first] = direction.z
        case .offset(let other): slope[first] = anchor == other ? 1 : 0
        case .offsets: slope[first + anchor] = 1
        case .site(let other, _):
          for axis in 0..<count { slope[first + axis] = anchor == other ? -direction[axis] : 0 }
        }
        rows.append((slope, fit.used.distances[range] - length, direction, length))
      }
      if let height = fit.hypothesis.height, let spread = fit.hypothesis.heightSigma {
        let place = axes * index + 2
        normal[place, place] += 1 / (spread * spread)
        right[place] += (height - fit.positions[index].z) / (spread * spread)
        own[2, 2] += sigma * sigma / (spread * spread)
      }
      let covariance = try DenseCholesky(own).solve(.identity(axes))
      for row in rows {
        // What the covariance of the position across the range adds to the distance: s²/2d.
        var across = 0.0
        for axis in 0..<axes {
          across += covariance[axis, axis]
          for other in 0..<axes {
            across -= row.direction[axis] * covariance[axis, other] * row.direction[other]
          }
        }
        let error = row.error + 0.5 * sigma * sigma * across / row.length
        for one in 0..<order where row.slope[one] != 0 {
          right[one] += row.slope[one] * error / (sigma * sigma)
          for other in 0..<order {
            normal[one, other] += row.slope[one] * row.slope[other] / (sigma * sigma)
          }
        }
      }
    }
    let inverse = try DenseCholesky(normal).solve(.identity(order))
    let all = (inverse * DenseMatrix(column: right)).column(0)
    var covariance = DenseMatrix(rows: count, columns: count)
    for row in 0..<count {
      for column in 0..<count {
        covariance[row, column] = inverse[order - count + row, order - count + column]
      }
    }
    return (Array(all.suffix(count)), covariance)
  }

  private static func compare(_ fit: EpochFit, _ parameter: RangeHypothesis.Parameter) throws {
    let (step, expected) = try dense(fit, parameter)
    let sums = fit.equations(of: parameter, in: fit.positions.indices)
    #expect(sums.epochs == fit.positions.count)
    let covariance = try #require(sums.covariance())
    let zeros = [Double](repeating: 0, count: step.count)
    let found = try #require(sums.values(beside: zeros, times: 1, 0))
    for row in step.indices {
      // Every coordinate has a millionth more information than the ranges give.
      #expect(abs(covariance[row, row] / expected[row, row] - 1) < 1e-3, "\(parameter) \(row)")
      let spread = expected[row, row].squareRoot()
      #expect(abs(found[row] - step[row]) < 1e-3 * spread, "\(parameter): \(found), \(step)")
    }
  }

  @Test(arguments: [
    RangeHypothesis.Parameter.bias, .gain, .offset(2), .offsets, .site(1, isSpace: true),
    .site(4, isSpace: false),
  ])
  func stepsAreThoseOfAllUnknownsTogether(_ parameter: RangeHypothesis.Parameter) throws {
    try Self.compare(Self.fit(), parameter)
    try Self.compare(Self.fit(height: 0.8), parameter)
    // The height that the ranges fit and the given one differ: it pulls the parameter, too.
    try Self.compare(Self.fit(height: 0.8, heightSigma: 0.1), parameter)
  }

  @Test func aHeightIsThatOfAllUnknownsTogether() throws {
    try Self.compare(Self.fit(height: 0.8), .height)
  }

  /// The share of an anchor is what an error of all its ranges moves the parameter by.
  @Test(arguments: [RangeHypothesis.Parameter.bias, .gain, .site(1, isSpace: true)])
  func aPersistentErrorMovesTheParameterByItsShare(_ parameter: RangeHypothesis.Parameter) throws {
    let fit = Self.fit()
    let sums = fit.equations(of: parameter, in: fit.positions.indices)
    let covariance = try #require(sums.covariance())
    var expected = DenseMatrix(rows: covariance.rows, columns: covariance.rows)
    for anchor in Self.sites.indices {
      // Positions stay, so that the equations are linear in the error.
      var other = fit
      other.hypothesis.offsets[anchor] -= 1e-4
      let moved = other.equations(of: parameter, in: other.positions.indices)
      let change = sums.gradient.indices.map { (moved.gradient[$0] - sums.gradient[$0]) / 1e-4 }
      let error = covariance * DenseMatrix(column: change)
      for row in 0..<covariance.rows {
        for column in 0..<covariance.rows {
          expected[row, column] += 0.04 * error[row, 0] * error[column, 0]
        }
      }
    }
    let found = sums.persistentCovariance(covariance, sigma: 0.2)
    for row in 0..<covariance.rows {
      #expect(abs(found[row, row] / expected[row, row] - 1) < 1e-5, "\(parameter) \(row)")
    }
  }

  /// The residuals of an epoch show as many errors as it has ranges more than unknowns.
  @Test(arguments: [nil, 0.8] as [Double?]) func theSharesOfAnEpochAreItsRedundancy(
    _ height: Double?
  ) throws {
    let fit = Self.fit(height: height, loss: .cauchy)
    let anchors = Self.sites.map { Vector<3>(simd: $0) }
    var options = PositionOptions()
    options.height = height
    let epochs = (0..<fit.epochs.count).map {
      RangeEpoch(
        anchors: Array(fit.epochs.anchors[fit.epochs.ranges(of: $0)]),
        distances: Array(fit.epochs.distances[fit.epochs.ranges(of: $0)]))
    }
    let residuals = try #require(
      EpochResiduals(epochs, anchors: anchors, within: nil, options: options))
    for index in 0..<residuals.count {
      let shares = residuals.checkedErrors().filter { $0.epoch == index }.map(\.check)
      #expect(abs(shares.reduce(0, +) - Double(residuals.fit.redundancy(index))) < 1e-6)
    }
  }

  /// Exact ranges with one error: the hypothesis that names it finds its size.
  @Test func aHypothesisFindsAnExactError() throws {
    let truth = Self.fit(change: { $0.distances = $0.distances.map { $0 } })
    var (epochs, positions): ([RangeEpoch], [SIMD3<Double>]) = ([], truth.positions)
    for place in positions {
      epochs.append(
        RangeEpoch(
          anchors: Array(Self.sites.indices),
          distances: Self.sites.indices.map { anchor in
            let offset = place - Self.sites[anchor]
            return (offset * offset).sum().squareRoot() + (anchor == 2 ? 0.7 : 0)
          }))
    }
    for index in positions.indices { positions[index] += SIMD3(0.1, -0.1, 0.1) }
    var fit = HypothesisFit(
      WeighedEpochs(epochs), RangeHypothesis(sites: Self.sites, height: nil, heightSigma: nil),
      givenSigma: 0.05, extent: 10, from: positions)
    let before = fit.logLikelihood
    fit.fit(.offset(2))
    #expect(fit.logLikelihood > before)
    // Its steps end at a fiftieth of a standard deviation.
    let spread = try #require(fit.covariance)[0, 0].squareRoot()
    #expect(abs(fit.hypothesis.offsets[2] - 0.7) < 0.02 * spread, "\(fit.hypothesis.offsets)")
  }
}
