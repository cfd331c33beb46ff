/// A table of distinct names in order of their first appearance, which maps each to its index.
///
/// A table can continue another, which stays unchanged; the cost is independent of the number of
/// names.
package struct NameTable: Sendable {
  /// Names of the continued table; nil if the table continues no other.
  private let known: Names?
  /// Names after those of ``known``.
  private var new = Names()

  /// Creates an empty table.
  package init() { known = nil }

  /// Creates a table of `names`, which must be distinct.
  package init(_ names: [String]) {
    self.init()
    for name in names { _ = place(of: Array(name.utf8)[...]) }
  }

  /// Creates a table that continues `table`: its names keep their indices.
  ///
  /// Nothing is copied unless `table` itself continues another one.
  package init(behind table: NameTable) {
    if table.known == nil, table.count > 0 {
      known = table.new
    } else {
      self = table
    }
  }

  /// Number of names.
  package var count: Int { firstNew + new.names.count }

  /// Names by index; a copy when the table continues another.
  package var names: [String] { known.map { $0.names + new.names } ?? new.names }

  /// Returns the name at the index `place`, which must be below ``count``.
  package func name(at place: Int32) -> String {
    guard let known, Int(place) < known.names.count else {
      return new.names[Int(place) - firstNew]
    }
    return known.names[Int(place)]
  }

  /// Returns the names from the index `place` on.
  package func names(from place: Int) -> ArraySlice<String> {
    place < firstNew ? names[place...] : new.names[(place - firstNew)...]
  }

  /// Number of names of the continued table.
  private var firstNew: Int { known?.names.count ?? 0 }

  /// Returns the index of `name`, which is appended if it is new.
  package mutating func place(of name: ArraySlice<UInt8>) -> Int32 {
    if let place = knownPlace(of: name) { return place }
    return Int32(firstNew) + new.append(name)
  }

  /// Returns the index of `name`; nil when it is not in the table.
  package func knownPlace(of name: ArraySlice<UInt8>) -> Int32? {
    name.withUnsafeBufferPointer { found($0) }
  }

  /// Returns the indices of `names`, which are appended if they are new.
  package mutating func places(of names: ArraySlice<String>) -> [Int32] {
    names.map { place(of: Array($0.utf8)[...]) }
  }

  /// Forgets the names at the indices `places`, which the next new names then have.
  ///
  /// A forgotten name reads as empty text. Complexity: O(*n*) in the number of names, whatever that of
  /// `places`. Names of a continued table are not forgotten.
  package mutating func forget(_ places: [Int32]) {
    new.forget(places.map { $0 - Int32(firstNew) }.filter { $0 >= 0 })
  }

  /// Returns how many of the distinct `names` would be new.
  package func newCount(of names: ArraySlice<String>) -> Int {
    names.count { name in
      Array(name.utf8).withUnsafeBufferPointer { found($0) } == nil
    }
  }

  private func found(_ name: UnsafeBufferPointer<UInt8>) -> Int32? {
    if let place = known?.found(name) { return place }
    return new.found(name).map { Int32(firstNew) + $0 }
  }

  /// A view of a table for fast lookups, which assumes that the table does not change.
  package struct LookUp {
    fileprivate let table: NameTable
    /// Short names of the continued table, or the new ones if the table continues no other.
    fileprivate let first: ShortKeys

    /// Returns the index of a name of 1 to 16 bytes; nil when it is not in the table or not plain.
    ///
    /// `low` and `high` hold eight bytes of the name each, the first in the lowest byte. `low` is
    /// not zero.
    @inline(__always)
    package func place(ofShort low: UInt64, _ high: UInt64) -> Int32? {
      let key = ShortKey(low: low, high: high)
      return first.place(of: key) ?? table.newPlace(of: key)
    }

    /// Returns the index of `name`; nil when it is not in the table.
    package func place(of name: UnsafeBufferPointer<UInt8>) -> Int32? { table.found(name) }
  }

  /// Calls `body` with a view for fast lookups, which is valid during the call.
  package func withLookUp<Result>(_ body: (LookUp) -> Result) -> Result {
    (known ?? new).withShortKeys { body(LookUp(table: self, first: $0)) }
  }

  /// Returns the index of a new name after those of the continued table; nil when there is no such
  /// table.
  @inline(never)
  private func newPlace(of key: ShortKey) -> Int32? {
    guard let known else { return nil }
    return new.withShortKeys { $0.place(of: key) }.map { Int32(known.names.count) + $0 }
  }

  /// Whether a name may contain `byte` without quoting: visible ASCII except the quote.
  @inline(__always)
  package static func isPlain(_ byte: UInt8) -> Bool {
    byte > UInt8(ascii: " ") && byte < 0x7F && byte != UInt8(ascii: "\"")
  }
}

/// Distinct names with indices from 0.
private struct Names: Sendable {
  private(set) var names: [String] = []
  /// Bytes of all names, concatenated, so that a copy is one memory copy.
  private var bytes: [UInt8] = []
  /// Start and end of each name in ``bytes``.
  private var starts: [Int] = []
  private var ends: [Int] = []
  /// Indices without a name, which the next new names get.
  private var free: [Int32] = []
  /// Indices by hash with open addressing.
  ///
  /// The number of slots is a power of two, at least twice the number of names; -1 marks a free
  /// slot.
  private var slots = [Int32](repeating: -1, count: 64)
  /// Plain names of at most 16 bytes as integers, in a hash table of their own; zero marks a free
  /// slot.
  private var shortKeys = [ShortKey](repeating: ShortKey(), count: 64)
  /// Indices of the names in ``shortKeys``.
  private var shortPlaces = [Int32](repeating: -1, count: 64)

