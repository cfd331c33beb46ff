import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomLive

@Suite struct LineReaderTests {
  private let queue = LineQueue(dropsOldest: false)

  private func start(_ source: LiveSource) throws {
    try LineReader(source, baud: 115_200, into: queue).start()
  }

  /// Returns what the reader passes on until `isEnough`, within some seconds; lines that arrive in
  /// pieces are one text.
  private func received(
    until isEnough: ([LineQueue.Item]) -> Bool = { _ in false }
  ) -> [LineQueue.Item] {
    var items: [LineQueue.Item] = []
    let limit = ContinuousClock.now + .seconds(20)
    while !isEnough(items), ContinuousClock.now < limit {
      switch queue.pop(timeout: 0.1) {
      case .timeout: continue
      case .end: return items
      case .item(.lines(let more), _):
        if case .lines(let text)? = items.last {
          items[items.count - 1] = .lines(text + more)
        } else {
          items.append(.lines(more))
        }
      case .item(let item, _): items.append(item)
      }
    }
    return items
  }

  private func lines(_ text: String) -> LineQueue.Item { .lines(Array(text.utf8)) }

  private func append(_ text: String, to path: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  @Test func aPipeEndsWithItsLastLine() throws {
    try withTemporaryFolder { folder in
      let path = folder + "/lines"
      try #require(mkfifo(path, 0o600) == 0)
      try start(.pipe(path: path))
      let writer = try #require(FileHandle(forWritingAtPath: path))
      try writer.write(contentsOf: Data("a\nb".utf8))
      try writer.write(contentsOf: Data("\nc".utf8))
      try writer.close()
      #expect(received() == [lines("a\nb\nc")])
    }
  }

  /// The file grows within a line, is cut to a shorter one, and is replaced by another.
  @Test func aFileIsFollowed() throws {
    try withTemporaryFolder { folder in
      let path = folder + "/lines"
      try "a\nb".write(toFile: path, atomically: false, encoding: .utf8)
      try start(.file(path: path))
      defer { queue.close() }
      #expect(received { $0 == [lines("a\n")] } == [lines("a\n")])
      try append("c\nd", to: path)
      #expect(received { $0 == [lines("bc\n")] } == [lines("bc\n")])
      try "e\n".write(toFile: path, atomically: false, encoding: .utf8)
      let cut = [
        .cut(losesLine: true), .message("the file was cut; reading it from its beginning"),
        lines("e\n"),
      ]
      #expect(received { $0.count == 3 } == cut)
      try "f\n".write(toFile: path, atomically: true, encoding: .utf8)
      let replaced = [
        .cut(losesLine: false),
        .message("the file was replaced; reading it from its beginning"), lines("f\n"),
      ]
      #expect(received { $0.count == 3 } == replaced)
    }
  }

  @Test func aConnectionIsMadeAgain() throws {
    let server = try TestSocket.listening()
    let source = LiveSource.tcp(host: "127.0.0.1", port: server.port)
    try start(source)
    defer { queue.close() }
    var peer = try server.accept()
    peer.send("a\nb")
    #expect(received { $0 == [lines("a\n")] } == [lines("a\n")])
    peer.close()
    peer = try server.accept()
    peer.send("c\n")
    let again = [
      .cut(losesLine: true), .message("the connection ended; connecting again"),
      .message("connected"), lines("c\n"),
    ]
    #expect(received { $0.count == 4 } == again)
  }

  @Test func eachDatagramHasWholeLines() throws {
    let port = try TestSocket.freeDatagramPort()
    try start(.udp(host: "127.0.0.1", port: port))
    defer { queue.close() }
    let sender = TestSocket.datagram(to: port)
    for text in ["a", "b\nc\n", "d"] { sender.send(text) }
    #expect(received { $0 == [lines("a\nb\nc\nd\n")] } == [lines("a\nb\nc\nd\n")])
  }

  @Test func aMissingFileIsAnError() {
    let missing = "/no/such/file"
    #expect(
      throws: RecordingError.noInput(path: missing, reason: "No such file or directory")
    ) { try start(.file(path: missing)) }
  }

  /// A reader of a silent source ends, too.
  @Test func closingTheQueueEndsReading() throws {
    let port = try TestSocket.freeDatagramPort()
    try start(.udp(host: "127.0.0.1", port: port))
    queue.close()
    // The reader closes its socket when it ends, and the port is free again.
    let limit = ContinuousClock.now + .seconds(20)
    var isFree = false
    while !isFree, ContinuousClock.now < limit {
      if let descriptor = try? Sockets.receive(host: "127.0.0.1", port: port) {
        close(descriptor)
        isFree = true
      } else {
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
    #expect(isFree)
  }
}
