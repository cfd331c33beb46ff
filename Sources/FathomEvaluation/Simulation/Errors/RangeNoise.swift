/// What is wrong with measured distances, beside the bias and scale of their anchor.
///
/// A measurement reads scale x true + bias + noise, normal or with the heavier tails of Student's
/// t, plus an exponential excess where the first path was missed, less one where something came
/// before it; it is then rounded to the device's step. Some measurements fail, some repeat the
/// value before.
package struct RangeNoise: Sendable, Equatable {
  /// Standard deviation of the normal part, or scale of Student's t, metres.
  package let sigma: Double
  /// Share of measurements that are too long, 0 to 1.
  package let outlierShare: Double
  /// Mean of their exponential excess, metres.
  package let outlierMean: Double
  /// Share of measurements that fail: no row, 0 to 1.
  package let dropOutShare: Double
  /// Share of the rest that repeat the link's last value, 0 to 1; the first of a link never does.
  package let heldShare: Double
  /// Step of the device's numbers, metres; 0 for none.
  package let quantisation: Double
  /// Degrees of freedom of Student's t, which then stands in for the normal part; nil for normal.
  package var degreesOfFreedom: Double?
  /// Share of measurements that are too short, 0 to 1.
  package var earlyShare = 0.0
  /// Mean of what they lack, exponentially distributed, metres.
  package var earlyMean = 0.0
}

/// The random numbers of one measurement.
///
/// Every measurement draws all of them, needed or not: a scenario that differs in one share or in
/// sigma keeps the others' random numbers, so that recordings can be compared one by one.
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

  /// What the device reports for `distance` (metres, bias and scale included), or nil for nothing.
  ///
  /// `last` is the link's last reported value and is brought up to date. Values come in the tenths
  /// of a millimetre that files hold. A device reports no distance of zero or less: such a
  /// measurement has failed. An arrival, of which only differences count, may be anything.
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
  /// The nearest number of `decimals` (0 to 15) decimals: what a file that has so many reads back as.
  func rounded(decimals: Int) -> Double {
    var power = 1.0
    for _ in 0..<decimals { power *= 10 }
    return (self * power).rounded(.toNearestOrEven) / power
  }
}
