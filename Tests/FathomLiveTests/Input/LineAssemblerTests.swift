import Testing

@testable import FathomLive

@Suite struct LineAssemblerTests {
  private func add(_ text: String, _ assembler: inout LineAssembler) -> String {
    Array(text.utf8).withUnsafeBytes { String(decoding: assembler.add($0), as: UTF8.self) }
  }

  @Test func onlyWholeLinesPass() {
    var assembler = LineAssembler()
    #expect(add("a,1\nb,", &assembler) == "a,1\n")
    #expect(add("2", &assembler) == "")
    #expect(add("\nc\r\nd", &assembler) == "b,2\nc\r\n")
    var isCut = assembler.cut()
    #expect(isCut)
    #expect(add("e\n", &assembler) == "e\n")
    isCut = assembler.cut()
    #expect(!isCut)
    #expect(add("f", &assembler) == "")
    let rest = assembler.finish()
    #expect(rest == Array("f".utf8))
  }

  @Test func binaryFramesAndEndlessLinesPass() {
    var assembler = LineAssembler()
    let frame: [UInt8] = [0x55, 0x04, 0x00, 0x80]
    let passed = frame.withUnsafeBytes { assembler.add($0) }
    #expect(passed == frame)
    var other = LineAssembler()
    let endless = String(repeating: "x", count: 70_000)
    #expect(add(endless, &other).utf8.count == 70_000)
  }
}
