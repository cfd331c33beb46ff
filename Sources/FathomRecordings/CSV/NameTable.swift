/// Names in order of their appearance, each with its place.
///
/// A table can continue another, which stays what it is: that takes no longer for many names than for few.
package struct NameTable: Sendable {
  /// The names of the table that this one continues; nil where it begins by itself.
  private let known: Names?
  /// The names behind those.
  private var new = Names()

  /// An empty table.
  package init() { known = nil }

  /// A table of `names`, which are distinct.
  package init(_ names: [String]) {
    self.init()
    for name in names { _ = place(of: Array(name.utf8)[...]) }
  }

  /// A table that continues `table`: the names of both have the same places.
  ///
  /// Nothing is copied unless that one continues another itself.
  package init(behind table: NameTable) {
    if table.known == nil, table.count > 0 {
      known = table.new
    } else {
      self = table
    }
  }

  /// How many names there are.
  package var count: Int { firstNew + new.names.count }

  /// The names by place; a copy where the table continues another.
  package var names: [String] { known.map { $0.names + new.names } ?? new.names }

  /// The name at the given place, below ``count``.
  package func name(at place: Int32) -> String {
    guard let known, Int(place) < known.names.count else {
      return new.names[Int(place) - firstNew]
    }
    return known.names[Int(place)]
  }

  /// The names from the given place on.
  package func names(from place: Int) -> ArraySlice<String> {
    place < firstNew ? names[place...] : new.names[(place - firstNew)...]
  }

  /// How many names were known beforehand.
  private var firstNew: Int { known?.names.count ?? 0 }

  /// The place of `name`, which is appended where it is new.
  package mutating func place(of name: ArraySlice<UInt8>) -> Int32 {
    if let place = name.withUnsafeBufferPointer({ found($0) }) { return place }
    return Int32(firstNew) + new.append(name)
  }

  /// The places of `names`, which are appended where they are new.
  package mutating func places(of names: ArraySlice<String>) -> [Int32] {
    names.map { place(of: Array($0.utf8)[...]) }
  }

  /// How many of `names`, which are distinct, would be new.
  package func newCount(of names: ArraySlice<String>) -> Int {
    names.count { name in
      Array(name.utf8).withUnsafeBufferPointer { found($0) } == nil
    }
  }

  private func found(_ name: UnsafeBufferPointer<UInt8>) -> Int32? {
    if let place = known?.found(name) { return place }
    return new.found(name).map { Int32(firstNew) + $0 }
  }

  /// Looks up names without asking whether the table is still the same.
  package struct LookUp {
    fileprivate let table: NameTable
    /// Of the names that were known beforehand; where there are none, of the new ones.
    fileprivate let first: ShortKeys

    /// The place of the name of one to 16 bytes that are the digits of `low` and `high` to the base 256,
    /// eight each, the first one the least and the last one not zero; nil where it is not in the table, or
    /// not plain.
    @inline(__always)
    package func place(ofShort low: UInt64, _ high: UInt64) -> Int32? {
      let key = ShortKey(low: low, high: high)
      return first.place(of: key) ?? table.newPlace(of: key)
    }

    /// The place of `name`; nil where it is not in the table.
    package func place(of name: UnsafeBufferPointer<UInt8>) -> Int32? { table.found(name) }
  }

  /// Calls `body` with a way to look up names quickly, which is good as long as the call.
  package func withLookUp<Result>(_ body: (LookUp) -> Result) -> Result {
    (known ?? new).withShortKeys { body(LookUp(table: self, first: $0)) }
  }

  /// The place of a name behind those that were known; nil where there were none.
  @inline(never)
  private func newPlace(of key: ShortKey) -> Int32? {
    guard let known else { return nil }
    return new.withShortKeys { $0.place(of: key) }.map { Int32(known.names.count) + $0 }
  }

  /// Whether a name with `byte` in it can stand in a file as it is: visible ASCII, and no quote.
  @inline(__always)
  package static func isPlain(_ byte: UInt8) -> Bool {
    byte > UInt8(ascii: " ") && byte < 0x7F && byte != UInt8(ascii: "\"")
  }
}

/// Distinct names by place, counted from the first of them.
private struct Names: Sendable {
  private(set) var names: [String] = []
  /// The bytes of all names, one behind the other: a copy is that of memory.
  private var bytes: [UInt8] = []
  /// Where each name ends in ``bytes``.
  private var ends: [Int] = []
  /// Places by hash, open addressing; a power of two of slots, at least twice the names; -1 is free.
  private var slots = [Int32](repeating: -1, count: 64)
  /// The plain names of at most 16 bytes as numbers, in slots of their own; zero is free.
  private var shortKeys = [ShortKey](repeating: ShortKey(), count: 64)
  /// The places of ``shortKeys``.
  private var shortPlaces = [Int32](repeating: -1, count: 64)

  /// Appends a name that is not there; returns its place.
  mutating func append(_ name: ArraySlice<UInt8>) -> Int32 {
    let place = Int32(names.count)
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

  /// Where the name at `place` lies in ``bytes``.
  private func span(_ place: Int32) -> Range<Int> {
    (place == 0 ? 0 : ends[Int(place) - 1])..<ends[Int(place)]
  }

  private mutating func grow() {
    let count = slots.count * 2
    slots = [Int32](repeating: -1, count: count)
    shortKeys = [ShortKey](repeating: ShortKey(), count: count)
    shortPlaces = [Int32](repeating: -1, count: count)
    for place in names.indices { enter(Int32(place)) }
  }

  /// Puts the name at `place` into its slots.
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

  /// FNV-1a, 64 bits, folded so that the low bits depend on all of them.
  private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}

/// The slots of short names, for looking up.
private struct ShortKeys {
  let keys: UnsafeBufferPointer<ShortKey>
  let places: UnsafeBufferPointer<Int32>
  /// One less than their number, which is a power of two.
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

/// A plain name of at most 16 bytes: they are the digits of two numbers to the base 256, the first one the
/// least.
private struct ShortKey: Equatable, Sendable {
  var low: UInt64 = 0
  var high: UInt64 = 0

  /// Whether this is no name.
  @inline(__always) var isFree: Bool { low == 0 }

  /// Where to look for it first, in any number of slots.
  @inline(__always) var slot: Int {
    // The golden ratio times 2⁶⁴ spreads neighbouring keys over the high bits [Knuth 6.4]; only those
    // depend on the last bytes of a name, in which names mostly differ.
    let word = low ^ (high &* 0xC2B2_AE3D_27D4_EB4F)
    return Int(truncatingIfNeeded: (word &* 0x9E37_79B9_7F4A_7C15).byteSwapped)
  }

  @inline(__always)
  static func == (left: ShortKey, right: ShortKey) -> Bool {
    (left.low ^ right.low) | (left.high ^ right.high) == 0
  }
}
