import FathomEvaluation
import FathomRecordings
import Testing

@Suite struct NameTableTests {
  @Test(arguments: [UInt64(1), 2])
  func placesAreThoseOfTheFirstAppearance(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = NameTable()
    var names: [String] = []
    for _ in 0..<2000 {
      let name = String(UInt64.random(in: 0..<300, using: &generator) * 37, radix: 36)
      if !names.contains(name) { names.append(name) }
      // The name in the middle of other bytes.
      let bytes = Array("<\(name)>".utf8)
      let place = table.place(of: bytes[1..<bytes.count - 1])
      #expect(names[Int(place)] == name)
    }
    #expect(table.names == names)
  }

  @Test func givenNamesKeepTheirPlaces() {
    var table = NameTable(["A", "B"])
    let bytes = Array("BAC".utf8)
    #expect([0..<1, 1..<2, 2..<3, 0..<1].map { table.place(of: bytes[$0]) } == [1, 0, 2, 1])
    // Beginnings of names are other names.
    #expect(table.place(of: bytes[0..<2]) == 3)
    #expect(table.names == ["A", "B", "C", "BA"])
  }

  @Test func onlyPlainNamesOfAtMost16BytesAreLookedUpAsNumbers() {
    let names = [
      "a", "12345678", "123456789", "0123456789abcdef", "0123456789abcdefg", "a b", "\"q\"",
    ]
    let table = NameTable(names)
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    let places = names.map { name in
      let bytes = Array(name.utf8)
      return table.withLookUp {
        $0.place(ofShort: word(bytes.prefix(8)), word(bytes.dropFirst(8).prefix(8)))
      }
    }
    // Of a longer name this is the beginning; blanks and quotes mean other names where they stand
    // in a file.
    #expect(places == [0, 1, 2, 3, 3, nil, nil])
  }
}
