import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// The parser of a live stream against the readers of whole files.
@Suite struct LiveLinesTests {
  /// Returns all rows of `text`, processed in pieces of `size` bytes.
  private func rows(
    of text: [UInt8], pieces size: Int, declared: [String] = [],
    options: RecordingOptions = RecordingOptions(), startsMidLine: Bool = false
  ) throws -> ParsedRanges? {
    var lines = LiveLines(
      name: "stream", declared: declared, options: options, startsMidLine: startsMidLine)
    var result: ParsedRanges?
    for begin in stride(from: 0, to: text.count, by: size) {
      let end = min(begin + size, text.count)
      guard
        let table = try lines.parse(Array(text[begin..<end]), isLast: end == text.count)?.ranges
      else { continue }
      if result == nil { result = table } else { result?.append([table], width: 1) }
    }
    return result
  }

  @Test(.needsReference("logs"), arguments: [1 << 20, 1000, 61])
  func logsInPiecesGiveTheRowsOfTheWhole(_ size: Int) throws {
    let folder = Reference.url("logs").path(percentEncoded: false)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let path = folder + "/" + name
      guard
        let whole = try? RecordingReader.read(path, findsAnchors: false), whole.ranges.count > 0
      else { continue }
      let text = try Array(Data(contentsOf: URL(filePath: path)))
      let found = try #require(try rows(of: text, pieces: size), "\(name)")
      // Anchors that a log states are declared by a live stream as by process.
      #expect(found.ranges.distance == whole.ranges.distance, "\(name)")
      #expect(found.ranges.time == whole.ranges.time, "\(name)")
      #expect(found.rejected.total == whole.rejected.total, "\(name)")
    }
  }

  @Test func aStreamJoinedInTheMiddleOfALineFindsItsHeader() throws {
    let text = "3.2,tag,A\ntime_s,tag,anchor,distance_m\n0,t,A,1\n0.1,t,A,2\n0.2,t,A,3\n"
    let found = try #require(try rows(of: Array(text.utf8), pieces: 7, startsMidLine: true))
    #expect(found.ranges.distance == [1, 2, 3])
  }

  @Test func aPauseDecidesTheFormatOfFewLines() throws {
    var lines = LiveLines(
      name: "stream", declared: [], options: RecordingOptions(), startsMidLine: false)
    let text = Array("time_s,tag,anchor,distance_m\n0,t,A,1\n".utf8)
    let early = try lines.parse(text)
    #expect(early?.ranges.ranges.count == nil)
    #expect(lines.isWaiting)
    let late = try lines.parse([], isPause: true)
    let found = try #require(late)
    #expect(found.ranges.ranges.distance == [1])
  }

  @Test func aStreamWithoutDistancesIsAnError() throws {
    #expect(throws: RecordingError.self) {
      try rows(of: Array("a,b\n1,2\n3,4\n".utf8), pieces: 100)
    }
  }
}
