import FathomRecordings

/// The number parser: it accepts or rejects any text according to the grammar.
///
/// Values are bit-identical to the standard library's, and nanoseconds match decimal rounding of
/// the digits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecimalNumber(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var bytes = FuzzInput.bytes(start, count)
  guard let first = bytes.popLast(), bytes.count < 4000 else { return 0 }
  let separator: DecimalSeparator = first & 1 == 0 ? .point : .comma
  let scale = [0, -2, -3, 3][Int(first >> 1) & 3]
  let unit = TimeUnit.allCases[Int(first >> 3) & 3]

  // Surrounding digits that would change the number if the range were ignored.
  let inside = Array("12".utf8) + bytes + Array("3e4".utf8)
  let range = 2..<2 + bytes.count
  let number = DecimalNumber(inside, range, decimalSeparator: separator.byte)
  let written = WrittenNumber(bytes, separator.byte)
  FuzzInput.expect((number != nil) == (written != nil), "accepted: \(number != nil)")
  guard let number, let written else { return 0 }

  let value = number.value(in: inside, scaledBy: scale)
  let expected = Double(written.text(scaledBy: scale))
  FuzzInput.expect(
    value.bitPattern == expected?.bitPattern, "\(value), not \(expected ?? .nan)")
  let exponent = [TimeUnit.seconds: 9, .milliseconds: 6, .microseconds: 3][unit] ?? 0
  let nanoseconds = number.nanoseconds(from: unit)
  let rounded = written.rounded(scaledBy: exponent)
  FuzzInput.expect(
    nanoseconds == rounded, "\(nanoseconds ?? -1), not \(rounded ?? -1) nanoseconds")
  return 0
}

/// A number parsed by the grammar `[+-] digits [. digits] [e [+-] digits]`, digit by digit.
private struct WrittenNumber {
  var isNegative = false
  /// All digits; the last one counts 10 to the power of ``exponent``.
  var digits: [UInt8] = []
  var exponent = 0

  init?(_ bytes: [UInt8], _ separator: UInt8) {
    var rest = bytes[...]
    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    func isSign(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }
    if isSign(rest.first) { isNegative = rest.removeFirst() == UInt8(ascii: "-") }
    let whole = rest.prefix(while: isDigit)
    rest = rest.dropFirst(whole.count)
    var fraction: ArraySlice<UInt8> = []
    if rest.first == separator {
      fraction = rest.dropFirst().prefix(while: isDigit)
      rest = rest.dropFirst(1 + fraction.count)
    }
    guard !whole.isEmpty || !fraction.isEmpty else { return nil }
    digits = whole.map { $0 - UInt8(ascii: "0") } + fraction.map { $0 - UInt8(ascii: "0") }
    exponent = -fraction.count
    guard let mark = rest.popFirst() else { return }
    guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return nil }
    let isBelow = rest.first == UInt8(ascii: "-")
    if isSign(rest.first) { rest.removeFirst() }
    guard !rest.isEmpty, rest.allSatisfy(isDigit) else { return nil }
    let power = Int(String(decoding: rest, as: UTF8.self)).map { min($0, 1_000_000) } ?? 1_000_000
    exponent += isBelow ? -power : power
  }

  /// Returns the number times 10 to the power of `scale` as text for the standard library.
  func text(scaledBy scale: Int) -> String {
    let digits = digits.map { String($0) }.joined()
    return "\(isNegative ? "-" : "")\(digits)e\(exponent + scale)"
  }

  /// Returns the number times 10 to the power of `scale` rounded to an integer, ties to even; nil
  /// beyond 64 bits.
  func rounded(scaledBy scale: Int) -> Int64? {
    let significant = Array(digits.drop { $0 == 0 })
    if significant.isEmpty { return 0 }
    let power = exponent + scale
    if significant.count + power > 30 { return nil }
    if significant.count + power < -30 { return 0 }
    var whole = significant
    var fraction: [UInt8] = []
    if power >= 0 {
      whole += [UInt8](repeating: 0, count: power)
    } else {
      whole = [UInt8](repeating: 0, count: max(0, -power - whole.count)) + whole
      fraction = Array(whole.suffix(-power))
      whole = Array(whole.dropLast(-power))
    }
    var magnitude: UInt128 = 0
    for digit in whole { magnitude = magnitude * 10 + UInt128(digit) }
    let half = fraction.first.map { first in
      first > 5 || (first == 5 && (fraction.dropFirst().contains { $0 != 0 } || magnitude & 1 == 1))
    }
    if half == true { magnitude += 1 }
    let signed = isNegative ? -Int128(magnitude) : Int128(magnitude)
    return Int64(exactly: signed)
  }
}
