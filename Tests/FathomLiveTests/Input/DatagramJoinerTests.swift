import Testing

@testable import FathomLive

@Suite struct DatagramJoinerTests {
  private func joined(_ datagrams: [[UInt8]]) -> [UInt8] {
    var joiner = DatagramJoiner()
    var lines: [UInt8] = []
    for datagram in datagrams { datagram.withUnsafeBytes { joiner.append($0, to: &lines) } }
    return lines
  }

  @Test func eachTextHasLinesOfItsOwn() {
    #expect(joined([Array("a".utf8), [], Array("b\nc".utf8)]) == Array("a\nb\nc\n".utf8))
  }

  @Test func aTextAfterForeignBytesBeginsALine() {
    #expect(joined([[0, 1, 0x80], Array("a,b".utf8)]) == [0, 1, 0x80] + Array("\na,b\n".utf8))
  }

  @Test func binaryFramesAreNotDivided() {
    #expect(joined([[0x55, 1, 0], [2, 3, 0x55]]) == [0x55, 1, 0, 2, 3, 0x55])
  }
}
