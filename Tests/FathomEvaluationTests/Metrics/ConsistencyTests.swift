import Fathom
import FathomEvaluation
import TestSupport
import Testing

@Suite struct ConsistencyTests {
  /// Error (1, 2, 2) with variances 1, 4, 4: 1 + 1 + 1 = 3 spatially, 1 + 1 = 2 horizontally.
  @Test func matchesHandComputedValues() throws {
    let pose = MatchedPose(
      time: instant(0), tag: "", estimate: point(1, 2, 2), truth: .zero,
      covariance: .diagonal(point(1, 4, 4)))
    #expect(pose.normalizedSquare(isHorizontal: false) == 3)
    #expect(pose.normalizedSquare(isHorizontal: true) == 2)
    let consistency = try #require(Consistency([pose], isHorizontal: false))
    #expect(consistency.meanPerDof == 1 && consistency.shareInside95 == 1)
    // SciPy 1.17.1: chi2.ppf(0.025, 3) / 3 and chi2.ppf(0.975, 3) / 3.
    #expect(isClose(consistency.bounds95.lowerBound, 0.071_931_760_874_632_61, within: 1e-13))
    #expect(isClose(consistency.bounds95.upperBound, 3.116_134_534_832_049_5, within: 1e-12))
  }

  /// [[2, 1], [1, 1]] has the inverse [[1, -1], [-1, 2]]: for (1, 3) it gives 1 - 6 + 18 = 13.
  @Test func accountsForCorrelations() throws {
    let pose = MatchedPose(
      time: instant(0), tag: "", estimate: point(1, 3, 7), truth: point(0, 0, 0),
      covariance: Matrix<3, 3>([[2, 1, .nan], [1, 1, .nan], [.nan, .nan, .nan]]))
    let square = try #require(pose.normalizedSquare(isHorizontal: true))
    #expect(isClose(square, 13, within: 1e-12))
    #expect(pose.normalizedSquare(isHorizontal: false) == nil)
  }

  @Test func excludesPosesWithoutCovariance() throws {
    var pose = MatchedPose(time: instant(0), tag: "", estimate: .zero, truth: .zero)
    #expect(Consistency([pose], isHorizontal: true) == nil)
    let without = pose
    pose.covariance = .identity
    let consistency = try #require(Consistency([pose, without], isHorizontal: true))
    #expect(consistency.count == 1 && consistency.withoutCovariance == 1)
    #expect(Consistency(normalizedSquares: [], degreesOfFreedom: 1) == nil)
  }

  /// Errors drawn from the stated covariances are inside the bounds; errors with greater ones are
  /// not.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func drawsFromTheStatedCovarianceAreConsistent(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var poses: [MatchedPose] = []
    for index in 0..<500 {
      // A A' + I is positive definite.
      var factor = Matrix<3, 3>.zero
      for row in 0..<3 {
        for column in 0..<3 { factor[row, column] = generator.normal() }
      }
      let covariance = factor.timesTransposed(factor) + .identity
      let root = try #require(Cholesky(covariance)).factor
      let truth = normalPoint(&generator, sigma: 10)
      let error = root * normalPoint(&generator, sigma: 1)
      poses.append(
        MatchedPose(
          time: instant(Double(index)), tag: "", estimate: truth + error, truth: truth,
          covariance: covariance))
    }
    for isHorizontal in [false, true] {
      let consistency = try #require(Consistency(poses, isHorizontal: isHorizontal))
      // In 40 draws the bounds with probability 1 in 10 000 are not exceeded by chance.
      let dof = Double(consistency.count * consistency.degreesOfFreedom)
      let low = ChiSquare.quantile(5e-5, degreesOfFreedom: dof) / dof
      let high = ChiSquare.quantile(1 - 5e-5, degreesOfFreedom: dof) / dof
      #expect(low...high ~= consistency.meanPerDof, "seed \(seed)")
      // 0.95 with standard deviation sqrt(0.95 * 0.05 / 500) = 0.0097.
      #expect(isClose(consistency.shareInside95, 0.95, within: 0.04), "seed \(seed)")
    }
    let boasting = poses.map { pose in
      var pose = pose
      pose.covariance = pose.covariance.map { 0.7 * $0 }
      return pose
    }
    let found = try #require(Consistency(boasting, isHorizontal: false))
    #expect(!found.bounds99.contains(found.meanPerDof), "seed \(seed)")
  }
}
