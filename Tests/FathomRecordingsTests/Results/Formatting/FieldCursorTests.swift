import CVectors
import Fathom
import FathomEvaluation
import TestSupport
import Testing

@testable import FathomRecordings

/// Compares numbers written several at once with the same numbers written one by one.
@Suite struct FieldCursorTests {
  private typealias Pointer = UnsafeMutablePointer<UInt8>

  /// Returns the text that `write` writes into `capacity` bytes; nil if it writes nothing.
  ///
  /// Checks that the following bytes are unchanged.
  private func text(capacity: Int, _ write: (Pointer) -> Pointer?) -> String? {
    var bytes = [UInt8](repeating: 0xAA, count: capacity + 32)
    let length = bytes.withUnsafeMutableBufferPointer { buffer -> Int? in
      guard let start = buffer.baseAddress else { return nil }
      return write(start).map { $0 - start }
    }
    #expect(bytes[capacity...].allSatisfy { $0 == 0xAA })
    guard let length else {
      #expect(bytes.allSatisfy { $0 == 0xAA })
      return nil
    }
    #expect(length <= capacity)
    return String(decoding: bytes[..<length], as: UTF8.self)
  }

  private func oneByOne(_ numbers: [Double], decimals: Int) -> String {
    var bytes: [UInt8] = []
    for number in numbers {
      FixedDecimal.append(number, decimals: decimals, to: &bytes)
      bytes.append(UInt8(ascii: ","))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a random number: of any magnitude, at or next to a multiple of the last decimal, an
  /// exact or apparent tie, NaN or infinity.
  private func number(decimals: Int, limit: Double, _ generator: inout SeededGenerator) -> Double {
    let power = decimals == 4 ? 1e4 : 1e8
    let plain = generator.uniform(in: -limit...limit)
    switch generator.next() % 16 {
    case 0: return (plain * power).rounded() / power
    case 1: return ((plain * power).rounded() + 0.5) / power
    case 2: return ((plain * power).rounded() + 0.5).nextDown / power
    // Numbers of few bits, whose multiples by `power` include exact halves.
    case 3: return (plain * 64).rounded() / 64 + (decimals == 4 ? 0x1p-5 : 0x1p-9)
    case 4: return plain.rounded()
    case 5: return plain.rounded().nextDown
    case 6: return plain / power
    case 7: return 1 / power * generator.uniform(in: -1...1)
    case 8: return -0.0
    case 9: return generator.next() % 2 == 0 ? .nan : -.infinity
    case 10: return Double(bitPattern: generator.next())
    case 11: return limit * generator.uniform(in: -1.01...1.01)
    case 12: return plain / 10
    case 13: return plain / 1000
    default: return plain
    }
  }

  @Test func threeNumbersMatchSeparateWritesInAllWidths() {
    var generator = SeededGenerator(seed: 7401)
    var written = 0
    for _ in 0..<200_000 {
      let numbers = (0..<3).map { _ in number(decimals: 4, limit: 9999, &generator) }
      let (a, b, c) = (numbers[0], numbers[1], numbers[2])
      let wide = text(capacity: 40) { cvectors_write_three($0, a, b, c) }
      let plain = text(capacity: 40) { cvectors_write_three_plainly($0, a, b, c) }
      let expected = oneByOne(numbers, decimals: 4)
      if wide != plain || plain.map({ $0 == expected }) == false {
        Issue.record("\(numbers): \(wide ?? "-"), \(plain ?? "-"), expected \(expected)")
      }
      written += plain == nil ? 0 : 1
    }
    #expect(written > 80_000 && written < 190_000)
  }

  @Test func sixNumbersMatchSeparateWritesInAllWidths() {
    var generator = SeededGenerator(seed: 7402)
    var written = 0
    for _ in 0..<200_000 {
      let n = (0..<6).map { _ in number(decimals: 8, limit: 9, &generator) }
      let wide = text(capacity: 80) { cvectors_write_six($0, n[0], n[1], n[2], n[3], n[4], n[5]) }
      let plain = text(capacity: 80) {
        cvectors_write_six_plainly($0, n[0], n[1], n[2], n[3], n[4], n[5])
      }
      let expected = oneByOne(n, decimals: 8)
      if wide != plain || plain.map({ $0 == expected }) == false {
        Issue.record("\(n): \(wide ?? "-"), \(plain ?? "-"), expected \(expected)")
      }
      written += plain == nil ? 0 : 1
    }
    #expect(written > 40_000 && written < 190_000)
  }

  /// Covers every value of both halves of eight digits, and every digit before eight decimals.
  @Test func writesAllDigits() {
    for half in 0..<10_000 {
      let other = (half * 7919 + 13) % 10_000
      let numbers = [
        Double(half * 10_000 + other) / 1e4, Double(other * 10_000 + half) / -1e4,
        Double(half) / 1e4,
      ].map { abs($0) < 9999 ? $0 : 0 }
      let three = text(capacity: 40) {
        cvectors_write_three($0, numbers[0], numbers[1], numbers[2])
      }
      #expect(three == oneByOne(numbers, decimals: 4))
      let whole = Double(half % 9)
      let n = [
        whole + Double(half * 10_000 + other) / 1e8, -whole, whole + 1e-8, (whole + 1e-8) / -1,
        Double(other * 10_000 + half) / -1e8, whole + 0.999_999_99,
      ].map { abs($0) < 9 ? $0 : 0 }
      let six = text(capacity: 80) { cvectors_write_six($0, n[0], n[1], n[2], n[3], n[4], n[5]) }
      #expect(six == oneByOne(n, decimals: 8))
    }
  }

  /// Includes numbers that fall back to separate writes: large numbers and ties.
  @Test(arguments: [1, 9_999, -123_456_789, 1e300, 0.000_05, 0.03125, .nan, .infinity])
  func writesCompleteRows(_ special: Double) {
    var row = CSVBuffer(rows: 1, of: 0)
    let matrix = Matrix<3, 3>([
      [special, 0.25, -1e-8], [0.25, special / 1e4, -0.0], [-1e-8, -0.0, 8.5],
    ])
    row.writeRow(most: 9 * (FixedDecimal.mostBytes + 1)) { cursor in
      cursor.appendWithFourDecimals(-0.5, special, 1234.56785)
      cursor.appendWithEightDecimals(matrix)
    }
    let expected =
      oneByOne([-0.5, special, 1234.56785], decimals: 4)
      + oneByOne([special, 0.25, -1e-8, special / 1e4, -0.0, 8.5], decimals: 8)
    #expect(String(decoding: row.bytes, as: UTF8.self) == expected.dropLast() + "\n")
  }
}
