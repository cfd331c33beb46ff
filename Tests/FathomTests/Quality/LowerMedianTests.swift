import FathomEvaluation
import Testing

@testable import Fathom

@Suite struct LowerMedianTests {
  /// Compares bitwise with sorting, for few and many values, with and without ties, in any order.
  @Test(arguments: [UInt64](1...8))
  func equalsTheLowerMiddleOfTheSortedValues(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let count = 1 + Int(random.next() % 60)
      let kinds = 1 + random.next() % 80
      var values = (0..<count).map { _ in Double(random.next() % kinds) / 7 }
      switch random.next() % 4 {
      case 0: values.sort()
      case 1: values.sort(by: >)
      default: break
      }
      let sorted = values.sorted()
      // The elements after the first `count` are excluded and stay in place.
      var scratch = values + [-1, -2, 1000]
      #expect(
        scratch.lowerMedian(ofFirst: count) == sorted[(count - 1) / 2],
        "seed \(seed), \(values)")
      #expect(scratch[..<count].sorted() == sorted)
      #expect(scratch[count...] == [-1, -2, 1000])
    }
  }

  @Test func treatsInfinityAsTheLargestValue() {
    var values = [Double.infinity, 1, .infinity, 2, 3]
    #expect(values.lowerMedian(ofFirst: 5) == 3)
    #expect(values.lowerMedian(ofFirst: 4) == values[..<4].sorted()[1])
  }
}
