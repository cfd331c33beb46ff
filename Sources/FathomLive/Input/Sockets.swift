import FathomRecordings
import Foundation

/// Sockets for lines from the network.
enum Sockets {
  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let datagram = Int32(SOCK_DGRAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
    private static let datagram = SOCK_DGRAM
  #endif

  /// Bytes of datagrams that the system keeps until they are read.
  private static let receiveBuffer: Int32 = 1 << 22

  /// Opens a socket that receives datagrams to `port`.
  static func receive(host: String, port: UInt16) throws(RecordingError) -> Int32 {
    let name = "udp://\(host):\(port)"
    return try withAddresses(host.isEmpty ? nil : host, port, datagram, name) { address in
      let descriptor = socket(
        address.ai_family, address.ai_socktype, address.ai_protocol)
      if descriptor < 0 { return nil }
      // One socket for both kinds of addresses.
      if address.ai_family == AF_INET6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
      set(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBuffer)
      guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
        let number = errno
        close(descriptor)
        errno = number
        return nil
      }
      return descriptor
    }
  }

  /// Connects to `port` of `host`, within some seconds.
  static func connect(host: String, port: UInt16) throws(RecordingError) -> Int32 {
    try withAddresses(host, port, stream, "tcp://\(host):\(port)") { address in
      let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
      if descriptor < 0 { return nil }
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      var result = Foundation.connect(descriptor, address.ai_addr, address.ai_addrlen)
      if result != 0, errno == EINPROGRESS {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var failure: Int32 = ETIMEDOUT
        if poll(&waiting, 1, 3000) > 0 {
          var length = socklen_t(MemoryLayout<Int32>.size)
          getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &length)
        }
        result = failure == 0 ? 0 : -1
        errno = failure
      }
      guard result == 0 else {
        let number = errno
        close(descriptor)
        errno = number
        return nil
      }
      // A peer that vanishes without a word is noticed after some 30 s.
      set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
      #if os(Linux)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 10)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
      #endif
      return descriptor
    }
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Returns the first descriptor that `open` makes of the addresses of `host`.
  private static func withAddresses(
    _ host: String?, _ port: UInt16, _ kind: Int32, _ name: String,
    open: (addrinfo) -> Int32?
  ) throws(RecordingError) -> Int32 {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = kind
    hints.ai_flags = host == nil ? AI_PASSIVE : 0
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, "\(port)", &hints, &list)
    guard status == 0 else {
      throw .noInput(path: name, reason: String(cString: gai_strerror(status)))
    }
    defer { freeaddrinfo(list) }
    var addresses: [addrinfo] = []
    var next = list
    while let address = next {
      addresses.append(address.pointee)
      next = address.pointee.ai_next
    }
    // The general address of IPv6 receives both kinds.
    if host == nil { addresses.sort { $0.ai_family == AF_INET6 && $1.ai_family != AF_INET6 } }
    var number: Int32 = EADDRNOTAVAIL
    for address in addresses {
      if let descriptor = open(address) { return descriptor }
      number = errno
    }
    throw .noInput(path: name, reason: String(cString: strerror(number)))
  }
}
