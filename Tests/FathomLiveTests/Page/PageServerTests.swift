import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomLive

/// The server of the page, as clients on the network find it.
@Suite(.serialized) struct PageServerTests {
  private func server(
    _ address: String = "127.0.0.1"
  ) throws -> (page: LivePage, server: PageServer, port: UInt16) {
    let page = LivePage()
    for _ in 0..<20 {
      let port = UInt16.random(in: 40_001...60_000)
      guard let server = try? PageServer(page, address: address, port: port) else { continue }
      do {
        try server.start()
      } catch {
        continue
      }
      for _ in 0..<100 {
        if let probe = try? TestSocket.connected(to: port) {
          probe.close()
          break
        }
        Thread.sleep(forTimeInterval: 0.02)
      }
      return (page, server, port)
    }
    throw TestSocket.Failure(number: 0)
  }

  private func answer(
    _ port: UInt16, _ target: String, host: String = "localhost", method: String = "GET"
  ) throws -> String {
    let socket = try TestSocket.connected(to: port)
    socket.send("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
    return socket.receive { $0.contains("</html>") }
  }

  @Test func thePageHasNothingFromElsewhere() throws {
    let (_, _, port) = try server()
    let answer = try answer(port, "/")
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    #expect(answer.contains("default-src 'none'"))
    let body = try #require(answer.range(of: "\r\n\r\n")).upperBound
    for word in ["http://", "https://", "src=", "@import", "url("] {
      #expect(!answer[body...].contains(word), "\(word)")
    }
    #expect(answer.contains("</html>"))
  }

  @Test func pathsThatAreNoPageAreRefused() throws {
    let (_, _, port) = try server()
    for target in [
      "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/%2e%2e/", "/events/..", "/x",
      "http://localhost/etc/passwd", "/\u{7F}", "*", "/events%00",
    ] {
      let answer = try answer(port, target)
      #expect(!answer.contains("root:"), "\(target)")
      #expect(
        answer.isEmpty || answer.hasPrefix("HTTP/1.1 404") || answer.contains("Fathom"),
        "\(target): \(answer.prefix(60))")
    }
    #expect(try answer(port, "/", method: "POST").hasPrefix("HTTP/1.1 405"))
    #expect(try answer(port, "/events", method: "HEAD").hasPrefix("HTTP/1.1 503"))
  }

  /// A page elsewhere cannot give the loopback address a name of its own and read the stream.
  @Test func anotherNameOfTheLoopbackAddressIsRefused() throws {
    let (_, _, port) = try server()
    #expect(try answer(port, "/", host: "evil.example").hasPrefix("HTTP/1.1 403"))
    #expect(try answer(port, "/events", host: "evil.example:\(port)").hasPrefix("HTTP/1.1 403"))
    #expect(try answer(port, "/", host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 200"))
  }

  @Test func anotherAddressNeedsTheToken() throws {
    let (_, server, port) = try server("0.0.0.0")
    let token = try #require(server.location.split(separator: "=").last)
    #expect(token.count == 32)
    #expect(try answer(port, "/").hasPrefix("HTTP/1.1 403"))
    #expect(try answer(port, "/events?token=" + token.dropLast() + "x").hasPrefix("HTTP/1.1 403"))
    #expect(try answer(port, "/?token=" + token).hasPrefix("HTTP/1.1 200"))
  }

  @Test func theLoopbackServerIsNotOnOtherAddresses() throws {
    let (_, _, port) = try server()
    // All of 127.0.0.0/8 is this machine, but only 127.0.0.1 is served.
    #expect(throws: RecordingError.self) {
      try PageServer(LivePage(), address: "127.0.0.1", port: port).start()
    }
  }

  @Test func framesReachABrowserAndASlowOneLosesTheOldest() throws {
    let (page, _, port) = try server()
    page.viewers.set(site: "{\"anchors\":[],\"zones\":[]}")
    let quick = try TestSocket.connected(to: port)
    let slow = try TestSocket.connected(to: port)
    for socket in [quick, slow] {
      socket.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    }
    #expect(quick.receive { $0.contains("event: site") }.contains("text/event-stream"))
    let frame = "{\"x\":\"" + String(repeating: "y", count: 100_000) + "\"}"
    for _ in 0..<300 { page.viewers.send(frame) }
    page.viewers.send("{\"last\":1}")
    #expect(quick.receive { $0.contains("{\"last\":1}") }.contains("{\"last\":1}"))
    #expect(slow.receive { $0.contains("{\"last\":1}") }.utf8.count < 30_000_000)
  }

  /// The small form of 10 000 connections; more than may watch are refused, and the page is served on.
  @Test func manyConnectionsDoNotEndTheServer() throws {
    let (page, _, port) = try server()
    var sockets: [TestSocket] = []
    for _ in 0..<repetitions(300, long: 10_000) {
      guard let socket = try? TestSocket.connected(to: port) else { break }
      socket.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
      sockets.append(socket)
    }
    #expect(sockets.count >= 200)
    Thread.sleep(forTimeInterval: 0.5)
    for socket in sockets { socket.close() }
    sockets = []
    page.viewers.send("{}")
    var answered = ""
    for _ in 0..<50 where !answered.hasPrefix("HTTP/1.1 200") {
      Thread.sleep(forTimeInterval: 0.1)
      answered = (try? answer(port, "/")) ?? ""
    }
    #expect(answered.hasPrefix("HTTP/1.1 200"))
  }
}
