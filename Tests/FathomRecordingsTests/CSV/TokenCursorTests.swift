import Testing

@testable import FathomRecordings

@Suite struct TokenCursorTests {
  /// A backslash at the end of a part escapes nothing beyond it.
  @Test func aStringDoesNotLeaveItsPart() {
    let bytes = Array(#""ab\"cd""#.utf8)
    var cursor = TokenCursor(bytes, 0..<4)
    #expect(cursor.string() == nil && cursor.isAtEnd)
    #expect(cursor.position == 4 && cursor.rest.isEmpty)
    #expect(cursor.part(cursor.position..<4).isAtEnd)
    var whole = TokenCursor(bytes, 0..<bytes.count)
    #expect(whole.string() == 1..<7 && whole.isAtEnd)
  }
}
