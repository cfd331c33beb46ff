import Foundation
import TestSupport
import Testing

/// Zip archives on standard input, from a file and from a pipe.
@Suite struct ArchiveInputTests {
  private static let recording = Reference.packageRoot.appending(path: "Datasets/robot-2d")

  /// Returns an archive of `files`, stored without compression.
  private static func archive(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var (content, directory): ([UInt8], [UInt8]) = ([], [])
    for file in files {
      var sum: UInt32 = .max
      for byte in file.bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
      }
      let sizes =
        bytes(Int(~sum), 4) + bytes(file.bytes.count, 4) + bytes(file.bytes.count, 4)
        + bytes(file.name.utf8.count, 2)
      directory += Array("PK\u{1}\u{2}".utf8) + bytes(20, 2) + bytes(20, 2) + bytes(0, 8) + sizes
      directory += bytes(0, 12) + bytes(content.count, 4) + Array(file.name.utf8)
      content += Array("PK\u{3}\u{4}".utf8) + bytes(20, 2) + bytes(0, 8) + sizes + bytes(0, 2)
      content += Array(file.name.utf8) + file.bytes
    }
    return content + directory + Array("PK\u{5}\u{6}".utf8) + bytes(0, 4) + bytes(files.count, 2)
      + bytes(files.count, 2) + bytes(directory.count, 4) + bytes(content.count, 4) + bytes(0, 2)
  }

  private static func files() throws -> [(name: String, bytes: [UInt8])] {
    try ["ranges.csv", "anchors.csv", "recording.json"].map { name in
      ("walk/\(name)", Array(try Data(contentsOf: recording.appending(path: name))))
    }
  }

  /// Runs the tool with `input` from a pipe.
  private func piped(
    _ arguments: [String], _ input: [UInt8], in folder: Folder
  ) throws -> (status: Int32, errors: String) {
    let (pipe, errors) = (Pipe(), Pipe())
    let process = try FathomTool.process(
      arguments, in: folder, input: pipe.fileHandleForReading)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    // A tool that has read enough closes the pipe.
    signal(SIGPIPE, SIG_IGN)
    try? pipe.fileHandleForWriting.write(contentsOf: Data(input))
    try? pipe.fileHandleForWriting.close()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  @Test func givesThePositionsOfTheFolder() throws {
    let folder = try Folder()
    let archive = Self.archive(try Self.files())
    let path = Self.recording.path(percentEncoded: false)
    let plain = try FathomTool.run("process", path, "-o", "plain", in: folder)
    #expect(plain.exitCode == 0, "\(plain.errors)")
    let file = try FathomTool.run("process", "-", "-o", "file", in: folder, input: archive)
    #expect(file.exitCode == 0, "\(file.errors)")
    let pipe = try piped(["process", "-", "-o", "pipe"], archive, in: folder)
    #expect(pipe.status == 0, "\(pipe.errors)")
    let expected = try folder.text("plain/robot-2d.positions.csv")
    #expect(try folder.text("file/stdin.positions.csv") == expected)
    #expect(try folder.text("pipe/stdin.positions.csv") == expected)
  }

  /// What is no archive is read as before, also if it is shorter than the bytes that are looked at.
  @Test func readsOtherInput() throws {
    let folder = try Folder()
    let ranges = try Self.files()[0].bytes
    let anchors = Self.recording.appending(path: "anchors.csv").path(percentEncoded: false)
    let found = try piped(
      ["process", "-", "--anchors", anchors, "-o", "out"], ranges, in: folder)
    #expect(found.status == 0, "\(found.errors)")
    let short = try piped(["process", "-", "-o", "short"], [0x50, 0x4B], in: folder)
    #expect(short.status == 65)
    let damaged = Array(Self.archive(try Self.files()).dropLast(40))
    let cut = try piped(["process", "-", "-o", "cut"], damaged, in: folder)
    #expect(cut.status == 65 && cut.errors.contains("the zip archive is damaged"), "\(cut.errors)")
  }

  @Test func namesTheRecordingsOfAnArchive() throws {
    let folder = try Folder()
    let files = try Self.files()
    let several = Self.archive(files + files.map { ("other/\($0.name)", $0.bytes) })
    let found = try piped(["process", "-", "-o", "out"], several, in: folder)
    #expect(found.status == 65 && found.errors.contains("save it, as in"), "\(found.errors)")
    #expect(found.errors.contains("fathom inspect walk.zip/walk"), "\(found.errors)")
  }
}
