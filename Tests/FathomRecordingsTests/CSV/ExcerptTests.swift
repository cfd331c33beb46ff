import FathomRecordings
import Testing

@Suite struct ExcerptTests {
  @Test(arguments: [
    ("plain", "plain"), ("a\tb\r\n", "a\\tb\\r\\n"),
    ("\u{0}\u{1B}[31m\u{7F}", "\\u{0}\\u{1b}[31m\\u{7f}"),
    ("漢字🛰️", "漢字🛰️"), ("\u{85}", "\\u{85}"),
  ])
  func escapesControlCharacters(_ text: String, _ expected: String) {
    #expect(Excerpt.text(Array(text.utf8)[...]) == expected)
  }

  @Test func escapesInvalidUTF8() {
    #expect(Excerpt.text([0x41, 0xE9, 0x42, 0xC3]) == "A\\xE9B\\xC3")
    #expect(Excerpt.text([0xF0, 0x9F, 0x41, 0x80, 0x80]) == "\\xF0\\x9FA\\x80\\x80")
  }

  /// A cut at any limit never divides a character.
  @Test func cutsLongTextBetweenCharacters() {
    let text = "aé漢🛰"
    let bytes = Array(text.utf8)
    let expected = ["…", "a…", "a…", "aé…", "aé…", "aé…", "aé漢…", "aé漢…", "aé漢…", "aé漢…", text]
    #expect((0...bytes.count).map { Excerpt.text(bytes[...], limit: $0) } == expected)
  }

  @Test(arguments: [
    ("distance", "distance", 0), ("distance", "distanse", 1), ("range", "rnge", 1), ("", "abc", 3),
    ("kitten", "sitting", 3), ("truth", "truht", 1), ("ab", "ba", 1), ("abc", "ca", 3),
  ])
  func distanceCountsEdits(_ left: String, _ right: String, _ expected: Int) {
    #expect(Excerpt.distance(left, right) == expected)
    #expect(Excerpt.distance(right, left) == expected)
  }

  /// A message has no control characters; bash reads the names back.
  @Test func quotesForAShell() {
    #expect(Excerpt.shellWord("time=t,2") == "time=t,2")
    #expect(Excerpt.shellWord("it's a") == "'it'\\''s a'")
    #expect(Excerpt.shellWord("a\u{6}b'\\\u{85}") == "$'a\\u0006b\\'\\\\\\u0085'")
  }
}
