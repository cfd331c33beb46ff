import Fathom
import FathomEvaluation
import Testing

@testable import FathomRecordings

/// Compares instants that reuse the text of the previous second with the same instants written one
/// by one.
@Suite struct TimeColumnTests {
  private func text(_ times: [Timestamp], decimals: Int) -> [String] {
    var column = TimeColumn(decimals: decimals)
    return times.map { time in
      var bytes = [UInt8](repeating: 0xAA, count: FixedDecimal.mostBytes + 8)
      let length = bytes.withUnsafeMutableBufferPointer { buffer in
        buffer.baseAddress.map { column.write(time, at: $0) - $0 } ?? 0
      }
      #expect(bytes[FixedDecimal.mostBytes...].allSatisfy { $0 == 0xAA })
      return String(decoding: bytes[..<length], as: UTF8.self)
    }
  }

  private func oneByOne(_ times: [Timestamp], decimals: Int) -> [String] {
    times.map { time in
      var bytes: [UInt8] = []
      FixedDecimal.append(time, decimals: decimals, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Covers seconds that begin, end and recur; times before, around and after the origin and at the
  /// limits of time stamps; all decimals, and fewer decimals with rounding.
  @Test(arguments: 0...12)
  func matchesSeparateWrites(decimals: Int) {
    var generator = SeededGenerator(seed: 8_317)
    let unit = (0..<max(0, 9 - decimals)).reduce(Int64(1)) { power, _ in 10 * power }
    let origins: [Int64] = [
      0, 1_000_000_000, -3_000_000_000, 1_764_000_000_000_000_000, .max, .min,
    ]
    for origin in origins {
      var time = origin
      var times: [Timestamp] = []
      for turn in 0..<4000 {
        let step = Int64(generator.next() % 300_000_000) &- (turn % 7 == 0 ? 200_000_000 : 0)
        time &+= turn % 500 < 450 ? step / unit &* unit : step
        times.append(Timestamp(nanoseconds: time))
      }
      #expect(text(times, decimals: decimals) == oneByOne(times, decimals: decimals))
    }
  }

  @Test func writesRecurringSecondsCorrectly() {
    let times = [9_999, 0, 999, 1_000, 1_001, 999, -1, -1_000, -1_001, 0, 10_000].map {
      Timestamp(nanoseconds: $0 * 1_000_000)
    }
    #expect(
      text(times, decimals: 3) == [
        "9.999", "0.000", "0.999", "1.000", "1.001", "0.999", "-0.001", "-1.000", "-1.001",
        "0.000", "10.000",
      ])
  }
}
