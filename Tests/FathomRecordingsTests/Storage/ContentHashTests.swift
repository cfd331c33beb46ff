import CVectors
import FathomEvaluation
import FathomRecordings
import Foundation
import TestSupport
import Testing

@Suite struct ContentHashTests {
  /// The bytes of xxHash's self-test: the top bytes of powers of a prime.
  private static let bytes: [UInt8] = {
    var state: UInt64 = 2_654_435_761
    return (0..<4096).map { _ in
      defer { state &*= 11_400_714_785_074_694_797 }
      return UInt8(state >> 56)
    }
  }()

  private func digest(_ bytes: [UInt8]) -> UInt64 {
    var hash = ContentHash()
    hash.update(bytes)
    return hash.digest
  }

  /// Values of the reference implementation (xxHash 0.8) for prefixes of its self-test bytes: every
  /// length class, and both sides of the boundaries of classes, stripes and blocks.
  @Test(
    arguments: [
      (0, 0x2D06_8005_38D3_94C2),
      (1, 0xC44B_DFF4_074E_ECDB),
      (2, 0x7A99_7804_4CB8_A8BB),
      (3, 0x5424_7382_A8D6_B94D),
      (4, 0xE5DC_74BC_5184_8A51),
      (7, 0x9941_E000_7F55_5E50),
      (8, 0x24CC_C9AC_AA9F_65E4),
      (9, 0x14D5_001C_15DD_3F2B),
      (14, 0x1AC0_BBDA_2B9F_CF03),
      (16, 0x981B_17D3_6C74_98C9),
      (17, 0x796F_5ACD_3A60_F862),
      (31, 0x5D51_6692_CA76_4C50),
      (32, 0x9FEA_DDBD_BF57_EED3),
      (33, 0xABFB_2D08_1B40_0A10),
      (64, 0x9CB4_8487_720E_C49D),
      (65, 0xFD81_AAC4_BEBC_3883),
      (96, 0x935A_769A_7F94_776F),
      (97, 0xCA4C_A268_FD3C_3A6C),
      (128, 0xFCFF_2412_6754_D861),
      (129, 0x98F1_B0A6_79A2_CA29),
      (144, 0xC440_D47E_5F03_FE58),
      (222, 0xB916_3B55_8664_D356),
      (240, 0x81C3_C2B6_7F56_8CCF),
      (241, 0xC5A6_39EC_D203_0E5E),
      (255, 0xE98F_979F_4ED8_A197),
      (256, 0x55DE_574A_D89D_0AC5),
      (257, 0xB17F_D5A8_AE75_BB0B),
      (320, 0x7562_0D35_0FF5_C694),
      (511, 0x8089_715B_163E_7FC0),
      (1024, 0xDD85_C9B5_C110_9C5C),
      (1025, 0xD870_C0FA_1321_1C6A),
      (1088, 0xCC14_50EA_6B52_A8F4),
      (1089, 0xEF72_7B2E_FFC4_CC8C),
      (2048, 0xDD59_E2C3_A5F0_38E0),
      (4096, 0xE912_0642_9D1F_48F9),
    ] as [(Int, UInt64)])
  func matchesReferenceImplementation(_ count: Int, _ expected: UInt64) {
    #expect(digest(Array(Self.bytes.prefix(count))) == expected)
  }

  /// Values of `xxhsum -H3`.
  @Test func textHasSixteenDigits() {
    func text(_ string: String) -> String {
      var hash = ContentHash()
      hash.update(Array(string.utf8))
      return hash.text
    }
    #expect(text("a") == "e6c632b61e964e1f")
    #expect(text("abc") == "78af5f94892f3950")
    #expect(text("Nobody inspects the spammish repetition") == "6cb00603b5cc47e9")
    let short = (0..<5000).map { "\($0)" }.map(text).filter { $0.hasPrefix("0") }
    #expect(!short.isEmpty && short.allSatisfy { $0.utf8.count == 16 })
  }

  /// All vector widths give the same accumulators for stripes, whole blocks and parts of blocks.
  @Test func vectorWidthsAgree() {
    var generator = SeededGenerator(seed: 318)
    let secret = (0..<192).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    var wide = (sums: (0..<8).map { _ in generator.next() }, place: 0)
    var plain = wide
    for _ in 0..<200 {
      let count = Int(generator.next() % 40)
      let stripes = (0..<max(1, 64 * count)).map { _ in UInt8(truncatingIfNeeded: generator.next())
      }
      cvectors_absorb(&wide.sums, &wide.place, stripes, count, secret)
      cvectors_absorb_plainly(&plain.sums, &plain.place, stripes, count, secret)
      #expect(wide == plain && (0..<16).contains(wide.place))
    }
  }

  @Test func resultIsIndependentOfPieces() {
    let seed: UInt64 = 2651
    var random = SeededGenerator(seed: seed)
    for _ in 0..<repetitions(300, long: 30_000) {
      let bytes = Array(Self.bytes.prefix(Int.random(in: 0...1500, using: &random)))
      var hash = ContentHash()
      var start = 0
      while start < bytes.count {
        let end = min(
          bytes.count,
          start + Int.random(in: 0...(Bool.random(using: &random) ? 70 : 400), using: &random))
        hash.update(Array(bytes[start..<end]))
        // Reading the digest in between changes nothing.
        if Bool.random(using: &random) { _ = hash.digest }
        start = end
      }
      #expect(hash.digest == digest(bytes), "seed \(seed), \(bytes.count) bytes")
    }
  }

  @Test func everyByteAffectsResult() {
    for count in [1, 2, 5, 12, 31, 32, 47, 100, 160, 300, 1100] {
      let bytes = Array(Self.bytes.prefix(count))
      let whole = digest(bytes)
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 1
        #expect(digest(changed) != whole, "byte \(index) of \(count)")
      }
    }
  }

  /// A file is read in blocks, the last of which is short.
  @Test func fileIdentityMatchesContentHash() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID())")
      .path(percentEncoded: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    for count in [0, 1, 4096, 3_000_001] {
      let bytes = (0..<count).map { Self.bytes[$0 % 4093] }
      try Data(bytes).write(to: URL(filePath: path))
      var hash = ContentHash()
      hash.update(bytes)
      #expect(try FileIdentity(of: path) == FileIdentity(bytes: count, xxh3: hash.text))
    }
    #expect(throws: RecordingError.noInput(path: "/nowhere", reason: "No such file or directory")) {
      try FileIdentity(of: "/nowhere")
    }
    #expect(throws: RecordingError.noInput(path: "/", reason: "Is a directory")) {
      try FileIdentity(of: "/")
    }
  }
}
