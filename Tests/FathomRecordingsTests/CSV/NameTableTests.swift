import FathomEvaluation
import FathomRecordings
import Testing

@Suite struct NameTableTests {
  @Test(arguments: [UInt64(1), 2])
  func indicesFollowFirstAppearance(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = NameTable()
    var names: [String] = []
    for _ in 0..<2000 {
      let name = String(UInt64.random(in: 0..<300, using: &generator) * 37, radix: 36)
      if !names.contains(name) { names.append(name) }
      // The name is surrounded by other bytes.
      let bytes = Array("<\(name)>".utf8)
      let place = table.place(of: bytes[1..<bytes.count - 1])
      #expect(names[Int(place)] == name)
    }
    #expect(table.names == names)
  }

  @Test func initialNamesKeepTheirIndices() {
    var table = NameTable(["A", "B"])
    let bytes = Array("BAC".utf8)
    #expect([0..<1, 1..<2, 2..<3, 0..<1].map { table.place(of: bytes[$0]) } == [1, 0, 2, 1])
    // A prefix of a name is another name.
    #expect(table.place(of: bytes[0..<2]) == 3)
    #expect(table.names == ["A", "B", "C", "BA"])
  }

  /// Compares a table that continues another with a single table of all names.
  @Test(arguments: [UInt64(3), 4, 5])
  func continuedTableEqualsSingleTable(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<20 {
      let names = (0..<Int.random(in: 0...150, using: &generator)).map { _ in
        String(UInt64.random(in: 0..<400, using: &generator) * 1_000_003, radix: 36)
          + (Int.random(in: 0..<9, using: &generator) == 0 ? " of more than 16 bytes" : "")
      }
      var (known, whole) = (NameTable(), NameTable())
      for name in names.prefix(names.count / 2) {
        #expect(known.place(of: Array(name.utf8)[...]) == whole.place(of: Array(name.utf8)[...]))
      }
      let before = known.names
      var next = NameTable(behind: known)
      // Sometimes the continued table itself continues another.
      if round % 3 == 0 {
        _ = (next.place(of: [65, 35]), whole.place(of: [65, 35]))
        next = NameTable(behind: next)
      }
      for name in names.dropFirst(names.count / 2) {
        let bytes = Array(name.utf8)
        let isNew = !whole.names.contains(name)
        #expect(next.newCount(of: [name]) == (isNew ? 1 : 0))
        #expect(next.place(of: bytes[...]) == whole.place(of: bytes[...]))
      }
      #expect(next.names == whole.names && next.count == whole.count, "seed \(seed)")
      #expect(known.names == before && known.count == before.count)
      for place in whole.names.indices {
        #expect(next.name(at: Int32(place)) == whole.names[place])
        #expect(Array(next.names(from: place)) == Array(whole.names[place...]))
        let bytes = Array(whole.names[place].utf8)
        guard bytes.count <= 16 else { continue }
        func found(_ table: NameTable) -> Int32? {
          table.withLookUp {
            $0.place(ofShort: word(bytes.prefix(8)), word(bytes.dropFirst(8).prefix(8)))
          }
        }
        #expect(found(next) == found(whole))
        #expect(
          bytes.withUnsafeBufferPointer { bytes in next.withLookUp { $0.place(of: bytes) } }
            == Int32(place))
      }
      let missing = next.withLookUp { $0.place(ofShort: 33, 0) }
      #expect(missing == nil)
    }
  }

  /// Packs up to eight bytes into a number, the first byte lowest.
  private func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Forgotten names are unknown, and new names get their indices; the others keep theirs.
  @Test func forgottenIndicesAreUsedAgain() {
    var table = NameTable()
    func place(_ name: String) -> Int32 { table.place(of: Array(name.utf8)[...]) }
    for index in 0..<200 { #expect(place("name \(index)") == Int32(index)) }
    table.forget([3, 7, 3])
    #expect(table.count == 200)
    #expect(table.name(at: 3) == "")
    #expect(table.knownPlace(of: Array("name 3".utf8)[...]) == nil)
    #expect(place("name 4") == 4)
    #expect(Set([place("x"), place("y")]) == [3, 7])
    #expect(place("name 3") == 200)
    #expect(place("x") == table.knownPlace(of: Array("x".utf8)[...]))
    let short = table.withLookUp { $0.place(ofShort: UInt64(UInt8(ascii: "y")), 0) }
    #expect(short == place("y"))
    for index in 4..<7 { #expect(place("name \(index)") == Int32(index)) }
  }

  @Test func onlyShortPlainNamesHaveIntegerKeys() {
    let names = [
      "a", "12345678", "123456789", "0123456789abcdef", "0123456789abcdefg", "a b", "\"q\"",
    ]
    let table = NameTable(names)
    let places = names.map { name in
      let bytes = Array(name.utf8)
      return table.withLookUp {
        $0.place(ofShort: word(bytes.prefix(8)), word(bytes.dropFirst(8).prefix(8)))
      }
    }
    // Of the longer name, this is the prefix. Blanks and quotes stand for other names in a file.
    #expect(places == [0, 1, 2, 3, 3, nil, nil])
  }
}
