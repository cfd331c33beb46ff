import FathomRecordings
import Foundation

/// What goes to the terminal: data to standard output, messages to standard error.
enum Console {
  /// Writes a line of data.
  static func print(_ line: String) {
    write(printable(line) + "\n", to: .standardOutput)
  }

  /// Writes a message for the user.
  static func message(_ line: String) {
    write(printable(line) + "\n", to: .standardError)
  }

  /// `text` without the characters that would move the cursor or worse: names of files and radios
  /// come from anywhere.
  ///
  /// They are written as JSON writes them, since some of what is printed is JSON; ends of lines and tabs
  /// stay.
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

  /// Writes text to `handle`; a reader that has gone away is no error.
  static func write(_ text: String, to handle: FileHandle) {
    try? handle.write(contentsOf: Data(text.utf8))
  }

  /// Whether messages go to a terminal that moves its cursor.
  static var isInteractive: Bool {
    isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }
}
