import FathomRecordings
import Foundation

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
  /// Errors are ignored, so that a closed pipe does not fail the command.
  static func write(_ text: String, to handle: FileHandle) {
    try? handle.write(contentsOf: Data(text.utf8))
  }

  /// Whether standard error is a terminal that supports cursor movement.
  static var isInteractive: Bool {
    isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }
}
