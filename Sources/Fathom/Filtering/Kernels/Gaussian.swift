/// A normal distribution over states of `N` components: the estimate of a filter.
///
/// The covariance is bitwise symmetric and positive semi-definite when it results from
/// ``predicted(transition:processNoise:offset:)`` or
/// ``conditioned(onResidual:observation:noise:)``. A variance of zero is valid and means that the
/// component is known exactly.
@frozen
public struct Gaussian<let N: Int>: Sendable, Equatable {
  /// The expected state.
  public var mean: Vector<N>
  /// The covariance of the state, N x N, in the square of the state's units.
  public var covariance: Matrix<N, N>

  /// Creates the distribution with `mean` and `covariance`.
  ///
  /// The covariance must be symmetric and positive semi-definite, which is not checked.
  @inlinable
  public init(mean: Vector<N>, covariance: Matrix<N, N>) {
    self.mean = mean
    self.covariance = covariance
  }

  /// Whether mean and covariance are finite.
  @inlinable
  public var isFinite: Bool { mean.isFinite && covariance.isFinite }

  /// Returns the same distribution with its covariance increased by `addition` (symmetric, positive
  /// semi-definite).
  @inlinable
  public func inflated(by addition: Matrix<N, N>) -> Self {
    Gaussian(mean: mean, covariance: covariance + addition)
  }
}
