import FathomRecordings
import Foundation
import Synchronization

/// The output of the tool: data goes to standard output, messages go to standard error.
enum Console {
  /// Writes a line of data.
  static func print(_ line: String) {
    write(printable(line) + "\n", to: .standardOutput)
  }

  /// Writes a message for the user.
  static func message(_ line: String) {
    write(printable(line) + "\n", to: .standardError)
  }

  /// Returns `text` with control characters escaped, except line ends and tabs.
  ///
  /// Names of files and radios are untrusted: unescaped, they could send commands to the terminal.
  /// The escapes are those of JSON (`\u001b`), because some of the output is JSON.
  static func printable(_ text: String) -> String {
    String(decoding: printable(Array(text.utf8)), as: UTF8.self)
  }

  /// Returns UTF-8 text with control characters escaped, as ``printable(_:)-(String)``.
  static func printable(_ text: [UInt8]) -> [UInt8] {
    func isControl(_ byte: UInt8) -> Bool {
      byte < 0x20 && byte != 0x0A && byte != 0x09 || byte == 0x7F
    }
    guard text.contains(where: { isControl($0) || $0 == 0xC2 }) else { return text }
    var clean: [UInt8] = []
    clean.reserveCapacity(text.count + 64)
    var place = 0
    while place < text.count {
      let byte = text[place]
      let next = place + 1 < text.count ? text[place + 1] : 0
      // The control characters from U+0080 on have two bytes.
      let isLong = byte == 0xC2 && (0x80..<0xA0).contains(next)
      if isLong || isControl(byte) {
        let digits = String(isLong ? next : byte, radix: 16)
        clean += "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8
      } else {
        clean.append(byte)
      }
      place += isLong ? 2 : 1
    }
    return clean
  }

  /// Writes text to `handle`.
  ///
  /// The command continues after an error, so that its files are complete. An error of standard
  /// output decides the exit code at the end, see ``outputFailure``; messages that nobody can see
  /// are dropped.
  static func write(_ text: String, to handle: FileHandle) {
    write(Array(text.utf8), to: handle)
  }

  /// Writes rows of data to standard output at once; on a terminal with control characters escaped.
  static func write(_ rows: [UInt8]) {
    write(isTerminal ? printable(rows) : rows, to: .standardOutput)
  }

  private static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Whether standard output could not be written, so that nobody reads the rest.
  static var hasLostOutput: Bool { firstOutputError.load(ordering: .relaxed) != 0 }

  /// Writes the content of the file at `path` to standard output, block by block.
  static func copy(_ path: String) throws {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? file.close() }
    while let block = try file.read(upToCount: 1 << 20), !block.isEmpty {
      write(Array(block))
      // Nobody reads the rest.
      if hasLostOutput { return }
    }
  }

  private static func write(_ data: [UInt8], to handle: FileHandle) {
    var bytes = data[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes {
        Foundation.write(handle.fileDescriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // The reader of a pipe that does not block is slower than the tool.
        var waiting = pollfd(fd: handle.fileDescriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
        continue
      }
      guard count >= 0 else {
        if handle === FileHandle.standardOutput { noteOutputFailure(errno) }
        return
      }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Number of the first error in writing to standard output; 0 without one.
  private static let firstOutputError = Atomic<Int32>(0)

  private static func noteOutputFailure(_ number: Int32) {
    _ = firstOutputError.compareExchange(
      expected: 0, desired: number, ordering: .relaxed)
  }

  /// The exit code for output that was lost; nil when all of it was written.
  ///
  /// Prints a message, but not for a pipe that its reader has closed: that is how `head` ends.
  static func outputFailure() -> Int32? {
    let number = firstOutputError.load(ordering: .relaxed)
    if number == 0 { return nil }
    let error = RecordingError.writingFailed(
      path: "standard output", reason: String(cString: strerror(number)))
    if number != EPIPE { FailureReport(error).print() }
    return error.exitCode
  }

  /// Whether standard error is a terminal that supports cursor movement.
  static var isInteractive: Bool {
    isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }
}

extension Console {
  /// Returns `value` as JSON with keys in alphabetical order, on one line or indented.
  static func json(
    _ value: some Encodable, isPretty: Bool = false,
    keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = keys
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

extension OutputFile {
  /// Throws if one of `paths` already exists.
  static func requireNew(_ paths: [String]) throws(RecordingError) {
    guard let path = conflict(among: paths) else { return }
    throw .cannotWrite(path: path, reason: "already exists (use --force to replace it)")
  }
}
