import FathomRecordings

/// Functions that all fuzz targets share: access to the input, and expectations.
enum FuzzInput {
  /// Returns the input of libFuzzer.
  static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
  }

  /// Returns the input of libFuzzer without its last byte, which selects options; nil for an empty
  /// input.
  static func bytesAndChoice(
    _ start: UnsafePointer<UInt8>?, _ count: Int
  ) -> (bytes: [UInt8], choice: UInt8)? {
    var bytes = bytes(start, count)
    return bytes.popLast().map { (bytes, $0) }
  }

  /// Ends the run when `isTrue` is false; libFuzzer keeps the input.
  ///
  /// - Parameters:
  ///   - isTrue: a condition that must hold for every input.
  ///   - message: description of the violation.
  static func expect(_ isTrue: Bool, _ message: @autoclosure () -> String) {
    if !isTrue { fatalError(message()) }
  }

  /// Expects a valid message to a user: not empty, on one line, and shorter than 1000 bytes.
  static func expectMessage(_ text: String) {
    expect(!text.isEmpty && text.utf8.count < 1000, "message of \(text.utf8.count) bytes")
    expect(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "control characters in \(text)")
  }

  /// Expects an error about the content of a file, with a valid message.
  static func expectBadData(_ error: RecordingError) {
    expect(error.exitCode == 65, "\(error)")
    expectMessage("\(error)")
  }
}
