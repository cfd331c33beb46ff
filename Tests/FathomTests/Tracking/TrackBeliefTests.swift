import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Every operation against the same with whole matrices.
@Suite struct TrackBeliefTests {
  private static let motion = ConstantVelocity(horizontalDensity: 0.7, verticalDensity: 0.4)
  private static let memory = 0.8
  private static let linkVariance = 0.004

  @Test func predictionIsAMatrixProduct() throws {
    try onRandomBeliefs(seed: 2001) { belief, mean, covariance, generator in
      let seconds = generator.exponential(mean: 0.3)
      let order = belief.size
      belief.predict(
        over: seconds, motion: Self.motion, memory: Self.memory, linkVariance: Self.linkVariance)
      let transition = Self.transition(over: seconds, order: order)
      mean = transition * mean
      covariance = Self.sum(
        transition * covariance * transition.transposed(),
        Self.noise(over: seconds, order: order, memory: Self.memory))
    }
  }

  /// Position as before, velocity anew, the rest as after the seconds over which it is followed.
  @Test func aHoldKeepsThePositionAndForgetsTheVelocity() throws {
    try onRandomBeliefs(seed: 2002) { belief, mean, covariance, generator in
      let seconds = generator.exponential(mean: 3)
      let followed = min(seconds, 2)
      let order = belief.size
      belief.hold(
        over: seconds, followed: 2, motion: Self.motion, speed: 1.5, memory: Self.memory,
        linkVariance: Self.linkVariance)
      let transition = Self.transition(over: followed, order: order)
      covariance = Self.sum(
        transition * covariance * transition.transposed(),
        Self.noise(over: followed, order: order, memory: Self.memory))
      for index in 3..<6 {
        mean[index, 0] = 0
        for other in 0..<order {
          covariance[index, other] = 0
          covariance[other, index] = 0
        }
        covariance[index, index] = 2.25
        covariance[index - 3, index - 3] += 2.25 * seconds * seconds
      }
      for index in TrackBelief.links..<order { mean[index, 0] *= Self.memory }
    }
  }

  /// K = P Hᵀ / S, and the derivative H by all that a range depends on.
  @Test(arguments: [nil, TrackBelief.links, TrackBelief.links + 2])
  func conditioningIsThatOfAKalmanFilter(_ link: Int?) throws {
    try onRandomBeliefs(seed: 2003) { belief, mean, covariance, generator in
      let anchor = 5 * Vector<3>.random(using: &generator)
      let variance = generator.exponential(mean: 0.05)
      let order = belief.size
      var derivative = DenseMatrix(rows: 1, columns: order)
      let offset = Vector<3>([mean[0, 0], mean[1, 0], mean[2, 0]]) - anchor
      let metres = offset.length
      let stretch = 1 + mean[TrackBelief.scale, 0]
      for axis in 0..<3 { derivative[0, axis] = stretch * offset[axis] / metres }
      derivative[0, TrackBelief.bias] = 1
      derivative[0, TrackBelief.scale] = metres
      var expected = stretch * metres + mean[TrackBelief.bias, 0]
      if let link {
        derivative[0, link] = 1
        expected += mean[link, 0]
      }
      let distance = expected + generator.normal()

      let expectation = belief.expectation(of: distance, anchor: anchor, link: link)
      let spread = (derivative * covariance * derivative.transposed())[0, 0]
      #expect(isClose(expectation.residual, distance - expected, within: 1e-12))
      #expect(isClose(expectation.spread, spread, within: 1e-12 * (1 + spread)))
      belief.condition(on: expectation, variance: variance)
      let column = covariance * derivative.transposed()
      for row in 0..<order {
        mean[row, 0] += column[row, 0] * (distance - expected) / (spread + variance)
        for other in 0..<order {
          covariance[row, other] -= column[row, 0] * column[other, 0] / (spread + variance)
        }
      }
    }
  }

  @Test func wideningMultipliesPositionAndVelocityAlone() throws {
    try onRandomBeliefs(seed: 2004) { belief, _, covariance, _ in
      belief.widen(by: 3)
      let factors = DenseMatrix.diagonal((0..<belief.size).map { $0 < 6 ? 3 : 1 })
      covariance = factors * covariance * factors
    }
  }

  @Test func aReflectionIsAHouseholderMatrix() throws {
    try onRandomBeliefs(seed: 2005) { belief, mean, covariance, generator in
      let direction = Vector<3>.random(using: &generator)
      let normal = (1 / direction.length) * direction
      let centre = Vector<3>.random(using: &generator)
      belief.reflect(in: centre, normal: normal)
      var mirror = DenseMatrix.identity(belief.size)
      for first in [0, 3] {
        for row in 0..<3 {
          for column in 0..<3 {
            mirror[first + row, first + column] -= 2 * normal[row] * normal[column]
          }
        }
      }
      mean = mirror * mean
      for axis in 0..<3 { mean[axis, 0] += 2 * centre.dot(normal) * normal[axis] }
      covariance = mirror * covariance * mirror.transposed()
    }
  }

