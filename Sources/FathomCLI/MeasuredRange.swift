import Fathom
import FathomRecordings
import Foundation

/// A distance that was measured to an anchor.
struct MeasuredRange {
  var name: String
  var anchor: Anchor
  var distance: Double
  var sigma: Double?

  /// The distance without the anchor's bias and scale; as it is where it is none.
  var corrected: Double {
    MeasuredDistance.absence(of: distance) == nil ? anchor.corrected(distance) : distance
  }

  /// The standard deviation that came with the distance; nil where it is no number above zero.
  var usableSigma: Double? { sigma.flatMap { $0 > 0 && $0.isFinite ? $0 : nil } }

  /// The standard deviation with that of the anchor's position.
  func sigmaWithAnchor(_ usual: Double) -> Double {
    hypot(usableSigma ?? usual, anchor.positionSigma ?? 0)
  }
}

extension Anchor {
  /// The covariance of the position; nil where it is exact or not known.
  var covariance: Matrix<3, 3>? {
    positionSigma.flatMap { $0 > 0 ? $0 * $0 * .identity : nil }
  }
}

extension DeclaredAnchors {
  /// `difference` without the biases of its anchors; their scales have no say about a difference.
  func corrected(_ difference: TimeDifference) -> TimeDifference {
    var result = difference
    result.difference -= anchors[difference.first].bias - anchors[difference.second].bias
    return result
  }
}
