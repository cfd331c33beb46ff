import Foundation
import Testing

/// The programs in `Examples/`, which are targets of this package too.
@Suite struct ExamplePackageTests {
  /// Runs the example `name` on `input` and returns its standard output.
  private func run(_ name: String, input: Data = Data()) throws -> [String] {
    let process = Process()
    process.executableURL = try FathomTool.executable().deletingLastPathComponent().appending(
      path: name)
    let (given, output) = (Pipe(), Pipe())
    process.standardInput = given
    process.standardOutput = output
    try process.run()
    let writer = Thread {
      try? given.fileHandleForWriting.write(contentsOf: input)
      try? given.fileHandleForWriting.close()
    }
    writer.start()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text.split(separator: "\n").map(String.init)
  }

  @Test func commandLineTrackerFollowsTheRobot() throws {
    let recording = URL(filePath: FathomTool.dataset("robot-2d/ranges.csv"))
    let lines = try run("CommandLineTracker", input: try Data(contentsOf: recording))
    #expect(lines.count > 2000)
    // The robot stays in a room of 10 x 8 m.
    let last = try #require(lines.last?.split(separator: " "))
    let x = try #require(Double(last[2]))
    #expect(last[1] == "robot" && (0...10).contains(x))
  }

  /// Without ranges for ten seconds the wheels keep the robot on its circle.
  @Test func robotNodeDrivesWithoutRanges() throws {
    let lines = try run("RobotNode")
    #expect(lines.count >= 11)
    for line in lines.dropFirst(3) {
      let words = line.split(separator: " ")
      let millimetres = try #require(Double(words[3]))
      #expect(millimetres < 500, "\(line)")
    }
  }
}
