import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct EpochGroupTests {
  /// With a smaller maximum of iterations than groups require, all epochs go through the queue.
  @Test(arguments: [(nil, 403), (1.2, 402), (nil, 1), (nil, 8)])
  func groupsAndQueueGiveEqualResults(_ height: Double?, _ count: Int) throws {
    let epochs = BatchEpochs.hall(
      count: count, noise: 0.1, outliers: 0.03, absent: 0.01, seed: 531)
    var options = LikelihoodBatch.Options()
    options.reconsidersDoubtful = false
    for isDescribed in [false, true] {
      options.hasCovariance = isDescribed
      options.hasMisfit = isDescribed
      options.maximumIterations = 100
      let grouped = try LikelihoodBatch(anchors: epochs.anchors, height: height, options: options)
        .solve(epochs.columns)
      options.maximumIterations = 2 * EpochGroup.mostEvaluations - 1
      let queued = try LikelihoodBatch(anchors: epochs.anchors, height: height, options: options)
        .solve(epochs.columns)
      var alike = 0
      for epoch in 0..<count where queued[epoch] != nil {
        alike += 1
        #expect(grouped[epoch] == queued[epoch], "seed 531, epoch \(epoch)")
        #expect(grouped.iterations[epoch] == queued.iterations[epoch], "seed 531, epoch \(epoch)")
        #expect(grouped.covariance(at: epoch) == queued.covariance(at: epoch), "epoch \(epoch)")
      }
      #expect(grouped.misfits == queued.misfits || alike < count, "seed 531")
      #expect(10 * alike >= 9 * count, "seed 531")
    }
  }

  @Test func resultsAreIndependentOfNeighbours() throws {
    let epochs = BatchEpochs.hall(count: 40, noise: 0.1, outliers: 0.1, absent: 0.02, seed: 532)
    let solver = try LikelihoodBatch(anchors: epochs.anchors)
    let together = solver.solve(epochs.columns)
    for epoch in 0..<40 {
      let alone = solver.solve(EpochColumns(rows: epochs.ranges(epoch), anchorCount: 8))
      #expect(alone[0] == together[epoch], "seed 532, epoch \(epoch)")
      #expect(alone.verdicts[0] == together.verdicts[epoch], "seed 532, epoch \(epoch)")
    }
  }
}
