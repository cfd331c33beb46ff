import Fathom
import Foundation

/// The reason why a trajectory cannot be aligned with truth.
public enum AlignmentError: Error, Sendable, Equatable {
  /// Fewer pairs than the transformation needs.
  case tooFewPoses(count: Int, needed: Int)
  /// All positions of one side are equal, so the rotation is undetermined.
  case withoutExtent
  /// The positions of one side lie on a line in space, so the rotation about it is undetermined.
  ///
  /// `direction` is the direction of the line, a unit vector in the frame of truth.
  case collinear(direction: [Double])
  /// A position is not finite, or so large that the sums overflow.
  case notFinite
}

extension AlignmentError: CustomStringConvertible {
  /// The reason as text.
  public var description: String {
    switch self {
    case .tooFewPoses(let count, let needed):
      "alignment needs at least \(needed) matched poses, there are \(count)"
    case .withoutExtent:
      "all positions are equal: the rotation is undetermined"
    case .collinear(let direction):
      "the positions lie on one line, along \(direction.map { ($0 * 1000).rounded() / 1000 }):"
        + " the rotation about it is undetermined (horizontal alignment is possible)"
    case .notFinite:
      "a position is not finite"
    }
  }
}

/// The rotation, translation and optional scale that minimise the distance of estimates from truth.
///
/// Minimises Σ |yᵢ - (c R xᵢ + t)|² over proper rotations R, translations t and, if requested,
/// scales c. The solution uses the singular value decomposition of the cross-covariance of both
/// point sets [Umeyama 1991]. Reflections are excluded, even when one fits better.
public struct RigidAlignment: Sendable, Equatable {
  /// The rotation R.
  public var rotation: Matrix<3, 3>
  /// The translation t, metres.
  public var translation: Vector<3>
  /// The scale c; 1 unless requested.
  public var scale: Double

  /// Computes the alignment of `estimates` with `truths`, pair by pair.
  ///
  /// Horizontal alignment determines the heading, x and y only, and keeps heights. Spatial
  /// alignment needs at least 3 pairs that are not collinear; horizontal alignment needs 2
  /// different pairs.
  ///
  /// - Parameters:
  ///   - estimates: estimated positions, metres; z may be NaN for horizontal alignment.
  ///   - truths: the true positions, as many as `estimates`, metres.
  ///   - isHorizontal: whether to align in the plane of x and y.
  ///   - isScaled: whether the scale is estimated too.
  /// - Throws: ``AlignmentError``.
  public init(
    of estimates: [Vector<3>], with truths: [Vector<3>], isHorizontal: Bool = false,
    isScaled: Bool = false
  ) throws(AlignmentError) {
    precondition(estimates.count == truths.count, "estimates and truths must have equal counts")
    let order = isHorizontal ? 2 : 3
    guard estimates.count >= order else {
      throw .tooFewPoses(count: estimates.count, needed: order)
    }
    let source = PointSet(estimates, order)
    let target = PointSet(truths, order)
    var covariance = DenseMatrix(rows: order, columns: order)
    for index in estimates.indices {
      for row in 0..<order {
        for column in 0..<order {
          covariance[row, column] +=
            (truths[index][row] - target.mean[row])
            * (estimates[index][column] - source.mean[column])
        }
      }
    }
    guard source.spread.isFinite, target.spread.isFinite else { throw .notFinite }
    guard source.spread > 0, target.spread > 0 else { throw .withoutExtent }
    let factors: SingularValueDecomposition
    do throws(LinearAlgebraError) {
      factors = try SingularValueDecomposition(covariance, vectors: .full)
    } catch {
      throw .notFinite
    }
    let values = factors.singularValues
    guard values[0] > 0 else { throw .withoutExtent }
    // The singular values are products of lengths, so the threshold is the square of a relative
    // 1e-6.
    if order == 3, values[1] <= 1e-12 * values[0] {
      throw .collinear(direction: factors.left.column(0))
    }

    // S of the paper: the last axis is inverted when U Vᵀ is a reflection.
    let product = factors.left * factors.rightTransposed
    let sign = Self.determinant(product) < 0 ? -1.0 : 1.0
    var turned = factors.left
    for row in 0..<order { turned[row, order - 1] *= sign }
    let found = turned * factors.rightTransposed
    rotation = .identity
    for row in 0..<order {
      for column in 0..<order { rotation[row, column] = found[row, column] }
    }
    let trace = values.dropLast().reduce(0, +) + sign * values[order - 1]
    scale = isScaled ? trace / source.spread : 1
    translation = .zero
    for row in 0..<order {
      var moved = 0.0
      for column in 0..<order { moved += rotation[row, column] * source.mean[column] }
      translation[row] = target.mean[row] - scale * moved
    }
    self.isHorizontal = isHorizontal
  }

