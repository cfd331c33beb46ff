import CZlib
import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// Malformed and oversized files: the library returns a recording or a reason, quickly and within
/// its limits.
@Suite struct HostileFileTests {
  private static let header = "time_s,tag,anchor,distance_m\n"

  private func read(_ text: String) throws(RecordingError) -> ParsedRanges {
    try read(Array(text.utf8))
  }

  private func read(_ bytes: [UInt8]) throws(RecordingError) -> ParsedRanges {
    try RangesReader.read(
      StoredInput(path: "walk.csv", bytes: bytes), options: RecordingOptions(), declared: [])
  }

  private func failure(_ body: () throws(RecordingError) -> Void) -> RecordingError? {
    do throws(RecordingError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  // MARK: Rows

  /// A row one byte beyond the limit is rejected; the rows around it are read.
  @Test(.releaseOnly) func limitsRowLength() throws {
    let most = RecordingLimits.longestRow
    for length in [most, most + 1] {
      let fill = String(repeating: "0", count: length - "2,T,A,3.".utf8.count)
      let file = try read(Self.header + "1,T,A,2\n2,T,A,3.\(fill)\n3,T,A,4\n")
      #expect(file.rowsRead == 3)
      #expect(file.ranges.distance == (length == most ? [2, 3, 4] : [2, 4]))
      #expect(
        file.rejected.map(\.reason) == (length == most ? [] : ["row is longer than 1048576 bytes"]))
      #expect(file.rejected.allSatisfy { $0.text.utf8.count < 250 })
    }
  }

  @Test(.releaseOnly) func limitsLengthOfQuotedRow() throws {
    let long = String(repeating: "x", count: RecordingLimits.longestRow)
    let file = try read(Self.header + "1,T,\"\(long)\",2\n3,T,A,4\n")
    #expect(file.ranges.line == [3])
    #expect(file.rejected.map(\.line) == [2])
  }

  @Test(.releaseOnly) func limitsColumns() throws {
    let most = RecordingLimits.mostColumns
    func text(_ columns: Int) -> String {
      let more = String(repeating: ",", count: columns - 2)
      return "time_s,distance_m\(more)\n1,2\(more)\n"
    }
    #expect(try read(text(most)).ranges.count == 1)
    let error = failure { () throws(RecordingError) in _ = try read(text(most + 1)) }
    #expect(error?.description == "walk.csv:1: the header has more than 4096 fields")
    let file = try read("time_s,distance_m\n1,2\(String(repeating: ",", count: most))\n3,4\n")
    #expect(file.rejected.map(\.reason) == ["row has more than 4096 fields"])
    #expect(file.ranges.line == [3])
  }

  /// A million columns cost no more time and memory than their bytes, and the message is short.
  @Test(.releaseOnly) func rejectsMillionColumns() throws {
    let names = (0..<1_000_000).map { "c\($0)" }.joined(separator: ",")
    let error = failure { () throws(RecordingError) in _ = try read("time_s,distance_m,\(names)\n")
    }
    #expect(error?.exitCode == 65)
    #expect(error.map { "\($0)".utf8.count < 200 } == true)
  }

  @Test(.releaseOnly) func rejectsLineOf100MB() throws {
    for fill in [UInt8(ascii: "x"), UInt8(ascii: ","), UInt8(ascii: "\"")] {
      var bytes = Array((Self.header + "1,T,A,2\n").utf8)
      bytes += [UInt8](repeating: fill, count: 100 << 20)
      bytes += Array("\n3,T,A,4\n".utf8)
      let file = try read(bytes)
      #expect(file.ranges.line == [2, 4])
      #expect(file.rejected.count == 1)
      // The same line as the header, and as the whole file.
      #expect(failure { () throws(RecordingError) in _ = try read(Array(bytes[37...])) } != nil)
    }
  }

  // MARK: Cells

  @Test func readsThousandDigits() throws {
    let third = "0." + String(repeating: "3", count: 1000)
    let large = "1" + String(repeating: "0", count: 1000)
    let small = "0." + String(repeating: "0", count: 1000) + "1e1001"
    let file = try read(
      Self.header + "1,T,A,\(third)\n2,T,A,\(large)\n\(third),T,A,\(small)\n\(large),T,A,2\n")
    #expect(file.ranges.distance == [1.0 / 3, 1])
    #expect(file.ranges.time.map(\.nanoseconds) == [1_000_000_000, 333_333_333])
    #expect(file.rejected.map(\.line) == [3, 5])
    for row in file.rejected { #expect(row.reason.contains("is out of range: 1000")) }
    #expect(file.rejected.allSatisfy { $0.reason.utf8.count < 120 })
  }

  @Test func readsTimesAtLimitsOfRange() throws {
    let file = try read(
      Self.header + """
        9223372036.854775807,T,A,2
        -9223372036.854775808,T,A,3
        9223372036.854775808,T,A,4
        -9223372036.854775809,T,A,5
        1e18446744073709551616,T,A,6

        """)
    #expect(file.ranges.time.map(\.nanoseconds) == [.max, .min])
    #expect(file.rejected.map(\.line) == [4, 5, 6])
  }

  /// Times as far apart as possible, repeated and backward, are processed by every method.
  @Test(arguments: PositionMethod.allCases)
  func processesTimesFarApart(_ method: PositionMethod) throws {
    let times = ["-9.2e9", "9.2e9", "0", "0", "0", "-1", "9.2e9", "-9.2e9"]
    let rows = times.enumerated().map { "\($1),T,\(["A", "B", "C", "D"][$0 % 4]),\(3 + $0)" }
    var recording = Recording(name: "walk")
    let declared = try AnchorsReader.read(
      ByteSource(
        path: "anchors.csv", stored: Array("id,x,y,z\nA,0,0,2\nB,9,0,3\nC,9,9,2\nD,0,9,3\n".utf8)),
      options: RecordingOptions())
    let file = try RangesReader.read(
      StoredInput(
        path: "walk.csv", bytes: Array((Self.header + rows.joined(separator: "\n")).utf8)),
      options: RecordingOptions(), declared: declared.names)
    recording.anchors = declared.anchors
    recording.anchorNames = file.anchorNames
    recording.tagNames = file.tagNames
    recording.ranges = file.ranges
    recording.rowsRead = file.rowsRead
    var settings = ProcessingSettings()
    settings.method = method
    let processed = recording.processed(with: settings)
    #expect(processed.distances.time.count == 8)
    #expect(processed.distances.time == processed.distances.time.sorted())
  }

  // MARK: Names

  @Test func limitsNameLength() throws {
    for count in [255, 256] {
      let name = String(repeating: "é", count: count / 2) + (count % 2 == 0 ? "" : "e")
      let file = try read(Self.header + "1,T,\(name),2\n")
      #expect(file.anchorNames == (count == 255 ? [name] : []))
      #expect(
        file.rejected.map(\.reason) == (count == 255 ? [] : ["anchor is longer than 255 bytes"]))
    }
  }

  /// The numbers of tags, anchors and their pairs are limited.
  @Test func limitsNumberOfNames() {
    typealias Limits = RecordingLimits
    #expect(Limits.reasonTooMany(tags: Limits.mostTags, anchors: 256) == nil)
    #expect(
      Limits.reasonTooMany(tags: Limits.mostTags + 1, anchors: 1)
        == "more than 65536 tags; check that the column tag holds tag names")
    #expect(
      Limits.reasonTooMany(tags: 1, anchors: Limits.mostAnchors + 1)
        == "more than 65536 anchors; check that the column anchor holds anchor names")
    #expect(
      Limits.reasonTooMany(tags: Limits.mostTags, anchors: 257)
        == "65536 tags and 257 anchors give more than 16777216 pairs")
  }

  /// A column of numbers read as names: the memory of all pairs would have been 300 GB.
  @Test(.releaseOnly) func rejectsNewNamePerRow() throws {
    let rows = (0..<70_000).map { "\($0),\($0),\($0),2\n" }.joined()
    let error = failure { () throws(RecordingError) in _ = try read(Self.header + rows) }
    // 4097 tags and as many anchors exceed the limit of pairs.
    #expect(
      error?.description
        == "walk.csv:4098: 4097 tags and 4097 anchors give more than 16777216 pairs")
    let tags = (0..<70_000).map { "\($0),\($0),A,2\n" }.joined()
    #expect(
      failure { () throws(RecordingError) in _ = try read(Self.header + tags) }?.description
        == "walk.csv:65538: more than 65536 tags; check that the column tag holds tag names")
  }

  @Test(.releaseOnly) func limitsAnchors() throws {
    func anchors(_ count: Int) throws(RecordingError) -> Int {
      let rows = (0..<count).map { "A\($0),0,0,0\n" }.joined()
      let source = try ByteSource(path: "anchors.csv", stored: Array(("id,x,y,z\n" + rows).utf8))
      return try AnchorsReader.read(source, options: RecordingOptions()).names.count
    }
    #expect(try anchors(RecordingLimits.mostAnchors) == 65_536)
    #expect(
      failure { () throws(RecordingError) in _ = try anchors(65_537) }?.description
        == "anchors.csv:65538: more than 65536 anchors; check that the column anchor holds"
        + " anchor names"
    )
  }

  @Test(arguments: [("1e9", nil), ("-1000000001", "the position is out of range")])
  func limitsAnchorCoordinates(_ x: String, _ expected: String?) throws {
    let source = try ByteSource(path: "anchors.csv", stored: Array("id,x,y,z\nA,\(x),0,0\n".utf8))
    let error = failure { () throws(RecordingError) in
      _ = try AnchorsReader.read(source, options: RecordingOptions())
    }
    #expect(error.map { "\($0)".contains(expected ?? "nothing") } ?? (expected == nil))
  }

  // MARK: Binary data

  @Test(arguments: [
    ([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], "bytes are NUL"),
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13], "bytes are NUL"),
    (Array("PK\u{3}\u{4}\u{14}\u{6}\u{8}".utf8), "this is a zip archive"),
    ([UInt8](repeating: 0, count: 1 << 16), "4096 of the first 4096 bytes are NUL"),
    (Array(repeating: UInt8(0xFF), count: 4096), "the header lacks time_s"),
  ])
  func rejectsBinaryFiles(_ bytes: [UInt8], _ expected: String) {
    expectBadData(bytes, expected)
  }

  @Test(arguments: [UInt64(1), 2, 3]) func rejectsRandomBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let bytes = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    expectBadData(bytes, "bytes are control characters")
  }

  private func expectBadData(
    _ bytes: [UInt8], _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let message = failure { () throws(RecordingError) in _ = try read(bytes) }.map { "\($0)" }
    #expect(
      message?.contains(expected) == true, "\(message ?? "read")", sourceLocation: sourceLocation)
    #expect(
      message?.utf8.contains { $0 < 0x20 } == false, sourceLocation: sourceLocation)
  }

  @Test func limitsFilesInMemory() throws {
    let bytes = Array("a,b\n1,2\n".utf8)
    let stored = try #require(Self.compressed(bytes))
    for content in [bytes, stored] {
      let most = max(bytes.count, content.count)
      #expect(
        try ByteSource(path: "walk.csv", stored: content, mostBytes: most).bytes == bytes)
      let error = failure { () throws(RecordingError) in
        _ = try ByteSource(path: "walk.csv", stored: content, mostBytes: most - 1)
      }
      #expect(error?.description == "walk.csv: the file is longer than \(most - 1) bytes")
    }
  }

  // MARK: Compressed

  @Test func limitsExpansion() throws {
    let bytes = [UInt8](repeating: UInt8(ascii: "7"), count: 1 << 20)
    let stored = try #require(Self.compressed(bytes))
    var limits = Gzip.Limits()
    #expect(stored.count < bytes.count / 900, "a bomb if it were larger")
    #expect(try Gzip.decompress(stored, limits: limits) == bytes)

    limits.freeExpansion = bytes.count
    #expect(try Gzip.decompress(stored, limits: limits) == bytes)
    limits.freeExpansion = bytes.count - 1
    #expect(throws: Gzip.Failure.self) { try Gzip.decompress(stored, limits: limits) }
    limits.mostExpansion = 1100
    #expect(try Gzip.decompress(stored, limits: limits) == bytes)

    limits.mostBytes = bytes.count
    #expect(try Gzip.decompress(stored, limits: limits) == bytes)
    limits.mostBytes = bytes.count - 1
    #expect(throws: Gzip.Failure.self) { try Gzip.decompress(stored, limits: limits) }
  }

  /// A bomb of a gigabyte compressed to a megabyte is stopped at the limit.
  @Test(.releaseOnly) func rejectsBomb() throws {
    let zeros = try #require(Self.compressed([UInt8](repeating: 0x30, count: 64 << 20)))
    let bomb = Array([[UInt8]](repeating: zeros, count: 16).joined())
    let error = failure { () throws(RecordingError) in
      _ = try ByteSource(path: "walk.csv.gz", stored: bomb)
    }
    #expect(
      error?.description == "walk.csv.gz: gzip: the content is more than 250 times as long as the"
        + " file; no recording compresses so well")
  }

  /// The largest legitimate expansion: one row repeated.
  @Test(.releaseOnly) func acceptsRepetitiveRecording() throws {
    var text = Self.header
    for index in 0..<4_000_000 { text += "\(1_700_000_000 + index / 10).\(index % 10),T,A,2.50\n" }
    let bytes = Array(text.utf8)
    let stored = try #require(Self.compressed(bytes))
    #expect(bytes.count > RecordingLimits.freeExpansion)
    #expect(try ByteSource(path: "walk.csv.gz", stored: stored).bytes == bytes)
  }

  /// Returns `bytes` as a gzip file; nil when zlib fails.
  static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard
      deflateInit2_(
        &stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    var isDone = false
    let output = input.withUnsafeMutableBufferPointer { input in
      [UInt8](unsafeUninitializedCapacity: input.count / 2 + 1000) { output, count in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        isDone = deflate(&stream, Z_FINISH) == Z_STREAM_END
        count = output.count - Int(stream.avail_out)
      }
    }
    return isDone ? output : nil
  }
}
