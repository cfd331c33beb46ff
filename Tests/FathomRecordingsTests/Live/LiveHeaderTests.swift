import Fathom
import Foundation
import Testing

@testable import FathomRecordings

/// Headers of live streams that come late, again, or between foreign lines.
@Suite struct LiveHeaderTests {
  private static let header = "time_s,tag,anchor,distance_m\n"
  private static let rows = (0..<12).map {
    "\($0),T,\("ABCD".map(String.init)[$0 % 4]),\($0 + 1)\n"
  }
  .joined()
  private static let declared = ["A", "B", "C", "D"]

  /// Returns the batches of `text`, processed in pieces of `size` bytes.
  private func batches(
    _ text: [UInt8], pieces size: Int = 1 << 16, declared: [String] = LiveHeaderTests.declared,
    startsMidLine: Bool = false
  ) throws -> [LiveBatch] {
    var lines = LiveLines(
      name: "stream", declared: declared, options: RecordingOptions(), startsMidLine: startsMidLine)
    var result: [LiveBatch] = []
    for begin in stride(from: 0, to: text.count, by: size) {
      let end = min(begin + size, text.count)
      var bytes = Array(text[begin..<end])
      repeat {
        if let batch = try lines.parse(bytes, isLast: end == text.count) { result.append(batch) }
        bytes = []
      } while lines.hasMore
    }
    return result
  }

  private func distances(_ batches: [LiveBatch]) -> [Double] {
    batches.flatMap(\.ranges.ranges.distance)
  }

  private func rejectedCount(_ batches: [LiveBatch]) -> Int {
    batches.reduce(0) { $0 + $1.ranges.rejected.total }
  }

  /// Rows before the header are rejected, and those below it are used, however the bytes come.
  @Test(arguments: [1 << 16, 64, 7, 1])
  func findsTheHeaderAfterRows(_ size: Int) throws {
    let early = "0.5,T,A,3.25\n0.6,T,B,4.5\n"
    let found = try batches(Array((early + Self.header + Self.rows).utf8), pieces: size)
    #expect(distances(found) == (1...12).map(Double.init))
    #expect(rejectedCount(found) == 2)
    #expect(found.first?.ranges.rejected.first?.line == 1)
  }

  @Test(arguments: [1 << 16, 301, 5])
  func findsTheHeaderAfterRandomBytes(_ size: Int) throws {
    var random = SplitMix(state: 3)
    let noise = (0..<300).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
    let text = noise + Array(("\n" + Self.header + Self.rows).utf8)
    #expect(distances(try batches(text, pieces: size)) == (1...12).map(Double.init))
  }

  /// A text of no format is discarded, and costs time in proportion to its bytes.
  @Test func findsTheHeaderAfterALongText() throws {
    for line in ["x\n", String(repeating: "a", count: 1 << 20), "one two three\n"] {
      let noise = String(repeating: line, count: (1 << 21) / line.utf8.count) + "\n"
      let start = ContinuousClock.now
      let found = try batches(Array((noise + Self.header + Self.rows).utf8))
      #expect(distances(found) == (1...12).map(Double.init), "\(line.prefix(4))")
      #expect(ContinuousClock.now - start < .seconds(20))
    }
  }

  @Test func aHeaderThatIsRepeatedIsNoRow() throws {
    let found = try batches(Array((Self.header + Self.rows + Self.header + Self.rows).utf8))
    #expect(distances(found).count == 24)
    #expect(rejectedCount(found) == 0)
  }

  /// Another header changes the columns from there on; tags keep their indices.
  @Test(arguments: [1 << 16, 50, 3])
  func anotherHeaderChangesTheColumns(_ size: Int) throws {
    let other =
      "range_cm,anchor,tag,time_ms\n" + (0..<12).map { "\($0 + 50),B,T,2\($0)000\n" }.joined()
    let found = try batches(Array((Self.header + Self.rows + other).utf8), pieces: size)
    let expected: [Double] = (1...12).map(Double.init) + (50..<62).map { Double($0) / 100 }
    #expect(distances(found) == expected)
    #expect(rejectedCount(found) == 0)
    #expect(found.last?.ranges.tagNames == ["T"])
    #expect(found.last?.ranges.ranges.time.last == Timestamp(seconds: 211))
  }

  @Test func findsObjectsAfterForeignLines() throws {
    let objects = (0..<12).map {
      "{\"time_s\":\($0),\"tag\":\"T\",\"anchor\":\"A\",\"distance_m\":\($0 + 1)}\n"
    }.joined()
    for early in ["0.5,T,A,3.25\n", "x\n"] {
      let found = try batches(Array((early + objects).utf8))
      #expect(distances(found) == (1...12).map(Double.init), "\(early)")
    }
    // A header between objects.
    let mixed = try batches(Array((objects + Self.header + Self.rows).utf8))
    #expect(distances(mixed).count == 24)
  }

  /// Columns of declared anchors are a header; a row with a name of one is data.
  @Test func rowsWithNamesOfAnchorsAreNoHeaders() throws {
    func names(_ line: String, _ declared: [String]) -> Bool {
      RangesLayout.namesColumns(
        Array(line.utf8), options: RecordingOptions(), declared: declared)
    }
    #expect(names("time,A,B,C", Self.declared))
    #expect(names("time,1,2,3", ["1", "2", "3"]))
    #expect(names("t;tag;anchor;range [cm]", []))
    #expect(!names("1.0,T,A,3.0", Self.declared))
    #expect(!names("1000,T,A,3000", Self.declared))
    #expect(!names("1,2,3,4", ["1", "2", "3", "4"]))
    #expect(!names("waiting for distance to anchor", []))
    #expect(!names("hello, world", []))
  }

  @Test func aStreamWithoutAFormatSaysSoAtItsEnd() throws {
    let noise = Array(String(repeating: "x\n", count: 1 << 16).utf8)
    #expect(throws: RecordingError.self) { try batches(noise) }
    var lines = LiveLines(
      name: "stream", declared: [], options: RecordingOptions(), startsMidLine: false)
    _ = try lines.parse(Array("a,b\n1,2\n".utf8))
    #expect(lines.reasonUnrecognised?.contains("time_s, distance_m") == true)
    _ = try lines.parse(Array(Self.header.utf8))
    #expect(lines.reasonUnrecognised == nil)
  }

  /// A pause decides again and again.
  @Test func longPausesAreHarmless() throws {
    var lines = LiveLines(
      name: "stream", declared: [], options: RecordingOptions(), startsMidLine: false)
    _ = try lines.parse(Array("x\n".utf8))
    for _ in 0..<200 {
      let batch = try lines.parse([], isPause: true)
      #expect(batch?.usedCount == nil)
    }
  }
}

/// The generator SplitMix64.
private struct SplitMix {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
