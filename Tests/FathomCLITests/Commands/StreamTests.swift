import FathomRecordings
import Foundation
import TestSupport
import Testing

/// `fathom stream` as users run it.
@Suite(.serialized) struct StreamTests {
  /// A process that runs, with what it has printed so far.
  private final class Running: @unchecked Sendable {
    let process: Process
    private let lock = NSLock()
    private var out = ""
    private var err = ""
    private let pipes = (out: Pipe(), err: Pipe())

    init(_ arguments: [String], in folder: Folder, input: Any = FileHandle.nullDevice) throws {
      process = try FathomTool.process(arguments, in: folder)
      process.standardInput = input
      process.standardOutput = pipes.out
      process.standardError = pipes.err
      pipes.out.fileHandleForReading.readabilityHandler = { [weak self] in
        self?.add($0.availableData, toOutput: true)
      }
      pipes.err.fileHandleForReading.readabilityHandler = { [weak self] in
        self?.add($0.availableData, toOutput: false)
      }
      try process.run()
    }

    private func add(_ data: Data, toOutput: Bool) {
      lock.withLock {
        if toOutput {
          out += String(decoding: data, as: UTF8.self)
        } else {
          err += String(decoding: data, as: UTF8.self)
        }
      }
    }

    var output: String { lock.withLock { out } }
    var errors: String { lock.withLock { err } }
    /// The rows of positions so far.
    var rows: [Substring] {
      output.split(separator: "\n").filter { !$0.hasPrefix("time_s") }
    }
    /// The number of different instants of the rows: a row may replace the one before.
    var instants: Int { Set(rows.map { $0.prefix { $0 != "," } }).count }

    /// Waits until `isSo`, at most some seconds; returns whether it came true.
    func wait(until isSo: (Running) -> Bool) -> Bool {
      for _ in 0..<1500 {
        if isSo(self) { return true }
        Thread.sleep(forTimeInterval: 0.01)
      }
      return isSo(self)
    }

    /// Interrupts the process and returns its exit code.
    func interrupt() -> Int32 {
      process.interrupt()
      process.waitUntilExit()
      _ = wait { $0.errors.contains("ranges:") }
      return process.terminationStatus
    }
  }

  private static let anchors = "id,x,y,z\nA,0,0,0\nB,8,0,0.2\nC,8,6,2\nD,0,6,1\n"
  private static let header = "time_s,tag,anchor,distance_m\n"

  /// The rows of one instant, of a tag at rest.
  private static func instant(_ step: Int) -> String {
    [("A", 3.9), ("B", 6.8), ("C", 6.7), ("D", 3.7)].map {
      "\(Double(step) / 10),tag,\($0),\($1 + 0.01 * Double((step * 7) % 5))\n"
    }.joined()
  }

  private func folder() throws -> Folder {
    let folder = try Folder()
    try folder.write("anchors.csv", Self.anchors)
    return folder
  }

  private static func dataset(_ name: String) -> String {
    Reference.packageRoot.appending(path: "Datasets/\(name)").path(percentEncoded: false)
  }

  // MARK: Equality

  @Test(arguments: ["robot-2d", "drone-3d", "phone-accessory"])
  func positionsEqualThoseOfProcess(_ name: String) throws {
    let folder = try Folder()
    let path = Self.dataset(name)
    for options in [
      [], ["--range-sigma", "0.2"], ["--results", "jsonl", "--with", "alternative"],
    ] {
      let process = try FathomTool.run(
        ["process", path, "--method", "filter", "-o", "-"] + options, in: folder)
      let stream = try FathomTool.run(
        ["stream", path, "--speed", "inf", "--calibration", path] + options, in: folder)
      #expect(stream.exitCode == 0, "\(stream.errors)")
      #expect(stream.output == process.output, "\(name) \(options)")
      #expect(stream.lines.count > 100)
    }
  }

