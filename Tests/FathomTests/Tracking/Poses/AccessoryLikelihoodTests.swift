import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// The likelihood of the place of an accessory against dense equations and sums over space.
@Suite struct AccessoryLikelihoodTests {
  private static let accessory = SIMD3(4.0, 6, 1.1)

  /// The covariance that the type documents, built from the independent errors that cause it: one column for
  /// every source of errors, over the groups.
  private func covariance(
    _ groups: [RangeGroup], _ configuration: AccessoryLocator.Configuration,
    at position: SIMD3<Double>
  ) throws -> [[Double]] {
    let (errors, poses) = (configuration.errors, configuration.poseErrors)
    let last = try #require(groups.last)
    func unit(_ group: RangeGroup) -> SIMD3<Double> {
      let offset = position - group.position
      return offset / (offset * offset).sum().squareRoot()
    }
    var columns: [[Double]] = []
    for sigma in [errors.biasSigma, errors.persistentSigma, errors.remainingBiasSigma] {
      columns.append(groups.map { _ in sigma })
    }
    columns.append(groups.map { errors.scaleSigma * $0.distance })
    columns.append(
      groups.map { poses.scaleSigma * (unit($0) * ($0.position - last.position)).sum() })
    // Every step of the path moves all places before it by a random vector, and turns them.
    for step in groups.indices.dropLast() {
      let (here, next) = (groups[step], groups[step + 1])
      let length = (next.way - here.way).squareRoot()
      for axis in 0..<3 {
        columns.append(
          groups.indices.map {
            $0 <= step ? poses.distanceNoise * length * unit(groups[$0])[axis] : 0
          })
      }
      let centre = 0.5 * (here.position + next.position)
      columns.append(
        groups.indices.map { index in
          guard index <= step else { return 0 }
          let (arm, sight) = (groups[index].position - centre, unit(groups[index]))
          return poses.headingNoise * length * (sight.y * arm.x - sight.x * arm.y)
        })
    }
    return groups.indices.map { row in
      groups.indices.map { column in
        let seconds = groups[row].time.seconds(since: groups[column].time).magnitude
        var sum = columns.reduce(0) { $0 + $1[row] * $1[column] }
        sum +=
          errors.commonModeSigma * errors.commonModeSigma * errors.commonModeMemory(over: seconds)
        sum +=
          groups[row].correlatedFactor * groups[column].correlatedFactor
          * errors.linkErrorVariance * errors.memory(over: seconds)
        return row == column ? sum + groups[row].whiteVariance + 1e-8 : sum
      }
    }
  }

  /// Returns the logarithm of the determinant of a matrix, and its solution for a right side.
  private func solved(
    _ matrix: [[Double]], _ right: [Double]
  ) -> (logDeterminant: Double, solution: [Double]) {
    var rows = zip(matrix, right).map { $0 + [$1] }
    var logDeterminant = 0.0
    for column in rows.indices {
      let pivot =
        rows.indices[column...].max { rows[$0][column].magnitude < rows[$1][column].magnitude }
      if let pivot { rows.swapAt(column, pivot) }
      logDeterminant += Double.log(rows[column][column].magnitude)
      for row in rows.indices where row != column {
        let factor = rows[row][column] / rows[column][column]
        for index in column...rows.count { rows[row][index] -= factor * rows[column][index] }
      }
    }
    return (logDeterminant, rows.indices.map { rows[$0][rows.count] / rows[$0][$0] })
  }

  /// Returns groups along a random path with errors of some centimetres.
  private func groups(_ count: Int, _ generator: inout SeededGenerator) -> [RangeGroup] {
    var (position, way, seconds) = (SIMD3(0.0, 0, 1.3), 0.0, 0.0)
    return (0..<count).map { _ in
      let step = SIMD3(
        generator.uniform(in: -0.4...0.8), generator.uniform(in: -0.6...0.6),
        0.02 * generator.normal())
      position += step
      way += 1.1 * (step * step).sum().squareRoot()
      seconds += generator.uniform(in: 0.3...1.5)
      let offset = Self.accessory - position
      return RangeGroup(
        time: instant(seconds), position: position, way: way,
        distance: (offset * offset).sum().squareRoot() + 0.04 * generator.normal(),
        whiteVariance: generator.uniform(in: 0.0002...0.002),
        correlatedFactor: generator.uniform(in: 0.5...1))
    }
  }

