/// Names in order of their appearance, each with its place.
package struct NameTable: Sendable {
  /// The names by place.
  package private(set) var names: [String] = []
  private var contents: [[UInt8]] = []
  /// Places by hash, open addressing; a power of two of slots, at least twice the names; -1 is free.
  private var slots = [Int32](repeating: -1, count: 64)
  /// The names of at most eight bytes as numbers, in slots of their own; zero is free.
  private var shortKeys = [UInt64](repeating: 0, count: 64)
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

  /// Looks up names without asking whether the table is still the same.
  package struct LookUp {
    fileprivate let table: NameTable
    fileprivate let keys: UnsafeBufferPointer<UInt64>
    fileprivate let places: UnsafeBufferPointer<Int32>

    /// The place of the name of one to eight bytes that are the digits of `key` to the base 256, none of
    /// them zero; nil where it is not in the table.
    @inline(__always)
    package func place(ofShort key: UInt64) -> Int32? {
      let mask = keys.count - 1
      var slot = NameTable.slot(of: key, mask)
      while keys[slot] != key {
        if keys[slot] == 0 { return nil }
        slot = (slot + 1) & mask
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
        body(LookUp(table: self, keys: keys, places: places))
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
    shortKeys = [UInt64](repeating: 0, count: count)
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
    guard (1...8).contains(content.count), !content.contains(0) else { return }
    let key = content.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    slot = Self.slot(of: key, mask)
    while shortKeys[slot] != 0 { slot = (slot + 1) & mask }
    shortKeys[slot] = key
    shortPlaces[slot] = place
  }

  @inline(__always)
  fileprivate static func slot(of key: UInt64, _ mask: Int) -> Int {
    // The golden ratio times 2⁶⁴ spreads neighbouring keys over the high bits [Knuth 6.4].
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 40) & mask
  }

  /// FNV-1a, 64 bits, folded so that the low bits depend on all of them.
  private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}
