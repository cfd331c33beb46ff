import CFathom
import Fathom
import FathomRecordings

/// The rows of an Arrow struct array as a ``BorrowedRanges``.
///
/// Columns of 64-bit numbers without nulls are read in place; others are converted, and live as long as
/// this object.
final class ArrowRanges {
  /// The rows; valid as long as this object and the array.
  let table: BorrowedRanges
  /// Converted columns, which the table points into.
  private let owned: [AnyObject]

  /// Creates the table of the fields of `rows` that it knows; others are ignored.
  ///
  /// - Throws: a failure for a structure that is no array of structs with the required fields, or for
  ///   a field of another type.
  init(_ schema: ArrowSchema, _ rows: ArrowArray) throws(CallFailure) {
    guard let format = schema.format, String(cString: format) == "+s" else {
      throw .data("the Arrow data is no struct array (a record batch)")
    }
    let count = try FathomC.count(rows.length, "the length of the Arrow array")
    let offset = try FathomC.count(rows.offset, "the offset of the Arrow array")
    guard schema.n_children == rows.n_children, schema.n_children >= 0 else {
      throw .data("the Arrow schema and array have different numbers of fields")
    }
    var table = BorrowedRanges(count: count)
    var owned: [AnyObject] = []
    for index in 0..<Int(schema.n_children) {
      guard let child = schema.children?[index]?.pointee,
        let values = rows.children?[index]?.pointee
      else { throw .data("a field of the Arrow data is NULL") }
      let name = child.name.map { String(cString: $0) } ?? ""
      let field = try ArrowField(name, child, values, count: count, after: offset)
      func numbers() throws(CallFailure) -> UnsafeBufferPointer<Double> {
        try field.numbers(keeping: &owned)
      }
      switch name {
      case "time_s", "time", "timestamp":
        if let unit = field.timestampUnit {
          table.nanoseconds = try field.nanoseconds(unit, keeping: &owned)
        } else {
          table.seconds = try numbers()
        }
      case "time_ns":
        table.nanoseconds = try field.nanoseconds(field.timestampUnit ?? 1, keeping: &owned)
      case "tag": (table.tag, table.tagNames) = try field.names(keeping: &owned)
      case "anchor": (table.anchor, table.anchorNames) = try field.names(keeping: &owned)
      case "event":
        let (codes, words) = try field.names(keeping: &owned)
        let kinds = words.map { word in
          Int32(SessionEvent.allCases.firstIndex { $0.rawValue == word } ?? -1)
        }
        let events = FixedColumn(
          codes.map { kinds.indices.contains(Int($0)) ? kinds[Int($0)] : -1 })
        owned.append(events)
        table.event = optional(events.address, count)
      case "line": table.line = try field.nanoseconds(1, keeping: &owned)
      default:
        switch RangeField(named: name) {
        case .distance: table.distance = try numbers()
        case .number(let quantity): table[quantity] = try numbers()
        default: break
        }
      }
    }
    guard table.hasTimes || count == 0 else { throw .data("the Arrow data has no field time_s") }
    guard table.distance != nil || count == 0 else {
      throw .data("the Arrow data has no field distance_m")
    }
    self.table = table
    self.owned = owned
  }
}

/// A field of an Arrow struct array.
private struct ArrowField {
  private let name: String
  private let format: String
  private let schema: ArrowSchema
  private let array: ArrowArray
  private let count: Int
  /// Index of the first row in the buffers.
  private let first: Int

  init(
    _ name: String, _ schema: ArrowSchema, _ array: ArrowArray, count: Int, after offset: Int
  ) throws(CallFailure) {
    self.name = name
    self.schema = schema
    self.array = array
    self.count = count
    format = schema.format.map { String(cString: $0) } ?? ""
    first = offset + (try FathomC.count(array.offset, "the offset of \(name)"))
    let length = try FathomC.count(array.length, "the length of \(name)")
    guard length >= offset + count else {
      throw .data("\(name) has fewer rows than the Arrow array")
    }
  }

  private func fail(_ reason: String) -> CallFailure { .data("\(name) \(reason)") }

  private func buffer<Element>(_ index: Int, of _: Element.Type) throws(CallFailure)
    -> UnsafePointer<Element>?
  {
    guard index < array.n_buffers, let buffers = array.buffers else {
      throw fail("has too few buffers")
    }
    guard let address = buffers[index] else { return nil }
    return address.assumingMemoryBound(to: Element.self)
  }

  private func values<Element>(_: Element.Type) throws(CallFailure) -> UnsafePointer<Element> {
    guard let values = try buffer(1, of: Element.self) else { throw fail("has no values") }
    return values
  }

