import FathomRecordings
import FlyingSocks
import Foundation

/// Serves the live page: one document, its events, its history, and the picture of the floor plan.
///
/// By default it answers only on the loopback address. On any other address a request needs the
/// token, which is in the address that the user sees.
package final class PageServer: Sendable {
  /// The address that shows the page.
  package let location: String
  private let page: LivePage
  private let address: any SocketAddress
  private let token: String?
  private let port: UInt16

  /// Creates a server of `page`; throws for an `address` that is not an IP address.
  package init(_ page: LivePage, address: String, port: UInt16) throws(RecordingError) {
    self.page = page
    self.port = port
    let isLoopback = address == "127.0.0.1" || address == "::1"
    token = isLoopback ? nil : Self.newToken()
    let host = address.contains(":") ? "[\(address)]" : address
    let shown = address == "0.0.0.0" || address == "::" ? ProcessInfo.processInfo.hostName : host
    location = "http://\(shown):\(port)/" + (token.map { "?token=\($0)" } ?? "")
    do {
      if address.contains(":") {
        self.address = try sockaddr_in6.inet6(ip6: address, port: port)
      } else {
        self.address = try sockaddr_in.inet(ip4: address, port: port)
      }
    } catch {
      throw .noInput(path: address, reason: "is no IP address")
    }
  }

  /// Returns 128 random bits.
  private static func newToken() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(random.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  /// Starts serving; throws if the port is in use.
  package func start() throws(RecordingError) {
    Self.raiseFileLimit()
    try probe()
    Task.detached { [self] in
      // Too many connections end the service; those that stay open are served by the next one.
      while !Task.isCancelled {
        try? await serve()
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
  }

  /// Serves connections until one cannot be accepted.
  private func serve() async throws {
    let pool = SocketPool<Poll>.make()
    try await pool.prepare()
    let listening = try Socket(domain: Int32(type(of: address).family), type: .stream)
    defer { try? listening.close() }
    try listening.setValue(true, for: .localAddressReuse)
    try listening.bind(to: address)
    try listening.listen()
    let connections = try AsyncSocket(socket: listening, pool: pool).sockets
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await pool.run() }
      group.addTask { [self] in
        try await withThrowingDiscardingTaskGroup { browsers in
          for try await socket in connections {
            browsers.addTask { [self] in
              await PageConnection(socket, headers: Self.headers).serve { self.answer($0) }
            }
          }
        }
        throw SocketError.disconnected
      }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Fails at once if the port cannot be used.
  private func probe() throws(RecordingError) {
    let family = Int32(type(of: address).family)
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let descriptor = socket(family, kind, 0)
    defer { close(descriptor) }
    var yes: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let result = address.withSockAddr { bind(descriptor, $0, $1) }
    guard result == 0 else {
      throw .noInput(path: location, reason: String(cString: strerror(errno)))
    }
  }

  /// Allows as many open connections as the system lets this user have.
  private static func raiseFileLimit() {
    var limit = rlimit()
    #if canImport(Glibc)
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let files = RLIMIT_NOFILE
    #endif
    guard getrlimit(files, &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 16_384)
    _ = setrlimit(files, &limit)
  }

  /// Returns the answer to a request; there are four documents, and nothing else of the file system.
  func answer(_ request: PageRequest) -> PageAnswer {
    guard request.method == "GET" || request.method == "HEAD" else {
      return .refusal("405 Method Not Allowed", "only GET is answered")
    }
    guard isAllowed(request) else {
      return .refusal(
        "403 Forbidden", "open the address that fathom stream has printed, with its token")
    }
    switch request.path {
    case "/":
      return PageAnswer(
        status: "200 OK", type: "text/html; charset=utf-8", body: Array(PageText.document.utf8))
    case "/events":
      guard request.method == "GET", let stream = page.viewers.add() else {
        return .refusal("503 Service Unavailable", "too many browsers")
      }
      return PageAnswer(
        status: "200 OK", type: "text/event-stream", events: stream,
        afterEvents: { [page] in page.viewers.finishSending() })
    case "/history":
      return PageAnswer(status: "200 OK", type: "application/json", body: page.historyText)
    case "/picture":
      guard let picture = page.picture else { return .refusal("404 Not Found", "no picture") }
      return PageAnswer(status: "200 OK", type: picture.mediaType, body: picture.bytes)
    default: return .refusal("404 Not Found", "there is only /")
    }
  }

  /// Whether a request may see the page: with the token, or from this machine under its own name.
  ///
  /// A page of another site that has this address under its name cannot read the stream.
  private func isAllowed(_ request: PageRequest) -> Bool {
    if let token {
      return Self.isEqual(request.token, token)
    }
    guard let host = request.host else { return false }
    return ["localhost", "127.0.0.1", "[::1]"].contains { host == $0 || host == "\($0):\(port)" }
  }

  /// Compares in a time that does not depend on the place of the first difference.
  private static func isEqual(_ first: String, _ second: String) -> Bool {
    let (left, right) = (Array(first.utf8), Array(second.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static let headers = [
    "Cache-Control: no-store",
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline';"
      + " script-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; base-uri 'none';"
      + " form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
  ].map { $0 + "\r\n" }.joined()
}
