/// Fields that are written many times, as bytes that are ready to be copied.
///
/// All of them lie in one array, each with its comma, with room to read on behind the last: a short field
/// is copied as two words of the machine, whatever its length.
struct FieldTable: Sendable {
  private var bytes = [UInt8](repeating: 0, count: slack)
  private var ends = [0]
  /// Bytes of the longest field, with its comma.
  private(set) var longest = 0

  /// So much is copied at once.
  private static let slack = 16

  /// A table of `fields`, which are as they have to be in the file.
  init(_ fields: [[UInt8]] = []) {
    for field in fields { append(field) }
  }

  /// How many fields there are.
  var count: Int { ends.count - 1 }

  /// Adds a field behind the last.
  mutating func append(_ field: [UInt8]) {
    bytes.removeLast(Self.slack)
    bytes += field
    bytes.append(UInt8(ascii: ","))
    longest = max(longest, field.count + 1)
    ends.append(bytes.count)
    bytes += repeatElement(0, count: Self.slack)
  }

  /// Writes field `index` and a comma at `start`, and returns the end of the text.
  ///
  /// - Parameters:
  ///   - index: of the field.
  ///   - start: has room for ``longest`` bytes, and for 16 in any case.
  /// - Returns: Behind the comma.
  @inline(__always)
  func write(
    _ index: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    let begin = ends[index]
    let length = ends[index + 1] - begin
    bytes.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress?.advanced(by: begin) else { return }
      let target = UnsafeMutableRawPointer(start)
      if length <= Self.slack {
        target.storeBytes(
          of: source.loadUnaligned(as: SIMD2<UInt64>.self), as: SIMD2<UInt64>.self)
      } else {
        target.copyMemory(from: source, byteCount: length)
      }
    }
    return start + length
  }
}

extension FieldTable {
  /// The table of the words of all cases, by their places.
  init<Case: RawRepresentable<String> & CaseIterable>(_: Case.Type, place: (Case) -> Int) {
    var words = [[UInt8]](repeating: [], count: Case.allCases.count)
    for word in Case.allCases { words[place(word)] = Array(word.rawValue.utf8) }
    self.init(words)
  }
}
