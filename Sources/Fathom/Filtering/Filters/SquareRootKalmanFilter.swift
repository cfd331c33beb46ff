/// The linear Kalman filter over the square root of its covariance.
///
/// P = L Lᵀ with L lower triangular [Carlson 1973; Kaminski, Bryson & Schmidt 1971]. Both steps
/// rotate columns by Givens rotations, which are orthogonal to rounding:
///
///     predict:   ( F L   √Q )  rotated to  ( L'  0 )
///     update:    ( √r  h L )   rotated to  ( √s    0  )
///                (  0   L  )               ( c/√s  L' )
///
/// P' is therefore always a covariance, and L has twice the digits of P: a prior variance of 10²⁴
/// with noise of 1 is handled. Two to three times the cost of ``KalmanFilter``; no heap allocation.
@frozen
public struct SquareRootKalmanFilter<let N: Int, let M: Int>: Sendable, Equatable {
  /// The mean of the current estimate.
  public var mean: Vector<N>
  /// L: the lower triangular square root of its covariance.
  public var root: Matrix<N, N>
  /// H, M x N: the observation matrix.
  public var observation: Matrix<M, N>
  /// R, M x M: covariance of the measurement noise.
  public var noise: Matrix<M, M>

  /// Creates a filter with the prior `state`, for measurements z = H x + noise.
  @inlinable
  public init(state: Gaussian<N>, observation: Matrix<M, N>, noise: Matrix<M, M>) {
    mean = state.mean
    root = state.covariance.semidefiniteRoot()
    self.observation = observation
    self.noise = noise
  }

  /// The current estimate.
  @inlinable
  public var state: Gaussian<N> {
    Gaussian(mean: mean, covariance: root.timesTransposed(root))
  }

  /// Predicts the estimate, like ``KalmanFilter/predict(transition:processNoise:offset:)``.
  @inlinable
  public mutating func predict(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) {
    mean = transition * mean + offset
    var left = transition * root
    var right = processNoise.semidefiniteRoot()
    // Row by row from the top, rotate everything right of the diagonal into the diagonal.
    for row in 0..<N {
      for column in row + 1..<max(N, row + 1) {
        left.rotate(row, with: column, zeroing: row)
      }
      for column in 0..<N {
        Givens(left[row, row], right[row, column])
          .rotate(&left, row, &right, column)
      }
    }
    root = left
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
    guard residual.isFinite, root.isFinite, observation.isFinite, noise.isFinite else {
      throw .notFinite
    }
    let seen = observation * root
    let spread = seen.timesTransposed(seen) + noise
    var updated = self
    var square = 0.0
    let single = Decorrelation(residual: residual, observation: observation, noise: noise)
    for component in 0..<M {
      square += try updated.condition(
        on: single.residual[component], row: single.observation.row(component),
        deviation: single.variances[component], from: mean)
    }
    guard updated.mean.isFinite, updated.root.isFinite else { throw .notFinite }
    self = updated
    return Innovation(residual: residual, covariance: spread, normalizedSquare: square)
  }

  /// Updates with one number whose noise has the standard deviation `deviation`, and returns its
  /// normalised square.
  @inlinable
  mutating func condition(
    on residual: Double, row: Vector<N>, deviation: Double, from prior: Vector<N>
  ) throws(FilteringError) -> Double {
    var first = deviation
    var gain = Vector<N>.zero
    for step in 0..<N {
      let column = N - 1 - step
      var seen = 0.0
      for inner in column..<N { seen += row[inner] * root[inner, column] }
      let givens = Givens(first, seen)
      first = givens.length
      for inner in column..<N {
        let (old, element) = (gain[inner], root[inner, column])
        gain[inner] = givens.cosine * old + givens.sine * element
        root[inner, column] = givens.cosine * element - givens.sine * old
      }
    }
    guard first > 0 else { throw .indefiniteInnovation }
    let innovation = (residual - row.dot(mean - prior)) / first
    mean += innovation * gain
    return innovation * innovation
  }
}

/// The Givens rotation that maps (a, b) to (√(a² + b²), 0).
@frozen
@usableFromInline
struct Givens {
  @usableFromInline
  let length: Double
  @usableFromInline
  let cosine: Double
  @usableFromInline
  let sine: Double

  @inlinable
  init(_ a: Double, _ b: Double) {
    guard b != 0 else {
      (length, cosine, sine) = (a, 1, 0)
      return
    }
    // Scaled, so that the squares neither overflow nor underflow.
    let scale = max(a.magnitude, b.magnitude)
    let (first, second) = (a / scale, b / scale)
    length = scale * (first * first + second * second).squareRoot()
    (cosine, sine) = (a / length, b / length)
  }

  /// Rotates column `i` of `first` and column `j` of `second`.
  @inlinable
  func rotate<let N: Int>(
    _ first: inout Matrix<N, N>, _ i: Int, _ second: inout Matrix<N, N>, _ j: Int
  ) {
    guard sine != 0 else { return }
    for row in 0..<N {
      let (a, b) = (first[row, i], second[row, j])
      first[row, i] = cosine * a + sine * b
      second[row, j] = cosine * b - sine * a
    }
  }
}

extension Matrix where Rows == Columns {
  /// Rotates columns `i` and `j` so that the second becomes zero in row `place`.
  @inlinable
  mutating func rotate(_ i: Int, with j: Int, zeroing place: Int) {
    let givens = Givens(self[place, i], self[place, j])
    guard givens.sine != 0 else { return }
    for row in 0..<Rows {
      let (a, b) = (self[row, i], self[row, j])
      self[row, i] = givens.cosine * a + givens.sine * b
      self[row, j] = givens.cosine * b - givens.sine * a
    }
  }
}
