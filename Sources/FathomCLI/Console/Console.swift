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
    func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x0A, 0x09: true
      case 0..<0x20, 0x7F..<0xA0: false
      default: true
      }
    }
    guard !text.unicodeScalars.allSatisfy(isHarmless) else { return text }
    var clean = ""
    for scalar in text.unicodeScalars {
      if isHarmless(scalar) {
        clean.unicodeScalars.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16)
        clean += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      }
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

  /// Writes rows of data to standard output at once.
  static func write(_ rows: [UInt8]) { write(rows, to: .standardOutput) }

  /// Whether standard output could not be written, so that nobody reads the rest.
  static var hasLostOutput: Bool { firstOutputError.load(ordering: .relaxed) != 0 }

  /// Writes the content of the file at `path` to standard output, block by block.
  static func copy(_ path: String) throws {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? file.close() }
    while let block = try file.read(upToCount: 1 << 20), !block.isEmpty {
      write(Array(block), to: .standardOutput)
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
    if number != EPIPE { message("\(error)") }
    return error.exitCode
  }

  /// Whether standard error is a terminal that supports cursor movement.
  static var isInteractive: Bool {
    isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }
}
