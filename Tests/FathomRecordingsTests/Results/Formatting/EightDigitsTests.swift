import Testing

@testable import FathomRecordings

@Suite struct EightDigitsTests {
  /// Returns the text that the given body writes.
  private func text(
    _ value: UInt32,
    _ write: (EightDigits, UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>
  ) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 8) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let end = write(EightDigits(value), start)
      return String(decoding: buffer[..<(end - start)], as: UTF8.self)
    }
  }

  /// Checks the reciprocals with all values of both lanes of four digits.
  @Test func writesAllLaneValues() {
    for lane in UInt32(0)..<10_000 {
      let other = (lane &* 7919) % 10_000
      for value in [lane * 10_000 + other, other * 10_000 + lane] {
        let plain = String(value)
        let number = text(value) { $0.writeNumber(at: $1) }
        let padded = text(value) { $0.write(first: 8, at: $1) }
        if number != plain || padded != String(repeating: "0", count: 8 - plain.count) + plain {
          Issue.record("\(value) is written as \(number) and \(padded)")
        }
      }
    }
  }

  @Test func writesRequestedNumberOfDigits() {
    #expect(text(12_345_678) { $0.write(first: 3, at: $1) } == "123")
    #expect(text(12_345_678) { $0.write(first: 0, at: $1) } == "")
    #expect(text(0) { $0.writeNumber(at: $1) } == "0")
  }
}
