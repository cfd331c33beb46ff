import Fathom

/// The linear position of every epoch, the pseudo-inverse included.
func solveLinearBatch(_ workload: Workload) throws -> (EpochColumns) -> BatchPositions {
  { [solver = try LinearBatch(anchors: anchors(of: workload))] in solver.solve($0) }
}

/// The most likely position of every epoch; `once` where doubtful ones are not solved again.
func solveLikelihoodBatch(
  _ workload: Workload, _ loss: LikelihoodBatch.Loss,
  _ start: LikelihoodBatch.Start = .linear, once: Bool = false
) throws -> (EpochColumns) -> BatchPositions {
  var options = LikelihoodBatch.Options()
  options.loss = loss
  options.start = start
  options.reconsidersDoubtful = !once
  let solver = try LikelihoodBatch(anchors: anchors(of: workload), options: options)
  return { solver.solve($0) }
}

extension Workload {
  /// The ranges of the first so many epochs as columns.
  func columns(epochs: Int) -> EpochColumns {
    EpochColumns(rows: Array(ranges.prefix(8 * epochs)), anchorCount: 8)
  }
}

/// Positions in rows, NaN where there is none.
func rows(of positions: BatchPositions) -> [Double] {
  (0..<positions.count).flatMap { positions[$0]?.array ?? [.nan, .nan, .nan] }
}
