/// Fields that are written many times, as bytes that are ready to be copied.
///
/// Of each there are sixteen bytes at hand, its comma among them: a short field is copied as one vector,
/// whatever its length.
struct FieldTable: Sendable {
  private struct Field {
    var begin = SIMD16<UInt8>.zero
    /// Bytes with the comma.
    var length = 0
    /// Where a field that is longer than its beginning lies whole.
    var place = 0
  }

  private var fields: [Field] = []
  /// Fields that are longer than their beginnings.
  private var long: [UInt8] = []
  /// Bytes of the longest field, with its comma.
  private(set) var longest = 0

  /// A table of `fields`, which are as they have to be in the file.
  init(_ fields: [[UInt8]] = []) {
    for field in fields { append(field) }
  }

  /// How many fields there are.
  var count: Int { fields.count }

  /// Adds a field behind the last.
  mutating func append(_ field: [UInt8]) {
    let text = field + [UInt8(ascii: ",")]
    var entry = Field(length: text.count, place: long.count)
    for (place, byte) in text.prefix(entry.begin.scalarCount).enumerated() {
      entry.begin[place] = byte
    }
    if text.count > entry.begin.scalarCount { long += text }
    longest = max(longest, text.count)
    fields.append(entry)
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
    let field = fields[index]
    if field.length <= field.begin.scalarCount {
      UnsafeMutableRawPointer(start).storeBytes(of: field.begin, as: SIMD16<UInt8>.self)
    } else {
      writeLong(field, at: start)
    }
    return start + field.length
  }

  @inline(never)
  private func writeLong(_ field: Field, at start: UnsafeMutablePointer<UInt8>) {
    long.withUnsafeBytes { long in
      guard let source = long.baseAddress else { return }
      UnsafeMutableRawPointer(start).copyMemory(
        from: source + field.place, byteCount: field.length)
    }
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

/// Names as they come along with rows, each prepared as a field when it is first seen.
struct NameFields: Sendable {
  /// The fields, in the order in which their names were first seen.
  private(set) var table = FieldTable()
  private var places: [String: Int] = [:]

  /// The place of `name` in the table.
  mutating func place(of name: String) -> Int {
    if let place = places[name] { return place }
    let place = table.count
    places[name] = place
    table.append(CSVBuffer.field(name))
    return place
  }
}
