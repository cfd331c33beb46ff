import RealModule

/// A bootstrap particle filter, for estimates that no normal distribution describes.
///
/// The bootstrap filter [Gordon, Salmond & Smith 1993]: particles move with independent process
/// noise and are weighted by the likelihood of each measurement. When few particles hold most of
/// the weight, the cloud is resampled systematically [Kitagawa 1996]. If ``isRegularized``, copies
/// are then spread by a kernel [Musso, Oudjane & Le Gland 2001], one for each mode, so that the space
/// between modes stays empty. Meant for starts with more than
/// one possible position, such as the two mirror images of coplanar anchors. Once one is left, a
/// Gaussian filter started from ``state`` is a thousand times cheaper and more accurate.
///
/// The random generator is an argument of every call: the same generator gives the same cloud. The
/// cost is linear in the number of particles, which are stored in arrays.
@frozen
public struct ParticleFilter<let N: Int>: Sendable {
  @usableFromInline var cloud: [Vector<N>]
  @usableFromInline var shares: [Double]
  /// The states of the particles.
  @inlinable public var particles: [Vector<N>] { cloud }
  /// The weights of the particles, which sum to 1.
  @inlinable public var weights: [Double] { shares }
  /// Whether copies are spread by a kernel when resampling.
  public var isRegularized: Bool
  /// The fraction of effective particles below which the cloud is resampled, 0 to 1.
  public var threshold: Double

  /// Draws `count` particles from `state`.
  ///
  /// - Parameters:
  ///   - count: The number of particles, at least 1; start with a thousand per undetermined
  ///     dimension.
  ///   - state: The distribution to draw from.
  ///   - isRegularized: Whether copies are spread by a kernel when resampling.
  ///   - threshold: The fraction of effective particles below which the cloud is resampled.
  ///   - generator: The random generator.
  @inlinable
  public init<Generator: RandomNumberGenerator>(
    count: Int, of state: Gaussian<N>, isRegularized: Bool = true, threshold: Double = 0.5,
    using generator: inout Generator
  ) {
    precondition(count >= 1, "the number of particles is less than 1")
    let root = state.covariance.semidefiniteRoot()
    var particles: [Vector<N>] = []
    particles.reserveCapacity(count)
    for _ in 0..<count {
      particles.append(state.mean + root * Vector.standardNormal(using: &generator))
    }
    self.init(particles: particles, isRegularized: isRegularized, threshold: threshold)
  }

  /// Creates a cloud of the given states with equal weights, for a prior of any form.
  ///
  /// There must be at least one state.
  @inlinable
  public init(particles: [Vector<N>], isRegularized: Bool = true, threshold: Double = 0.5) {
    precondition(!particles.isEmpty, "there are no particles")
    cloud = particles
    shares = [Double](repeating: 1 / Double(particles.count), count: particles.count)
    self.isRegularized = isRegularized
    self.threshold = threshold
  }

  /// The effective number of particles, 1 / Σ w²: between 1 and their number.
  @inlinable
  public var effectiveCount: Double {
    var sum = 0.0
    for weight in weights { sum += weight * weight }
    return 1 / sum
  }

  /// The mean and covariance of the cloud.
  ///
  /// The mean of a multimodal cloud lies between its modes.
  @inlinable
  public var state: Gaussian<N> {
    var mean = Vector<N>.zero
    for (particle, weight) in zip(particles, weights) { mean += weight * particle }
    var covariance = Matrix<N, N>.zero
    for (particle, weight) in zip(particles, weights) {
      let away = particle - mean
      for row in 0..<N {
        for column in 0..<N { covariance[row, column] += weight * (away[row] * away[column]) }
      }
    }
    return Gaussian(mean: mean, covariance: covariance)
  }