  @Test func costAndInformationAreThoseOfTheDenseCovariance() throws {
    for seed in 0..<50 as Range<UInt64> {
      var generator = SeededGenerator(seed: 8300 + seed)
      let groups = groups(3 + Int(seed % 12), &generator)
      var configuration = AccessoryLocator.Configuration()
      configuration.errors.scaleSigma = generator.uniform(in: 0...0.02)
      configuration.errors.persistentSigma = generator.uniform(in: 0...0.1)
      configuration.poseErrors.scaleSigma = generator.uniform(in: 0...0.03)
      let about = Self.accessory + SIMD3(generator.normal(), generator.normal(), 0.1)
      var likelihood = AccessoryLikelihood(groups, configuration)
      let isPositive = likelihood.linearise(at: about)
      #expect(isPositive)
      let dense = try covariance(groups, configuration, at: about)
      let place = SIMD2(Self.accessory.x + 0.3, Self.accessory.y - 0.2)
      let offsets = groups.map { SIMD3(place.x, place.y, 1.0) - $0.position }
      let lengths = offsets.map { ($0 * $0).sum().squareRoot() }
      let residuals = zip(groups, lengths).map { $0.distance - $1 }
      let weighted = solved(dense, residuals)
      let point = try #require(likelihood.settled(place, height: 1.0, steps: 0))
      let square = zip(residuals, weighted.solution).reduce(0) { $0 + $1.0 * $1.1 }
      let cost = weighted.logDeterminant + square
      #expect((point.cost - cost).magnitude < 1e-8 * (1 + cost.magnitude), "seed \(seed)")
      let slopes = (0..<2).map { axis in zip(offsets, lengths).map { $0[axis] / $1 } }
      let solutions = slopes.map { solved(dense, $0).solution }
      func product(_ one: Int, _ other: Int) -> Double {
        zip(slopes[one], solutions[other]).reduce(0) { $0 + $1.0 * $1.1 }
      }
      let information = [product(0, 0), product(0, 1), product(1, 1)]
      let found = [
        point.information.xx - 1e-4, point.information.xy, point.information.yy - 1e-4,
      ]
      for (one, other) in zip(found, information) {
        #expect((one - other).magnitude < 1e-8 * (1 + other.magnitude), "seed \(seed)")
      }
    }
  }

  /// At the place that is found the derivative of the cost, with directions, is zero: by differences.
  @Test func theCostIsLeastWherePlacesSettle() throws {
    for seed in 0..<30 as Range<UInt64> {
      var generator = SeededGenerator(seed: 8400 + seed)
      var groups = groups(12, &generator)
      for index in groups.indices where index % 2 == 0 {
        let offset = Self.accessory - groups[index].position
        let turned =
          offset / (offset * offset).sum().squareRoot()
          + 0.1 * SIMD3(generator.normal(), generator.normal(), generator.normal())
        groups[index].direction = turned / (turned * turned).sum().squareRoot()
      }
      var likelihood = AccessoryLikelihood(groups, AccessoryLocator.Configuration())
      let isPositive = likelihood.linearise(at: Self.accessory)
      #expect(isPositive)
      let start = SIMD2(Self.accessory.x + 0.5, Self.accessory.y + 0.4)
      let found = try #require(likelihood.settled(start, height: 1.1, steps: 40))
      for axis in 0..<2 {
        var step = SIMD2<Double>.zero
        step[axis] = 1e-3
        let costs = try [found.place - step, found.place + step].map {
          try #require(likelihood.settled($0, height: 1.1, steps: 0)).cost
        }
        // The curvature is twice the information: the slope as a distance from the minimum.
        let curvature = (costs[0] + costs[1] - 2 * found.cost) / 1e-6
        #expect(curvature > 0, "seed \(seed)")
        #expect(((costs[1] - costs[0]) / 2e-3 / curvature).magnitude < 2e-4, "seed \(seed)")
      }
    }
  }