  @Test func introducingForgetsWhatANumberHadInCommon() throws {
    try onRandomBeliefs(seed: 2006) { belief, mean, covariance, _ in
      let link = TrackBelief.links + 1
      belief.introduce(link, variance: 0.3)
      for other in 0..<belief.size {
        covariance[link, other] = 0
        covariance[other, link] = 0
      }
      mean[link, 0] = 0
      covariance[link, link] = 0.3
    }
  }

  /// Moments of a mixture: Σ w (P + (m - m̄)(m - m̄)ᵀ).
  @Test func mixingKeepsTheMoments() throws {
    var generator = SeededGenerator(seed: 2007)
    for _ in 0..<50 {
      var (first, second) = (
        Self.random(links: 3, using: &generator), Self.random(links: 5, using: &generator)
      )
      let order = max(first.size, second.size)
      let means = [Self.mean(first, order), Self.mean(second, order)]
      let covariances = [Self.covariance(first, order), Self.covariance(second, order)]
      let shares = [generator.uniform(), generator.uniform()]
      TrackBelief.mix(&first, &second, share: shares[0], otherShare: shares[1])
      for (belief, share) in zip([first, second], shares) {
        var mean = DenseMatrix(rows: order, columns: 1)
        var covariance = DenseMatrix(rows: order, columns: order)
        for (index, weight) in [share, 1 - share].enumerated() {
          for row in 0..<order { mean[row, 0] += weight * means[index][row, 0] }
        }
        for (index, weight) in [share, 1 - share].enumerated() {
          for row in 0..<order {
            for column in 0..<order {
              let square =
                (means[index][row, 0] - mean[row, 0]) * (means[index][column, 0] - mean[column, 0])
              covariance[row, column] += weight * (covariances[index][row, column] + square)
            }
          }
        }
        try Self.expect(belief, mean, covariance, "seed 2007")
      }
    }
  }

  /// What was never introduced has no variance, and no range moves it.
  @Test func whatIsNotEstimatedStaysPut() {
    var belief = TrackBelief(
      Gaussian(
        mean: Vector([1, 2, 1.2, 0, 0, 0]), covariance: .diagonal(Vector([1, 1, 0, 1, 1, 0]))))
    let level = ConstantVelocity(horizontalDensity: 1, verticalDensity: 0)
    for step in 0..<100 {
      belief.predict(over: 0.1, motion: level, memory: 1, linkVariance: 0)
      let expectation = belief.expectation(
        of: 5, anchor: Vector([Double(step % 3) * 4, 0, 3]), link: nil)
      belief.condition(on: expectation, variance: 0.01)
    }
    #expect(belief.mean[2] == 1.2 && belief.mean[5] == 0)
    #expect(belief.mean[TrackBelief.bias] == 0 && belief.mean[TrackBelief.scale] == 0)
    for index in [2, 5, TrackBelief.bias, TrackBelief.scale] {
      #expect(belief.variance(of: index) == 0)
    }
    #expect(belief.kinematics.mean[2] == 1.2 && belief.kinematics.covariance[2, 0] == 0)
  }

  /// A tag at the very place of an anchor is pushed along x.
  @Test func atTheAnchorARangeStillPushes() {
    var belief = TrackBelief(Gaussian(mean: .zero, covariance: .identity))
    let expectation = belief.expectation(of: 2, anchor: .zero, link: nil)
    #expect(expectation.residual == 2 && expectation.spread == 1)
    belief.condition(on: expectation, variance: 1)
    #expect(belief.mean[0] == 1)
  }

  /// 10 000 updates with variances from 1e-8 to 1e4 m², steps from nothing to an hour, anchors near
  /// and far: the covariance stays symmetric to the bit and positive semidefinite.
  @Test func extremeUpdatesKeepTheCovarianceSound() throws {
    var generator = SeededGenerator(seed: 2008)
    var (belief, other) = (
      Self.random(links: 4, using: &generator), Self.random(links: 4, using: &generator)
    )
    for step in 0..<10_000 {
      if step % 1000 == 0 {
        belief = Self.random(links: 4, using: &generator)
        other = belief
      }
      let seconds = generator.uniform() < 0.01 ? 3600 : generator.exponential(mean: 0.1)
      let motion = ConstantVelocity(
        horizontalDensity: generator.exponential(mean: 1), verticalDensity: 0.2)
      if generator.uniform() < 0.02 {
        belief.hold(
          over: seconds, followed: 3, motion: motion, speed: 2, memory: generator.uniform(),
          linkVariance: 0.01)
      } else {
        belief.predict(
          over: seconds, motion: motion, memory: generator.uniform(), linkVariance: 0.01)
      }
      if generator.uniform() < 0.05 {
        TrackBelief.mix(
          &belief, &other, share: generator.uniform(), otherShare: generator.uniform())
      }
      if generator.uniform() < 0.01 { belief.widen(by: 2) }
      let reach = Double.pow10(generator.uniform(in: -3...3))
      let anchor = reach * Vector<3>.random(using: &generator)
      let link = TrackBelief.links + Int(4 * generator.uniform())
      let expectation = belief.expectation(
        of: generator.exponential(mean: reach), anchor: anchor, link: link)
      belief.condition(on: expectation, variance: .pow10(generator.uniform(in: -8...4)))
      let covariance = Self.covariance(belief, belief.size)
      try #require(covariance == covariance.transposed(), "seed 2008, step \(step)")
      if step % 10 == 0 {
        let least = try Self.leastCorrelation(covariance)
        try #require(least > -1e-7, "seed 2008, step \(step): \(least)")
      }
    }
  }

