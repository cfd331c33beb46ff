import Fathom
import FathomEvaluation
import Foundation

/// The ellipse that holds a position in the plane with a given probability, as its covariance claims.
struct ErrorEllipse: Sendable, Equatable {
  /// The longer and the shorter half of the axes, metres.
  var semiAxes: (major: Double, minor: Double)
  /// The direction of the longer one, radians from the first axis towards the second.
  var angle: Double

  /// The ellipse of a normal distribution: half axes are √(χ²·λ) for the eigenvalues λ of its
  /// covariance and the quantile χ² of two degrees of freedom, 5.991 for 95 %.
  ///
  /// ## Edge cases
  /// Nil where an element is not finite or a variance is negative. A variance of zero gives a line.
  ///
  /// - Parameters:
  ///   - xx: variance of the first coordinate, m².
  ///   - xy: covariance, m².
  ///   - yy: variance of the second, m².
  ///   - probability: of lying inside, between 0 and 1.
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

  /// `count` points around the ellipse about (`x`, `y`), the first once more at the end.
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
