import Fathom

/// Received power, and whether a message is heard: links grow lossy with distance, as those of the
/// extended distance measurement of phones do.
///
/// Power falls as in [Molisch 2011, Ch. 4]: P = P₀ - 20 lg(4 pi f · 1 m / c) - 10 n lg(d / 1 m) - losses of
/// walls + fading, with normally distributed fading. A message of power P is heard with the
/// probability 1 / (1 + exp(-(P - S) / w)): half of those at the sensitivity S, the more abruptly the
/// smaller the slope w.
package struct LinkBudget: Sendable, Equatable {
  /// P₀: radiated power, dBm.
  package let transmitPower: Double
  /// f: frequency of the carrier, hertz.
  package let frequency: Double
  /// n: exponent of the path loss; 2 in free space.
  package let exponent: Double
  /// Standard deviation of the fading, decibels; independent from one range to the next.
  package let fadingSigma: Double
  /// S: power at which half of the messages are heard, dBm.
  package let sensitivity: Double
  /// w: width of the transition, decibels; above 0.
  package let slope: Double

  /// Radiated power in the 499.2 MHz of a channel at the limit of -41.3 dBm/MHz, dBm.
  static let usualTransmitPower = -14.3
  /// Channel 5 of IEEE 802.15.4, hertz.
  static let usualFrequency = 6_489.6e6

  /// Power that arrives over `distance` metres, without fading, dBm; nearer than 1 cm it grows no more.
  package func receivedPower(distance: Double, wallLoss: Double = 0) -> Double {
    func decibels(_ ratio: Double) -> Double {
      10 * ElementaryFunctions.logarithm(ratio) / 2.302_585_092_994_046
    }
    let firstMetre = 2 * decibels(4 * Double.pi * frequency / PhysicalConstants.speedOfLight)
    return transmitPower - firstMetre - exponent * decibels(max(distance, 0.01)) - wallLoss
  }

  /// Probability that a message of `power` (dBm) is heard.
  package func receptionProbability(power: Double) -> Double {
    1 / (1 + ElementaryFunctions.exponential((sensitivity - power) / slope))
  }
}

/// Constants of nature.
enum PhysicalConstants {
  /// c in vacuum, metres per second; exact by definition of the metre.
  static let speedOfLight = 299_792_458.0
}
