import Fathom

/// Returns the kernels that compute positions from ranges.
///
/// One item is one epoch.
func trilaterationKernels() -> [Kernel] {
  let hall = Hall()
  let flat = hall.anchors.map { Vector<2>([$0[0], $0[1]]) }
  let count = 200

  func solve(_ name: String, anchors: Int, height: Double? = nil) -> Kernel {
    Kernel("trilateration: \(name)", items: count) {
      var options = Trilateration.Options()
      options.height = height
      let anchors = Array(hall.anchors.prefix(anchors))
      var sum = 0.0
      for epoch in hall.ranges.prefix(count) {
        let fix = try? Trilateration.solve(
          ranges: Array(epoch.prefix(anchors.count)), anchors: anchors, options: options)
        sum += fix?.position?[0] ?? 0
      }
      return sum
    }
  }
  func solveFlat(_ name: String, anchors: Int) -> Kernel {
    Kernel("trilateration: \(name)", items: count) {
      let anchors = Array(flat.prefix(anchors))
      var sum = 0.0
      for epoch in hall.ranges.prefix(count) {
        let fix = try? Trilateration.solve(
          ranges: Array(epoch.prefix(anchors.count)), anchors: anchors)
        sum += fix?.position?[0] ?? 0
      }
      return sum
    }
  }

  func solveBatch(_ name: String, _ loss: RobustLoss) -> Kernel {
    let epochs = EpochColumns(rows: Array(hall.ranges.joined()), anchorCount: 8)
    return Kernel("trilateration: batch, \(name)", items: epochs.count) {
      var options = PositionOptions()
      options.loss = loss
      let solver = try? LikelihoodBatch(anchors: hall.anchors, options: options)
      return solver?.solve(epochs).x.reduce(0, +) ?? 0
    }
  }

  return [
    solve("space, eight ranges", anchors: 8),
    solve("space, four ranges", anchors: 4),
    solve("space, three ranges, two solutions", anchors: 3),
    solve("space, eight ranges, known height", anchors: 8, height: 1),
    solveFlat("plane, eight ranges", anchors: 8),
    solveFlat("plane, three ranges", anchors: 3),
    solveFlat("plane, two ranges, two solutions", anchors: 2),
    Kernel("trilateration: linear, space, eight ranges", items: count) {
      var sum = 0.0
      for epoch in hall.ranges.prefix(count) {
        let position = try? Trilateration.linearLeastSquares(ranges: epoch, anchors: hall.anchors)
        sum += position.flatMap { $0 }?[0] ?? 0
      }
      return sum
    },
    solveBatch("space, eight ranges", .squared),
    solveBatch("space, eight ranges, Huber's loss", .huber),
    solveBatch("space, eight ranges, Cauchy's loss", .cauchy),
    Kernel("trilateration: batch, linear, space, eight ranges", items: hall.ranges.count) {
      // Includes the conversion of rows to columns.
      let epochs = EpochColumns(rows: Array(hall.ranges.joined()), anchorCount: 8)
      return (try? LinearBatch(anchors: hall.anchors))?.solve(epochs).x.reduce(0, +) ?? 0
    },
    Kernel("trilateration: two beacons", items: hall.ranges.count) {
      var sum = 0.0
      for epoch in hall.ranges {
        let crossings = TwoBeacons.crossings(
          first: flat[0], second: flat[1], firstRange: epoch[0], secondRange: epoch[1])
        sum += crossings?.left[0] ?? 0
      }
      return sum
    },
  ]
}
