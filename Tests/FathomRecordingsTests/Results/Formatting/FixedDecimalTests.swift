import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation
import Testing

@Suite struct FixedDecimalTests {
  private func text(_ value: Double, _ decimals: Int) -> String {
    var bytes: [UInt8] = []
    FixedDecimal.append(value, decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func text(nanoseconds: Int64, _ decimals: Int) -> String {
    var bytes: [UInt8] = []
    FixedDecimal.append(Timestamp(nanoseconds: nanoseconds), decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    (0, 4, "0.0000"), (1, 0, "1"), (12.3456, 2, "12.35"), (-12.3456, 2, "-12.35"),
    (0.00004, 4, "0.0000"), (999.99996, 4, "1000.0000"), (0.007, 6, "0.007000"),
    // Ties that are exact in binary go to the even digit.
    (0.5, 0, "0"), (1.5, 0, "2"), (2.5, 0, "2"), (0.125, 2, "0.12"), (0.375, 2, "0.38"),
    // 1.005 is stored as 1.00499999999999989..., 0.145 as 0.14499999999999999..., 1.115 as
    // 1.1149999999999999911...: all are below the apparent tie.
    (1.005, 2, "1.00"), (0.145, 2, "0.14"), (1.115, 2, "1.11"),
    // 0.015 x 100 and 0.025 x 100 round to the ties 1.5 and 2.5, but 0.015 is stored as
    // 0.01499999999999999944... and 0.025 as 0.02500000000000000138...
    (0.015, 2, "0.01"), (0.025, 2, "0.03"),
    (9_007_199_254_740_993.0, 1, "9007199254740992.0"),
    (18_446_744_073_709_549_568, 2, "18446744073709549568.00"),
  ])
  func roundsToNearestDecimal(_ value: Double, _ decimals: Int, _ expected: String) {
    #expect(text(value, decimals) == expected)
  }

  @Test func writesZeroWithoutSign() {
    #expect(text(-0.0, 2) == "0.00")
    #expect(text(-0.004, 2) == "0.00")
    #expect(text(-0.006, 2) == "-0.01")
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
  func writesNonFiniteNumbersAsEmptyFields(_ value: Double) {
    #expect(text(value, 3).isEmpty)
  }

  @Test(arguments: [0x1p64, -1e20, 1.5e300, -Double.greatestFiniteMagnitude])
  func hugeNumbersRoundTrip(_ value: Double) {
    #expect(Double(text(value, 4)) == value)
  }

  @Test func appendingKeepsExistingText() {
    var bytes = Array("x,".utf8)
    FixedDecimal.append(2, decimals: 1, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "x,2.0")
  }

  /// C's printf is an independent implementation that rounds the exact binary value, ties to even.
  @Test func agreesWithPrintf() {
    var generator = SeededGenerator(seed: 20_261)
    for _ in 0..<40_000 {
      let decimals = Int(generator.next() % 16)
      // Magnitudes from 1e-9 to 1e17, and decimals with a 5 after the last digit.
      var value = generator.uniform(in: -1...1)
      for _ in 0..<(generator.next() % 27) { value *= 10 }
      value *= 1e-9
      if generator.next() % 2 == 0 {
        let scale = power(decimals)
        value = ((value * scale).rounded(.down) + 0.5) / scale
      }
      var expected = String(format: "%.\(decimals)f", value)
      if expected.hasPrefix("-"), !expected.contains(where: { "123456789".contains($0) }) {
        expected.removeFirst()
      }
      #expect(text(value, decimals) == expected, "value \(value), decimals \(decimals)")
    }
  }

  private func power(_ decimals: Int) -> Double {
    var result = 1.0
    for _ in 0..<decimals { result *= 10 }
    return result
  }

  @Test(
    arguments: [
      (0, 6, "0.000000"), (1_500_000_000, 0, "2"), (2_500_000_000, 0, "2"),
      (-1_500, 6, "-0.000002"),
      (-400, 6, "0.000000"), (999_999_999, 3, "1.000"), (1_234_567_890, 12, "1.234567890000"),
      (1_698_765_432_123_456_789, 9, "1698765432.123456789"),
      (Int64.min, 9, "-9223372036.854775808"), (Int64.max, 6, "9223372036.854776"),
    ] as [(Int64, Int, String)])
  func writesInstantsExactly(_ nanoseconds: Int64, _ decimals: Int, _ expected: String) {
    #expect(text(nanoseconds: nanoseconds, decimals) == expected)
  }

  /// Foundation's decimal arithmetic is an independent implementation that keeps all digits of an
  /// instant.
  @Test func instantsMatchDecimalArithmetic() {
    var generator = SeededGenerator(seed: 20_262)
    for _ in 0..<20_000 {
      let decimals = Int(generator.next() % 16)
      // Any number of digits, and ties at the last decimal.
      var nanoseconds = Int64(bitPattern: generator.next()) >> Int64(generator.next() % 64)
      if decimals < 9, generator.next() % 2 == 0 {
        let unit = Int64(power(9 - decimals))
        nanoseconds = nanoseconds / unit * unit
        let (sum, overflow) = nanoseconds.addingReportingOverflow(unit / 2)
        if !overflow { nanoseconds = sum }
      }
      var exact = Decimal(nanoseconds) / 1_000_000_000
      var rounded = Decimal()
      NSDecimalRound(&rounded, &exact, decimals, .bankers)
      #expect(
        Decimal(string: text(nanoseconds: nanoseconds, decimals)) == rounded,
        "\(nanoseconds) ns, decimals \(decimals)")
      let places = text(nanoseconds: nanoseconds, decimals).split(separator: ".")
      #expect(places.count == (decimals > 0 ? 2 : 1))
      #expect(decimals == 0 || places.last?.count == decimals)
    }
  }

  /// Covers changes in the number of digits before the point, and numbers of more than eight
  /// digits.
  @Test(arguments: 0...15)
  func writesNumbersOfAnyLength(_ decimals: Int) {
    for digits in 0...10 {
      for offset in [-1, -0.5, 0, 0.5, 1] {
        let value = power(digits) + offset
        #expect(text(value, decimals) == String(format: "%.\(decimals)f", value))
      }
    }
  }
}
