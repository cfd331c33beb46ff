import Fathom
import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// The result must not depend on the block size, the number of threads, or the use of the fast
/// parser.
@Suite struct RangesChunkParserTests {
  /// Returns the result of reading: the table or the error.
  private func outcome(
    _ bytes: [UInt8], _ options: RecordingOptions, declared: [String] = [],
    blockSize: Int = TextBlocks.usualSize, usesFastParser: Bool = true, width: Int = 1
  ) -> Result<ParsedRanges, RecordingError> {
    do throws(RecordingError) {
      var reader = try RangesReader(
        StoredInput(path: "walk.csv", bytes: bytes), options: options, declared: declared,
        blockSize: blockSize, usesFastParser: usesFastParser, width: width)
      var file = ParsedRanges(layout: reader.layout)
      while let next = try reader.next() { file.append([next], width: 1) }
      try reader.checkAnchors(ranges: file.ranges.count)
      file.undeclared = reader.undeclaredMessage
      return .success(file)
    } catch {
      return .failure(error)
    }
  }

  /// Compares all variants of reading `bytes`; returns the number of rows.
  @discardableResult
  private func expectSameResults(
    _ bytes: [UInt8], _ options: RecordingOptions = RecordingOptions(), declared: [String] = [],
    comment: Comment
  ) -> Int {
    let whole = outcome(bytes, options, declared: declared, usesFastParser: false)
    let variants =
      [(16, 1), (23, 1), (64, 1), (301, 1), (TextBlocks.usualSize, 1)]
      + [(16, 2), (64, 2), (150, 3), (301, 2), (TextBlocks.usualSize, 2)]
    compareWholeReadings(bytes, options, declared, whole, comment)
    for (blockSize, width) in variants {
      let other = outcome(
        bytes, options, declared: declared, blockSize: blockSize, width: width)
      let comment: Comment = "blocks of \(blockSize), \(width) threads, \(comment)"
      switch (whole, other) {
      case (.success(let left), .success(let right)):
        #expect(isSame(left, right), comment)
      case (.failure(let left), .failure(let right)):
        #expect(left == right, comment)
      default:
        Issue.record("\(comment): \(whole) against \(other)")
      }
    }
    return (try? whole.get().rowsRead) ?? 0
  }

  /// Compares the results of reading in one call, on one and on two threads.
  private func compareWholeReadings(
    _ bytes: [UInt8], _ options: RecordingOptions, _ declared: [String],
    _ expected: Result<ParsedRanges, RecordingError>, _ comment: Comment
  ) {
    for width in [1, 2] {
      do throws(RecordingError) {
        let file = try RangesReader.read(
          StoredInput(path: "walk.csv", bytes: bytes), options: options, declared: declared,
          blockSize: 90, width: width)
        #expect((try? expected.get()).map { isSame($0, file) } == true, "whole, \(comment)")
        #expect(file.source?.xxh3 == hash(bytes), "whole, \(comment)")
      } catch {
        #expect(throws: error, "whole, \(comment)") { try expected.get() }
      }
    }
  }

  private func hash(_ bytes: [UInt8]) -> String {
    var hash = ContentHash()
    hash.update(bytes)
    return hash.text
  }

  @Test func quotesAcrossBlocksReadTheSame() {
    let plain = (0..<9).map { "\($0).5,T,A\($0 % 4),2.\($0)\n" }.joined()
    let late = (0..<9).map { "2\($0).5,U\($0),B\($0 % 4),2.\($0)\n" }.joined()
    let quotes = [
      "20,\"T\",\"A\n0\",2.5\n", "20,\"T\",\"\(String(repeating: "x\n", count: 40))\",2.5\n",
      "20,T,\"open,2.5\n", "20,T,\"A\"\"\",3\n# note\n\n", "20,T,A0\r21,T,A1,4\r\n",
    ]
    for (index, quote) in quotes.enumerated() {
      for before in [plain, "", plain + plain] {
        let text = "time_s,tag,anchor,distance_m\n" + before + quote + plain + late + quote + late
        expectSameResults(Array(text.utf8), comment: "quote \(index)")
        expectSameResults(
          Array(text.utf8), declared: ["A1", "B2"], comment: "declared, quote \(index)")
      }
    }
  }

