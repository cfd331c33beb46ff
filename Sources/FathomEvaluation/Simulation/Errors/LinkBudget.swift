import Fathom

/// A model of received power and packet loss: links lose more messages as the distance grows.
///
/// Phones behave like this in Nearby Interaction's extended distance measurement.
///
/// Power falls as in [Molisch 2011, Ch. 4]: P = P₀ - 20 lg(4 pi f · 1 m / c) - 10 n lg(d / 1 m) -
/// wall losses + fading. Fading is normally distributed in decibels. A message of power P is
/// received with the probability 1 / (1 + exp(-(P - S) / w)): one half at the sensitivity S, with a
/// transition of width w.
package struct LinkBudget: Sendable, Equatable {
  /// P₀: radiated power, dBm.
  package let transmitPower: Double
  /// f: frequency of the carrier, hertz.
  package let frequency: Double
  /// n: exponent of the path loss; 2 in free space.
  package let exponent: Double
  /// Standard deviation of the fading, decibels.
  ///
  /// Fading is independent from one range to the next.
  package let fadingSigma: Double
  /// S: power at which half of the messages are received, dBm.
  package let sensitivity: Double
  /// w: width of the transition, decibels; above 0.
  package let slope: Double

  /// Power radiated in a channel of 499.2 MHz at the regulatory limit of -41.3 dBm/MHz, in dBm.
  static let usualTransmitPower = -14.3
  /// Centre frequency of channel 5 of IEEE 802.15.4, hertz.
  static let usualFrequency = 6_489.6e6

  /// Returns the received power at `distance` (metres), without fading, in dBm.
  ///
  /// Distances below 1 cm count as 1 cm.
  package func receivedPower(distance: Double, wallLoss: Double = 0) -> Double {
    func decibels(_ ratio: Double) -> Double {
      10 * ElementaryFunctions.logarithm(ratio) / 2.302_585_092_994_046
    }
    let firstMetre = 2 * decibels(4 * Double.pi * frequency / PhysicalConstants.speedOfLight)
    return transmitPower - firstMetre - exponent * decibels(max(distance, 0.01)) - wallLoss
  }

  /// Returns the probability that a message of `power` (dBm) is received.
  package func receptionProbability(power: Double) -> Double {
    1 / (1 + ElementaryFunctions.exponential((sensitivity - power) / slope))
  }
}

/// Physical constants.
enum PhysicalConstants {
  /// c in vacuum, metres per second; exact by definition of the metre.
  static let speedOfLight = 299_792_458.0
}
