import Fathom
import Foundation

/// Writes JSON with few digits, which a page needs many times a second.
struct JSONText {
  private(set) var text = ""
  private var needsComma = false

  /// Writes an object whose members `body` adds.
  mutating func object(_ body: (inout Self) -> Void) {
    text += "{"
    needsComma = false
    body(&self)
    text += "}"
    needsComma = true
  }

  /// Adds an array whose elements `body` adds.
  mutating func array(_ key: String, _ body: (inout Self) -> Void) {
    begin(key)
    text += "["
    needsComma = false
    body(&self)
    text += "]"
    needsComma = true
  }

  /// Adds an object whose members `body` adds.
  mutating func object(_ key: String, _ body: (inout Self) -> Void) {
    begin(key)
    object(body)
  }

  /// Adds the members that were added to `other`, which is no whole object.
  mutating func add(members other: Self) {
    if other.text.isEmpty { return }
    separate()
    text += other.text
  }

  /// Adds an object to an array.
  mutating func element(_ body: (inout Self) -> Void) {
    separate()
    object(body)
  }

  /// Adds a string to an array.
  mutating func element(_ string: String) {
    separate()
    text += Self.string(string)
  }

  mutating func add(_ key: String, _ string: String) {
    begin(key)
    text += Self.string(string)
  }

  mutating func add(_ key: String, _ value: Double, digits: Int) {
    begin(key)
    text += Self.number(value, digits: digits)
  }

  mutating func add(_ key: String, _ vector: Vector<3>, digits: Int) {
    begin(key)
    text += "[" + vector.array.map { Self.number($0, digits: digits) }.joined(separator: ",") + "]"
  }

  mutating func add(_ key: String, _ values: [Double]) {
    begin(key)
    text += "[" + values.map { Self.number($0, digits: 6) }.joined(separator: ",") + "]"
  }

  /// Adds rows of numbers that are formatted already.
  mutating func add(_ key: String, _ rows: [[String]]) {
    begin(key)
    text += "[" + rows.map { "[" + $0.joined(separator: ",") + "]" }.joined(separator: ",") + "]"
  }

  private mutating func begin(_ key: String) {
    separate()
    text += "\"\(key)\":"
  }

  private mutating func separate() {
    if needsComma { text += "," }
    needsComma = true
  }

  /// Returns a number with at most `digits` decimals; null if it is not finite or beyond the range of
  /// an integer.
  static func number(_ value: Double, digits: Int) -> String {
    let scale = [1.0, 10, 100, 1000, 1e4, 1e5, 1e6][min(digits, 6)]
    guard let scaled = Int64(exactly: (value * scale).rounded()) else { return "null" }
    if scale == 1 { return "\(scaled)" }
    let (whole, rest) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(scale))
    let sign = scaled < 0 ? "-" : ""
    if rest == 0 { return "\(sign)\(whole)" }
    let decimals = String(rest)
    return "\(sign)\(whole)." + String(repeating: "0", count: digits - decimals.utf8.count)
      + decimals
  }

  /// Returns a JSON string without line ends, which end a line of an event.
  static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x2028 || scalar.value == 0x2029:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
