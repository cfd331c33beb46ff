import FathomEvaluation

@testable import Fathom

extension Matrix where Rows == Columns {
  /// Returns a covariance L Lᵀ + `floor` I, with independent normal elements of deviation `spread`
  /// in L.
  static func randomCovariance(
    spread: Double = 1, floor: Double = 0, using generator: inout SeededGenerator
  ) -> Self {
    let root = spread * Self.random(using: &generator)
    return (root.timesTransposed(root) + floor * .identity).symmetrized()
  }
}

extension Gaussian {
  /// Returns a random Gaussian whose components are all correlated.
  ///
  /// - Parameters:
  ///   - distance: The standard deviation of the elements of the mean.
  ///   - spread: The standard deviation of the elements of a root of the covariance.
  ///   - generator: The random generator.
  /// - Returns: A Gaussian whose covariance has no zeros.
  static func random(
    distance: Double = 1, spread: Double = 1, using generator: inout SeededGenerator
  ) -> Self {
    let covariance = Matrix<N, N>.randomCovariance(spread: spread, using: &generator)
    return Self(mean: distance * Vector<N>.random(using: &generator), covariance: covariance)
  }
}
