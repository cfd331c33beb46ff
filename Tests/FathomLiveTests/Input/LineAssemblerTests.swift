import Testing

@testable import FathomLive

@Suite struct LineAssemblerTests {
  private func take(_ text: String, _ assembler: inout LineAssembler) -> String {
    Array(text.utf8).withUnsafeBytes { String(decoding: assembler.take($0), as: UTF8.self) }
  }

  @Test func onlyWholeLinesPass() {
    var assembler = LineAssembler()
    #expect(take("a,1\nb,", &assembler) == "a,1\n")
    #expect(take("2", &assembler) == "")
    #expect(take("\nc\r\nd", &assembler) == "b,2\nc\r\n")
    var isCut = assembler.cut()
    #expect(isCut)
    #expect(take("e\n", &assembler) == "e\n")
    isCut = assembler.cut()
    #expect(!isCut)
    #expect(take("f", &assembler) == "")
    let rest = assembler.finish()
    #expect(rest == Array("f".utf8))
  }

  @Test func binaryFramesAndEndlessLinesPass() {
    var assembler = LineAssembler()
    let frame: [UInt8] = [0x55, 0x04, 0x00, 0x80]
    let passed = frame.withUnsafeBytes { assembler.take($0) }
    #expect(passed == frame)
    var other = LineAssembler()
    let endless = String(repeating: "x", count: 70_000)
    #expect(take(endless, &other).utf8.count == 70_000)
  }
}
