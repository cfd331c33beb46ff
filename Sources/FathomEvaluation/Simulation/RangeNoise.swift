/// What is wrong with measured distances, beside the bias and scale of their anchor.
///
/// A measurement reads scale x true + bias + normal noise, plus an exponential excess where the first
/// path was missed; it is then rounded to the device's step. Some measurements fail, some repeat the
/// value before.
public struct RangeNoise: Sendable, Equatable {
  /// Standard deviation of the normal part, metres.
  public let sigma: Double
  /// Share of measurements that are too long, 0 to 1.
  public let outlierShare: Double
  /// Mean of their exponential excess, metres.
  public let outlierMean: Double
  /// Share of measurements that fail: no row, 0 to 1.
  public let dropOutShare: Double
  /// Share of the rest that repeat the link's last value, 0 to 1; the first of a link never does.
  public let heldShare: Double
  /// Step of the device's numbers, metres; 0 for none.
  public let quantisation: Double
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
  /// measurement has failed.
  func reading(of distance: Double, _ noise: RangeNoise, last: inout Double?) -> Double? {
    if failed < noise.dropOutShare { return nil }
    if held < noise.heldShare, let last { return last }
    var value = distance + noise.sigma * normal
    if late < noise.outlierShare { value += noise.outlierMean * excess }
    if noise.quantisation > 0 {
      value = (value / noise.quantisation).rounded(.toNearestOrEven) * noise.quantisation
    }
    value = value.rounded(decimals: 4)
    guard value > 0 else { return nil }
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
