import Fathom
import Testing
import TestSupport

@testable import FathomRecordings

@Suite("Rows of ranges in memory")
struct RangeTableTests {
  @Test("Seconds in a double become the nanoseconds of their decimal text")
  func decimalSeconds() throws {
    // Text of six decimals at the time of an experiment, of a day, and of 2023.
    for text in [
      "12.345678", "86399.999999", "1700000000.123457", "-0.000001", "4102444799.999999",
    ] {
      let digits = text.replacing(".", with: "")
      let expected = try #require(Int64(digits)) * 1000
      let seconds = try #require(Double(text))
      #expect(Timestamp(decimalSeconds: seconds)?.nanoseconds == expected, "\(text)")
    }
    #expect(Timestamp(decimalSeconds: 123.456789012)?.nanoseconds == 123_456_789_012)
    #expect(Timestamp(decimalSeconds: .nan) == nil)
    #expect(Timestamp(decimalSeconds: 1e10) == nil)
  }

  @Test("Random microseconds and nanoseconds survive")
  func randomTimes() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<repetitions(20_000, long: 1_000_000) {
      let micro = Int64.random(
        in: -4_000_000_000_000_000...4_000_000_000_000_000, using: &generator)
      let text = Double(micro) / 1e6
      let found = Timestamp(decimalSeconds: text)?.nanoseconds
      if found != micro * 1000 { Issue.record("\(micro) µs became \(found ?? 0) ns") }
      let nano = Int64.random(in: 0...1_000_000_000_000_000, using: &generator)
      let fine = Timestamp(decimalSeconds: Double(nano) / 1e9)?.nanoseconds
      if fine != nano { Issue.record("\(nano) ns became \(fine ?? 0) ns") }
    }
  }
}
