import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// The parser of a live stream against the readers of whole files.
@Suite struct LiveLinesTests {
  /// Returns all rows of `text`, taken in pieces of `size` bytes.
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
      if result == nil { result = table } else { result?.append(table) }
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

  // MARK: Headers that come late

  private static let rowsOfAnchors = "1.0,T,A,3.0\n1.1,T,B,4.0\n1.2,T,A,3.1\n1.3,T,B,4.1\n"
  private static let header = "time_s,tag,anchor,distance_m\n"

  /// Returns all rows of the `parts` of a stream with the anchors A and B, and the rejected lines.
  private func joined(
    _ parts: [String], declared: [String] = ["A", "B"]
  ) throws -> (distances: [Double], rejected: RejectedRows, lines: LiveLines) {
    var lines = LiveLines(
      name: "stream", declared: declared, options: RecordingOptions(), startsMidLine: false)
    var distances: [Double] = []
    var rejected = RejectedRows()
    for (index, part) in parts.enumerated() {
      var bytes = Array(part.utf8)
      repeat {
        let batch = try lines.parse(bytes, isLast: index == parts.count - 1)
        bytes = []
        distances += batch?.ranges.ranges.distance ?? []
        if let rows = batch?.ranges.rejected { rejected.append(contentsOf: rows) }
      } while lines.hasMore
    }
    return (distances, rejected, lines)
  }

  @Test func plainRowsNeedNoHeader() throws {
    let found = try joined([Self.rowsOfAnchors, Self.rowsOfAnchors])
    #expect(found.distances == [3, 4, 3.1, 4.1, 3, 4, 3.1, 4.1])
    #expect(found.rejected.total == 0)
    let single = try joined(["7,T\n" + Self.rowsOfAnchors.replacing("T,", with: ""), ""])
    #expect(single.distances == [3, 4, 3.1, 4.1])
    #expect(single.rejected.first?.line == 1)
  }

  @Test(arguments: [1, 100, 10_000])
  func aHeaderIsRecognisedAfterOtherLines(_ count: Int) throws {
    let garbage = (0..<count).map { "\u{7f}?x\($0 % 7)!\n" }
    let rows = Self.rowsOfAnchors.replacing("T", with: "U")
    let found = try joined(garbage + [Self.header + rows, rows, ""])
    #expect(found.distances == [3, 4, 3.1, 4.1, 3, 4, 3.1, 4.1])
    #expect(found.rejected.total == count)
  }

  @Test func anotherHeaderChangesTheColumns() throws {
    let other = "anchor;distance_cm;time_ms;tag\nB;250;2000;T\nA;350;2100;T\n"
    let found = try joined([
      Self.header + Self.rowsOfAnchors + Self.header + Self.rowsOfAnchors + other, other, "",
    ])
    #expect(found.distances == [3, 4, 3.1, 4.1, 3, 4, 3.1, 4.1, 2.5, 3.5, 2.5, 3.5])
    #expect(found.rejected.total == 0)
    #expect(found.lines.beginnings == 2)
  }

  @Test func objectsFollowRows() throws {
    let object = #"{"time_s": 3.0, "tag": "T", "anchor": "A", "distance_m": 2.5}"# + "\n"
    let found = try joined([Self.header + Self.rowsOfAnchors, object, object, ""])
    #expect(found.distances == [3, 4, 3.1, 4.1, 2.5, 2.5])
  }

  @Test func aHeaderWithoutAnchorsReplacesNone() throws {
    let found = try joined([
      Self.header + Self.rowsOfAnchors, "time_s,distance_m\n", Self.rowsOfAnchors, "",
    ])
    #expect(found.distances.count == 8)
    #expect(found.rejected.total == 1)
  }

  @Test func aLongFirstLineIsLeftOutInLinearTime() throws {
    let piece = String(repeating: "a", count: 1 << 16)
    let begin = ContinuousClock.now
    let found = try joined(
      Array(repeating: piece, count: 160) + ["end\n" + Self.header + Self.rowsOfAnchors, ""])
    #expect(ContinuousClock.now - begin < .seconds(5))
    #expect(found.distances == [3, 4, 3.1, 4.1])
    #expect(found.lines.cutLines == 1)
  }

  @Test func aRowThatNamesAnAnchorIsNoHeader() {
    for row in ["1.0,T,A,3.0", "1,T,A,3", "2026-01-01T00:00:00Z,T,A,3"] {
      #expect(
        RangesLayout.namesColumns(
          Array("\(row)\n".utf8), options: RecordingOptions(), declared: ["A", "B"]) == false)
    }
    for row in ["time_s,A,B", "t,1,2"] {
      #expect(
        RangesLayout.namesColumns(
          Array("\(row)\n".utf8), options: RecordingOptions(), declared: ["A", "B", "1", "2"])
          == true)
    }
  }
}
