/// Names in order of their appearance, each with its place.
package struct NameTable: Sendable {
  /// The names by place.
  package private(set) var names: [String] = []
  private var contents: [[UInt8]] = []
  private var places: [UInt64: Int32] = [:]
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
    // Names of one hash take the keys that follow it.
    var key = Self.hash(bytes, range)
    while let place = places[key] {
      if isName(Int(place), bytes, range) {
        last = place
        return place
      }
      key &+= 1
    }
    last = Int32(names.count)
    places[key] = last
    contents.append(Array(bytes[range]))
    names.append(String(decoding: bytes[range], as: UTF8.self))
    return last
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

  /// FNV-1a, 64 bits.
  private static func hash(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in range { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
    return hash
  }
}