  /// Returns the bits of the rows that have a value; nil if all have one.
  private func validity() throws(CallFailure) -> UnsafePointer<UInt8>? {
    array.null_count == 0 ? nil : try buffer(0, of: UInt8.self)
  }

  private func isValid(_ row: Int, _ bits: UnsafePointer<UInt8>?) -> Bool {
    guard let bits else { return true }
    let place = first + row
    return bits[place >> 3] >> UInt8(place & 7) & 1 == 1
  }

  /// Nanoseconds of the unit of a timestamp; nil for another type.
  var timestampUnit: Int64? {
    let format = schema.dictionary?.pointee.format.map { String(cString: $0) } ?? format
    guard format.hasPrefix("ts") else { return nil }
    return switch format.dropFirst(2).first {
    case "s": 1_000_000_000
    case "m": 1_000_000
    case "u": 1000
    case "n": 1
    default: nil
    }
  }

  // MARK: Numbers

  /// Returns the rows as numbers, NaN for null.
  func numbers(keeping owned: inout [AnyObject]) throws(CallFailure) -> UnsafeBufferPointer<Double>
  {
    if count == 0 { return UnsafeBufferPointer(start: nil, count: 0) }
    let bits = try validity()
    if let dictionary = try dictionary() {
      return try looked(up: try dictionary.numbers(keeping: &owned), .nan, keeping: &owned)
    }
    if format == "g", bits == nil {
      return UnsafeBufferPointer(start: try values(Double.self) + first, count: count)
    }
    let converted: [Double]
    switch format {
    case "g": converted = try numbers(bits) { (value: Double) in value }
    case "f": converted = try numbers(bits) { (value: Float) in Double(value) }
    case "c": converted = try numbers(bits) { (value: Int8) in Double(value) }
    case "C": converted = try numbers(bits) { (value: UInt8) in Double(value) }
    case "s": converted = try numbers(bits) { (value: Int16) in Double(value) }
    case "S": converted = try numbers(bits) { (value: UInt16) in Double(value) }
    case "i": converted = try numbers(bits) { (value: Int32) in Double(value) }
    case "I": converted = try numbers(bits) { (value: UInt32) in Double(value) }
    case "l": converted = try numbers(bits) { (value: Int64) in Double(value) }
    case "L": converted = try numbers(bits) { (value: UInt64) in Double(value) }
    case "b":
      let values = try values(UInt8.self)
      converted = (0..<count).map { row in
        isValid(row, bits)
          ? Double(values[(first + row) >> 3] >> UInt8((first + row) & 7) & 1) : .nan
      }
    case "n": converted = Array(repeating: .nan, count: count)
    default: throw fail("is not numeric: its Arrow format is \(format)")
    }
    let column = FixedColumn(converted)
    owned.append(column)
    return UnsafeBufferPointer(start: column.address, count: count)
  }

  private func numbers<Element>(
    _ bits: UnsafePointer<UInt8>?, _ number: (Element) -> Double
  ) throws(CallFailure) -> [Double] {
    let values = try values(Element.self)
    return (0..<count).map { isValid($0, bits) ? number(values[first + $0]) : .nan }
  }

  /// Returns the rows as whole numbers times `unit`, the least for null and beyond the range.
  func nanoseconds(
    _ unit: Int64, keeping owned: inout [AnyObject]
  ) throws(CallFailure) -> UnsafeBufferPointer<Int64> {
    if count == 0 { return UnsafeBufferPointer(start: nil, count: 0) }
    if let dictionary = try dictionary() {
      return try looked(
        up: try dictionary.nanoseconds(unit, keeping: &owned), .min, keeping: &owned)
    }
    guard format == "l" || timestampUnit != nil else {
      throw fail("is no 64-bit integer: its Arrow format is \(format)")
    }
    let bits = try validity()
    let values = try values(Int64.self)
    if bits == nil, unit == 1 { return UnsafeBufferPointer(start: values + first, count: count) }
    let column = FixedColumn(
      (0..<count).map { row -> Int64 in
        guard isValid(row, bits) else { return .min }
        let product = values[first + row].multipliedReportingOverflow(by: unit)
        return product.overflow ? .min : product.partialValue
      })
    owned.append(column)
    return UnsafeBufferPointer(start: column.address, count: count)
  }

  // MARK: Dictionaries

  /// Returns the different values of a field that has indices of them; nil for other fields.
  private func dictionary() throws(CallFailure) -> ArrowField? {
    guard let words = schema.dictionary?.pointee else { return nil }
    guard let values = array.dictionary?.pointee else { throw fail("has no dictionary") }
    let length = try FathomC.count(values.length, "the dictionary of \(name)")
    return try ArrowField(name, words, values, count: length, after: 0)
  }

