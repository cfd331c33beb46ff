import Foundation
import Testing

@testable import FathomRecordings

/// Malformed `recording.json` files are rejected with one short line, without a crash.
@Suite struct HostileSettingsTests {
  private func failure(_ text: String) -> String? {
    do throws(RecordingError) {
      _ = try RecordingInfo(
        ByteSource(
          path: "recording.json", stored: Array(text.utf8),
          mostBytes: RecordingLimits.longestSettings))
      return nil
    } catch {
      #expect(error.exitCode == 65)
      #expect("\(error)".utf8.count < 400)
      #expect(!"\(error)".utf8.contains { $0 < 0x20 || $0 == 0x7F })
      return "\(error)"
    }
  }

  @Test func rejectsDeepNesting() throws {
    for depth in [600, 100_000] {
      let text =
        "{\"x\": " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        + "}"
      #expect(try #require(failure(text)).contains("not JSON"))
    }
    #expect(failure(String(repeating: "{\"a\":", count: 100_000)) != nil)
  }

  @Test func limitsFileSize() {
    let most = RecordingLimits.longestSettings
    let shell = "{\"notes\": \"\"}".utf8.count
    func text(_ count: Int) -> String {
      "{\"notes\": \"\(String(repeating: "n", count: count - shell))\"}"
    }
    #expect(failure(text(most)) == nil)
    #expect(failure(text(most + 1)) == "recording.json: the file is longer than 1048576 bytes")
  }

  /// The parser's message quotes the file; the quote is escaped.
  @Test func escapesQuotedText() {
    #expect(failure("{\"notes\": \"\\u1\u{0}\u{0}\u{0}\"}") != nil)
    #expect(failure("{\"a\u{1B}[31mb\": tru}") != nil)
    #expect(failure("{\"\u{7}height_m\": 1") != nil)
  }

  @Test(arguments: [
    ("{\"height_m\": 1e9}", nil),
    ("{\"height_m\": -1e10}", "height_m must be from -1000000000 to 1000000000"),
    ("{\"truth_time_offset_s\": 1e300}", "truth_time_offset_s must be from"),
    ("{\"truth_offset_m\": [0, 1e308, 0]}", "truth_offset_m must be from"),
  ])
  func limitsNumbers(_ text: String, _ expected: String?) {
    let message = failure(text)
    #expect(message.map { $0.contains(expected ?? "nothing") } ?? (expected == nil), "\(text)")
  }
}
