import Fathom

/// A unit, or an order and direction of axes, in which truth would agree with an estimate much better.
package struct UnitHint: Sendable, Equatable {
  /// The number by which the coordinates of truth are divided.
  package let factor: Double
  /// The axes of truth that are compared with x, y and z.
  package let axes: [Int]
  /// 1, or -1 for an axis of truth that points the other way, parallel to ``axes``.
  package let signs: [Double]
  /// Root mean square of the distances as they are, and with the hint, metres.
  package let errors: (plain: Double, hinted: Double)

  /// Factors between units: millimetres, centimetres, inches and feet, and the reverse.
  private static let factors = [1, 1000, 100, 1 / 0.0254, 1 / 0.3048, 0.001, 0.01, 0.0254, 0.3048]
  private static let orders = [
    [0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1],
  ]
  /// Share of the error below which the hint is given: a wrong unit leaves a thousandth, exchanged
  /// axes of a walk a tenth; half of it would miss noisy estimates.
  private static let greatestShare = 0.2
  /// The share for axes that point the other way, of which there are eight times as many forms.
  private static let greatestShareOfSigned = 0.1
  /// Number of poses that are compared; the cost is that of 432 comparisons each.
  private static let mostPoses = 1000

  /// Returns whether factor, axes and signs are equal.
  package static func == (left: Self, right: Self) -> Bool {
    left.factor == right.factor && left.axes == right.axes && left.signs == right.signs
  }

  /// Finds the hint for estimated and true positions of equal times; nil if the units and axes as they
  /// are fit, or none does.
  ///
  /// Positions are in metres; with `isHorizontal`, z is left out.
  package init?(_ estimates: [Vector<3>], truth: [Vector<3>], isHorizontal: Bool) {
    let step = max(1, estimates.count / Self.mostPoses)
    let rows = Array(stride(from: 0, to: min(estimates.count, truth.count), by: step))
      .filter { row in (0..<2).allSatisfy { estimates[row][$0].isFinite && truth[row][$0].isFinite }
      }
    guard rows.count >= 3 else { return nil }
    let dimensions = isHorizontal ? 2 : 3
    func error(_ factor: Double, _ axes: [Int], _ signs: [Double] = [1, 1, 1]) -> Double {
      var sum = 0.0
      for row in rows {
        for axis in 0..<dimensions {
          let difference = signs[axis] * truth[row][axes[axis]] / factor - estimates[row][axis]
          if difference.isFinite { sum += difference * difference }
        }
      }
      return (sum / Double(rows.count)).squareRoot()
    }
    let plain = error(1, [0, 1, 2])
    // Smaller errors are those of estimates.
    guard plain > 0.5 else { return nil }
    var best: (error: Double, factor: Double, axes: [Int], signs: [Double]) = (
      Self.greatestShare * plain, 1, [], [1, 1, 1]
    )
    for axes in Self.orders {
      for factor in Self.factors where factor != 1 || axes != [0, 1, 2] {
        let value = error(factor, axes)
        if value < best.error { best = (value, factor, axes, [1, 1, 1]) }
      }
    }
    // The other way only if it explains much more of the error: it is the rarer mistake.
    var least = Self.greatestShareOfSigned * (best.axes.isEmpty ? plain : best.error)
    for axes in Self.orders {
      for negative in 1..<(1 << dimensions) {
        let signs = (0..<3).map { negative >> $0 & 1 == 1 ? -1.0 : 1 }
        for factor in Self.factors {
          let value = error(factor, axes, signs)
          if value < least { (least, best) = (value, (value, factor, axes, signs)) }
        }
      }
    }
    if best.axes.isEmpty { return nil }
    (factor, axes, signs) = (best.factor, best.axes, best.signs)
    errors = (plain, best.error)
  }

  /// The warning, without the name of the file.
  package var text: String {
    let unit: String? =
      switch factor {
      case 1: nil
      case 1000: "truth is about 1000 times as large as the estimate: is it in millimetres?"
      case 100: "truth is about 100 times as large as the estimate: is it in centimetres?"
      case 1 / 0.0254: "truth is about 39.37 times as large as the estimate: is it in inches?"
      case 1 / 0.3048: "truth is about 3.28 times as large as the estimate: is it in feet?"
      case 0.001: "the estimate is about 1000 times as large as truth: is it in millimetres?"
      case 0.01: "the estimate is about 100 times as large as truth: is it in centimetres?"
      case 0.0254: "the estimate is about 39.37 times as large as truth: is it in inches?"
      default: "the estimate is about 3.28 times as large as truth: is it in feet?"
      }
    let names = ["x", "y", "z"]
    let isSigned = signs.contains { $0 < 0 }
    let sources = axes.indices.map { (signs[$0] < 0 ? "-" : "") + names[axes[$0]] }
    let order =
      axes == [0, 1, 2] && !isSigned
      ? nil
      : "truth fits with its \(sources.joined(separator: ", ")) as x, y, z: are axes"
        + (axes == [0, 1, 2] ? " reversed?" : isSigned ? " exchanged and reversed?" : " exchanged?")
    let advice = factor == 1 ? nil : "name the columns x_mm, y_mm, z_mm, or convert them"
    let gain =
      "the error would be \(Self.metres(errors.hinted)) instead of \(Self.metres(errors.plain))"
    return [unit, order, factor == 1000 || factor == 0.001 ? advice : nil, gain].compactMap { $0 }
      .joined(separator: "; ")
  }

  /// Returns `length` with two decimals, or whole if it is long.
  private static func metres(_ length: Double) -> String {
    length < 100 ? "\((100 * length).rounded() / 100) m" : "\(Int(min(length, 1e15).rounded())) m"
  }
}

/// A rotation and translation after which an estimate agrees with truth much better: both are in different
/// frames.
package struct FrameHint: Sendable, Equatable {
  /// The transformation.
  package let alignment: RigidAlignment
  /// Root mean square of the distances as they are, and after it, metres.
  package let plain: Double
  package let aligned: Double

  /// Poses below which an alignment fits by itself.
  private static let leastPoses = 20
  /// Share of the error below which the hint is given.
  private static let greatestShare = 0.1

  /// Finds the hint for matched poses; nil if the frames are those of each other, or the error has another
  /// cause.
  package init?(_ poses: [MatchedPose], isHorizontal: Bool) {
    let dimensions = isHorizontal ? 2 : 3
    let poses = poses.filter { pose in
      (0..<dimensions).allSatisfy { pose.estimate[$0].isFinite && pose.truth[$0].isFinite }
    }
    guard poses.count >= Self.leastPoses,
      let alignment = try? RigidAlignment(
        of: poses.map(\.estimate), with: poses.map(\.truth), isHorizontal: isHorizontal)
    else { return nil }
    func error(_ position: (MatchedPose) -> Vector<3>) -> Double {
      let squares = poses.map { pose in
        (0..<dimensions).reduce(0.0) { sum, axis in
          let difference = position(pose)[axis] - pose.truth[axis]
          return sum + difference * difference
        }
      }
      return (squares.reduce(0, +) / Double(poses.count)).squareRoot()
    }
    self.alignment = alignment
    plain = error(\.estimate)
    aligned = error { alignment.applied(to: $0.estimate) }
    // Smaller errors are those of estimates.
    guard plain > 0.5, aligned < Self.greatestShare * plain else { return nil }
  }
}
