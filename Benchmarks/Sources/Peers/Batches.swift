import Fathom

/// Returns a solver for the linear position of every epoch; creating it computes the
/// pseudo-inverse.
func solveLinearBatch(_ workload: Workload) throws -> (EpochColumns) -> BatchPositions {
  { [solver = try LinearBatch(anchors: anchors(of: workload))] in solver.solve($0) }
}

/// Returns a solver for the most likely position of every epoch.
func solveLikelihoodBatch(
  _ workload: Workload, _ loss: RobustLoss
) throws -> (EpochColumns) -> BatchPositions {
  var options = PositionOptions()
  options.loss = loss
  let solver = try LikelihoodBatch(anchors: anchors(of: workload), options: options)
  return { solver.solve($0) }
}

extension Workload {
  /// Returns the ranges of the first `epochs` epochs as columns.
  func columns(epochs: Int) -> EpochColumns {
    EpochColumns(rows: Array(ranges.prefix(8 * epochs)), anchorCount: 8)
  }
}

/// Returns the positions as rows; NaN for epochs without a position.
func rows(of positions: BatchPositions) -> [Double] {
  (0..<positions.count).flatMap { positions[$0]?.array ?? [.nan, .nan, .nan] }
}
