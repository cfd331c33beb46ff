/// The linear Kalman filter in information form, which can start without any information.
///
/// It stores Y = P⁻¹ and y = P⁻¹ m [Mutambara 1998; Anderson & Moore 1979, Sec. 6.3]. A measurement
/// adds Hᵀ R⁻¹ H and Hᵀ R⁻¹ z, so that any number of sensors can be added in any order. With Y = 0
/// the prior is exactly diffuse, without an arbitrary large variance. ``state`` is nil until the
/// measurements determine it.
///
/// A prediction with Q = G Gᵀ and M = F⁻ᵀ Y F⁻¹ uses the dual Joseph form, which inverts neither Y
/// nor Q:
///
///     J = M G (I + Gᵀ M G)⁻¹        Y' = (I - J Gᵀ) M (I - J Gᵀ)ᵀ + J Jᵀ
///
/// No heap allocation. A prediction costs about twice that of ``KalmanFilter``.
@frozen
public struct InformationFilter<let N: Int, let M: Int>: Sendable, Equatable {
  /// Y: the inverse of the covariance, symmetric and positive semi-definite; zero for no
  /// information.
  public var information: Matrix<N, N>
  /// y = Y m.
  public var vector: Vector<N>
  /// H, M x N: the observation matrix.
  public var observation: Matrix<M, N>
  /// R, M x M: covariance of the measurement noise, positive definite.
  public var noise: Matrix<M, M>

  /// Creates a filter with a diffuse prior, for measurements z = H x + noise.
  @inlinable
  public init(observation: Matrix<M, N>, noise: Matrix<M, M>) {
    information = .zero
    vector = .zero
    self.observation = observation
    self.noise = noise
  }

  /// Creates a filter with the prior `state`, or returns nil when its covariance is singular.
  @inlinable
  public init?(state: Gaussian<N>, observation: Matrix<M, N>, noise: Matrix<M, M>) {
    guard let root = Cholesky(state.covariance) else { return nil }
    self.init(observation: observation, noise: noise)
    information = root.inverse()
    vector = root.solve(state.mean)
  }

  /// The current estimate; nil while the measurements leave a direction of the state undetermined.
  ///
  /// Costs N³ / 2 multiplications.
  @inlinable
  public var state: Gaussian<N>? {
    guard information.isDefinite, let root = Cholesky(information) else { return nil }
    return Gaussian(mean: root.solve(vector), covariance: root.inverse())
  }

  /// Predicts the estimate, x' = F x + b + w.
  ///
  /// - Parameters:
  ///   - transition: F; it must be invertible, as every transition over time is.
  ///   - processNoise: Q.
  ///   - offset: b.
  /// - Throws: ``FilteringError/notFinite`` when F is not invertible; the estimate is then
  ///   unchanged.
  @inlinable
  public mutating func predict(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) throws(FilteringError) {
    guard let backward = transition.inverted()?.transposed() else { throw .notFinite }
    let moved = information.congruent(through: backward)
    let noiseRoot = processNoise.semidefiniteRoot()
    let carried = moved * noiseRoot
    let inner = (noiseRoot.transposed() * carried).symmetrized() + .identity
    guard let root = Cholesky(inner) else { throw .notFinite }
    var gain = Matrix<N, N>.zero
    for row in 0..<N {
      let solution = root.solve(carried.row(row))
      for column in 0..<N { gain[row, column] = solution[column] }
    }
    let remainder = Matrix<N, N>.identity - gain.timesTransposed(noiseRoot)
    let predicted = moved.congruent(through: remainder) + gain.timesTransposed(gain)
    let turned = remainder * (backward * vector)
    guard predicted.isFinite, turned.isFinite else { throw .notFinite }
    information = predicted
    vector = turned + predicted * offset
  }

  /// Updates the estimate with a measurement; nil leaves it unchanged.
  ///
  /// - Returns: The innovation; nil without a measurement, and when the estimate before the update
  ///   was undetermined, so that there was no expected measurement.
  /// - Throws: ``FilteringError``; the estimate is then unchanged.
  @inlinable
  @discardableResult
  public mutating func update(
    _ measurement: Vector<M>?
  ) throws(FilteringError) -> Innovation<M>? {
    guard let measurement else { return nil }
    guard measurement.isFinite, noise.isFinite, observation.isFinite, information.isFinite else {
      throw .notFinite
    }
    guard let root = Cholesky(noise) else { throw .indefiniteInnovation }
    let before = state
    var weighted = Matrix<N, M>.zero
    for column in 0..<N {
      var row = Vector<M>.zero
      for inner in 0..<M { row[inner] = observation[inner, column] }
      let whitened = root.forward(row)
      for inner in 0..<M { weighted[column, inner] = whitened[inner] }
    }
    information = information + weighted.timesTransposed(weighted)
    vector += weighted * root.forward(measurement)
    guard let before else { return nil }
    let residual = measurement - observation * before.mean
    let seen = observation * before.covariance
    let spread = seen.timesTransposed(observation).symmetrized() + noise
    guard let spreadRoot = Cholesky(spread) else { throw .indefiniteInnovation }
    let whitened = spreadRoot.forward(residual)
    return Innovation(
      residual: residual, covariance: spread, normalizedSquare: whitened.dot(whitened))
  }
}

extension Matrix where Rows == Columns {
  /// Whether every pivot is well above the rounding error of its diagonal element.
  @inlinable
  var isDefinite: Bool {
    let root = semidefiniteRoot()
    for index in 0..<Rows {
      let pivot = root[index, index]
      if !(pivot * pivot > 1e-13 * self[index, index]) { return false }
    }
    return true
  }

  /// Returns the inverse by elimination with row exchanges, or nil for a singular matrix.
  @inlinable
  func inverted() -> Self? {
    var left = self
    var right = Self.identity
    for column in 0..<Rows {
      var pivot = column
      for row in column..<Rows where left[row, column].magnitude > left[pivot, column].magnitude {
        pivot = row
      }
      let element = left[pivot, column]
      guard element.magnitude > 0, element.isFinite else { return nil }
      for inner in 0..<Rows {
        (left[pivot, inner], left[column, inner]) = (left[column, inner], left[pivot, inner])
        (right[pivot, inner], right[column, inner]) = (right[column, inner], right[pivot, inner])
      }
      for inner in 0..<Rows {
        left[column, inner] /= element
        right[column, inner] /= element
      }
      for row in 0..<Rows where row != column {
        let factor = left[row, column]
        for inner in 0..<Rows {
          left[row, inner] -= factor * left[column, inner]
          right[row, inner] -= factor * right[column, inner]
        }
      }
    }
    return right
  }
}
