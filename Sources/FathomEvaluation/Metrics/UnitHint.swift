import Fathom

/// A unit or an order of axes in which truth would agree with an estimate much better.
package struct UnitHint: Sendable, Equatable {
  /// The number by which the coordinates of truth are divided.
  package let factor: Double
  /// The axes of truth that are compared with x, y and z.
  package let axes: [Int]

  /// Factors between units: millimetres, centimetres, inches and feet, and the reverse.
  private static let factors = [1, 1000, 100, 1 / 0.0254, 1 / 0.3048, 0.001, 0.01, 0.0254, 0.3048]
  private static let orders = [
    [0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1],
  ]
  /// Share of the error below which the hint is given: a wrong unit leaves a thousandth, exchanged
  /// axes of a walk a tenth; half of it would miss noisy estimates.
  private static let greatestShare = 0.2
  /// Number of poses that are compared; the cost is that of 54 comparisons each.
  private static let mostPoses = 1000

  /// Finds the hint for estimated and true positions of equal times; nil if the units and axes as they
  /// are fit, or none does.
  ///
  /// - Parameters:
  ///   - estimates: estimated positions, metres.
  ///   - truth: true positions, parallel to `estimates`.
  ///   - isHorizontal: whether z is left out.
  package init?(_ estimates: [Vector<3>], truth: [Vector<3>], isHorizontal: Bool) {
    let step = max(1, estimates.count / Self.mostPoses)
    let rows = Array(stride(from: 0, to: min(estimates.count, truth.count), by: step))
      .filter { row in (0..<2).allSatisfy { estimates[row][$0].isFinite && truth[row][$0].isFinite }
      }
    guard rows.count >= 3 else { return nil }
    let dimensions = isHorizontal ? 2 : 3
    func error(_ factor: Double, _ axes: [Int]) -> Double {
      var sum = 0.0
      for row in rows {
        for axis in 0..<dimensions {
          let difference = truth[row][axes[axis]] / factor - estimates[row][axis]
          if difference.isFinite { sum += difference * difference }
        }
      }
      return (sum / Double(rows.count)).squareRoot()
    }
    let plain = error(1, [0, 1, 2])
    // Smaller errors are those of estimates.
    guard plain > 0.5 else { return nil }
    var best: (error: Double, factor: Double, axes: [Int]) = (Self.greatestShare * plain, 1, [])
    for axes in Self.orders {
      for factor in Self.factors where factor != 1 || axes != [0, 1, 2] {
        let value = error(factor, axes)
        if value < best.error { best = (value, factor, axes) }
      }
    }
    if best.axes.isEmpty { return nil }
    (factor, axes) = (best.factor, best.axes)
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
    let order =
      axes == [0, 1, 2]
      ? nil
      : "truth fits with its \(axes.map { names[$0] }.joined(separator: ", ")) as x, y, z: are axes"
        + " exchanged?"
    let advice = factor == 1 ? nil : "name the columns x_mm, y_mm, z_mm, or convert them"
    return [unit, order, factor == 1000 || factor == 0.001 ? advice : nil].compactMap { $0 }
      .joined(separator: "; ")
  }
}
