/// What every fuzz target needs: the bytes as Swift sees them, and a way to fail.
enum FuzzInput {
  /// The bytes that libFuzzer hands over.
  static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
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
}
