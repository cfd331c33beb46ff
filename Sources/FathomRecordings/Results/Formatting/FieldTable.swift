/// Fields that are written many times, stored as bytes ready to copy.
///
/// Each entry holds its first 16 bytes, including the comma or other byte that ends it. A short field
/// is copied as one vector, whatever its length.
struct FieldTable: Sendable {
  private struct Field {
    var begin = SIMD16<UInt8>.zero
    /// Length in bytes, including the end.
    var length = 0
    /// Offset in `long` of a field of more than 16 bytes.
    var place = 0
  }

  private let end: UInt8
  private var fields: [Field] = []
  /// The complete text of the fields of more than 16 bytes.
  private var long: [UInt8] = []
  /// Length of the longest field including its end, bytes.
  private(set) var longest = 0

  /// Creates a table of `fields`, which are already escaped for the file and are followed by `end`.
  init(_ fields: [[UInt8]] = [], end: UInt8 = UInt8(ascii: ",")) {
    self.end = end
    for field in fields { append(field) }
  }

  /// The number of fields.
  var count: Int { fields.count }

  /// Appends a field to the table.
  mutating func append(_ field: [UInt8]) {
    let text = field + [end]
    var entry = Field(length: text.count, place: long.count)
    for (place, byte) in text.prefix(entry.begin.scalarCount).enumerated() {
      entry.begin[place] = byte
    }
    if text.count > entry.begin.scalarCount { long += text }
    longest = max(longest, text.count)
    fields.append(entry)
  }

  /// Writes field `index` and its end at `start`, and returns the end of the text.
  ///
  /// `start` has capacity for ``longest`` bytes, and for at least 16.
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

/// A table of names that arrive with rows; each name is escaped when it first occurs.
struct NameFields: Sendable {
  /// The fields, in the order of first occurrence.
  private(set) var table = FieldTable()
  private var places: [String: Int] = [:]
  private let escaped: @Sendable (String) -> [UInt8]

  /// Creates an empty table of names that `escaped` turns into fields.
  init(_ escaped: @escaping @Sendable (String) -> [UInt8] = CSVBuffer.field) {
    self.escaped = escaped
  }

  /// Returns the index of `name` in the table, and adds the name if it is new.
  mutating func place(of name: String) -> Int {
    if let place = places[name] { return place }
    let place = table.count
    places[name] = place
    table.append(escaped(name))
    return place
  }
}
