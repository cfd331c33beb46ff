import FathomEvaluation

@testable import Fathom

/// Anchors in a room of 20 x 15 x 4 m, their measurements, and a tag between them.
struct RandomLayout {
  var anchors: [Anchor]
  var measured: [ExpectedMeasurements]
  var tag: Vector<3>

  /// Creates a layout of `count` anchors that measure the elements of `kinds` in turn.
  init(
    _ count: Int, kinds: [ExpectedMeasurements.Kinds], placement: Double = 0,
    using generator: inout SeededGenerator
  ) {
    anchors = (0..<count).map { _ in
      Anchor(
        position: Vector([
          generator.uniform(in: 0...20), generator.uniform(in: 0...15),
          generator.uniform(in: 0...4),
        ]), positionSigma: placement > 0 ? generator.uniform(in: 0...placement) : nil)
    }
    measured = (0..<count).map { index in
      var one = ExpectedMeasurements(kinds[index % kinds.count])
      one.rangeSigma = generator.uniform(in: 0.03...0.3)
      one.rangeSigmaPerMetre = generator.uniform(in: 0...0.05)
      one.azimuthSigma = Angle(degrees: generator.uniform(in: 1...5))
      one.elevationSigma = Angle(degrees: generator.uniform(in: 1...8))
      return one
    }
    tag = Vector([
      generator.uniform(in: 2...18), generator.uniform(in: 2...13), generator.uniform(in: 0.5...2),
    ])
  }

  /// One measurement: expected value and standard deviation as functions of tag, offset and anchor.
  struct Row {
    var anchor: Int
    var mean: (_ tag: Vector<3>, _ offset: Double, _ anchor: Vector<3>) -> Double
    var sigma: (_ tag: Vector<3>, _ anchor: Vector<3>) -> Double
  }

  /// All measurements, each round separately.
  var rows: [Row] {
    var rows: [Row] = []
    for (index, one) in measured.enumerated() {
      let spread = { (tag: Vector<3>, anchor: Vector<3>) -> Double in
        let growth = one.rangeSigmaPerMetre * (tag - anchor).length
        return (one.rangeSigma * one.rangeSigma + growth * growth).squareRoot()
      }
      for _ in 0..<one.rounds {
        if one.kinds.contains(.range) {
          rows.append(Row(anchor: index, mean: { ($0 - $2).length + 0 * $1 }, sigma: spread))
        }
        if one.kinds.contains(.arrival) {
          rows.append(Row(anchor: index, mean: { ($0 - $2).length + $1 }, sigma: spread))
        }
        if one.kinds.contains(.azimuth) {
          rows.append(
            Row(
              anchor: index,
              mean: { tag, _, anchor in .atan2(y: tag[1] - anchor[1], x: tag[0] - anchor[0]) },
              sigma: { _, _ in one.azimuthSigma.radians }))
        }
        if one.kinds.contains(.elevation) {
          rows.append(
            Row(
              anchor: index,
              mean: { tag, _, anchor in
                .atan2(y: tag[2] - anchor[2], x: .hypot(tag[0] - anchor[0], tag[1] - anchor[1]))
              },
              sigma: { _, _ in one.elevationSigma.radians }))
        }
      }
    }
    return rows
  }

  /// Whether any anchor measures arrivals, so that there is an offset.
  var hasOffset: Bool { measured.contains { $0.kinds.contains(.arrival) } }

  /// Returns the Kullback-Leibler divergence of the measurements at `tag` without offset from those
  /// at other values.
  ///
  /// Its second derivatives are the Fisher information.
  func divergence(tag other: Vector<3>, offset: Double) -> Double {
    var sum = 0.0
    for row in rows {
      let anchor = anchors[row.anchor].position
      let sigma = row.sigma(other, anchor)
      let residual = (row.mean(other, offset, anchor) - row.mean(tag, 0, anchor)) / sigma
      let ratio = row.sigma(tag, anchor) / sigma
      sum += 0.5 * (residual * residual + ratio * ratio - 1) - Double.log(ratio)
    }
    return sum
  }

  /// Returns the covariance of the position from the joint Fisher information, inverted by LAPACK.
  ///
  /// The unknowns are the position, the offset and the coordinates of all uncertain anchors.
  /// Derivatives are central differences.
  func jointCovariance(isHeightKnown: Bool) throws -> DenseMatrix {
    let free = isHeightKnown ? 2 : 3
    let uncertain = anchors.indices.filter { (anchors[$0].positionSigma ?? 0) > 0 }
    let nuisances = hasOffset ? 1 : 0
    let order = free + nuisances + 3 * uncertain.count
    var information = DenseMatrix(rows: order, columns: order)
    for row in rows {
      let anchor = anchors[row.anchor].position
      let place = uncertain.firstIndex(of: row.anchor)
      func derivative(_ unknown: Int, _ value: (Vector<3>, Double, Vector<3>) -> Double) -> Double {
        let step = 1e-4
        func moved(_ by: Double) -> Double {
          var (tag, offset, anchor) = (tag, 0.0, anchor)
          if unknown < free {
            tag[unknown] += by
          } else if unknown < free + nuisances {
            offset += by
          } else if let place, (unknown - free - nuisances) / 3 == place {
            anchor[(unknown - free - nuisances) % 3] += by
          }
          return value(tag, offset, anchor)
        }
        return (moved(step) - moved(-step)) / (2 * step)
      }
      let sigma = row.sigma(tag, anchor)
      let means = (0..<order).map { derivative($0, row.mean) / sigma }
      let spreads = (0..<order).map { derivative($0) { tag, _, anchor in row.sigma(tag, anchor) } }
      for one in 0..<order {
        for other in 0..<order {
          information[one, other] +=
            means[one] * means[other] + 2 * spreads[one] * spreads[other] / (sigma * sigma)
        }
      }
    }
    for (place, index) in uncertain.enumerated() {
      let sigma = anchors[index].positionSigma ?? 0
      for axis in 0..<3 {
        let unknown = free + nuisances + 3 * place + axis
        information[unknown, unknown] += 1 / (sigma * sigma)
      }
    }
    return try DenseCholesky(information).solve(.identity(order))
  }
}