  /// Returns the rows as values of the dictionary, `missing` for null.
  private func looked<Value: BitwiseCopyable & Sendable>(
    up values: UnsafeBufferPointer<Value>, _ missing: Value, keeping owned: inout [AnyObject]
  ) throws(CallFailure) -> UnsafeBufferPointer<Value> {
    var found: [Value] = []
    found.reserveCapacity(count)
    for code in try codes() {
      found.append(code >= 0 && code < values.count ? values[Int(code)] : missing)
    }
    let column = FixedColumn(found)
    owned.append(column)
    return UnsafeBufferPointer(start: column.address, count: count)
  }

  /// Returns the rows as indices of the dictionary, -1 for null.
  private func codes() throws(CallFailure) -> [Int32] {
    let bits = try validity()
    return switch format {
    case "c": try indices(Int8.self, bits)
    case "C": try indices(UInt8.self, bits)
    case "s": try indices(Int16.self, bits)
    case "S": try indices(UInt16.self, bits)
    case "i": try indices(Int32.self, bits)
    case "I": try indices(UInt32.self, bits)
    case "l": try indices(Int64.self, bits)
    case "L": try indices(UInt64.self, bits)
    default: throw fail("has indices of the Arrow format \(format)")
    }
  }

  // MARK: Names

  /// Returns the rows as indices of names, -1 for null.
  func names(
    keeping owned: inout [AnyObject]
  ) throws(CallFailure) -> (codes: UnsafeBufferPointer<Int32>, names: [String]) {
    if count == 0 { return (UnsafeBufferPointer(start: nil, count: 0), []) }
    let bits = try validity()
    var codes: [Int32] = []
    var names: [String] = []
    if let dictionary = try dictionary() {
      names = try (0..<dictionary.count).map { row throws(CallFailure) in
        try dictionary.word(row) ?? ""
      }
      if format == "i", bits == nil {
        return (UnsafeBufferPointer(start: try values(Int32.self) + first, count: count), names)
      }
      codes = try self.codes()
    } else {
      var places: [String: Int32] = [:]
      codes.reserveCapacity(count)
      for row in 0..<count {
        guard isValid(row, bits), let word = try word(row) else {
          codes.append(-1)
          continue
        }
        if let place = places[word] {
          codes.append(place)
        } else {
          places[word] = Int32(names.count)
          codes.append(Int32(names.count))
          names.append(word)
        }
      }
    }
    let column = FixedColumn(codes)
    owned.append(column)
    return (UnsafeBufferPointer(start: column.address, count: count), names)
  }

  private func indices<Element: FixedWidthInteger>(
    _: Element.Type, _ bits: UnsafePointer<UInt8>?
  ) throws(CallFailure) -> [Int32] {
    let values = try values(Element.self)
    return (0..<count).map { row in
      isValid(row, bits) ? Int32(exactly: values[first + row]) ?? -1 : -1
    }
  }

  /// Returns the word of a row: its text, or its digits.
  private func word(_ row: Int) throws(CallFailure) -> String? {
    let place = first + row
    func text<Offset: FixedWidthInteger>(_: Offset.Type) throws(CallFailure) -> String {
      let offsets = try values(Offset.self)
      let (begin, end) = (Int(offsets[place]), Int(offsets[place + 1]))
      guard begin >= 0, end >= begin else { throw fail("has offsets that decrease") }
      guard end > begin else { return "" }
      guard let bytes = try buffer(2, of: UInt8.self) else { throw fail("has no text") }
      let word = UnsafeBufferPointer(start: bytes + begin, count: end - begin)
      // Names leave the library as texts of C, which end there.
      guard !word.contains(0) else { throw fail("has a name with the character NUL") }
      return String(decoding: word, as: UTF8.self)
    }
    switch format {
    case "u": return try text(Int32.self)
    case "U": return try text(Int64.self)
    case "c": return "\(try values(Int8.self)[place])"
    case "C": return "\(try values(UInt8.self)[place])"
    case "s": return "\(try values(Int16.self)[place])"
    case "S": return "\(try values(UInt16.self)[place])"
    case "i": return "\(try values(Int32.self)[place])"
    case "I": return "\(try values(UInt32.self)[place])"
    case "l": return "\(try values(Int64.self)[place])"
    case "L": return "\(try values(UInt64.self)[place])"
    case "n": return nil
    default: throw fail("has no names: its Arrow format is \(format)")
    }
  }
}
