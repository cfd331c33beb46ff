import FathomEvaluation
import FathomRecordings
import Foundation
import TestSupport
import Testing

@Suite struct ContentHashTests {
  /// The bytes of xxHash's own self-test: the top bytes of powers of a prime.
  private static let bytes: [UInt8] = {
    var state: UInt64 = 2_654_435_761
    return (0..<4096).map { _ in
      defer { state &*= 11_400_714_785_074_694_797 }
      return UInt8(state >> 56)
    }
  }()

  private func digest(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    var hash = ContentHash(seed: seed)
    hash.update(bytes)
    return hash.digest
  }

  /// By the reference implementation (xxHash 0.8), of the first bytes of its self-test, with the seeds
  /// 0 and 2654435761; every length class: below a half word, a word, a stripe, and beyond.
  @Test(
    arguments: [
      (0, 0xEF46_DB37_51D8_E999, 0xAC75_FDA2_929B_17EF),
      (1, 0xE934_A84A_DB05_2768, 0x5014_6076_43A9_B4C3),
      (3, 0xFF7E_1959_CB50_794A, 0xAA85_84E8_3660_F7D1),
      (4, 0x9136_A0DC_A574_57EE, 0xCAAB_286B_D8E9_FDB5),
      (7, 0x6C83_909A_9F01_ED25, 0xF98D_03B1_AD6F_9293),
      (8, 0xCDBC_F538_E71D_1348, 0xFE0C_047A_5353_CDAC),
      (14, 0x8282_DCC4_994E_35C8, 0xC3BD_6BF6_3DEB_6DF0),
      (31, 0x299B_39A2_90E6_D783, 0xDA67_3D5F_EB5C_1D79),
      (32, 0x18B2_1649_2BB4_4B70, 0xB3F3_3BDF_93AD_E409),
      (33, 0x55C8_DC3E_578F_5B59, 0xE92C_292F_64BC_3071),
      (63, 0xA9EF_BE0F_A0F3_F4E7, 0x6C91_1FAD_B05B_6FC2),
      (64, 0xEF55_8F8A_CAC2_B5CD, 0xB5EE_BA99_264C_C44F),
      (65, 0xDE0F_20DC_2631_AF7A, 0xD3F6_FF39_41E3_10CA),
      (100, 0x4BFE_019C_D91D_9EA4, 0x4853_706D_C962_5CAE),
      (222, 0xB641_AE8C_B691_C174, 0x20CB_8AB7_AE10_C14A),
      (4096, 0xAB77_F4AF_85F4_E70B, 0xCB8B_60CB_A513_125D),
    ] as [(Int, UInt64, UInt64)])
  func theReferenceAgrees(_ count: Int, _ plain: UInt64, _ seeded: UInt64) {
    let bytes = Array(Self.bytes.prefix(count))
    #expect(digest(bytes) == plain)
    #expect(digest(bytes, seed: 2_654_435_761) == seeded)
  }

  /// By `xxh64sum`, of texts.
  @Test func theTextHasSixteenDigits() {
    func text(_ string: String) -> String {
      var hash = ContentHash()
      hash.update(Array(string.utf8))
      return hash.text
    }
    #expect(text("a") == "d24ec4f1a98c6e5b")
    #expect(text("abc") == "44bc2cf5ad770999")
    #expect(text("Nobody inspects the spammish repetition") == "fbcea83c8a378bf1")
    let short = (0..<5000).map { "\($0)" }.map(text).filter { $0.hasPrefix("0") }
    #expect(!short.isEmpty && short.allSatisfy { $0.utf8.count == 16 })
  }

  @Test func piecesDoNotMatter() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let bytes = Array(Self.bytes.prefix(Int.random(in: 0...600, using: &random)))
      var hash = ContentHash(seed: 7)
      var start = 0
      while start < bytes.count {
        let end = min(bytes.count, start + Int.random(in: 0...70, using: &random))
        hash.update(Array(bytes[start..<end]))
        // Looking at it on the way changes nothing.
        if Bool.random(using: &random) { _ = hash.digest }
        start = end
      }
      #expect(hash.digest == digest(bytes, seed: 7), "seed \(seed), \(bytes.count) bytes")
    }
  }

  @Test func everyByteCounts() {
    for count in [1, 5, 12, 31, 32, 47, 100] {
      let bytes = Array(Self.bytes.prefix(count))
      let whole = digest(bytes)
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 1
        #expect(digest(changed) != whole, "byte \(index) of \(count)")
      }
    }
  }

  /// A file is read in blocks, of which the last is short.
  @Test func aFileHasTheHashOfItsBytes() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID())")
      .path(percentEncoded: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    for count in [0, 1, 4096, 3_000_001] {
      let bytes = (0..<count).map { Self.bytes[$0 % 4093] }
      try Data(bytes).write(to: URL(filePath: path))
      var hash = ContentHash()
      hash.update(bytes)
      #expect(try FileIdentity(of: path) == FileIdentity(bytes: count, xxh64: hash.text))
    }
    #expect(throws: RecordingError.noInput(path: "/nowhere", reason: "No such file or directory")) {
      try FileIdentity(of: "/nowhere")
    }
    #expect(throws: RecordingError.noInput(path: "/", reason: "Is a directory")) {
      try FileIdentity(of: "/")
    }
  }
}
