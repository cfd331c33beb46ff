import Fathom

/// Text in the making, in memory that is used again: rows are written into room asked for first.
struct TextBuffer: Sendable {
  private var storage: [UInt8]
  /// Bytes written so far.
  private(set) var count = 0

  /// An empty text with room for `bytes` bytes.
  init(bytes: Int = 0) {
    storage = [UInt8](repeating: 0, count: bytes)
  }

  /// Writes a row of at most `most` bytes.
  ///
  /// - Parameters:
  ///   - most: the room that the row gets.
  ///   - body: writes it with the cursor that it is given.
  @inline(__always)
  mutating func writeRow(most: Int, _ body: (inout TextCursor) -> Void) {
    if storage.count - count < most { grow(by: most) }
    storage.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var cursor = TextCursor(end: base + count)
      body(&cursor)
      let end = cursor.end - base
      precondition(end - count <= most, "a row is longer than its room")
      count = end
    }
  }

  /// Calls `body` with what has been written so far.
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

  /// What has been written so far.
  var bytes: [UInt8] { Array(storage[..<count]) }

  private mutating func grow(by bytes: Int) {
    storage.append(contentsOf: repeatElement(0, count: max(bytes, storage.count)))
  }
}

/// The place in a ``TextBuffer`` where the next byte goes.
///
/// Its room was established by ``TextBuffer/writeRow(most:_:)``; a number takes at most
/// ``FixedDecimal/mostBytes``.
struct TextCursor {
  /// Behind the last byte written.
  fileprivate(set) var end: UnsafeMutablePointer<UInt8>

  /// Writes `text` as it is.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    end.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    end += text.utf8CodeUnitCount
  }

  /// Writes `bytes` as they are.
  @inline(__always)
  mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      end.update(from: base, count: bytes.count)
    }
    end += bytes.count
  }

  /// Writes a short word as it is.
  @inline(__always)
  mutating func append(word: String) {
    for byte in word.utf8 {
      end.pointee = byte
      end += 1
    }
  }

  /// Writes a number with a fixed number of decimals; nothing for NaN and infinities.
  @inline(__always)
  mutating func append(_ value: Double, decimals: Int) {
    end = FixedDecimal.write(value, decimals: decimals, at: end)
  }

  /// Writes the next instant of `times`, in seconds.
  @inline(__always)
  mutating func append(_ time: Timestamp, of times: inout TimeColumn) {
    end = times.write(time, at: end)
  }

  /// Writes a whole number.
  @inline(__always)
  mutating func append(_ value: Int) {
    end = FixedDecimal.write(value, at: end)
  }
}