  // MARK: Harness

  /// Changes random beliefs and what they should be, and compares.
  private func onRandomBeliefs(
    seed: UInt64,
    _ change: (
      inout TrackBelief, _ mean: inout DenseMatrix, _ covariance: inout DenseMatrix,
      inout SeededGenerator
    ) -> Void
  ) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var belief = Self.random(links: 3, using: &generator)
      var mean = Self.mean(belief, belief.size)
      var covariance = Self.covariance(belief, belief.size)
      change(&belief, &mean, &covariance, &generator)
      try Self.expect(belief, mean, covariance, "seed \(seed)")
    }
  }

  private static func expect(
    _ belief: TrackBelief, _ mean: DenseMatrix, _ covariance: DenseMatrix, _ comment: Comment
  ) throws {
    let (found, expected) = (Self.covariance(belief, mean.rows), covariance)
    let away = Self.mean(belief, mean.rows).distance(to: mean)
    try #require(away < 1e-11 * (1 + mean.greatestMagnitude), comment)
    try #require(
      found.distance(to: expected) < 1e-11 * (1 + expected.greatestMagnitude), comment)
    try #require(found == found.transposed(), comment)
  }

  /// A belief in which everything is correlated with everything.
  private static func random(
    links: Int, using generator: inout SeededGenerator
  ) -> TrackBelief {
    let root = Matrix<6, 6>.random(using: &generator)
    var belief = TrackBelief(
      Gaussian(
        mean: Vector.random(using: &generator),
        covariance: (root * root.transposed()).symmetrized()))
    belief.introduce(TrackBelief.bias, variance: 0.09)
    belief.introduce(TrackBelief.scale, variance: 0.01)
    for link in 0..<links { belief.introduce(TrackBelief.links + link, variance: 0.02) }
    for step in 0..<8 {
      let expectation = belief.expectation(
        of: generator.exponential(mean: 4), anchor: 4 * Vector.random(using: &generator),
        link: TrackBelief.links + step % links)
      belief.condition(on: expectation, variance: 0.5)
    }
    return belief
  }

  private static func mean(_ belief: TrackBelief, _ order: Int) -> DenseMatrix {
    DenseMatrix(column: Array(belief.mean.prefix(order)))
  }

  private static func covariance(_ belief: TrackBelief, _ order: Int) -> DenseMatrix {
    DenseMatrix(
      (0..<order).map { row in
        Array(belief.covariance[TrackBelief.stride * row..<TrackBelief.stride * row + order])
      })
  }

  private static func transition(over seconds: Double, order: Int) -> DenseMatrix {
    var result = DenseMatrix.identity(order)
    for axis in 0..<3 { result[axis, axis + 3] = seconds }
    for link in TrackBelief.links..<order { result[link, link] = memory }
    return result
  }

  private static func noise(over seconds: Double, order: Int, memory: Double) -> DenseMatrix {
    var result = DenseMatrix(rows: order, columns: order)
    let noise = motion.noise(at: .zero, over: seconds)
    for row in 0..<6 {
      for column in 0..<6 { result[row, column] = noise[row, column] }
    }
    for link in TrackBelief.links..<order {
      result[link, link] = (1 - memory * memory) * linkVariance
    }
    return result
  }

  private static func sum(_ first: DenseMatrix, _ second: DenseMatrix) -> DenseMatrix {
    DenseMatrix(
      rows: first.rows, columns: first.columns,
      columnMajor: zip(first.columnMajor, second.columnMajor).map(+))
  }

  /// The least eigenvalue of the matrix of correlations: rounding against the size of each number.
  private static func leastCorrelation(_ covariance: DenseMatrix) throws -> Double {
    var correlations = covariance
    for row in 0..<covariance.rows {
      for column in 0..<covariance.rows {
        let size = (covariance[row, row] * covariance[column, column]).squareRoot()
        correlations[row, column] = size > 0 ? covariance[row, column] / size : 0
      }
    }
    return try SymmetricEigendecomposition(correlations).eigenvalues.min() ?? .nan
  }
}

extension Double {
  fileprivate static func pow10(_ exponent: Double) -> Double { .exp(exponent * .log(10)) }
}
