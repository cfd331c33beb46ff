/// Excerpts of files for messages: short, on one line, and quoted.
package enum Excerpt {
  /// Returns `bytes` as one line of text of at most about `limit` bytes.
  ///
  /// Control characters and invalid UTF-8 are escaped; an ellipsis marks a cut.
  package static func text(_ bytes: ArraySlice<UInt8>, limit: Int = 200) -> String {
    var text = ""
    var rest = bytes.prefix(limit)
    // A character cut by the limit is left out completely.
    if rest.count < bytes.count {
      while let last = rest.last, last & 0xC0 == 0x80, bytes.endIndex > rest.endIndex,
        bytes[rest.endIndex] & 0xC0 == 0x80
      {
        rest.removeLast()
      }
      if let last = rest.last, last >= 0xC0, bytes[rest.endIndex] & 0xC0 == 0x80 {
        rest.removeLast()
      }
    }
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = rest.makeIterator()
    var offset = rest.startIndex
    while true {
      switch decoder.parseScalar(from: &iterator) {
      case .valid(let encoded):
        offset += encoded.count
        append(Unicode.UTF8.decode(encoded), to: &text)
      case .error(let length):
        for byte in rest[offset..<min(offset + length, rest.endIndex)] {
          text += "\\x" + hexadecimal(UInt32(byte))
        }
        offset += length
      case .emptyInput:
        return rest.count < bytes.count ? text + "…" : text
      }
    }
  }

  /// Returns `text`, shortened to about `limit` bytes and escaped.
  package static func plain(_ text: String, limit: Int = 40) -> String {
    Self.text(Array(text.utf8)[...], limit: limit)
  }

  /// Returns `text`, shortened and escaped, in double quotes.
  package static func quoted(_ text: String) -> String { quoted(Array(text.utf8)[...]) }

  /// Returns `bytes` as text, shortened and escaped, in double quotes.
  package static func quoted(_ bytes: ArraySlice<UInt8>) -> String {
    "\"\(text(bytes, limit: 40))\""
  }

  /// Returns the first eight of `names`, quoted, and the number of the others.
  package static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).map { quoted($0) }.joined(separator: ", ")
    return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
  }

  /// Returns `text` as a shell reads it back: in single quotes where that is necessary, and with escapes of bash
  /// and zsh for control characters, which a message must not contain.
  package static func shellWord(_ text: String) -> String {
    func isControl(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.generalCategory == .control
    }
    if text.unicodeScalars.contains(where: isControl) {
      let escaped = text.unicodeScalars.map { scalar in
        if scalar == "\\" || scalar == "'" { return "\\\(scalar)" }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return isControl(scalar)
          ? "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits : String(scalar)
      }
      return "$'\(escaped.joined())'"
    }
    let isPlain = text.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0)
        || "=,._-%/:+@".unicodeScalars.contains($0)
    }
    return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }

  /// Returns the optimal string alignment distance of `left` and `right`: the number of bytes to insert, delete,
  /// replace or exchange with the next [Damerau 1964].
  ///
  /// Only the first 64 bytes of each count.
  package static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8.prefix(64))
    let right = Array(right.utf8.prefix(64))
    var rows = [Array(0...right.count)]
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var least = min(
          rows[row][column + 1] + 1, current[column] + 1,
          rows[row][column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == right[column - 1], other == left[row - 1] {
          least = min(least, rows[row - 1][column - 1] + 1)
        }
        current.append(least)
      }
      rows.append(current)
    }
    return rows[left.count][right.count]
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    switch scalar {
    case "\t": text += "\\t"
    case "\n": text += "\\n"
    case "\r": text += "\\r"
    default:
      if scalar.properties.generalCategory == .control {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  private static func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return digits.utf8.count < 2 ? "0" + digits : digits
  }
}
