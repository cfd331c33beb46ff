import FathomEvaluation
import Foundation
import Testing

@testable import FathomRecordings

@Suite struct SquareCountsTests {
  /// The median of counted squares beside that of the sorted ones.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func medianMatchesSortedSquares(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for scale in [0.05, 0.3, 1, 4, 30] {
      var counts = SquareCounts()
      var (left, right) = (SquareCounts(), SquareCounts())
      var squares: [Double] = []
      for step in 0..<4001 {
        // The sum of twelve uniform numbers is nearly normal.
        let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double(random.next() >> 11) / 0x1p53 }
        let square = scale * normal * normal
        counts.add(square)
        if step % 3 == 0 { left.add(square) } else { right.add(square) }
        squares.append(square)
      }
      let median = squares.sorted()[2000]
      let found = try #require(counts.median)
      #expect((found / median - 1).magnitude < 0.03, "seed \(seed), scale \(scale)")
      #expect(left + right == counts)
    }
  }

  @Test func staysWithinItsEnds() {
    var counts = SquareCounts()
    #expect(counts.median == nil)
    for square in [0, Double.leastNonzeroMagnitude, 1e-9] { counts.add(square) }
    #expect(counts.median == exp2(-7.5))
    for _ in 0..<9 { counts.add(1e300) }
    counts.add(.infinity)
    #expect(counts.median == exp2(7.5))
  }
}
