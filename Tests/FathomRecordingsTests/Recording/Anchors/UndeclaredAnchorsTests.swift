import Testing

@testable import FathomRecordings

@Suite struct UndeclaredAnchorsTests {
  @Test(
    arguments: [
      ("1.0", "1"), ("01", "1"), ("0x0001", "1"), ("022e", "022E"), ("22E", "022E"), (" a b", "AB"),
      ("0", "000"), ("1.5", nil), ("2", nil), ("x1", nil),
    ] as [(String, String?)])
  func namesNearMatches(_ name: String, _ expected: String?) {
    #expect(AnchorSpellings(["1", "022E", "AB", "000"]).near(name) == expected)
  }

  @Test func countsRowsOfAllParts() {
    var first = UndeclaredAnchors()
    first.append("9", line: 4)
    var second = UndeclaredAnchors()
    for line in 1...100 { second.append("n\(line % 70)", line: line) }
    first.append(contentsOf: second, afterLines: 10)
    #expect(first.rows == 101 && first.firstLine == 4 && first.names.count == 64)
    // The names are those of a single pass.
    var whole = UndeclaredAnchors()
    whole.append("9", line: 4)
    for line in 1...100 { whole.append("n\(line % 70)", line: line + 10) }
    #expect(whole == first)
    #expect(
      first.message(AnchorSpellings(["N1", "9.0"]))
        == "101 rows name anchors that are not declared: \"9\" (is it \"9.0\"?), \"n1\""
        + " (is it \"N1\"?), \"n2\", \"n3\", \"n4\", \"n5\", \"n6\", \"n7\" and more;"
        + " declared: \"N1\", \"9.0\"")
    #expect(UndeclaredAnchors().message(AnchorSpellings([])) == nil)
  }
}
