import FathomEvaluation
import TestSupport
import Testing

import struct Foundation.Data

@testable import FathomRecordings

@Suite struct DecimalNumberTests {
  private func number(_ text: String, separator: DecimalSeparator = .point) -> (
    [UInt8], DecimalNumber?
  ) {
    let bytes = Array(text.utf8)
    return (bytes, DecimalNumber(bytes, bytes.indices, decimalSeparator: separator.byte))
  }

  private func value(
    _ text: String, separator: DecimalSeparator = .point, scaledBy scale: Int = 0
  ) -> Double? {
    let (bytes, number) = number(text, separator: separator)
    return number?.value(in: bytes, scaledBy: scale)
  }

  @Test(
    arguments: [
      ("0", 0), ("2.5", 2.5), ("+2.5", 2.5), ("-2.5", -2.5), ("5.", 5), (".5", 0.5),
      ("00002.5", 2.5), ("1E+2", 100), ("1e-400", 0),
      ("123456789012345678", 123_456_789_012_345_680),
      // 2^53 + 1 is halfway between two doubles and rounds to the even one.
      ("9007199254740993", 9_007_199_254_740_992),
      // A digit far beyond the halfway point decides.
      ("9007199254740993.0000000000000000000000000000000000001", 9_007_199_254_740_994),
      ("2.2250738585072014e-308", 0x1p-1022), ("4.9406564584124654e-324", 0x1p-1074),
      ("1.7976931348623157e308", 0x1.fffffffffffffp+1023), ("1e400", .infinity),
      ("-1e400", -.infinity), ("1e5000000000000000000", .infinity), ("1e-5000000000000000000", 0),
      ("5.e0000000000000000000000000000001", 50), (".1e1", 1),
    ] as [(String, Double)])
  func roundsCorrectly(_ text: String, _ expected: Double) {
    #expect(value(text) == expected)
  }

  @Test func keepsSignOfZero() {
    #expect(value("-0")?.sign == .minus)
    #expect(value("-0.000e5")?.sign == .minus)
    #expect(value("0")?.sign == .plus)
  }

  /// 1/3 with a thousand digits equals 1/3 in the standard library.
  @Test func readsThousandsOfDigits() {
    #expect(value("0." + String(repeating: "3", count: 1000)) == 1.0 / 3)
    #expect(value(String(repeating: "0", count: 5000) + "7") == 7)
    #expect(value("0." + String(repeating: "0", count: 999) + "7e1000") == 7)
    #expect(value("7" + String(repeating: "0", count: 999) + "e-999") == 7)
  }

  @Test(arguments: [
    "", "-", "+", ".", "e", "1e", "1e+", "e5", "--1", "1.2.3", "1,5", " 1", "1 ", "2.5m", "2.5f",
    "0x1p3", "nan", "NaN", "inf", "-Infinity", "1_000", "２.5", "1e5.0", "1e5 ", "\u{0}1",
  ])
  func rejectsInvalidNumbers(_ text: String) {
    #expect(value(text) == nil)
  }

  @Test func usesGivenDecimalSeparator() {
    #expect(value("2,31", separator: .comma) == 2.31)
    #expect(value("2.31", separator: .comma) == nil)
    // Twenty digits are converted through text.
    #expect(value("2,3100000000000000000001", separator: .comma) == 2.31)
  }

  /// Scaling moves the decimal point instead of multiplying: 231 cm is the double nearest 2.31,
  /// where 231 x 0.01 would be 2.3100000000000001.
  @Test func scalingIsExactlyRounded() {
    #expect(value("231", scaledBy: -2) == 2.31)
    #expect(value("1234.5678901234567890123", scaledBy: -3) == 1.2345678901234567890123)
    #expect(value("1e2", scaledBy: -2) == 1)
  }

  @Test(
    arguments: [
      ("1698765432.123456789", .seconds, 1_698_765_432_123_456_789),
      ("-0.0025", .seconds, -2_500_000), ("0", .seconds, 0), ("-0.0", .seconds, 0),
      ("1.5", .milliseconds, 1_500_000), ("1.5", .microseconds, 1_500), ("15", .nanoseconds, 15),
      ("1.698765432123456789e9", .seconds, 1_698_765_432_123_456_789),
      ("1698765432123456789e-9", .seconds, 1_698_765_432_123_456_789),
      // Half a nanosecond rounds to the even neighbour, a little more rounds up.
      ("0.0000000005", .seconds, 0), ("0.0000000015", .seconds, 2),
      ("0.00000000050000000000000000000001", .seconds, 1), ("2.5", .nanoseconds, 2),
      ("3.5", .nanoseconds, 4), ("-3.5", .nanoseconds, -4), ("1e-30", .seconds, 0),
      // The digits beyond the 19th are half a nanosecond, and a little more.
      ("1698765432.1234567885", .seconds, 1_698_765_432_123_456_788),
      ("1698765432.12345678850000000001", .seconds, 1_698_765_432_123_456_789),
      ("9223372036854775807", .nanoseconds, .max), ("-9223372036854775808", .nanoseconds, .min),
      ("9223372036.854775807", .seconds, .max),
    ] as [(String, TimeUnit, Int64)])
  func timesAreExactToTheNanosecond(_ text: String, _ unit: TimeUnit, _ expected: Int64) throws {
    #expect(try #require(number(text).1).nanoseconds(from: unit) == expected)
  }

  @Test(
    arguments: [
      ("9223372036854775808", .nanoseconds), ("-9223372036854775809", .nanoseconds),
      ("9223372036.854775808", .seconds), ("1e11", .seconds), ("1e300", .nanoseconds),
      ("99999999999999999999", .nanoseconds), ("1e5000000000000000000", .seconds),
    ] as [(String, TimeUnit)])
  func timesOutOfRangeAreNil(_ text: String, _ unit: TimeUnit) throws {
    #expect(try #require(number(text).1).nanoseconds(from: unit) == nil)
  }

  /// Times of up to six decimals, for which `Timestamp(seconds:)` is exact as well.
  @Test(arguments: [UInt64(1), 2, 3])
  func timesWithMicrosecondsMatchDoubleConversion(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let microseconds = Int64.random(in: -9_000_000_000...9_000_000_000, using: &generator)
      let sign = microseconds < 0 ? "-" : ""
      let fraction = String(microseconds.magnitude % 1_000_000 + 1_000_000).dropFirst()
      let text = "\(sign)\(microseconds.magnitude / 1_000_000).\(fraction)"
      #expect(try #require(number(text).1).nanoseconds(from: .seconds) == microseconds * 1000)
    }
  }

  /// Bit-exact results for the open collections of hard cases [Tao, parse-number-fxx-test-data].
  @Test(
    .needsReference("oracles/numparse"),
    arguments: [
      "exhaustive-float16", "freetype-2-7", "google-wuffs", "lemire-fast-float", "more-test-cases",
      "tencent-rapidjson",
    ])
  func hardCasesAreBitExact(_ name: String) throws {
    let file = try Data(contentsOf: Reference.url("oracles/numparse/\(name).txt"))
    var count = 0
    for line in String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: " ")
      let bits = try #require(UInt64(parts[2], radix: 16))
      let read = try #require(value(String(parts[3])), "\(line)")
      #expect(read.bitPattern == bits, "\(parts[3])")
      count += 1
    }
    #expect(count > 30)
  }
}
