import Fathom

/// A reusable text buffer, whose rows are written into capacity that was reserved before.
struct TextBuffer: Sendable {
  private var storage: [UInt8]
  /// Number of bytes written so far.
  private(set) var count = 0

  /// Creates an empty text with capacity for `bytes` bytes.
  init(bytes: Int = 0) {
    storage = [UInt8](repeating: 0, count: bytes)
  }

  /// Writes a row of at most `most` bytes.
  ///
  /// - Parameters:
  ///   - most: the capacity reserved for the row, bytes.
  ///   - body: writes the row with the given cursor.
  @inline(__always)
  mutating func writeRow(most: Int, _ body: (inout TextCursor) -> Void) {
    if storage.count - count < most { grow(by: most) }
    storage.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var cursor = TextCursor(end: base + count)
      body(&cursor)
      let end = cursor.end - base
      precondition(end - count <= most, "a row exceeds its reserved capacity")
      count = end
    }
  }

  /// Calls `body` with the text so far.
  func withBytes<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var failure: Failure?
    storage.withUnsafeBytes { bytes in
      do throws(Failure) {
        try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// The text so far.
  var bytes: [UInt8] { Array(storage[..<count]) }

  private mutating func grow(by bytes: Int) {
    storage.append(contentsOf: repeatElement(0, count: max(bytes, storage.count)))
  }
}

/// The position in a ``TextBuffer`` of the next byte.
///
/// ``TextBuffer/writeRow(most:_:)`` reserves the capacity. A number needs at most
/// ``FixedDecimal/mostBytes``.
struct TextCursor {
  /// The position after the last byte written.
  fileprivate(set) var end: UnsafeMutablePointer<UInt8>

  /// Writes `text` without escaping.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    end.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    end += text.utf8CodeUnitCount
  }

  /// Writes a number with a fixed number of decimals; for NaN and infinities, nothing.
  @inline(__always)
  mutating func append(_ value: Double, decimals: Int) {
    end = FixedDecimal.write(value, decimals: decimals, at: end)
  }

  /// Writes `time` in seconds, as the next instant of `times`.
  @inline(__always)
  mutating func append(_ time: Timestamp, of times: inout TimeColumn) {
    end = times.write(time, at: end)
  }
}
