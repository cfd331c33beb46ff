import FathomEvaluation

@testable import Fathom

/// Simulated epochs with their true positions.
struct BatchEpochs {
  let anchors: [Vector<3>]
  var truth: [Vector<3>] = []
  var rows: [Double] = []

  var columns: EpochColumns { EpochColumns(rows: rows, anchorCount: anchors.count) }

  /// Returns the ranges of an epoch, NaN if absent.
  func ranges(_ epoch: Int) -> [Double] {
    Array(rows[epoch * anchors.count..<(epoch + 1) * anchors.count])
  }

  /// Returns epochs at positions in a hall of 20 x 15 x 3 m with an anchor in each corner.
  ///
  /// `outliers` is the fraction of the ranges that is too long, by 0.8 m on average; `absent` is
  /// the fraction that is NaN; `origin` is added to all coordinates.
  static func hall(
    count: Int, noise: Double, outliers: Double = 0, absent: Double = 0,
    origin: Vector<3> = .zero, seed: UInt64
  ) -> BatchEpochs {
    var generator = SeededGenerator(seed: seed)
    var anchors: [Vector<3>] = []
    for corner in 0..<8 {
      anchors.append(
        origin
          + Vector([
            corner & 4 == 0 ? 0 : 20, corner & 2 == 0 ? 0 : 15, corner & 1 == 0 ? 0 : 3,
          ]))
    }
    var epochs = BatchEpochs(anchors: anchors)
    for _ in 0..<count {
      let tag =
        origin
        + Vector([
          generator.uniform(in: 1...19), generator.uniform(in: 1...14),
          generator.uniform(in: 0.5...2.5),
        ])
      epochs.truth.append(tag)
      for anchor in anchors {
        var range = (anchor - tag).length + noise * generator.normal()
        if generator.uniform(in: 0...1) < outliers { range += generator.exponential(mean: 0.8) }
        epochs.rows.append(generator.uniform(in: 0...1) < absent ? .nan : range)
      }
    }
    return epochs
  }
}
