/// A bank of independent filters of position and rate, one per tag or link, computed with SIMD
/// vectors.
///
/// Every lane is `KalmanFilter<2, 1>` with ``WhiteNoiseAcceleration`` and a measured position, in
/// the short form of its update. One step of all filters takes a few loads and stores per filter.
/// The results equal those of the single filter to rounding (1e-12). When a measurement is thirty
/// times as accurate as the prediction, the single filter uses the Joseph form; the variances can
/// then differ by more, and are never negative.
///
/// All filters step together. A measurement of NaN counts as absent: that filter is only predicted.
public struct KalmanFilterBank: Sendable {
  /// The number of filters.
  public let count: Int
  /// The motion model of all filters.
  public var motion: WhiteNoiseAcceleration
  /// The measurement variance of all filters, above 0.
  public var variance: Double

  /// One component of four filters.
  private typealias Pack = SIMD4<Double>
  /// Positions, rates, and the three elements of the covariances, four filters to a vector.
  private var lanes: [State]

  private struct State {
    var position: Pack
    var rate: Pack
    var positionVariance: Pack
    var covariance: Pack
    var rateVariance: Pack
  }

  /// Creates `count` filters with the same prior `state`.
  ///
  /// - Parameters:
  ///   - count: The number of filters, not negative.
  ///   - state: Position and rate before the first measurement.
  ///   - motion: The motion model.
  ///   - variance: The variance of a position measurement, above 0.
  public init(
    count: Int, state: Gaussian<2>, motion: WhiteNoiseAcceleration, variance: Double
  ) {
    precondition(count >= 0, "a bank cannot have a negative number of filters")
    precondition(variance > 0, "the variance is not positive")
    self.count = count
    self.motion = motion
    self.variance = variance
    let all = State(
      position: Pack(repeating: state.mean[0]), rate: Pack(repeating: state.mean[1]),
      positionVariance: Pack(repeating: state.covariance[0, 0]),
      covariance: Pack(repeating: state.covariance[0, 1]),
      rateVariance: Pack(repeating: state.covariance[1, 1]))
    lanes = [State](repeating: all, count: (count + 3) / 4)
  }

  /// The estimate of the filter at `index`, in `0..<count`.
  public subscript(index: Int) -> Gaussian<2> {
    get {
      precondition(index >= 0 && index < count, "no such filter")
      let (state, lane) = (lanes[index / 4], index % 4)
      let cross = state.covariance[lane]
      return Gaussian(
        mean: Vector([state.position[lane], state.rate[lane]]),
        covariance: Matrix([
          [state.positionVariance[lane], cross], [cross, state.rateVariance[lane]],
        ]))
    }
    set {
      precondition(index >= 0 && index < count, "no such filter")
      let (group, lane) = (index / 4, index % 4)
      lanes[group].position[lane] = newValue.mean[0]
      lanes[group].rate[lane] = newValue.mean[1]
      lanes[group].positionVariance[lane] = newValue.covariance[0, 0]
      lanes[group].covariance[lane] = newValue.covariance[0, 1]
      lanes[group].rateVariance[lane] = newValue.covariance[1, 1]
    }
  }

  /// Predicts all filters by `seconds`, not negative, then updates each with one measurement.
  ///
  /// - Parameters:
  ///   - seconds: The time step.
  ///   - measurements: One per filter, ``count`` in total; NaN when absent.
  ///
  /// No heap allocation.
  public mutating func step(over seconds: Double, measurements: Span<Double>) {
    precondition(measurements.count == count, "one measurement per filter")
    let moments = motion.moments(over: seconds)
    let noise = (
      Pack(repeating: moments.position), Pack(repeating: moments.cross),
      Pack(repeating: moments.velocity)
    )
    let step = Pack(repeating: seconds)
    let variance = Pack(repeating: variance)
    let whole = count / 4
    let rest = count % 4
    // The number of measurements was checked above.
    measurements.withUnsafeBufferPointer { measurements in
      lanes.withUnsafeMutableBufferPointer { lanes in
        guard let measured = UnsafeRawPointer(measurements.baseAddress),
          let states = lanes.baseAddress
        else { return }
        for group in 0..<whole {
          let z = measured.loadUnaligned(fromByteOffset: 32 * group, as: Pack.self)
          Self.advance(&states[group], z, step, noise, variance)
        }
        guard rest > 0 else { return }
        var z = Pack(repeating: .nan)
        for lane in 0..<rest { z[lane] = measurements[4 * whole + lane] }
        Self.advance(&states[whole], z, step, noise, variance)
      }
    }
  }

  /// Advances four filters by one step.
  @inline(__always)
  private static func advance(
    _ state: inout State, _ measured: Pack, _ step: Pack, _ noise: (Pack, Pack, Pack),
    _ variance: Pack
  ) {
    // The same sums in the same order as ``Gaussian/predictShort2(_:_:)`` and
    // ``Gaussian/conditionShort2(_:_:_:_:)``.
    let raise = Pack(repeating: 16 * Double.ulpOfOne)
    let (old11, old12, old22) = (state.positionVariance, state.covariance, state.rateVariance)
    let shear = old12 + step * old22
    let terms = old11 + step * step * old22
    let p11 = ((old11 + step * old12) + step * shear) + (noise.0 + raise * terms)
    let p12 = shear + noise.1
    let p22 = (noise.2 + raise * old22) + old22
    let position = state.position + step * state.rate
    // An absent measurement has zero residual and zero gain.
    let present = measured .== measured
    let zero = Pack(repeating: 0)
    let residual = (measured - position).replacing(with: zero, where: .!present)
    let inverse = (1 / (variance + p11)).replacing(with: zero, where: .!present)
    let first = inverse * p11
    let second = inverse * p12
    state.position = position + first * residual
    state.rate += second * residual
    state.positionVariance = pointwiseMax((p11 + raise * p11) - first * p11, zero)
    state.covariance = p12 - first * p12
    state.rateVariance = pointwiseMax((p22 + raise * p22) - second * p12, zero)
  }
}
