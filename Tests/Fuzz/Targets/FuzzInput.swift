import FathomRecordings

/// What every fuzz target needs: the bytes as Swift sees them, and a way to fail.
enum FuzzInput {
  /// The bytes that libFuzzer hands over.
  static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
  }

  /// The bytes that libFuzzer hands over but for the last, which chooses among the ways to read
  /// them; nil where there is none.
  static func bytesAndChoice(
    _ start: UnsafePointer<UInt8>?, _ count: Int
  ) -> (bytes: [UInt8], choice: UInt8)? {
    var bytes = bytes(start, count)
    return bytes.popLast().map { (bytes, $0) }
  }

  /// Ends the run where `isTrue` is not; libFuzzer keeps the input.
  ///
  /// - Parameters:
  ///   - isTrue: what holds for every input.
  ///   - message: what does not hold, in words.
  static func expect(_ isTrue: Bool, _ message: @autoclosure () -> String) {
    if !isTrue { fatalError(message()) }
  }

  /// Expects what holds for every message to a user: something, on one line, and not too much.
  static func expectMessage(_ text: String) {
    expect(!text.isEmpty && text.utf8.count < 1000, "message of \(text.utf8.count) bytes")
    expect(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "control characters in \(text)")
  }

  /// Expects what holds for every refusal of a file: it is for its content, and says why.
  static func expectBadData(_ error: RecordingError) {
    expect(error.exitCode == 65, "\(error)")
    expectMessage("\(error)")
  }
}
