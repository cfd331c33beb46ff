import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct LinearBatchTests {
  @Test func exactRangesGiveExactPosition() throws {
    // Coordinates of 1e9 m have seven digits behind the point.
    for (origin, tolerance) in [(0.0, 1e-11), (500_000, 1e-8), (1e9, 2e-6)] {
      let epochs = BatchEpochs.hall(
        count: 103, noise: 0, absent: 0.05, origin: Vector([origin, -origin, origin]), seed: 501)
      let positions = try LinearBatch(anchors: epochs.anchors).solve(epochs.columns)
      var solved = 0
      for epoch in 0..<103 {
        guard let position = positions[epoch] else { continue }
        solved += 1
        #expect((position - epochs.truth[epoch]).length < tolerance, "seed 501")
      }
      #expect(solved > 95, "seed 501")
    }
  }

  @Test func knownHeightIsExact() throws {
    let epochs = BatchEpochs.hall(count: 1, noise: 0, seed: 502)
    let tag = epochs.truth[0]
    let solver = try LinearBatch(anchors: epochs.anchors, height: tag[2])
    let position = try #require(solver.solve(epochs.columns)[0])
    #expect((position - tag).length < 1e-11)
    #expect(position[2] == tag[2])
  }

  @Test func planeEqualsSpaceAtHeightZero() throws {
    let anchors: [Vector<2>] = [Vector([0, 0]), Vector([8, 0]), Vector([8, 6]), Vector([0, 6])]
    let tag = Vector<2>([2, 1])
    let ranges = anchors.map { ($0 - tag).length }
    let solver = try LinearBatch(anchors: anchors)
    // Five epochs: a group of four and one more.
    let positions = solver.solve(
      EpochColumns(rows: Array(repeatElement(ranges, count: 5).joined()), anchorCount: 4))
    for epoch in 0..<5 {
      let position = try #require(positions[epoch])
      #expect((position - Vector([2, 1, 0])).length < 1e-13)
      #expect(position[2] == 0)
    }
  }

  /// Against LAPACK on the equations with the unknown |p|² as a fourth coefficient, which is
  /// equivalent to subtracting the mean.
  @Test func agreesWithLeastSquaresWithFreeSquare() throws {
    let epochs = BatchEpochs.hall(count: 203, noise: 0.1, outliers: 0.1, absent: 0.04, seed: 503)
    let sigmas = [0.1, 0.2, 0.05, 0.1, 0.3, 0.1, 0.15, 0.1]
    let positions = try LinearBatch(anchors: epochs.anchors, sigmas: sigmas).solve(epochs.columns)
    var compared = 0
    for epoch in 0..<203 {
      let ranges = epochs.ranges(epoch)
      let present = ranges.indices.filter { !ranges[$0].isNaN }
      var matrix = DenseMatrix(rows: present.count, columns: 4)
      var side = DenseMatrix(rows: present.count, columns: 1)
      for (row, index) in present.enumerated() {
        let anchor = epochs.anchors[index]
        for axis in 0..<3 { matrix[row, axis] = 2 * anchor[axis] / sigmas[index] }
        matrix[row, 3] = -1 / sigmas[index]
        side[row, 0] = (anchor.dot(anchor) - ranges[index] * ranges[index]) / sigmas[index]
      }
      let expected = try leastSquares(matrix, side).coefficients.column(0)
      let position = try #require(positions[epoch])
      for axis in 0..<3 {
        #expect(isClose(position[axis], expected[axis], within: 1e-10), "seed 503")
      }
      compared += present.count < 8 ? 1 : 0
    }
    #expect(compared > 20, "seed 503: epochs with absent ranges")
  }

  @Test func undeterminedEpochsHaveNoPosition() throws {
    let plane: [Vector<3>] = [
      Vector([0, 0, 1]), Vector([8, 0, 1]), Vector([8, 6, 1]), Vector([0, 6, 1]),
      Vector([4, 4, 1]),
    ]
    let epochs = EpochColumns(rows: [5, 5, 5, 5, 5], anchorCount: 5)
    let positions = try LinearBatch(anchors: plane).solve(epochs)
    #expect(positions[0] == nil)
    #expect(positions.verdicts == [.continuum])
    #expect(positions.x[0].isNaN)
    // With a known height the same anchors suffice.
    #expect(try LinearBatch(anchors: plane, height: 0).solve(epochs)[0] != nil)

    let hall = BatchEpochs.hall(count: 1, noise: 0, seed: 504)
    var three = hall.columns
    for anchor in 3..<8 { three[0, anchor] = nil }
    #expect(try LinearBatch(anchors: hall.anchors).solve(three).verdicts == [.tooFew])
  }

  @Test func throwsForInvalidInput() {
    let anchors: [Vector<3>] = [Vector([0, 0, 0]), Vector([1, .nan, 0])]
    #expect(throws: TrilaterationError.anchorNotFinite(index: 1)) {
      try LinearBatch(anchors: anchors)
    }
    #expect(throws: TrilaterationError.countMismatch(ranges: 1, anchors: 2)) {
      try LinearBatch(anchors: anchors, sigmas: [1])
    }
    for sigma in [0, -1, .nan, .infinity, 1e-200, 1e200] {
      #expect(throws: TrilaterationError.sigmaNotPositive(index: 0)) {
        try LinearBatch(anchors: anchors, sigmas: [sigma, 1])
      }
    }
    #expect(throws: TrilaterationError.heightNotFinite) {
      try LinearBatch(anchors: [Vector<3>([0, 0, 0])], height: .infinity)
    }
  }
}
