/// Names in order of their appearance, each with its place.
package struct NameTable: Sendable {
  /// The names by place.
  package private(set) var names: [String] = []
  private var contents: [[UInt8]] = []
  /// Places by hash, open addressing; a power of two of slots, at least twice the names; -1 is free.
  private var slots = [Int32](repeating: -1, count: 64)
  private var last: Int32 = 0

  /// An empty table.
  package init() {}

  /// A table of `names`, which are distinct.
  package init(_ names: [String]) {
    for name in names {
      let content = Array(name.utf8)
      _ = place(of: content, content.indices)
    }
  }

  /// The place of the name in `range` of `bytes`, which is appended where it is new.
  ///
  /// Cost: one look at the name of the call before, else one look-up. No `String` is made for a name
  /// that is there.
  package mutating func place(of bytes: [UInt8], _ range: Range<Int>) -> Int32 {
    if Int(last) < contents.count, isName(Int(last), bytes, range) { return last }
    var slot = Self.hash(bytes, range) & (slots.count - 1)
    while slots[slot] >= 0 {
      if isName(Int(slots[slot]), bytes, range) {
        last = slots[slot]
        return last
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    last = Int32(names.count)
    slots[slot] = last
    contents.append(Array(bytes[range]))
    names.append(String(decoding: bytes[range], as: UTF8.self))
    if names.count * 2 > slots.count { grow() }
    return last
  }

  private mutating func grow() {
    slots = [Int32](repeating: -1, count: slots.count * 2)
    for (place, content) in contents.enumerated() {
      var slot = Self.hash(content, content.indices) & (slots.count - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(place)
    }
  }

  @inline(__always)
  private func isName(_ place: Int, _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    guard contents[place].count == range.count else { return false }
    for offset in 0..<range.count
    where contents[place][offset] != bytes[range.lowerBound + offset] {
      return false
    }
    return true
  }

  /// FNV-1a, 64 bits, folded so that the low bits depend on all of them.
  private static func hash(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in range { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}
