import Fathom
import FathomEvaluation
import Foundation

/// The ellipse that contains a horizontal position with a given probability, according to its
/// covariance.
struct ErrorEllipse: Sendable, Equatable {
  /// Semi-axes, metres.
  var semiAxes: (major: Double, minor: Double)
  /// Direction of the major axis, radians from the first coordinate axis towards the second.
  var angle: Double

  /// Creates the ellipse of a normal distribution with these variances and covariance, in m².
  ///
  /// The semi-axes are √(χ²·λ) for the eigenvalues λ of the covariance. χ² is the quantile for two
  /// degrees of freedom, 5.991 for 95 %. `probability`, between 0 and 1, is that of a position
  /// inside.
  ///
  /// ## Edge cases
  /// Nil when an element is not finite or a variance is negative. A variance of zero gives a line.
  init?(xx: Double, xy: Double, yy: Double, probability: Double = 0.95) {
    guard xx.isFinite, xy.isFinite, yy.isFinite, xx >= 0, yy >= 0 else { return nil }
    let middle = (xx + yy) / 2
    let half = (xx - yy) / 2
    let radius = (half * half + xy * xy).squareRoot()
    let scale = ChiSquare.quantile(probability, degreesOfFreedom: 2)
    semiAxes = (
      (scale * (middle + radius)).squareRoot(), (scale * max(0, middle - radius)).squareRoot()
    )
    angle = radius > 0 ? 0.5 * atan2(xy, half) : 0
  }

  /// Returns `count` points around the ellipse about (`x`, `y`), and the first one again at the
  /// end.
  func outline(x: Double, y: Double, count: Int = 36) -> [Plot.Point] {
    (0...count).map { step in
      let turn = 2 * Double.pi * Double(step % count) / Double(count)
      let along = semiAxes.major * cos(turn)
      let across = semiAxes.minor * sin(turn)
      return Plot.Point(
        x: x + along * cos(angle) - across * sin(angle),
        y: y + along * sin(angle) + across * cos(angle), beginsAnew: step == 0)
    }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.semiAxes == right.semiAxes && left.angle == right.angle
  }
}
