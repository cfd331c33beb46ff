import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct PersistentErrorsTests {
  /// The covariance of A⁻¹ Σ u e, by dense matrices, for random anchors around random positions.
  @Test(arguments: [false, true], [UInt64](4701...4720))
  func widensByWhatErrorsDoToPositions(isLevel: Bool, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var errors = RangeErrors()
    errors.persistentSigma = generator.uniform(in: 0.01...0.3)
    errors.remainingBiasSigma = generator.uniform(in: 0...0.3)
    let persistent = try #require(PersistentErrors(errors, isLevel: isLevel))
    func place(within reach: Double) -> Vector<3> {
      Vector([
        generator.uniform(in: -reach...reach), generator.uniform(in: -reach...reach),
        generator.uniform(in: -reach...reach),
      ])
    }
    let position = place(within: 5)
    let anchors = (0..<6).map { _ in Anchor(position: place(within: 9)) }
    let free = isLevel ? 2 : 3
    var sum = DenseMatrix(rows: free, columns: free)
    var direction = DenseMatrix(rows: free, columns: 1)
    for anchor in anchors.dropLast() {
      let away = position - anchor.position
      for row in 0..<free {
        direction[row, 0] += away[row] / away.length
        for column in 0..<free {
          sum[row, column] += away[row] * away[column] / (away.length * away.length)
        }
      }
    }
    let link = errors.persistentSigma * errors.persistentSigma
    let common = errors.remainingBiasSigma * errors.remainingBiasSigma
    var bounded = sum
    // An axis that no range determines has at most two metres.
    for axis in 0..<free { bounded[axis, axis] += (link + common) / 4 }
    let inverse = try DenseCholesky(bounded).solve(.identity(free))
    let (ofLinks, shift) = (inverse * sum * inverse, inverse * direction)
    var covariance = Matrix<3, 3>.identity
    persistent.widen(&covariance, at: position, anchors: anchors) { $0 < 5 }
    for row in 0..<3 {
      for column in 0..<3 {
        var expected = row == column ? 1.0 : 0
        if row < free, column < free {
          expected += link * ofLinks[row, column] + common * shift[row, 0] * shift[column, 0]
        }
        #expect(
          isClose(covariance[row, column], expected, within: 1e-9),
          "seed \(seed): \(row), \(column)")
      }
    }
  }

  /// Without ranges nothing is known of their effect.
  @Test func changesNothingWithoutRanges() throws {
    var errors = RangeErrors()
    errors.persistentSigma = 0.1
    var covariance = Matrix<3, 3>.identity
    try #require(PersistentErrors(errors, isLevel: false))
      .widen(&covariance, at: .zero, anchors: [Anchor(position: .zero)]) { _ in true }
    for axis in 0..<3 { #expect(isClose(covariance[axis, axis], 1, within: 1e-12)) }
    errors.persistentSigma = 0
    #expect(PersistentErrors(errors, isLevel: false) == nil)
  }
}