  /// A residual of 1 m beside others of 0: the weight of Student's density, by hand.
  @Test func anOutlierLosesItsWeight() {
    var configuration = AccessoryLocator.Configuration()
    configuration.errors.degreesOfFreedom = 4
    configuration.errors.correlatedShare = 0
    configuration.errors.commonModeSigma = 0
    let groups = (0..<5).map { index in
      RangeGroup(
        time: instant(Double(index)), position: SIMD3(Double(index), 0, 1.1), way: Double(index),
        distance: 6 + (index == 3 ? 1 : 0), whiteVariance: 0.01, correlatedFactor: 0)
    }
    // An accessory that is 6 m from each place does not exist: one place for all.
    let same = groups.map { group in
      var group = group
      group.position = SIMD3(0, 0, 1.1)
      return group
    }
    var likelihood = AccessoryLikelihood(same, configuration)
    let cost = likelihood.reweigh(at: SIMD3(6, 0, 1.1))
    // (ν + 1)/(ν + s) with s = 1 / 0.01; its variance grows by 1/w - 1.
    let weight = 5.0 / 104
    #expect((likelihood.weights[3] - weight).magnitude < 1e-12)
    #expect((likelihood.inflation[3] - 0.01 * (1 / weight - 1)).magnitude < 1e-12)
    // (ν + 1)/2 log(1 + s/ν), and zero for the others.
    #expect((cost - 2.5 * Double.log(26)).magnitude < 1e-12)
  }

  /// Mean and covariance of the hypotheses against a sum of the posterior over a grid of places.
  @Test(.releaseOnly) func hypothesesAreTheMomentsOfThePosterior() throws {
    var worst = (mean: 0.0, sigma: 0.0)
    for seed in 0..<6 as Range<UInt64> {
      var generator = SeededGenerator(seed: 8500 + seed)
      var configuration = AccessoryLocator.Configuration()
      configuration.errors.degreesOfFreedom = .infinity
      let groups = groups(20, &generator)
      let hypotheses = AccessoryHypotheses(groups, from: [Self.accessory], configuration)
      let best = try #require(hypotheses.all.first)
      var likelihood = AccessoryLikelihood(groups, configuration)
      let isPositive = likelihood.linearise(at: best.peak)
      #expect(isPositive)
      let sigmas = SIMD3(
        best.covariance[0, 0].squareRoot(), best.covariance[1, 1].squareRoot(),
        best.covariance[2, 2].squareRoot())
      // Only the part of this hypothesis: up to the valley before another one.
      let hasOthers = hypotheses.all.count > 1
      let (steps, reach) = (24, 4.5)
      var (mass, mean, squares, least) = (0.0, SIMD3<Double>.zero, SIMD3<Double>.zero, 0.0)
      least = try #require(
        likelihood.settled(SIMD2(best.peak.x, best.peak.y), height: best.peak.z, steps: 0)
      ).cost
      for i in -steps...steps {
        for j in -steps...steps {
          for k in -steps...steps {
            let place =
              best.position + reach / Double(steps) * sigmas
              * SIMD3(Double(i), Double(j), Double(k))
            let offset = (place.z - likelihood.meanHeight) / configuration.heightSigma
            let point = try #require(
              likelihood.settled(SIMD2(place.x, place.y), height: place.z, steps: 0))
            let weight = Double.exp(-0.5 * (point.cost - least + offset * offset))
            mass += weight
            mean += weight * place
            squares += weight * place * place
          }
        }
      }
      mean /= mass
      let variance = squares / mass - mean * mean
      guard !hasOthers else { continue }
      for axis in 0..<3 {
        let sigma = variance[axis].squareRoot()
        worst.mean = max(worst.mean, (mean[axis] - best.position[axis]).magnitude / sigma)
        worst.sigma = max(worst.sigma, (sigma / sigmas[axis] - 1).magnitude)
      }
    }
    print("accessory moments: mean within \(worst.mean) sigma, sigma within \(worst.sigma)")
    #expect(worst.mean < 0.1 && worst.sigma < 0.1)
  }
}