  /// Predicts every particle by `seconds`, with independent process noise.
  @inlinable
  public mutating func predict<Motion: MotionModel, Generator: RandomNumberGenerator>(
    by motion: Motion, over seconds: Double, using generator: inout Generator
  ) where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    let root = motion.noise(at: state.mean, over: seconds).semidefiniteRoot()
    for index in particles.indices {
      let push = root * Vector<N>.standardNormal(using: &generator)
      cloud[index] = motion.moved(cloud[index], over: seconds) + push
    }
  }

  /// Weights every particle by the likelihood of a measurement with normal noise, and resamples if
  /// needed.
  ///
  /// - Parameters:
  ///   - measurement: The measurement; nil leaves the cloud unchanged.
  ///   - model: The measurement model; its derivative is not used.
  ///   - noise: R, the covariance of the measurement noise.
  ///   - generator: The random generator.
  /// - Returns: The innovation relative to the weighted mean of the particles' expectations, or nil
  ///   without a measurement. For a multimodal cloud its normalised square is not a consistency
  ///   test.
  /// - Throws: ``FilteringError``; `notFinite` also when no particle has a finite log-likelihood.
  ///   The cloud is then unchanged.
  @inlinable
  @discardableResult
  public mutating func update<let M: Int, Model: MeasurementModel, Generator>(
    _ measurement: Vector<M>?, of model: Model, noise: Matrix<M, M>,
    using generator: inout Generator
  ) throws(FilteringError) -> Innovation<M>?
  where
    Model.State == Vector<N>, Model.Measurement == Vector<M>, Generator: RandomNumberGenerator
  {
    guard let measurement else { return nil }
    guard let root = Cholesky(noise) else { throw .indefiniteInnovation }
    guard measurement.isFinite else { throw .notFinite }
    var residuals: [Vector<M>] = []
    residuals.reserveCapacity(particles.count)
    var mean = Vector<M>.zero
    var exponents: [Double] = []
    exponents.reserveCapacity(particles.count)
    var largest = -Double.infinity
    for (particle, weight) in zip(particles, weights) {
      let residual = model.residual(of: measurement, from: model.measurement(at: particle))
      let whitened = root.forward(residual)
      let exponent = weight > 0 ? -0.5 * whitened.dot(whitened) : -.infinity
      residuals.append(residual)
      exponents.append(exponent)
      mean += weight * residual
      largest = max(largest, exponent)
    }
    guard largest.isFinite else { throw .notFinite }
    var spread = noise
    for (residual, weight) in zip(residuals, weights) {
      let away = residual - mean
      for row in 0..<M {
        for column in 0..<M { spread[row, column] += weight * (away[row] * away[column]) }
      }
    }
    guard let spreadRoot = Cholesky(spread) else { throw .notFinite }
    let whitened = spreadRoot.forward(mean)

    var sum = 0.0
    for index in weights.indices {
      shares[index] *= .exp(exponents[index] - largest)
      sum += shares[index]
    }
    for index in weights.indices { shares[index] /= sum }
    if effectiveCount < threshold * Double(particles.count) { resample(using: &generator) }
    return Innovation(
      residual: mean, covariance: spread, normalizedSquare: whitened.dot(whitened))
  }

  /// Resamples the cloud: the number of copies of a particle is proportional to its weight, to
  /// within one.
  ///
  /// If ``isRegularized``, copies are spread by a kernel with the covariance of their mode. A cloud
  /// has more than one mode where a projection on an axis of the state or on a principal axis has a
  /// gap of at least half a standard deviation of the cloud. The lesser side of the gap must hold at
  /// least 2 `N` effective particles, and 12 per width of the gap in standard deviations.
  @inlinable
  public mutating func resample<Generator: RandomNumberGenerator>(
    using generator: inout Generator
  ) {
    let count = particles.count
    let estimate = state
    var drawn: [Vector<N>] = []
    var copies: [Int] = []
    drawn.reserveCapacity(count)
    copies.reserveCapacity(count)
    let step = 1 / Double(count)
    var place = step * Double.random(in: 0..<1, using: &generator)
    var sum = 0.0
    for (particle, weight) in zip(particles, weights) {
      sum += weight
      let first = drawn.count
      while place < sum, drawn.count < count {
        drawn.append(particle)
        place += step
      }
      for _ in first..<drawn.count { copies.append(drawn.count - first) }
    }
    // Rounding of the sum can leave the last place unfilled.
    while drawn.count < count {
      drawn.append(particles[count - 1])
      copies.append(1)
    }
    if isRegularized {
      let kernels = CloudKernels(of: drawn, copies: copies, state: estimate)
      for index in drawn.indices {
        let mode = kernels.modes[index]
        let push = kernels.roots[mode] * Vector<N>.standardNormal(using: &generator)
        drawn[index] += kernels.width * push
      }
    }
    cloud = drawn
    shares = [Double](repeating: step, count: count)
  }
}

extension Vector {
  /// Returns independent standard normal numbers, by the polar method [Marsaglia & Bray 1964].
  @inlinable
  static func standardNormal<Generator: RandomNumberGenerator>(
    using generator: inout Generator
  ) -> Self {
    var result = Self.zero
    for index in stride(from: 0, to: Count, by: 2) {
      var (first, second, square) = (0.0, 0.0, 0.0)
      repeat {
        first = Double.random(in: -1..<1, using: &generator)
        second = Double.random(in: -1..<1, using: &generator)
        square = first * first + second * second
      } while square >= 1 || square == 0
      let scale = (-2 * Double.log(square) / square).squareRoot()
      result[index] = scale * first
      if index + 1 < Count { result[index + 1] = scale * second }
    }
    return result
  }
}
