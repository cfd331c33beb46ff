import Foundation

/// A socket on the loopback address, for tests of what comes from the network.
public final class TestSocket {
  /// The port of the socket, if it listens.
  public let port: UInt16
  private var descriptor: Int32

  /// The address is in use, or the call failed.
  public struct Failure: Error {
    /// The number of the error.
    public var number: Int32
  }

  private init(_ descriptor: Int32, port: UInt16) {
    (self.descriptor, self.port) = (descriptor, port)
  }

  deinit { close() }

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let datagram = Int32(SOCK_DGRAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
    private static let datagram = SOCK_DGRAM
  #endif

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func with(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = address(port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Returns a socket that sends datagrams to `port`.
  public static func datagram(to port: UInt16) -> TestSocket {
    let descriptor = socket(AF_INET, datagram, 0)
    _ = with(port) { Foundation.connect(descriptor, $0, $1) }
    return TestSocket(descriptor, port: port)
  }

  /// Returns a connection to `port`.
  public static func connected(to port: UInt16) throws -> TestSocket {
    let descriptor = socket(AF_INET, stream, 0)
    guard with(port, { Foundation.connect(descriptor, $0, $1) }) == 0 else {
      let number = errno
      Foundation.close(descriptor)
      throw Failure(number: number)
    }
    return TestSocket(descriptor, port: port)
  }

  /// Returns a socket on a port that the system chooses among the free ones.
  private static func bound(_ kind: Int32) throws -> TestSocket {
    let descriptor = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard with(0, { Foundation.bind(descriptor, $0, $1) }) == 0,
      withUnsafeMutablePointer(
        to: &address,
        {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            getsockname(descriptor, $0, &length)
          }
        }) == 0
    else {
      let number = errno
      Foundation.close(descriptor)
      throw Failure(number: number)
    }
    return TestSocket(descriptor, port: UInt16(bigEndian: address.sin_port))
  }

  /// Returns a socket that listens on a free port.
  public static func listening() throws -> TestSocket {
    let socket = try bound(stream)
    guard listen(socket.descriptor, 8) == 0 else { throw Failure(number: errno) }
    return socket
  }

  /// Returns a port to which no socket receives datagrams.
  public static func freeDatagramPort() throws -> UInt16 { try bound(datagram).port }

  /// Waits for a connection.
  public func accept() throws -> TestSocket {
    let peer = Foundation.accept(descriptor, nil, nil)
    guard peer >= 0 else { throw Failure(number: errno) }
    return TestSocket(peer, port: port)
  }

  /// Sends `text`.
  public func send(_ text: String) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  /// Returns what the peer sends until it closes or `isEnough`, within some seconds.
  public func receive(until isEnough: (String) -> Bool = { _ in false }) -> String {
    var wait = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { break }
      bytes += buffer[..<count]
      if isEnough(String(decoding: bytes, as: UTF8.self)) { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Closes the socket.
  public func close() {
    if descriptor >= 0 { Foundation.close(descriptor) }
    descriptor = -1
  }
}
