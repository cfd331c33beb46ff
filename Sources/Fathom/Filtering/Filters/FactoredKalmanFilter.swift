/// The linear Kalman filter over the factors U D Uᵀ of its covariance.
///
/// U is unit upper triangular and D diagonal and not negative [Bierman 1977, Sec. V.3; Thornton &
/// Bierman 1980]. The scalar update and the prediction by weighted Gram-Schmidt orthogonalisation
/// operate on U and D alone. Neither takes a square root, and D never becomes negative. It is the
/// most accurate form in Bierman's example: relative error 2e-16 where P - K H P is wrong in every
/// digit.
///
/// About twice the cost of ``KalmanFilter``; no heap allocation.
@frozen
public struct FactoredKalmanFilter<let N: Int, let M: Int>: Sendable, Equatable {
  /// The mean of the current estimate.
  public var mean: Vector<N>
  /// U: unit upper triangular.
  public var upper: Matrix<N, N>
  /// D: the variances, not negative.
  public var variances: Vector<N>
  /// H, M x N: the observation matrix.
  public var observation: Matrix<M, N>
  /// R, M x M: covariance of the measurement noise.
  public var noise: Matrix<M, M>

  /// Creates a filter with the prior `state`, for measurements z = H x + noise.
  @inlinable
  public init(state: Gaussian<N>, observation: Matrix<M, N>, noise: Matrix<M, M>) {
    mean = state.mean
    (upper, variances) = state.covariance.upperFactors()
    self.observation = observation
    self.noise = noise
  }

  /// The current estimate.
  @inlinable
  public var state: Gaussian<N> {
    var covariance = Matrix<N, N>.zero
    for row in 0..<N {
      for column in 0...row {
        var sum = 0.0
        for inner in row..<N { sum += upper[row, inner] * variances[inner] * upper[column, inner] }
        covariance[row, column] = sum
        covariance[column, row] = sum
      }
    }
    return Gaussian(mean: mean, covariance: covariance)
  }

  /// Predicts the estimate, like ``KalmanFilter/predict(transition:processNoise:offset:)``.
  @inlinable
  public mutating func predict(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) {
    mean = transition * mean + offset
    var left = transition * upper
    var (right, added) = processNoise.upperFactors()
    let before = variances
    // Weighted Gram-Schmidt on the rows of (F U  Uq), with weights D and Dq, from the last row up.
    for step in 0..<N {
      let row = N - 1 - step
      var variance = 0.0
      for inner in 0..<N {
        variance += left[row, inner] * left[row, inner] * before[inner]
        variance += right[row, inner] * right[row, inner] * added[inner]
      }
      variances[row] = variance
      upper[row, row] = 1
      for other in 0..<row {
        var product = 0.0
        for inner in 0..<N {
          product += left[other, inner] * before[inner] * left[row, inner]
          product += right[other, inner] * added[inner] * right[row, inner]
        }
        let factor = variance > 0 ? product / variance : 0
        upper[other, row] = factor
        upper[row, other] = 0
        for inner in 0..<N {
          left[other, inner] -= factor * left[row, inner]
          right[other, inner] -= factor * right[row, inner]
        }
      }
    }
  }

  /// Updates the estimate with a measurement; nil leaves it unchanged.
  ///
  /// - Returns: The innovation, or nil without a measurement.
  /// - Throws: ``FilteringError``; the estimate is then unchanged.
  @inlinable
  @discardableResult
  public mutating func update(
    _ measurement: Vector<M>?
  ) throws(FilteringError) -> Innovation<M>? {
    guard let measurement else { return nil }
    let residual = measurement - observation * mean
    guard residual.isFinite, upper.isFinite, observation.isFinite, noise.isFinite else {
      throw .notFinite
    }
    let seen = observation * upper
    var scaled = seen
    for row in 0..<M {
      for column in 0..<N { scaled[row, column] *= variances[column] }
    }
    let spread = scaled.timesTransposed(seen).symmetrized() + noise
    var updated = self
    var square = 0.0
    let single = Decorrelation(residual: residual, observation: observation, noise: noise)
    for component in 0..<M {
      square += try updated.condition(
        on: single.residual[component], row: single.observation.row(component),
        variance: single.variances[component], from: mean)
    }
    guard updated.mean.isFinite, updated.variances.isFinite, updated.upper.isFinite else {
      throw .notFinite
    }
    self = updated
    return Innovation(residual: residual, covariance: spread, normalizedSquare: square)
  }

  /// Updates with one number and returns its normalised square.
  ///
  /// [Bierman 1977, Sec. V.3].
  @inlinable
  mutating func condition(
    on residual: Double, row: Vector<N>, variance: Double, from prior: Vector<N>
  ) throws(FilteringError) -> Double {
    var spread = variance
    var gain = Vector<N>.zero
    for column in 0..<N {
      var seen = row[column]
      for inner in 0..<column { seen += row[inner] * upper[inner, column] }
      let weighted = variances[column] * seen
      let before = spread
      spread += weighted * seen
      guard spread > 0 else { continue }
      variances[column] *= before / spread
      let factor = before > 0 ? -seen / before : 0
      for inner in 0..<column {
        let element = upper[inner, column]
        upper[inner, column] = element + factor * gain[inner]
        gain[inner] += weighted * element
      }
      gain[column] = weighted
    }
    guard spread > 0 else { throw .indefiniteInnovation }
    let innovation = residual - row.dot(mean - prior)
    mean += (innovation / spread) * gain
    return innovation * innovation / spread
  }
}

extension Matrix where Rows == Columns {
  /// Returns the factors of this covariance, with U unit upper triangular and D not negative.
  @inlinable
  func upperFactors() -> (upper: Matrix<Rows, Rows>, variances: Vector<Rows>) {
    var upper = Matrix<Rows, Rows>.identity
    var variances = Vector<Rows>.zero
    var rest = self
    for step in 0..<Rows {
      let column = Rows - 1 - step
      let pivot = rest[column, column]
      guard pivot > 4 * Double(Rows) * Double.ulpOfOne * self[column, column] else { continue }
      variances[column] = pivot
      for row in 0..<column { upper[row, column] = rest[row, column] / pivot }
      for row in 0..<column {
        for other in 0...row {
          let element = rest[row, other] - pivot * upper[row, column] * upper[other, column]
          rest[row, other] = element
          rest[other, row] = element
        }
      }
    }
    return (upper, variances)
  }
}
