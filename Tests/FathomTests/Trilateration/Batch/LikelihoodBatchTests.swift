import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import Fathom

@Suite struct LikelihoodBatchTests {
  /// Every loss with its default tuning.
  private static let losses: [RobustLoss] = [.squared, .huber, .cauchy, .gemanMcClure, .tukey]

  /// Positions to the bit, covariances, verdicts and alternatives of every epoch.
  @Test(arguments: losses)
  func equalsSingleFixes(_ loss: RobustLoss) throws {
    let epochs = BatchEpochs.hall(count: 300, noise: 0.1, outliers: 0.1, absent: 0.1, seed: 521)
    for (height, sigmas) in [(nil, nil), (1.2, [0.1, 0.2, 0.1, 0.1, 0.3, 0.1, 0.15, 0.1])] {
      var options = PositionOptions()
      options.loss = loss
      options.height = height
      let positions = try LikelihoodBatch(
        anchors: epochs.anchors, sigmas: sigmas, options: options
      ).solve(epochs.columns)
      for epoch in 0..<300 {
        let fix = try Trilateration.solve(
          ranges: epochs.ranges(epoch), anchors: epochs.anchors, sigmas: sigmas, options: options)
        #expect(positions[epoch] == fix.position, "seed 521, epoch \(epoch)")
        #expect(positions.verdicts[epoch] == fix.verdict, "seed 521, epoch \(epoch)")
        #expect(positions.alternatives(at: epoch) == fix.alternatives, "seed 521, epoch \(epoch)")
        #expect(Int(positions.iterations[epoch]) == fix.iterations, "seed 521, epoch \(epoch)")
        #expect(
          positions.misfits[epoch].isNaN
            ? fix.misfit == nil : positions.misfits[epoch] == fix.misfit)
        let covariance = positions.covariance(at: epoch)
        #expect((covariance == nil) == (fix.covariance == nil), "seed 521, epoch \(epoch)")
        if let covariance, let expected = fix.covariance {
          let difference = (covariance - expected).array.joined().map(\.magnitude).max() ?? 0
          #expect(difference <= 1e-12 * expected.trace, "seed 521, epoch \(epoch)")
        }
      }
    }
  }

  @Test func anchorsInThePlaneEqualThoseAtHeightZero() throws {
    let anchors: [Vector<2>] = [Vector([0, 0]), Vector([8, 0]), Vector([8, 6]), Vector([0, 6])]
    let tag = Vector<2>([2, 1])
    let ranges = EpochColumns(rows: anchors.map { ($0 - tag).length }, anchorCount: 4)
    let position = try #require(try LikelihoodBatch(anchors: anchors).solve(ranges)[0])
    #expect((position - Vector([2, 1, 0])).length < 1e-9)
    #expect(position[2] == 0)
  }

  @Test func positionsAreIndependentOfNeighbours() throws {
    let epochs = BatchEpochs.hall(count: 101, noise: 0.1, outliers: 0.2, absent: 0.1, seed: 515)
    let solver = try LikelihoodBatch(anchors: epochs.anchors)
    let positions = solver.solve(epochs.columns)
    var backwards = epochs
    backwards.rows = (0..<101).reversed().flatMap(epochs.ranges)
    let others = solver.solve(backwards.columns)
    for epoch in 0..<101 {
      #expect(positions[epoch] == others[100 - epoch])
      #expect(positions.verdicts[epoch] == others.verdicts[100 - epoch])
    }
  }

  /// Of two mirror images under a ceiling the lower comes first, as in single fixes.
  @Test func ceilingGivesTheLowerImageFirst() throws {
    var epochs = BatchEpochs(anchors: [
      Vector([0, 0, 3]), Vector([8, 0, 3]), Vector([8, 6, 3]), Vector([0, 6, 3]),
    ])
    let tag = Vector<3>([3, 2, 1])
    epochs.rows = epochs.anchors.map { ($0 - tag).length }
    let positions = try LikelihoodBatch(anchors: epochs.anchors).solve(epochs.columns)
    #expect(positions.verdicts == [.two])
    #expect((try #require(positions[0]) - tag).length < 1e-6)
    let image = try #require(positions.alternatives(at: 0).first).position
    #expect((image - Vector([3, 2, 5])).length < 1e-6)
  }

  @Test func epochsWithoutPositionAreNotANumber() throws {
    let hall = BatchEpochs.hall(count: 3, noise: 0, seed: 518)
    var columns = hall.columns
    for anchor in 0..<8 { columns[0, anchor] = nil }
    for anchor in 2..<8 { columns[1, anchor] = nil }
    let positions = try LikelihoodBatch(anchors: hall.anchors).solve(columns)
    #expect(positions.verdicts == [.tooFew, .tooFew, .unique])
    #expect(positions[0] == nil && positions[1] == nil && positions[2] != nil)
    for column in [positions.x, positions.y, positions.z] {
      #expect(column[0].isNaN && column[1].isNaN && column[2].isFinite)
    }
    #expect(positions.misfits[0].isNaN && positions.covariance(at: 0) == nil)

    let line = (0..<5).map { Vector<3>([Double($0), 0, 0]) }
    let onLine = EpochColumns(rows: [5, 5, 5, 5, 5], anchorCount: 5)
    #expect(try LikelihoodBatch(anchors: line).solve(onLine).verdicts == [.continuum])
    let none = try LikelihoodBatch(anchors: [Vector<3>]()).solve(EpochColumns(columns: []))
    #expect(none.count == 0)
    let noAnchors = try LikelihoodBatch(anchors: [Vector<3>]())
      .solve(EpochColumns(count: 2, anchorCount: 0))
    #expect(noAnchors.verdicts == [.tooFew, .tooFew])
  }

  @Test func rangesOfZeroAreDistancesIfTheColumnsSaySo() throws {
    let hall = BatchEpochs.hall(count: 1, noise: 0, seed: 523)
    var anchors = hall.anchors
    anchors.append(hall.truth[0])
    let rows = hall.rows + [0]
    for zeroIsDistance in [false, true] {
      var options = PositionOptions()
      options.zeroIsDistance = zeroIsDistance
      let epochs = EpochColumns(rows: rows, anchorCount: 9, zeroIsDistance: zeroIsDistance)
      let fix = try Trilateration.solve(ranges: rows, anchors: anchors, options: options)
      let positions = try LikelihoodBatch(anchors: anchors).solve(epochs)
      #expect(positions[0] == fix.position && positions.verdicts == [fix.verdict])
    }
  }

  @Test func throwsForInvalidInput() {
    let anchors: [Vector<3>] = [Vector([0, 0, 0]), Vector([1, 0, 0])]
    #expect(throws: TrilaterationError.sigmaNotPositive(index: 1)) {
      try LikelihoodBatch(anchors: anchors, sigmas: [0.1, -1])
    }
    #expect(throws: TrilaterationError.countMismatch(ranges: 1, anchors: 2)) {
      try LikelihoodBatch(anchors: anchors, sigmas: [1])
    }
    var options = PositionOptions()
    options.rangeSigma = 0
    #expect(throws: TrilaterationError.optionNotPositive("rangeSigma")) {
      try LikelihoodBatch(anchors: anchors, options: options)
    }
    options = PositionOptions()
    (options.height, options.heightSigma) = (1, .nan)
    #expect(throws: TrilaterationError.heightSigmaNotPositive) {
      try LikelihoodBatch(anchors: anchors, options: options)
    }
  }

  @Test func extremeInputGivesPositionsOrNone() throws {
    var generator = SeededGenerator(seed: 520)
    func number() -> Double {
      switch generator.next() % 4 {
      case 0: return Double(bitPattern: generator.next())
      case 1: return generator.exponential(mean: 1e-9)
      case 2: return generator.exponential(mean: 1e9)
      default: return generator.uniform(in: 0...20)
      }
    }
    for _ in 0..<100 {
      let count = Int(generator.uniform(in: 1...9.999))
      let anchors = (0..<count).map { _ in
        var anchor = Vector<3>.zero
        for axis in 0..<3 {
          let coordinate = number()
          anchor[axis] = coordinate.isFinite ? coordinate : 1
        }
        return anchor
      }
      let epochs = EpochColumns(rows: (0..<7 * count).map { _ in number() }, anchorCount: count)
      for loss in [RobustLoss.squared, .huber, .cauchy, .tukey] {
        for height in [nil, 1.0] {
          var options = PositionOptions()
          (options.loss, options.height) = (loss, height)
          let positions = try LikelihoodBatch(anchors: anchors, options: options).solve(epochs)
          let linear = try LinearBatch(anchors: anchors, height: height).solve(epochs)
          for epoch in 0..<7 {
            #expect((positions[epoch] ?? .zero).isFinite, "seed 520")
            #expect((positions.covariance(at: epoch) ?? .zero).isFinite, "seed 520")
            if positions.verdicts[epoch] == .unique {
              #expect(positions.covariance(at: epoch) != nil, "seed 520")
            }
            #expect((linear[epoch] ?? .zero).isFinite, "seed 520")
          }
        }
      }
    }
  }
}