  /// Rows that look simple but are not.
  ///
  /// The end of a cell, or a NUL, appears where it could be mistaken for the content of a cell: in
  /// an ignored column, in a name that is quoted elsewhere, in a number with a decimal comma.
  @Test(arguments: [
    ("time,distance,x", "1,2.5,a,b"), ("time,distance,x", "1,2.5,abcdefgh,b"),
    ("time,distance,x", "1,2.5,abcdefghijkl,"), ("time,x,distance", "1,a\n2,3.5"),
    ("time,x,distance", "1,abcdefghi\n2,3.5"), ("time,distance,anchor", "1,2.5,A,B"),
    ("time,distance,anchor", "1,2.5,long-name,B"), ("time,anchor,distance", "1,A\nB,2.5"),
    ("time,anchor,distance", "1,2,5"), ("time,anchor,distance", "1,A1,2,5"),
    ("time,distance,event", "1,2,,"), ("time,distance,sigma", "1,2,1,5"),
    ("time,distance,nlos", "1,2,,5"), ("time,distance,vertical_estimate", "1,2,1,"),
    ("time,anchor,distance", "1,A1\0,2"), ("time,anchor,distance", "1,\0\0,2"),
    ("time,distance,anchor", "1,2,A\0\0\0\0\0\0\0\0\0\0\0"),
  ])
  func apparentlySimpleRowsReadTheSame(_ header: String, _ row: String) {
    func goodRow(_ name: String) -> String {
      let cells = header.split(separator: ",").map { column in
        switch column {
        case "anchor": name
        case "x", "event": ""
        default: "1"
        }
      }
      return cells.joined(separator: ",")
    }
    let known = ["A", "A1", "2", "\"A,B\"", "\"A\nB\"", "\"long-name,B\""].map(goodRow)
    // The fast parser needs some rows after the one in question.
    let after = [String](repeating: goodRow("A1"), count: 12)
    let text = ([header] + known + [row] + after).joined(separator: "\n")
    for separator in DecimalSeparator.allCases {
      var options = RecordingOptions()
      options.decimalSeparator = separator
      let rows = expectSameResults(
        Array(text.utf8), options, comment: "\(row), decimal \(separator)")
      #expect(rows >= 19)
    }
  }

  @Test(.releaseOnly) func excessOfNamesIsFoundOnSameLine() {
    var text = "time_s,tag,anchor,distance_m\n"
    for row in 0...RecordingLimits.mostTags { text += "\(row).5,T\(row),A,2.5\n" }
    let bytes = Array(text.utf8)
    let expected = outcome(bytes, RecordingOptions(), usesFastParser: false)
    #expect(throws: RecordingError.self) { try expected.get() }
    compareWholeReadings(bytes, RecordingOptions(), [], expected, "tags")
    for blockSize in [1000, 1 << 17] {
      let other = outcome(bytes, RecordingOptions(), blockSize: blockSize, width: 2)
      guard case .failure(let left) = expected, case .failure(let right) = other else {
        Issue.record("blocks of \(blockSize): \(expected) against \(other)")
        continue
      }
      #expect(left == right)
    }
  }

  private func isSame(_ left: ParsedRanges, _ right: ParsedRanges) -> Bool {
    left.rowsRead == right.rowsRead && left.events == right.events
      && left.rejected == right.rejected && left.commentLines == right.commentLines
      && left.tagNames == right.tagNames && left.anchorNames == right.anchorNames
      && left.undeclared == right.undeclared && left.ranges.isIdentical(to: right.ranges)
  }

  @Test(.needsReference("oracles/csv/torture"))
  func damagedFilesReadTheSame() throws {
    let folder = Reference.url("oracles/csv/torture")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    var rows = 0
    for name in names.sorted() where name.hasSuffix(".csv") {
      let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
      // Megabytes are slow in debug builds and add no other kind of damage.
      if bytes.count > 1 << 16 { continue }
      rows += expectSameResults(bytes, comment: "\(name)")
    }
    #expect(rows > 80)
  }

  /// Returns a number of up to 22 digits, with optional sign and decimal point.
  private func randomNumber(_ generator: inout SeededGenerator) -> String {
    let count = Int.random(in: 1...22, using: &generator)
    var text = (0..<count).map { _ in "\(Int.random(in: 0...9, using: &generator))" }
    if Int.random(in: 0..<3, using: &generator) == 0 { text[0] = "0" }
    if Bool.random(using: &generator) {
      text.insert(".", at: Int.random(in: 0...count, using: &generator))
    }
    if Int.random(in: 0..<4, using: &generator) == 0 { text.insert("-", at: 0) }
    if Int.random(in: 0..<40, using: &generator) == 0 {
      text.insert("x", at: Int.random(in: 0..<count, using: &generator))
    }
    return text.joined()
  }

