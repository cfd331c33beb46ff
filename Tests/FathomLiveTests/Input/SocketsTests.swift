import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomLive

@Suite struct SocketsTests {
  /// Returns the next datagram of a socket as text.
  private func datagram(_ descriptor: Int32) -> String {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 5000) > 0 else { return "" }
    var buffer = [UInt8](repeating: 0, count: 1000)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  @Test(arguments: ["127.0.0.1", "localhost", ""])
  func datagramsToAHostArrive(_ host: String) throws {
    let port = try TestSocket.freeDatagramPort()
    let descriptor = try Sockets.receive(host: host, port: port)
    defer { close(descriptor) }
    // "localhost" may be the address of IPv6 alone, which the sender does not reach.
    if host == "localhost", family(descriptor) == AF_INET6 { return }
    TestSocket.datagram(to: port).send("a,1\n")
    #expect(datagram(descriptor) == "a,1\n")
  }

  private func family(_ descriptor: Int32) -> Int32 {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    return Int32(address.ss_family)
  }

  @Test func aPortInUseIsAnError() throws {
    let port = try TestSocket.freeDatagramPort()
    let descriptor = try Sockets.receive(host: "127.0.0.1", port: port)
    defer { close(descriptor) }
    #expect(
      throws: RecordingError.noInput(
        path: "udp://127.0.0.1:\(port)", reason: String(cString: strerror(EADDRINUSE)))
    ) { _ = try Sockets.receive(host: "127.0.0.1", port: port) }
  }

  @Test func aConnectionCarriesBytes() throws {
    let server = try TestSocket.listening()
    let descriptor = try Sockets.connect(host: "127.0.0.1", port: server.port)
    defer { close(descriptor) }
    try server.accept().send("b,2\n")
    #expect(datagram(descriptor) == "b,2\n")
  }

  @Test func aPortWithoutServerIsAnError() throws {
    let server = try TestSocket.listening()
    server.close()
    #expect(
      throws: RecordingError.noInput(
        path: "tcp://127.0.0.1:\(server.port)", reason: String(cString: strerror(ECONNREFUSED)))
    ) { _ = try Sockets.connect(host: "127.0.0.1", port: server.port) }
  }
}
