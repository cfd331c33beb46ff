import FlyingSocks
import Foundation

/// A request of a browser: what the page needs of it.
struct PageRequest {
  /// The method, such as `GET`.
  var method: String
  /// The path without the query.
  var path: String
  /// The value of `token` in the query; empty without one.
  var token: String
  /// The host that the browser asked; nil without one.
  var host: String?

  /// Bytes of the request line, and of it and all headers, beyond which a request is refused.
  static let longest = 1 << 14

  /// Creates the request of the lines before the first empty one; nil if they are no request.
  init?(_ head: [UInt8]) {
    let lines = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
    method = String(words[0])
    let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(target[0])
    let query = target.count > 1 ? target[1].split(separator: "&") : []
    token = query.first { $0.hasPrefix("token=") }.map { String($0.dropFirst(6)) } ?? ""
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "host" else { continue }
      host = parts[1].trimmingCharacters(in: .whitespaces).lowercased()
      break
    }
  }
}

/// An answer to a browser.
struct PageAnswer {
  /// The status line after the version, such as `200 OK`.
  var status: String
  /// The type of the content.
  var type = "text/plain; charset=utf-8"
  /// The content; events follow instead if there are any.
  var body: [UInt8] = []
  /// The events of a browser that watches.
  var events: AsyncStream<String>?
  /// Called after the last event, or when the connection fails.
  var afterEvents: @Sendable () -> Void = {}

  /// Returns an answer that refuses a request for `reason`.
  static func refusal(_ status: String, _ reason: String) -> Self {
    Self(status: status, body: Array((reason + "\n").utf8))
  }
}

/// Reads the request of one connection, and answers it; every answer ends its connection.
struct PageConnection {
  private let socket: AsyncSocket
  private let headers: String

  /// Time in which a request must be complete.
  private static let timeLimit = Duration.seconds(10)

  /// Creates a connection whose answers all have the lines `headers`.
  init(_ socket: AsyncSocket, headers: String) { (self.socket, self.headers) = (socket, headers) }

  /// Answers the request with `answer`.
  func serve(_ answer: @Sendable (PageRequest) -> PageAnswer) async {
    defer { try? socket.close() }
    guard let head = await receivedHead() else { return }
    if let refusal = Self.refusal(of: head) {
      await send(refusal, hasBody: true)
      // A connection that is closed with bytes unread is reset, and the answer lost.
      await discard()
      return
    }
    guard let request = PageRequest(head) else {
      return await send(.refusal("400 Bad Request", "this is no request"), hasBody: true)
    }
    await send(answer(request), hasBody: request.method != "HEAD")
  }

  /// Returns the answer that refuses a request for its length; nil for others.
  static func refusal(of head: [UInt8]) -> PageAnswer? {
    guard head.count > PageRequest.longest else { return nil }
    return head.contains(UInt8(ascii: "\n"))
      ? .refusal("431 Request Header Fields Too Large", "the request is too long")
      : .refusal("414 URI Too Long", "the address is too long")
  }

  /// Returns the lines before the first empty one, or as much as is too long; nil if they do not come.
  private func receivedHead() async -> [UInt8]? {
    let socket = socket
    return await Self.within(Self.timeLimit) {
      var head: [UInt8] = []
      while let more = try? await socket.read(atMost: 4096), !more.isEmpty {
        // The empty line may begin in what came before.
        let begin = max(0, head.count - 3)
        head += more
        if Self.hasEnd(head[begin...]) || head.count > PageRequest.longest { return head }
      }
      return nil
    }
  }

  /// Reads what the browser still sends, for a second.
  private func discard() async {
    let socket = socket
    _ = await Self.within(.seconds(1)) {
      while let more = try? await socket.read(atMost: 4096), !more.isEmpty {}
      return []
    }
  }

  /// Returns what `read` returns; nil if it takes longer than `time`.
  private static func within(
    _ time: Duration, _ read: @escaping @Sendable () async -> [UInt8]?
  ) async -> [UInt8]? {
    await withTaskGroup(of: [UInt8]?.self) { group in
      group.addTask { await read() }
      group.addTask {
        try? await Task.sleep(for: time)
        return nil
      }
      let bytes = await group.next() ?? nil
      group.cancelAll()
      return bytes
    }
  }

  private static func hasEnd(_ bytes: ArraySlice<UInt8>) -> Bool {
    var isLineEmpty = false
    for byte in bytes where byte != UInt8(ascii: "\r") {
      if byte != UInt8(ascii: "\n") {
        isLineEmpty = false
      } else if isLineEmpty {
        return true
      } else {
        isLineEmpty = true
      }
    }
    return false
  }

  private func send(_ answer: PageAnswer, hasBody: Bool) async {
    defer { answer.afterEvents() }
    var text = "HTTP/1.1 \(answer.status)\r\nContent-Type: \(answer.type)\r\nConnection: close\r\n"
    text += headers
    if answer.events == nil { text += "Content-Length: \(answer.body.count)\r\n" }
    text += "\r\n"
    let bytes = Data(text.utf8) + (hasBody ? answer.body : [])
    guard (try? await socket.write(bytes)) != nil, let events = answer.events else { return }
    for await event in events {
      guard (try? await socket.write(Data(event.utf8))) != nil else { return }
    }
  }
}
