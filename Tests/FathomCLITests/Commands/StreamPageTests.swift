import Foundation
import TestSupport
import Testing

/// The page of `fathom stream`, as clients on the network find it.
@Suite(.serialized) struct StreamPageTests {
  /// A stream with a page, fed through a pipe.
  private final class Served {
    let process: Process
    let port: UInt16
    private let folder: Folder
    private let input = Pipe()

    init(_ options: [String] = [], files: [String: [UInt8]] = [:]) throws {
      folder = try Folder()
      for (name, bytes) in files { try folder.write(name, bytes: bytes) }
      try folder.write("anchors.csv", "id,x,y,z\nA,0,0,0\nB,8,0,0.2\nC,8,6,2\nD,0,6,1\n")
      port = UInt16.random(in: 40_001...60_000)
      process = try FathomTool.process(
        ["stream", "--anchors", "anchors.csv", "--page", "\(port)"] + options, in: folder)
      process.standardInput = input
      process.standardOutput = try folder.create("output")
      process.standardError = try folder.create("errors")
      try process.run()
      for _ in 0..<500 {
        if (try? StreamPageTests.answer(port, "/"))?.isEmpty == false { return }
        Thread.sleep(forTimeInterval: 0.02)
      }
      Issue.record("the page is not served: \((try? messages) ?? "")")
    }

    deinit {
      process.terminate()
      process.waitUntilExit()
    }

    var messages: String { get throws { try folder.text("errors") } }

    func send(_ text: String) throws {
      try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// Ends the stream.
    func end() throws { try input.fileHandleForWriting.close() }
  }

  private static func answer(
    _ port: UInt16, _ target: String, host: String = "localhost", method: String = "GET"
  ) throws -> String {
    let socket = try TestSocket.connected(to: port)
    socket.send("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
    return socket.receive { $0.contains("</html>") }
  }

  @Test func thePageHasNothingFromElsewhere() throws {
    let served = try Served()
    let answer = try Self.answer(served.port, "/")
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    #expect(answer.contains("default-src 'none'"))
    let body = try #require(answer.range(of: "\r\n\r\n")).upperBound
    for word in ["http://", "https://", "src=", "@import", "url("] {
      #expect(!answer[body...].contains(word), "\(word)")
    }
  }

  @Test func anchorsAndTheFloorPlanAreThereBeforeTheFirstLine() throws {
    let info =
      "{\"floor_plan\": {\"picture\": \"plan.png\", \"metres_per_pixel\": 0.02, \"origin_m\": [-1, 2]}}"
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let served = try Served(
      ["--anchors", "."], files: ["recording.json": Array(info.utf8), "plan.png": png])
    let socket = try TestSocket.connected(to: served.port)
    socket.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let site = socket.receive { $0.contains("\"plan\"") }
    #expect(site.contains("\"n\":\"C\"") && site.contains("\"scale\":0.020000,\"origin\":[-1,2]"))
    let picture = try Self.answer(served.port, "/picture")
    #expect(picture.hasPrefix("HTTP/1.1 200") && picture.contains("image/png"))
    let other = try Served()
    #expect(try Self.answer(other.port, "/picture").hasPrefix("HTTP/1.1 404"))
  }

  @Test func rejectedLinesAreNews() throws {
    let served = try Served()
    let socket = try TestSocket.connected(to: served.port)
    socket.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try served.send("time_s,tag,anchor,distance_m\n0.0,tag,X7,3.0\n")
    #expect(socket.receive { $0.contains("rejected: line 2: ") }.contains("X7"))
    #expect(try Self.answer(served.port, "/history").hasSuffix("\"rows\":[]}"))
  }

  @Test func thePageStaysAfterTheEndUntilAnInterrupt() throws {
    let served = try Served(["--keep-page"])
    try served.send("time_s,tag,anchor,distance_m\n")
    for (name, distance) in [("A", 3.9), ("B", 6.8), ("C", 6.7), ("D", 3.7)] {
      try served.send("0.0,tag,\(name),\(distance)\n")
    }
    try served.end()
    for _ in 0..<500 where try !served.messages.contains("until an interrupt") {
      Thread.sleep(forTimeInterval: 0.02)
    }
    #expect(served.process.isRunning)
    let socket = try TestSocket.connected(to: served.port)
    socket.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    // The connection ends by itself.
    let state = socket.receive()
    #expect(state.contains("\"end\":1") && state.contains("\"n\":\"tag\""))
    served.process.interrupt()
    served.process.waitUntilExit()
    #expect(served.process.terminationStatus == 130)
  }

  @Test func pathsThatAreNoPageAreRefused() throws {
    let served = try Served()
    for target in [
      "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/events/../x", "/x",
      "http://localhost/etc/passwd", "*", "/events%00",
    ] {
      let answer = try Self.answer(served.port, target)
      #expect(!answer.contains("root:"), "\(target)")
      #expect(
        answer.isEmpty || answer.hasPrefix("HTTP/1.1 40") || answer.contains("Fathom"),
        "\(target): \(answer.prefix(60))")
    }
    #expect(try Self.answer(served.port, "/", method: "POST").hasPrefix("HTTP/1.1 405"))
  }

