/// The errors of measured distances, beside the bias and scale of their anchor.
///
/// A measurement reads scale x true + bias + noise, rounded to the device's resolution. The noise
/// is normal or has the heavier tails of Student's t. A missed first path adds an exponential
/// excess; an early false detection subtracts one. Some measurements fail, and some repeat the
/// previous value.
package struct RangeNoise: Sendable, Equatable {
  /// Standard deviation of the normal part, or scale of Student's t, metres.
  package let sigma: Double
  /// Share of measurements that are too long, from 0 to 1.
  package let outlierShare: Double
  /// Mean of the exponential excess of these measurements, metres.
  package let outlierMean: Double
  /// Share of measurements that fail, from 0 to 1.
  ///
  /// A failed measurement writes no row.
  package let dropOutShare: Double
  /// Share of the remaining measurements that repeat the link's last value, from 0 to 1.
  ///
  /// The first measurement of a link is never a repeated one.
  package let heldShare: Double
  /// Resolution of the device's distances, metres; 0 disables rounding.
  package let quantisation: Double
  /// Degrees of freedom of Student's t, which replaces the normal noise; nil for normal noise.
  package var degreesOfFreedom: Double?
  /// Share of measurements that are too short, from 0 to 1.
  package var earlyShare = 0.0
  /// Mean of the exponential shortfall of these measurements, metres.
  package var earlyMean = 0.0
}

/// The random numbers of one measurement.
///
/// Every measurement draws all of them, whether used or not. A scenario that differs in one share
/// or in sigma therefore keeps all other random numbers, and recordings can be compared row by row.
struct NoiseDraw {
  private let normal: Double
  private let late: Double
  private let excess: Double
  private let failed: Double
  private let held: Double

  init(using generator: inout SeededGenerator) {
    normal = generator.normal()
    late = generator.uniform()
    excess = generator.exponential(mean: 1)
    failed = generator.uniform()
    held = generator.uniform()
  }

  /// Returns the reported value for `distance` (metres, bias and scale included), or nil for no
  /// report.
  ///
  /// Updates `last`, the link's last reported value. Values are rounded to 0.1 mm, the resolution
  /// of the files. A distance of zero or less counts as a failed measurement. An arrival
  /// (`isArrival`) may have any sign, because only differences of arrivals count.
  func reading(
    of distance: Double, _ noise: RangeNoise, sigma: Double? = nil,
    _ disturbance: Disturbance = Disturbance(), isArrival: Bool = false, last: inout Double?
  ) -> Double? {
    if failed < noise.dropOutShare || disturbance.isLost { return nil }
    if held < noise.heldShare, let last { return last }
    var value = distance + (sigma ?? noise.sigma) * (disturbance.deviate ?? normal)
    if late < noise.outlierShare { value += noise.outlierMean * excess }
    value += disturbance.offset
    if noise.quantisation > 0 {
      value = (value / noise.quantisation).rounded(.toNearestOrEven) * noise.quantisation
    }
    value = value.rounded(decimals: 4)
    guard value > 0 || isArrival else { return nil }
    last = value
    return value
  }
}

extension Double {
  /// Rounds to `decimals` decimals (0 to 15): the value that a file of this resolution reads back.
  func rounded(decimals: Int) -> Double {
    var power = 1.0
    for _ in 0..<decimals { power *= 10 }
    return (self * power).rounded(.toNearestOrEven) / power
  }
}