  /// A recording keeps the heights beside ranges, which the stream uses.
  @Test func recordingsKeepTheColumnOfHeights() throws {
    let folder = try Folder()
    let anchors = "id,x,y,z\nA,0,0,2\nB,8,0,2\nC,8,6,2\n"
    try folder.write("anchors.csv", bytes: Array(anchors.utf8))
    let rows = "time_s,tag,anchor,distance_m,height_m\n0,T,A,4,1.25\n0.1,T,B,5,1.5\n0.2,T,C,6,\n"
    let run = try FathomTool.run(
      ["stream", "--anchors", "anchors.csv", "--record", "kept"], in: folder,
      input: Array(rows.utf8))
    #expect(run.exitCode == 0, "\(run.errors)")
    #expect(!run.errors.contains("warning"), "\(run.errors)")
    let kept = try RecordingReader.read(
      folder.url.appending(path: "kept").path(percentEncoded: false))
    #expect(kept.ranges[.height]?.prefix(2) == [1.25, 1.5])
  }

  /// The recordings and logs of others: each row of `process` is a row of `stream`.
  @Test(.needsReference("datasets"), .releaseOnly)
  func recordingsOfOthersGiveThePositionsOfProcess() throws {
    let folder = try Folder()
    var compared = 0
    for parent in ["datasets", "logs"] {
      let root = Reference.url(parent).path(percentEncoded: false)
      for name in try FileManager.default.contentsOfDirectory(atPath: root).sorted() {
        let path = root + "/" + name
        let process = try FathomTool.run("process", path, "-o", "-", in: folder)
        guard process.exitCode == 0, process.lines.count > 1 else { continue }
        let stream = try FathomTool.run(
          "stream", path, "--speed", "inf", "--calibration", path, in: folder)
        #expect(stream.exitCode == 0, "\(name): \(stream.errors)")
        // A tag that is heard no more coasts for a minute, because only process knows its last range.
        let (expected, found) = (process.lines.sorted(), Set(stream.lines))
        let missing = expected.filter { !found.contains($0) }
        #expect(
          missing.isEmpty, "\(name): \(missing.count) of \(expected.count), \(missing.prefix(2))")
        let more = Set(stream.lines).subtracting(expected)
        #expect(more.allSatisfy { $0.contains(",0,0,") }, "\(name): \(more.sorted().prefix(2))")
        compared += 1
      }
    }
    #expect(compared > 20)
  }

  // MARK: Sources

  @Test func standardInputGivesPositionsAndEvents() throws {
    let folder = try folder()
    try folder.write(
      "zones.json", "{\"areas\":[{\"name\":\"desk\",\"corners_m\":[[0,0],[6,0],[6,6],[0,6]]}]}")
    let text = Self.header + (0..<50).map(Self.instant).joined()
    let outcome = try FathomTool.run(
      [
        "stream", "--anchors", "anchors.csv", "--zones", "zones.json", "--events", "events.csv",
        "--distances", "distances.csv", "--record", "kept",
      ],
      in: folder, input: Array(text.utf8))
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.lines.count == 51)
    #expect(outcome.lines.last?.contains(",4,0,") == true)
    #expect(try folder.text("events.csv").contains("tag,,,desk,entered"))
    #expect(try folder.text("distances.csv").split(separator: "\n").count == 201)
    #expect(folder.names("kept") == ["ranges.csv", "anchors.csv"])
    #expect(outcome.errors.contains("ranges: 200 ranges of 1 tags"))
    let again = try FathomTool.run(
      ["stream", "--anchors", "anchors.csv", "--record", "kept"], in: folder,
      input: Array(text.utf8))
    #expect(again.exitCode == 73)
    // All kinds of rows as lines of one stream.
    let lines = try FathomTool.run(
      ["stream", "--anchors", "anchors.csv", "--results", "jsonl", "--distances", "-"],
      in: folder, input: Array(text.utf8))
    #expect(lines.lines.count == 250 && lines.lines.allSatisfy { $0.hasPrefix("{\"time_s\":") })
    let points = try FathomTool.run(
      ["stream", "--anchors", "anchors.csv", "--results", "influx", "--distances", "-"],
      in: folder, input: Array(text.utf8))
    #expect(points.lines.count == 250, "\(points.errors)")
    #expect(points.lines.count { $0.hasPrefix("position,tag=tag ") } == 50)
    let located = outcome.lines.dropFirst().count { row in
      row.split(separator: ",", omittingEmptySubsequences: false)[2] != ""
    }
    #expect(points.lines.count { $0.hasPrefix("position,tag=tag x_m=") } == located)
    #expect(located > 20)
    #expect(points.lines.count { $0.hasPrefix("distance,tag=tag,anchor=") } == 200)
  }

  @Test func aGrowingFileIsFollowed() throws {
    let folder = try folder()
    try folder.write("log.csv", Self.header + (0..<10).map(Self.instant).joined())
    let running = try Running(["stream", "log.csv"], in: folder)
    #expect(running.wait { $0.instants == 10 }, "\(running.errors)")
    let file = try FileHandle(forWritingTo: folder.url.appending(path: "log.csv"))
    try file.seekToEnd()
    // A line in two pieces.
    let more = Self.instant(10)
    try file.write(contentsOf: Data(more.utf8.prefix(50)))
    Thread.sleep(forTimeInterval: 0.05)
    try file.write(contentsOf: Data(more.utf8.dropFirst(50)))
    #expect(
      running.wait { $0.instants == 11 && $0.rows.last?.contains(",4,0,") == true },
      "\(running.output)")
    // The file begins again, as when a log is rotated.
    try folder.write("new.csv", Self.header + (11..<20).map(Self.instant).joined())
    rename(
      folder.url.appending(path: "new.csv").path(percentEncoded: false),
      folder.url.appending(path: "log.csv").path(percentEncoded: false))
    #expect(running.wait { $0.instants == 20 }, "\(running.errors)")
    #expect(running.interrupt() == 130)
    #expect(running.errors.contains("the file was replaced"))
    #expect(running.errors.contains("ranges: 80 ranges of 1 tags"), "\(running.errors)")
  }

  #if os(Linux)
    @Test func aSerialPortThatVanishesIsOpenedAgain() throws {
      let folder = try folder()
      let link = folder.url.appending(path: "tty").path(percentEncoded: false)
      func open() throws -> Int32 {
        // The calls of the C library that wrap these are not visible from Swift.
        let master = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (isLocked, number): (Int32, UInt32) = (0, 0)
        try #require(ioctl(master, 0x4004_5431, &isLocked) == 0)
        try #require(ioctl(master, 0x8004_5430, &number) == 0)
        unlink(link)
        symlink("/dev/pts/\(number)", link)
        return master
      }
      func send(_ text: String, to master: Int32) {
        for line in text.split(separator: "\n") {
          let bytes = Array((line + "\r\n").utf8)
          _ = write(master, bytes, bytes.count)
        }
      }
      var master = try open()
      let running = try Running(
        ["stream", "tty", "--baud", "921600", "--anchors", "anchors.csv"], in: folder)
      Thread.sleep(forTimeInterval: 0.3)
      send(Self.header + (0..<10).map(Self.instant).joined(), to: master)
      #expect(running.wait { $0.instants == 10 }, "\(running.errors)")
      // Unplugged within a line, and plugged in again: the device begins with its header.
      let bytes = Array("1.0,tag,A,3.".utf8)
      _ = write(master, bytes, bytes.count)
      Thread.sleep(forTimeInterval: 0.1)
      close(master)
      #expect(running.wait { $0.errors.contains("connecting again") }, "\(running.errors)")
      master = try open()
      #expect(running.wait { $0.errors.contains("connected") }, "\(running.errors)")
      // The name of the source is there once.
      #expect(!running.errors.contains("tty: tty"), "\(running.errors)")
      send(Self.header + (20..<30).map(Self.instant).joined(), to: master)
      // One more is predicted in the gap of 1.1 s.
      #expect(running.wait { $0.instants == 21 }, "\(running.output)")
      #expect(running.interrupt() == 130)
      #expect(running.errors.contains("ranges: 80 ranges of 1 tags"), "\(running.errors)")
      #expect(!running.errors.contains("rejected rows"), "\(running.errors)")
      close(master)
    }
  #endif

  @Test func datagramsGivePositions() throws {
    let folder = try folder()
    let port = try TestSocket.freeDatagramPort()
    let running = try Running(
      ["stream", "udp://127.0.0.1:\(port)", "--anchors", "anchors.csv"], in: folder)
    Thread.sleep(forTimeInterval: 0.3)
    let sender = TestSocket.datagram(to: port)
    sender.send(Self.header)
    for step in 0..<20 {
      for line in Self.instant(step).split(separator: "\n") { sender.send(String(line)) }
      Thread.sleep(forTimeInterval: 0.01)
    }
    #expect(running.wait { $0.instants == 20 }, "\(running.output) \(running.errors)")
    #expect(running.interrupt() == 130)
    #expect(running.errors.contains("ranges: 80 ranges of 1 tags"), "\(running.errors)")
  }

  // MARK: Foreign lines

  /// A stream that is joined after its header has positions from the next header on.
  @Test func aHeaderIsRecognisedWheneverItComes() throws {
    let folder = try folder()
    let late =
      "0.05,tag,A,3.9\n0.06,tag,B,6.8\n" + Self.header + (1..<20).map(Self.instant).joined()
    let outcome = try FathomTool.run(
      ["stream", "--anchors", "anchors.csv"], in: folder, input: Array(late.utf8))
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("ranges: 76 ranges of 1 tags"), "\(outcome.errors)")
    #expect(outcome.errors.contains("rejected rows: 2; line 1: the line comes before a header"))
  }

  /// Random bytes and a row come first; objects of JSON follow, each in a datagram.
  @Test func foreignDatagramsDoNotHideObjects() throws {
    let folder = try folder()
    let port = try TestSocket.freeDatagramPort()
    let running = try Running(
      ["stream", "udp://127.0.0.1:\(port)", "--anchors", "anchors.csv"], in: folder)
    Thread.sleep(forTimeInterval: 0.3)
    let sender = TestSocket.datagram(to: port)
    sender.send("\u{1}\u{7F}foreign\u{2}")
    sender.send("0.5,tag,A,3.0")
    for step in 0..<20 {
      for line in Self.instant(step).split(separator: "\n") {
        let cells = line.split(separator: ",")
        sender.send(
          "{\"time_s\":\(cells[0]),\"tag\":\"tag\",\"anchor\":\"\(cells[2])\",\"distance_m\":\(cells[3])}"
        )
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
    #expect(running.wait { $0.instants == 20 }, "\(running.output) \(running.errors)")
    #expect(running.interrupt() == 130)
    #expect(running.errors.contains("ranges: 80 ranges of 1 tags"), "\(running.errors)")
  }

  /// After two seconds without a usable line a message states the reason, and later each new one.
  @Test func rejectedLinesAreToldOf() throws {
    let folder = try folder()
    let port = try TestSocket.freeDatagramPort()
    let running = try Running(
      ["stream", "udp://127.0.0.1:\(port)", "--anchors", "anchors.csv"], in: folder)
    Thread.sleep(forTimeInterval: 0.3)
    let sender = TestSocket.datagram(to: port)
    sender.send("a,b\n1,2\n")
    #expect(
      running.wait { $0.errors.contains("all lines of the last 2 s are rejected: no header") },
      "\(running.errors)")
    sender.send(Self.header + "x,tag,A,1\n")
    #expect(
      running.wait { $0.errors.contains("rejected for another reason: line 4: time_s") },
      "\(running.errors)")
    sender.send((0..<20).map(Self.instant).joined())
    #expect(running.wait { $0.instants == 20 }, "\(running.output) \(running.errors)")
    #expect(running.interrupt() == 130)
  }

  @Test func aConnectionThatEndsIsMadeAgain() throws {
    let folder = try folder()
    let server = try TestSocket.listening()
    let running = try Running(
      ["stream", "tcp://127.0.0.1:\(server.port)", "--anchors", "anchors.csv"], in: folder)
    for round in 0..<3 {
      let peer = try server.accept()
      peer.send(Self.header + (20 * round..<20 * round + 20).map(Self.instant).joined())
      peer.send("99,tag,A,")
      #expect(running.wait { $0.instants == 20 * (round + 1) }, "\(round): \(running.output)")
      peer.close()
    }
    // The end of the last connection too.
    #expect(running.wait { $0.errors.split(separator: "connecting again").count > 3 })
    #expect(running.interrupt() == 130)
    #expect(running.errors.contains("ranges: 240 ranges of 1 tags"), "\(running.errors)")
    #expect(running.errors.contains("lines cut off: 3"), "\(running.errors)")
  }

  /// Nothing is lost of a source that can wait, however slowly the output is read.
  @Test func aSlowReaderOfTheOutputStopsAPipe() throws {
    let folder = try folder()
    let text = Self.header + (0..<5000).map(Self.instant).joined()
    try folder.write("input.csv", text)
    let tool = try FathomTool.executable().path(percentEncoded: false)
    let results = try ShellSession.run(
      [
        "cat input.csv | \"\(tool)\" stream --anchors anchors.csv 2> messages | (sleep 1; wc -l)",
        "cat messages",
      ], in: folder.url)
    #expect(results[0].output.trimmingCharacters(in: .whitespacesAndNewlines) == "5001")
    #expect(!results[1].output.contains("dropped"), "\(results[1].output)")
  }

  @Test func aClosedOutputEndsTheStream() throws {
    let folder = try folder()
    let tool = try FathomTool.executable().path(percentEncoded: false)
    let results = try ShellSession.run(
      ["\"\(tool)\" stream \(Self.dataset("robot-2d")) --speed inf 2> messages | head -2"],
      in: folder.url)
    #expect(results[0].exitCode == 0)
    #expect(results[0].output.split(separator: "\n").count == 2)
  }

  // MARK: Misuse

  @Test func misuseIsTold() throws {
    let folder = try folder()
    for (arguments, code, text) in [
      (["stream", "nothing"], 66, "No such file"),
      (["stream", "udp://:x"], 66, "needs a port"),
      (["stream", "tcp://:5"], 66, "needs a host"),
      (["stream", "--distances", "-"], 64, "needs --results jsonl or influx"),
      (["stream", "--results", "tum"], 64, "invalid"),
      (["stream", "--speed", "0"], 64, "above 0"),
      (["stream", "--forget", "0"], 64, "at least 1"),
      (["stream", "--anchors", "missing.csv"], 66, "missing.csv"),
      (["stream", "--page", "8080", "--page-address", "here"], 66, "no IP address"),
      (["stream", "--keep-page"], 64, "--keep-page needs --page"),
    ] as [([String], Int32, String)] {
      let outcome = try FathomTool.run(arguments, in: folder, input: [])
      #expect(outcome.exitCode == code, "\(arguments): \(outcome.errors)")
      #expect(outcome.errors.contains(text), "\(arguments): \(outcome.errors)")
    }
    let other = try FathomTool.run(
      "stream", Self.dataset("robot-2d"), "--speed", "inf", "--calibration",
      Self.dataset("drone-3d"), in: folder)
    #expect(other.exitCode == 65 && other.errors.contains("its anchors differ"))
  }
}
