import Fathom
import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// A zip archive stands for the folder of the recording in it.
@Suite struct ZipArchiveTests {
  private let walk = SimulatedWalk()

  private var rangesText: String {
    "time_s,tag,anchor,distance_m\n" + walk.lines { "\($0.seconds),T,\($0.name),\($0.distance)" }
  }

  private var truthText: String {
    "time_s,x,y,z\n"
      + (0..<walk.rounds).map { round in
        let place = SimulatedWalk.position(at: Double(round) / 10)
        return "\(Double(round) / 10),\(place[0]),\(place[1]),\(place[2])\n"
      }.joined()
  }

  /// Writes `archive` as `walk.zip` and runs `body` with its path.
  private func withArchive(_ archive: ZipText, _ body: (String) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let path = "\(folder)/walk.zip"
      try Data(archive.bytes).write(to: URL(filePath: path))
      try body(path)
    }
  }

  /// Returns the message with which reading `path` fails; empty without a failure.
  private func message(_ path: String) -> String {
    do throws(RecordingError) {
      _ = try RecordingReader.read(path)
      return ""
    } catch {
      #expect(error.exitCode == 65 || error.exitCode == 66)
      return "\(error)"
    }
  }

  // MARK: One recording

  @Test(arguments: ["", "walk/", "export/monday walk/"], [false, true])
  func readsTheRecording(_ folder: String, _ isStored: Bool) throws {
    try readsTheRecording(folder, isStored, isWide: false)
    try readsTheRecording(folder, isStored, isWide: true)
  }

  private func readsTheRecording(_ folder: String, _ isStored: Bool, isWide: Bool) throws {
    var archive = ZipText()
    archive.isWide = isWide
    archive.add("__MACOSX/\(folder)._ranges.csv", "x", isStored: isStored)
    archive.add("\(folder)ranges.csv", rangesText, isStored: isStored)
    archive.add("\(folder)anchors.csv", walk.anchors, isStored: isStored)
    archive.add("\(folder)truth.csv", truthText, isStored: isStored)
    archive.add("\(folder)recording.json", "{\"notes\":\"a walk\"}", isStored: isStored)
    try withArchive(archive) { path in
      let recording = try RecordingReader.read(path)
      #expect(recording.name == "walk" && recording.remarks == "a walk")
      #expect(recording.sources.map(\.path).first == "\(path)/ranges.csv")
      walk.expectPositions(of: recording, #_sourceLocation)
      #expect(try TruthReader.read(folder: path)?.tracks.count == 1)
      let files = try RecordingTables.files(of: path)
      #expect(files.map(\.name) == ["recording.json", "truth.csv"])
      #expect(files.last?.bytes == Array(truthText.utf8))
      #expect(try RecordingInspection(path: path).ranges == 4 * walk.rounds)
      // A batch recognises files that have not changed.
      for source in recording.sources {
        #expect(FileIdentity.size(of: source.path) == source.bytes)
        #expect(try FileIdentity(of: source.path).xxh3 == source.xxh3)
      }
    }
  }

  @Test func readsTheOnlyLog() throws {
    var archive = ZipText()
    archive.add("README.md", "How this was recorded")
    archive.add(
      "data/walk.log", walk.lines { "time: \($0.seconds), id: \($0.name), range: \($0.distance)" })
    archive.add("data/anchors.csv", walk.anchors)
    try withArchive(archive) { path in
      let recording = try RecordingReader.read(path)
      #expect(recording.name == "walk")
      walk.expectPositions(of: recording, #_sourceLocation)
    }
  }

  @Test func readsOneOfSeveral() throws {
    var archive = ZipText()
    for folder in ["a", "b c"] {
      archive.add("\(folder)/ranges.csv", rangesText)
      archive.add("\(folder)/anchors.csv", walk.anchors)
    }
    try withArchive(archive) { path in
      #expect(
        message(path).hasSuffix(
          ": the archive has 2 recordings, \"a\", \"b c\"; name one, as in fathom inspect"
            + " \(path)/a, or several: fathom process \(path)/a '\(path)/b c' -o results"))
      for folder in ["a", "b c"] {
        let recording = try RecordingReader.read("\(path)/\(folder)")
        #expect(recording.name == folder)
        walk.expectPositions(of: recording, #_sourceLocation)
      }
      #expect(
        message("\(path)/d").contains("the archive has no such file; it has a/ranges.csv, "))
    }
  }

  /// Content beyond what is kept in memory goes through a temporary file.
  @Test(arguments: [false, true]) func readsLargeFiles(isStored: Bool) throws {
    let bytes = Array(String(repeating: rangesText, count: 200).utf8)
    var archive = ZipText()
    archive.add("ranges.csv", bytes, isStored: isStored)
    let zip = try ZipArchive(StoredInput(path: "walk.zip", bytes: archive.bytes))
    let member = try #require(zip.members.first)
    guard case .spool(let file, let count) = try zip.content(of: member, mostInMemory: 10) else {
      Issue.record("kept in memory")
      return
    }
    defer { close(file) }
    var stored = [UInt8](repeating: 0, count: count)
    #expect(pread(file, &stored, count, 0) == count)
    let source = try ByteSource(path: "ranges.csv", stored: stored)
    #expect(source.bytes == bytes)
  }

  // MARK: Refusals

  @Test func saysWhyAFileCannotBeRead() throws {
    var archive = ZipText()
    archive.add("ranges.csv", Array(rangesText.utf8), flags: 1)
    try withArchive(archive) { path in
      #expect(message(path) == "\(path)/ranges.csv: the file is encrypted: unpack the archive")
    }
    archive = ZipText()
    archive.add("ranges.csv", Array(rangesText.utf8), method: 12)
    try withArchive(archive) { path in
      #expect(message(path).contains("compressed by method 12, not by deflate"))
    }
    archive = ZipText()
    archive.add("anchors.csv", walk.anchors)
    try withArchive(archive) { path in
      #expect(
        message(path).hasSuffix(
          "the archive has no recording, only \"anchors.csv\": add ranges.csv or the log of a device"
        ))
    }
    archive = ZipText()
    archive.add("[Content_Types].xml", "<Types/>")
    try withArchive(archive) { path in
      #expect(message(path).contains("if it is a spreadsheet, save it as CSV"))
    }
    try withArchive(ZipText()) { path in #expect(message(path).contains("empty zip archive")) }
  }

  @Test func refusesBombs() throws {
    var archive = ZipText()
    archive.add(
      "ranges.csv", [UInt8](repeating: UInt8(ascii: "7"), count: RecordingLimits.freeExpansion + 1))
    try withArchive(archive) { path in
      #expect(message(path).contains("no recording compresses so well"), "\(message(path))")
    }
  }

  /// Every damage gives the same text or an error; none ends the program.
  @Test(arguments: [false, true], [false, true])
  func detectsDamage(isStored: Bool, isWide: Bool) throws {
    var archive = ZipText()
    archive.isWide = isWide
    let text = "time_s,tag,anchor,distance_m\n0,T,A,1\n1,T,A,2\n"
    archive.add("ranges.csv", text, isStored: isStored)
    let whole = archive.bytes
    var generator = SeededGenerator(seed: 7)
    func content(_ bytes: [UInt8]) -> [UInt8]? {
      do throws(RecordingError) {
        let zip = try ZipArchive(StoredInput(path: "walk.zip", bytes: bytes))
        guard let member = zip.members.first else { return nil }
        guard case .memory(let stored) = try zip.content(of: member) else { return nil }
        return try ByteSource(path: "ranges.csv", stored: stored).bytes
      } catch {
        #expect("\(error)".utf8.allSatisfy { $0 >= 0x20 })
        return nil
      }
    }
    #expect(content(whole) == Array(text.utf8))
    for length in whole.indices { #expect(content(Array(whole.prefix(length))) == nil) }
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
      let found = content(bytes)
      #expect(found == nil || found == Array(text.utf8))
    }
  }
}
