/// Names in order of their appearance, each with its place.
package struct NameTable: Sendable {
  /// The names by place.
  package private(set) var names: [String] = []
  private var contents: [[UInt8]] = []
  /// Places by hash, open addressing; a power of two of slots, at least twice the names; -1 is free.
  private var slots = [Int32](repeating: -1, count: 64)
  /// The plain names of at most 16 bytes as numbers, in slots of their own; zero is free.
  private var shortKeys = [ShortKey](repeating: ShortKey(), count: 64)
  /// The places of ``shortKeys``.
  private var shortPlaces = [Int32](repeating: -1, count: 64)

  /// An empty table.
  package init() {}

  /// A table of `names`, which are distinct.
  package init(_ names: [String]) {
    for name in names { _ = place(of: Array(name.utf8)[...]) }
  }

  /// The place of `name`, which is appended where it is new.
  package mutating func place(of name: ArraySlice<UInt8>) -> Int32 {
    if let place = name.withUnsafeBufferPointer({ found($0) }) { return place }
    let place = Int32(names.count)
    contents.append(Array(name))
    names.append(String(decoding: name, as: UTF8.self))
    if names.count * 2 > slots.count { grow() } else { enter(place) }
    return place
  }

  /// The places of `names`, which are appended where they are new.
  package mutating func places(of names: ArraySlice<String>) -> [Int32] {
    names.map { place(of: Array($0.utf8)[...]) }
  }

  /// Looks up names without asking whether the table is still the same.
  package struct LookUp {
    fileprivate let table: NameTable
    fileprivate let keys: UnsafeBufferPointer<ShortKey>
    fileprivate let places: UnsafeBufferPointer<Int32>
    /// One less than their number, which is a power of two.
    fileprivate let mask: Int

    /// The place of the name of one to 16 bytes that are the digits of `low` and `high` to the base 256,
    /// eight each, the first one the least and the last one not zero; nil where it is not in the table, or
    /// not plain.
    @inline(__always)
    package func place(ofShort low: UInt64, _ high: UInt64) -> Int32? {
      guard let keys = keys.baseAddress, let places = places.baseAddress else { return nil }
      let key = ShortKey(low: low, high: high)
      var slot = key.slot & mask
      while keys[slot] != key {
        if keys[slot].isFree { return nil }
        slot = (slot &+ 1) & mask
      }
      return places[slot]
    }

    /// The place of `name`; nil where it is not in the table.
    package func place(of name: UnsafeBufferPointer<UInt8>) -> Int32? { table.found(name) }
  }

  /// Calls `body` with a way to look up names quickly, which is good as long as the call.
  package func withLookUp<Result>(_ body: (LookUp) -> Result) -> Result {
    shortKeys.withUnsafeBufferPointer { keys in
      shortPlaces.withUnsafeBufferPointer { places in
        body(LookUp(table: self, keys: keys, places: places, mask: keys.count - 1))
      }
    }
  }

  private func found(_ name: UnsafeBufferPointer<UInt8>) -> Int32? {
    var slot = Self.hash(name) & (slots.count - 1)
    while slots[slot] >= 0 {
      if contents[Int(slots[slot])].elementsEqual(name) { return slots[slot] }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private mutating func grow() {
    let count = slots.count * 2
    slots = [Int32](repeating: -1, count: count)
    shortKeys = [ShortKey](repeating: ShortKey(), count: count)
    shortPlaces = [Int32](repeating: -1, count: count)
    for place in contents.indices { enter(Int32(place)) }
  }

  /// Puts the name at `place` into its slots.
  private mutating func enter(_ place: Int32) {
    let content = contents[Int(place)]
    let mask = slots.count - 1
    var slot = content.withUnsafeBufferPointer { Self.hash($0) } & mask
    while slots[slot] >= 0 { slot = (slot + 1) & mask }
    slots[slot] = place
    guard (1...16).contains(content.count), content.allSatisfy(Self.isPlain) else { return }
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

  /// Whether a name with `byte` in it can stand in a file as it is: visible ASCII, and no quote.
  @inline(__always)
  package static func isPlain(_ byte: UInt8) -> Bool {
    byte > UInt8(ascii: " ") && byte < 0x7F && byte != UInt8(ascii: "\"")
  }

  /// FNV-1a, 64 bits, folded so that the low bits depend on all of them.
  private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash ^ (hash >> 32))
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
