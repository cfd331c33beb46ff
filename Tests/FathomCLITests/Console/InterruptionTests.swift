import Foundation
import TestSupport
import Testing

/// Runs that are ended by a signal, or whose output pipe is closed.
@Suite struct InterruptionTests {
  /// A recording of one link with `rows` rows, 1 ms apart: long enough to take seconds.
  private func long(_ rows: Int) -> String {
    var text = "time_s,tag,anchor,distance_m\n"
    for row in 0..<rows { text += "\(Double(row) / 1000),T,A,\(2 + Double(row % 100) / 100)\n" }
    return text
  }

  /// Whenever the interrupt comes, a recording has all of its results or none, and no partial
  /// files.
  @Test(arguments: [0.05, 0.2, 0.4, 0.8])
  func interruptLeavesNoPartialResults(_ delay: Double) throws {
    let folder = try Folder()
    let text = long(20_000)
    let names = (0..<8).map { "walk\($0)" }
    for name in names { try folder.write("\(name).csv", text) }
    let process = try FathomTool.process(
      ["process"] + names.map { "\($0).csv" } + ["-o", "out", "--jobs", "2"], in: folder)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    Thread.sleep(forTimeInterval: delay)
    process.interrupt()
    process.waitUntilExit()
    if process.terminationReason == .exit {
      // A fast machine may be done before the interrupt.
      #expect(process.terminationStatus == 130 || process.terminationStatus == 0)
    } else {
      // The interrupt came before the tool installed its handler.
      #expect(process.terminationStatus == SIGINT)
    }
    let left = folder.names("out")
    #expect(!left.contains { $0.contains(".part") }, "\(left)")
    for name in names {
      let results = left.filter { $0.hasPrefix("\(name).") }
      #expect(results.isEmpty || results == FathomTool.results(name), "\(left)")
    }
  }

  /// One recording is done and another waits for input without end.
  ///
  /// The results of the first stay, and the message counts the others.
  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func signalReportsRemainingRecordings(_ signal: Int32, _ code: Int32) throws {
    let folder = try Folder()
    try folder.write("a.csv", long(10))
    try folder.write("c.csv", long(10))
    let input = Pipe()
    let errors = try folder.create("errors")
    let process = try FathomTool.process(
      ["process", "a.csv", "nowhere.csv", "-", "c.csv", "-o", "out", "--jobs", "1"], in: folder,
      input: input.fileHandleForReading)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    for _ in 0..<1000 where !folder.names("out").contains("a.summary.json") {
      Thread.sleep(forTimeInterval: 0.02)
    }
    // The next recording fails, then the tool waits for standard input.
    Thread.sleep(forTimeInterval: 1)
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == code)
    #expect(
      try folder.text("errors") == """
        nowhere.csv: No such file or directory
        interrupted: 1 of 4 recordings done, 1 failed; continue with --resume

        """)
    #expect(folder.names("out") == FathomTool.batch("a"))
    let manifest = try folder.text("out/batch.json")
    #expect(manifest.contains("\"end\" : \"interrupted\""))
    #expect(manifest.contains("\"exit_code\" : \(code)"))
    #expect(manifest.contains("\"not_reached\" : 2"))
    withExtendedLifetime(input) {}
  }

  @Test func interruptExitsWith130() throws {
    let folder = try Folder()
    // Standard input without end keeps the tool waiting.
    let input = Pipe()
    let process = try FathomTool.process(
      ["process", "-", "-o", "out"], in: folder, input: input.fileHandleForReading)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    Thread.sleep(forTimeInterval: 2)
    process.interrupt()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 130)
    #expect(folder.names().isEmpty)
    withExtendedLifetime(input) {}
  }

  /// As in `fathom inspect walk.csv | head -1`.
  @Test func ignoresClosedPipe() throws {
    let folder = try Folder()
    try folder.write(
      "walk.csv",
      "time,distance\n" + String(repeating: "x,1\n", count: 10) + "1,2\n")
    let pipe = Pipe()
    let errors = try folder.create("errors")
    let process = try FathomTool.process(["inspect", "walk.csv", "--json"], in: folder)
    process.standardOutput = pipe
    process.standardError = errors
    try pipe.fileHandleForReading.close()
    try process.run()
    process.waitUntilExit()
    #expect(try folder.text("errors").isEmpty)
    #expect(process.terminationReason == .exit || process.terminationStatus == SIGPIPE)
  }
}