  /// Appends a name that is not in the table; returns its index.
  mutating func append(_ name: ArraySlice<UInt8>) -> Int32 {
    if let place = free.popLast() {
      starts[Int(place)] = bytes.count
      bytes += name
      ends[Int(place)] = bytes.count
      names[Int(place)] = String(decoding: name, as: UTF8.self)
      enter(place)
      return place
    }
    let place = Int32(names.count)
    starts.append(bytes.count)
    bytes += name
    ends.append(bytes.count)
    names.append(String(decoding: name, as: UTF8.self))
    if names.count * 2 > slots.count { grow() } else { enter(place) }
    return place
  }

  func found(_ name: UnsafeBufferPointer<UInt8>) -> Int32? {
    var slot = Self.hash(name) & (slots.count - 1)
    while slots[slot] >= 0 {
      if bytes[span(slots[slot])].elementsEqual(name) { return slots[slot] }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  func withShortKeys<Result>(_ body: (ShortKeys) -> Result) -> Result {
    shortKeys.withUnsafeBufferPointer { keys in
      shortPlaces.withUnsafeBufferPointer { places in
        body(ShortKeys(keys: keys, places: places, mask: keys.count - 1))
      }
    }
  }

  /// Returns the range of the name at index `place` in ``bytes``.
  private func span(_ place: Int32) -> Range<Int> {
    starts[Int(place)]..<ends[Int(place)]
  }

  /// Forgets the names at the indices `places`.
  mutating func forget(_ places: [Int32]) {
    for place in places where names.indices.contains(Int(place)) && !isFree(place) {
      names[Int(place)] = ""
      (starts[Int(place)], ends[Int(place)]) = (0, 0)
      free.append(place)
    }
    var kept: [UInt8] = []
    for place in names.indices {
      let span = span(Int32(place))
      starts[place] = kept.count
      kept += bytes[span]
      ends[place] = kept.count
    }
    bytes = kept
    rebuild(slots.count)
  }

  /// Whether `place` has no name: the empty text is not a name.
  private func isFree(_ place: Int32) -> Bool { starts[Int(place)] == ends[Int(place)] }

  private mutating func grow() { rebuild(slots.count * 2) }

  /// Enters all names into `count` slots.
  private mutating func rebuild(_ count: Int) {
    slots = [Int32](repeating: -1, count: count)
    shortKeys = [ShortKey](repeating: ShortKey(), count: count)
    shortPlaces = [Int32](repeating: -1, count: count)
    let hasFree = !free.isEmpty
    for place in names.indices where !(hasFree && isFree(Int32(place))) { enter(Int32(place)) }
  }

  /// Enters the name at index `place` into its slots.
  private mutating func enter(_ place: Int32) {
    let content = bytes[span(place)]
    let mask = slots.count - 1
    var slot = content.withUnsafeBufferPointer { Self.hash($0) } & mask
    while slots[slot] >= 0 { slot = (slot + 1) & mask }
    slots[slot] = place
    guard (1...16).contains(content.count), content.allSatisfy(NameTable.isPlain) else { return }
    var key = ShortKey()
    for (index, byte) in content.enumerated() {
      let digit = UInt64(byte) << UInt64(8 * (index % 8))
      if index < 8 { key.low |= digit } else { key.high |= digit }
    }
    slot = key.slot & mask
    while !shortKeys[slot].isFree { slot = (slot + 1) & mask }
    shortKeys[slot] = key
    shortPlaces[slot] = place
  }

  /// Computes the 64-bit FNV-1a hash, folded so that the low bits depend on all bits.
  private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}

/// The hash table of short names, for lookups.
private struct ShortKeys {
  let keys: UnsafeBufferPointer<ShortKey>
  let places: UnsafeBufferPointer<Int32>
  /// Number of slots minus one; the number is a power of two.
  let mask: Int

  @inline(__always)
  func place(of key: ShortKey) -> Int32? {
    guard let keys = keys.baseAddress, let places = places.baseAddress else { return nil }
    var slot = key.slot & mask
    while keys[slot] != key {
      if keys[slot].isFree { return nil }
      slot = (slot &+ 1) & mask
    }
    return places[slot]
  }
}

/// A plain name of at most 16 bytes, packed into two integers with the first byte lowest.
private struct ShortKey: Equatable, Sendable {
  var low: UInt64 = 0
  var high: UInt64 = 0

  /// Whether the slot holds no name.
  @inline(__always) var isFree: Bool { low == 0 }

  /// First slot to examine, before masking by the number of slots.
  @inline(__always) var slot: Int {
    // The golden ratio times 2⁶⁴ spreads neighbouring keys over the high bits [Knuth 6.4]. Only the
    // high bits depend on the last bytes of a name, in which names mostly differ.
    let word = low ^ (high &* 0xC2B2_AE3D_27D4_EB4F)
    return Int(truncatingIfNeeded: (word &* 0x9E37_79B9_7F4A_7C15).byteSwapped)
  }

  @inline(__always)
  static func == (left: ShortKey, right: ShortKey) -> Bool {
    (left.low ^ right.low) | (left.high ^ right.high) == 0
  }
}