  @Test(arguments: [UInt64(11), 12, 13, 14])
  func numbersOfAllLengthsReadTheSame(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    // An ignored cell may be longer than the bytes compared at once.
    let notes = ["", "n", "a few words", String(repeating: "x", count: 200)]
    for round in 0..<6 {
      var text = ["time_s,note,distance_m,azimuth_deg\n", "distance_mm,time_us,azimuth,note\n"][
        round % 2]
      for _ in 0..<60 {
        var fields = (0..<3).map { _ in randomNumber(&generator) }
        let note = notes[Int.random(in: 0..<notes.count, using: &generator)]
        fields.insert(note, at: round % 2 == 0 ? 1 : 3)
        text += fields.joined(separator: ",") + (round % 3 == 0 ? "\r\n" : "\n")
      }
      let rows = expectSameResults(Array(text.utf8), comment: "seed \(seed), round \(round)")
      #expect(rows == 60)
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func randomRowsReadTheSame(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let cells = [
      "1.5", "2", "-3.25", "", "0", "0.0", "1e3", "7.", ".5", "+4", "123456789.123456789", "A1",
      "\"A1\"", "\"a,b\"", "\"two\nlines\"", " 2.5 ", "nan", "3.4028235e38", "999999999999999999",
      "9007199254740993", "#", "4", "255", "anchor-with-a-long-name", "é", "1,5", "\"open",
      "0.1234567890123456789", "\t", "true", "\"x\"y",
    ]
    let names = ["A1", "B2", "anchor-with-a-long-name", "longer-than-8"]
    let ends = ["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n# note\n", "\n  \n"]
    let headers = [
      ["time_s", "tag", "anchor", "distance_m"], ["distance_cm", "x", "time_ms"],
      ["anchor", "time_s", "distance_m", "sigma_m", "nlos", "event"],
      ["time_s", "anchor", "distance_m", "direction_x", "direction_y", "direction_z"],
      ["time_us", "distance_mm", "azimuth_deg", "elevation", "vertical_estimate", "rssi_dbm"],
    ]
    for round in 0..<25 {
      let header = headers[round % headers.count]
      var text = header.joined(separator: ",") + "\n"
      for row in 0..<Int.random(in: 0...40, using: &generator) {
        var fields = header.map { name -> String in
          if Int.random(in: 0..<12, using: &generator) == 0 {
            return cells[Int.random(in: 0..<cells.count, using: &generator)]
          }
          if name == "tag" || name == "anchor" {
            return names[Int.random(in: 0..<names.count, using: &generator)]
          }
          if name.hasPrefix("direction") { return name == "direction_y" ? "1" : "0" }
          if name.hasPrefix("time") { return "\(row).25" }
          return name == "event" || name == "x" ? "" : name == "nlos" ? "1" : "\(row % 7).125"
        }
        if Int.random(in: 0..<40, using: &generator) == 0 { fields.removeLast() }
        text += fields.joined(separator: ",")
        text += ends[Int.random(in: 0..<ends.count, using: &generator)]
      }
      if round % 3 == 0 { text.removeLast() }
      var options = RecordingOptions()
      options.zeroIsDistance = round % 4 == 1
      options.decimalSeparator = round % 5 == 2 ? .comma : .point
      let declared = round % 7 == 3 ? names : round % 7 == 5 ? Array(names.prefix(2)) : []
      expectSameResults(
        Array(text.utf8), options, declared: declared, comment: "seed \(seed), round \(round)")
    }
  }

  @Test func fastParserReadsMostRowsOfOrdinaryFile() throws {
    let rows = (0..<100).map { "\($0).5,T,A\($0 % 4),2.\($0)\n" }.joined()
    let bytes = Array("time_s,tag,anchor,distance_m\n\(rows)".utf8)
    var scanner = CSVScanner(bytes, delimiter: .comma)
    let hasHeader = scanner.next()
    #expect(hasHeader)
    let layout = try RangesLayout(at: scanner, options: RecordingOptions(), path: "walk.csv")
    let names = RangesNames(
      tags: NameTable(["T"]), anchors: NameTable(["A0", "A1", "A2", "A3"]))
    var place = RangesPosition(position: scanner.position, line: 2)
    var ranges = RangeColumns()
    let taken = bytes.withUnsafeBufferPointer {
      FastRowParser(layout: layout, options: RecordingOptions())
        .parse($0, from: &place, names: names, into: &ranges)
    }
    // Words must not extend beyond the end of the text.
    #expect(taken == 95)
    #expect(place.position == bytes.count - 5 * "97.5,T,A1,2.97\n".utf8.count)
    #expect(place.line == 97)
    #expect(ranges.count == 95)
    #expect(ranges.distance[37] == 2.37)
  }
}

extension RangeColumns {
  /// Whether all columns are bit-identical, including missing cells.
  fileprivate func isIdentical(to other: RangeColumns) -> Bool {
    func bits(_ column: [Double]?) -> [UInt64]? { column?.map(\.bitPattern) }
    func all(_ ranges: RangeColumns) -> [[UInt64]?] {
      [bits(ranges.distance)] + RangeQuantity.allCases.map { bits(ranges[$0]) }
    }
    return time == other.time && tag == other.tag && anchor == other.anchor && line == other.line
      && all(self) == all(other)
  }
}