  /// A page elsewhere cannot give the loopback address a name of its own and read the stream.
  @Test func anotherNameOfTheLoopbackAddressIsRefused() throws {
    let served = try Served()
    let port = served.port
    #expect(try Self.answer(port, "/", host: "evil.example").hasPrefix("HTTP/1.1 403"))
    #expect(
      try Self.answer(port, "/events", host: "evil.example:\(port)").hasPrefix("HTTP/1.1 403"))
    #expect(try Self.answer(port, "/", host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 200"))
  }

  @Test func anotherAddressNeedsTheToken() throws {
    let served = try Served(["--page-address", "0.0.0.0"])
    let messages = try served.messages
    let token = try #require(messages.firstMatch(of: /token=([0-9a-f]{32})/)).output.1
    #expect(try Self.answer(served.port, "/").hasPrefix("HTTP/1.1 403"))
    #expect(
      try Self.answer(served.port, "/events?token=" + token.dropLast() + "x")
        .hasPrefix("HTTP/1.1 403"))
    #expect(try Self.answer(served.port, "/?token=" + token).hasPrefix("HTTP/1.1 200"))
  }

  @Test func aPortInUseIsTold() throws {
    let served = try Served()
    let other = try FathomTool.run(
      "stream", "--page", "\(served.port)", in: try Folder(), input: [])
    #expect(other.exitCode == 66 && other.errors.contains("in use"), "\(other.errors)")
  }

  @Test func framesReachABrowserWhileASlowOneDoesNotRead() throws {
    let served = try Served()
    let slow = try TestSocket.connected(to: served.port)
    slow.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let quick = try TestSocket.connected(to: served.port)
    quick.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try served.send("time_s,tag,anchor,distance_m\n")
    for step in 0..<30 {
      for (name, distance) in [("A", 3.9), ("B", 6.8), ("C", 6.7), ("D", 3.7)] {
        try served.send(
          "\(Double(step) / 10),</script>,\(name),\(distance + 0.01 * Double(step % 7))\n")
      }
      Thread.sleep(forTimeInterval: 0.03)
    }
    let events = quick.receive { $0.contains("\"links\":[{") }
    #expect(events.contains("text/event-stream") && events.contains("event: site"))
    #expect(events.contains("\"n\":\"</script>\""))
    slow.close()
  }

  /// The small form of 10 000 connections; more than may watch are refused, and the page is served on.
  @Test func manyConnectionsDoNotEndTheServer() throws {
    let served = try Served()
    var sockets: [TestSocket] = []
    for _ in 0..<repetitions(300, long: 10_000) {
      guard let socket = try? TestSocket.connected(to: served.port) else { break }
      socket.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
      sockets.append(socket)
    }
    #expect(sockets.count >= 200)
    Thread.sleep(forTimeInterval: 0.5)
    for socket in sockets { socket.close() }
    var answered = ""
    for _ in 0..<100 where !answered.hasPrefix("HTTP/1.1 200") {
      Thread.sleep(forTimeInterval: 0.1)
      answered = (try? Self.answer(served.port, "/")) ?? ""
    }
    #expect(answered.hasPrefix("HTTP/1.1 200"))
    #expect(served.process.isRunning)
  }
}
