import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@testable import FathomLive

@Suite struct PageConnectionTests {
  @Test func aRequestHasWhatThePageNeeds() throws {
    let text = "GET /events?a=1&token=7f HTTP/1.1\r\nAccept: *\r\nHOST:  LocalHost:80 \r\n\r\n"
    let request = try #require(PageRequest(Array(text.utf8)))
    #expect(request.method == "GET")
    #expect(request.path == "/events")
    #expect(request.token == "7f")
    #expect(request.host == "localhost:80")
  }

  @Test(arguments: ["", "\r\n", "GET /\r\n", "GET / FTP/1.1\r\n", "\0\u{1}\u{2}"])
  func otherTextIsNoRequest(_ text: String) {
    #expect(PageRequest(Array(text.utf8)) == nil)
  }

  @Test func longRequestsAreRefused() {
    let line = Array("GET /\(String(repeating: "a", count: 1 << 14))".utf8)
    #expect(PageConnection.refusal(of: line)?.status.prefix(3) == "414")
    let headers = Array("GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 1 << 14))".utf8)
    #expect(PageConnection.refusal(of: headers)?.status.prefix(3) == "431")
    #expect(PageConnection.refusal(of: Array("GET / HTTP/1.1\r\n\r\n".utf8)) == nil)
  }

  @Test func aLongRequestStopsNoOther() async throws {
    let port = UInt16.random(in: 20_000..<60_000)
    let server = try PageServer(LivePage(), address: "127.0.0.1", port: port)
    try server.start()
    let host = "http://127.0.0.1:\(port)/"
    var status = 0
    // The server needs a moment to listen.
    for _ in 0..<50 where status == 0 {
      try await Task.sleep(for: .milliseconds(20))
      let url = try #require(URL(string: host + String(repeating: "a", count: 30_000)))
      if let (_, response) = try? await URLSession.shared.data(from: url) {
        status = (response as? HTTPURLResponse)?.statusCode ?? 0
      }
    }
    #expect(status == 414)
    let (body, response) = try await URLSession.shared.data(from: try #require(URL(string: host)))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(!body.isEmpty)
  }
}
