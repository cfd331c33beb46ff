/// A normal distribution over states of `N` numbers: what a filter believes.
///
/// The covariance is symmetric to the bit and positive semi-definite wherever it came from
/// ``predicted(transition:processNoise:offset:)`` or
/// ``conditioned(onResidual:observation:noise:)``. A zero variance is allowed and means that the
/// component is known.
@frozen
public struct Gaussian<let N: Int>: Sendable, Equatable {
  /// The expected state.
  public var mean: Vector<N>
  /// The covariance of the state, N x N, in the square of the state's units.
  public var covariance: Matrix<N, N>

  /// The distribution with `mean` and `covariance`; the latter must be symmetric and positive
  /// semi-definite, which is not checked.
  @inlinable
  public init(mean: Vector<N>, covariance: Matrix<N, N>) {
    self.mean = mean
    self.covariance = covariance
  }

  /// Whether mean and covariance are finite.
  @inlinable
  public var isFinite: Bool { mean.isFinite && covariance.isFinite }

  /// The same distribution with its covariance enlarged by `addition` (symmetric, positive
  /// semi-definite).
  @inlinable
  public func inflated(by addition: Matrix<N, N>) -> Self {
    Gaussian(mean: mean, covariance: covariance + addition)
  }
}
