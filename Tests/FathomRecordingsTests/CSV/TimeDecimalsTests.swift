import Fathom
import FathomEvaluation
import FathomRecordings
import Testing

@Suite struct TimeDecimalsTests {
  @Test(arguments: [
    ([], 0), ([0], 0), ([5_000_000_000], 0), ([100_000_000], 1), ([1_500_000_000, 1], 9),
    ([1_250_000_000, 1_500_000_000], 2), ([-1_000], 6), ([1_000_000_010], 8),
    ([Int64.max], 9), ([Int64.min], 9),
  ])
  func decimalsSufficeForFinestTime(_ nanoseconds: [Int64], _ expected: Int) {
    let times = nanoseconds.map { Timestamp(nanoseconds: $0) }
    #expect(decimals(for: times) == expected)
    for least in 0...9 { #expect(decimals(for: times, atLeast: least) == max(least, expected)) }
  }

  /// Compares multiples of every unit and their neighbours, of all magnitudes, with the remainder.
  @Test func divisibilityMatchesRemainder() {
    var generator = SeededGenerator(seed: 61)
    var counts = [Int](repeating: 0, count: 10)
    for _ in 0..<20_000 {
      var unit: Int64 = 1
      for _ in 0..<Int.random(in: 0...9, using: &generator) { unit *= 10 }
      let limit = (Int64.max >> Int64.random(in: 0...62, using: &generator)) / unit
      let multiple = Int64.random(in: -limit...limit, using: &generator) * unit
      let (number, overflow) = multiple.addingReportingOverflow(
        Int64.random(in: -1...1, using: &generator))
      if overflow { continue }
      var expected = 9
      var power: Int64 = 1
      while expected > 0, number % (10 * power) == 0 {
        power *= 10
        expected -= 1
      }
      counts[expected] += 1
      #expect(decimals(for: [Timestamp(nanoseconds: number)]) == expected, "\(number)")
    }
    #expect(counts.allSatisfy { $0 > 100 }, "\(counts)")
  }
}
