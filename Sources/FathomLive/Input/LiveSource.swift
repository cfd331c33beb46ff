import Foundation
import FathomRecordings

/// Where the lines of a live stream come from.
package enum LiveSource: Sendable, Equatable {
  /// Standard input, up to its end.
  case standardInput
  /// A pipe in the file system, up to its end.
  case pipe(path: String)
  /// A file that may grow.
  case file(path: String)
  /// A serial port.
  case serialPort(path: String)
  /// Datagrams to a port of this machine; an empty host stands for all its addresses.
  case udp(host: String, port: UInt16)
  /// A connection to another machine.
  case tcp(host: String, port: UInt16)
  /// A recording, at its own speed times a factor; infinity for as fast as possible.
  case replay(path: String, speed: Double)

  /// Creates the source that `text` names.
  ///
  /// - Parameters:
  ///   - text: `-`, `udp://[HOST]:PORT`, `tcp://HOST:PORT`, or the path of a file, a pipe, a serial
  ///     port or a folder.
  ///   - speed: the speed of a replay; nil to follow a file, and for a folder its own speed.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` for an address without a port, and for a path
  ///   that does not exist.
  package init(_ text: String, speed: Double?) throws(RecordingError) {
    if text == "-" {
      self = .standardInput
      return
    }
    if let (host, port) = try Self.address(text, scheme: "udp") {
      self = .udp(host: host, port: port)
      return
    }
    if let (host, port) = try Self.address(text, scheme: "tcp") {
      guard !host.isEmpty else {
        throw .noInput(path: text, reason: "tcp needs a host: tcp://HOST:PORT")
      }
      self = .tcp(host: host, port: port)
      return
    }
    var info = stat()
    guard stat(text, &info) == 0 else {
      throw .noInput(path: text, reason: String(cString: strerror(errno)))
    }
    switch info.st_mode & S_IFMT {
    case S_IFDIR: self = .replay(path: text, speed: speed ?? 1)
    case S_IFCHR: self = .serialPort(path: text)
    case S_IFIFO: self = .pipe(path: text)
    default:
      if let speed {
        self = .replay(path: text, speed: speed)
      } else if text.lowercased().hasSuffix(".gz") {
        throw .noInput(
          path: text, reason: "a compressed file cannot be followed; --speed 1 replays it")
      } else {
        self = .file(path: text)
      }
    }
  }

  private static func address(
    _ text: String, scheme: String
  ) throws(RecordingError) -> (host: String, port: UInt16)? {
    let prefix = scheme + "://"
    guard text.lowercased().hasPrefix(prefix) else { return nil }
    var rest = text.dropFirst(prefix.count)
    if rest.hasSuffix("/") { rest.removeLast() }
    guard let colon = rest.lastIndex(of: ":"),
      let port = UInt16(rest[rest.index(after: colon)...]), port > 0
    else {
      throw .noInput(path: text, reason: "the address needs a port: \(prefix)HOST:PORT")
    }
    var host = rest[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    return (String(host), port)
  }

  /// Whether lines that are not read in time are lost, so that the oldest are dropped instead of
  /// stopping the sender.
  package var isUnstoppable: Bool {
    switch self {
    case .udp, .serialPort, .tcp: true
    case .standardInput, .pipe, .file, .replay: false
    }
  }

  /// Whether the first byte may be in the middle of a line.
  package var startsMidLine: Bool {
    switch self {
    case .serialPort, .tcp: true
    case .standardInput, .pipe, .file, .udp, .replay: false
    }
  }

  /// The name of the stream in messages.
  package var name: String {
    switch self {
    case .standardInput: "standard input"
    case .pipe(let path), .file(let path), .serialPort(let path), .replay(let path, _): path
    case .udp(let host, let port): "udp://\(host):\(port)"
    case .tcp(let host, let port): "tcp://\(host):\(port)"
    }
  }
}
