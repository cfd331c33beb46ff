import RealModule

/// A cloud of weighted states: for estimates that no normal distribution describes.
///
/// The bootstrap filter [Gordon, Salmond & Smith 1993]: particles move with noise of their own and
/// are weighted by the likelihood of each measurement. Where the weights gather on few of them the
/// cloud is drawn anew, systematically [Kitagawa 1996], and, if ``isRegularized``, spread by a
/// kernel [Musso, Oudjane & Le Gland 2001] so that copies differ. Meant for starts with more than
/// one possible position, such as the two mirror images of anchors in a plane; once one is left, a
/// Gaussian filter from ``state`` is a thousand times cheaper and more exact.
///
/// Randomness is an argument of every call: the same generator gives the same cloud. Cost is linear
/// in the number of particles; the cloud lives in arrays.
@frozen
public struct ParticleFilter<let N: Int>: Sendable {
  @usableFromInline var cloud: [Vector<N>]
  @usableFromInline var shares: [Double]
  /// The states.
  @inlinable public var particles: [Vector<N>] { cloud }
  /// Their weights, which sum to 1.
  @inlinable public var weights: [Double] { shares }
  /// Whether copies are spread when the cloud is drawn anew.
  public var isRegularized: Bool
  /// The share of effective particles below which the cloud is drawn anew, 0 to 1.
  public var threshold: Double

  /// `count` particles of `state`.
  ///
  /// - Parameters:
  ///   - count: at least 1; a thousand per dimension that is open is a start.
  ///   - state: what they are drawn of.
  ///   - isRegularized: whether copies are spread.
  ///   - threshold: the share of effective particles below which the cloud is drawn anew.
  ///   - generator: the source of randomness.
  @inlinable
  public init<Generator: RandomNumberGenerator>(
    count: Int, of state: Gaussian<N>, isRegularized: Bool = true, threshold: Double = 0.5,
    using generator: inout Generator
  ) {
    precondition(count >= 1, "a cloud needs particles")
    let root = state.covariance.semidefiniteRoot()
    var particles: [Vector<N>] = []
    particles.reserveCapacity(count)
    for _ in 0..<count {
      particles.append(state.mean + root * Vector.standardNormal(using: &generator))
    }
    self.init(particles: particles, isRegularized: isRegularized, threshold: threshold)
  }

  /// The given states, equally weighted: a start of any form.
  ///
  /// There must be one at least.
  @inlinable
  public init(particles: [Vector<N>], isRegularized: Bool = true, threshold: Double = 0.5) {
    precondition(!particles.isEmpty, "a cloud needs particles")
    cloud = particles
    shares = [Double](repeating: 1 / Double(particles.count), count: particles.count)
    self.isRegularized = isRegularized
    self.threshold = threshold
  }

  /// How many particles of equal weight would say as much: 1 / Σ w², between 1 and their number.
  @inlinable
  public var effectiveCount: Double {
    var sum = 0.0
    for weight in weights { sum += weight * weight }
    return 1 / sum
  }

  /// Mean and covariance of the cloud.
  ///
  /// A cloud of several groups has its mean between them.
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

  /// Moves every particle by `seconds`, with noise of its own.
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

  /// Weights every particle by a measurement with normal noise; draws the cloud anew where needed.
  ///
  /// - Parameters:
  ///   - measurement: the measured numbers; nil is none, and changes nothing.
  ///   - model: how they depend on the state; its derivative is not asked for.
  ///   - noise: R, the covariance of their noise.
  ///   - generator: the source of randomness.
  /// - Returns: The innovation of the cloud as a whole, about the mean of what its particles
  ///   expect, or nil where there was no measurement. Where the cloud has several groups, its
  ///   normalised square is no test of consistency.
  /// - Throws: ``FilteringError``; `notFinite` also where no particle explains the measurement at
  ///   all. The cloud is unchanged then.
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

  /// Draws the cloud anew: as many copies of a particle as its weight says, to within one.
  @inlinable
  public mutating func resample<Generator: RandomNumberGenerator>(
    using generator: inout Generator
  ) {
    let count = particles.count
    let estimate = state
    var drawn: [Vector<N>] = []
    drawn.reserveCapacity(count)
    let step = 1 / Double(count)
    var place = step * Double.random(in: 0..<1, using: &generator)
    var sum = 0.0
    for (particle, weight) in zip(particles, weights) {
      sum += weight
      while place < sum, drawn.count < count {
        drawn.append(particle)
        place += step
      }
    }
    // Rounding of the sum can leave the last place open.
    while drawn.count < count { drawn.append(particles[count - 1]) }
    if isRegularized {
      // The width that is best for a normal distribution [Musso, Oudjane & Le Gland 2001, Eq.
      // 12.2.7].
      let order = Double(N)
      let width = Double.pow(4 / ((order + 2) * Double(count)), 1 / (order + 4))
      let root = estimate.covariance.semidefiniteRoot()
      for index in drawn.indices {
        drawn[index] += width * (root * Vector<N>.standardNormal(using: &generator))
      }
    }
    cloud = drawn
    shares = [Double](repeating: step, count: count)
  }
}

extension Vector {
  /// Independent standard normal numbers, by the polar method [Marsaglia & Bray 1964].
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