  private let isHorizontal: Bool

  /// Angle of ``rotation`` about its axis, 0 to π: tr R = 1 + 2 cos φ.
  public var rotationAngle: Angle {
    let trace = rotation[0, 0] + rotation[1, 1] + rotation[2, 2]
    return Angle(radians: acos(max(-1, min(1, (trace - 1) / 2))))
  }

  /// Transforms `position` into the frame of truth, metres.
  public func applied(to position: Vector<3>) -> Vector<3> {
    var level = position
    if isHorizontal { level[2] = 0 }
    var moved = scale * (rotation * level) + translation
    if isHorizontal { moved[2] = position[2] }
    return moved
  }

  /// Transforms `covariance` of a position (m²) into the frame of truth.
  public func applied(to covariance: Matrix<3, 3>) -> Matrix<3, 3> {
    // For horizontal alignment, the covariances of z with x and y are undetermined and unused.
    var block = covariance
    if isHorizontal {
      for axis in 0..<3 {
        block[axis, 2] = 0
        block[2, axis] = 0
      }
    }
    var moved = (scale * scale) * (rotation * block).timesTransposed(rotation).symmetrized()
    if isHorizontal {
      for axis in 0..<2 {
        moved[axis, 2] = .nan
        moved[2, axis] = .nan
      }
      moved[2, 2] = covariance[2, 2]
    }
    return moved
  }

  private static func determinant(_ matrix: DenseMatrix) -> Double {
    let m = matrix
    if m.rows == 2 { return m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0] }
    return m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
      - m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
      + m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
  }

  /// Mean of a set of points, and their total squared distance from it.
  private struct PointSet {
    var mean: [Double]
    var spread = 0.0

    init(_ points: [Vector<3>], _ order: Int) {
      mean = (0..<order).map { axis in
        points.reduce(0) { $0 + $1[axis] } / Double(points.count)
      }
      for point in points {
        for axis in 0..<order {
          let difference = point[axis] - mean[axis]
          spread += difference * difference
        }
      }
    }
  }
}

extension MatchedPoses {
  /// Returns the pairs with their estimates aligned with truth, by one transformation for all tags.
  ///
  /// - Parameters:
  ///   - isHorizontal: whether to align in the plane of x and y.
  ///   - isScaled: whether the scale is estimated too.
  /// - Returns: the aligned pairs and the transformation.
  /// - Throws: ``AlignmentError`` when the pairs do not determine the transformation.
  public func aligned(
    isHorizontal: Bool, isScaled: Bool = false
  ) throws(AlignmentError) -> (poses: MatchedPoses, alignment: RigidAlignment) {
    let alignment = try RigidAlignment(
      of: poses.map(\.estimate), with: poses.map(\.truth), isHorizontal: isHorizontal,
      isScaled: isScaled)
    var result = self
    for index in poses.indices {
      result.poses[index].estimate = alignment.applied(to: poses[index].estimate)
      result.poses[index].covariance = poses[index].covariance.map { alignment.applied(to: $0) }
    }
    return (result, alignment)
  }
}
