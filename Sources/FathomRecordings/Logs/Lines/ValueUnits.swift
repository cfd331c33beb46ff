/// The units that follow values in the lines of a log, which can differ from value to value: `dist=1.2m` and
/// `dist=123cm`.
///
/// Lengths and times are converted to the unit of their key or, without one, to metres and seconds. Where most
/// values have units, one without a unit is damaged.
struct ValueUnits: Sendable {
  /// Values whose key has no unit: those with a unit of their own, and the others.
  private struct Counts: Sendable {
    var stated = 0
    var bare = 0
  }
  private var lengths = Counts()
  private var times = Counts()

  /// Counts the values of a line at the beginning of the log.
  mutating func count(_ pairs: [KeyValueLine.Pair]) {
    for pair in pairs where pair.key.isKnown && pair.key.unit == nil && Self.isNumber(pair.value) {
      switch (pair.key.quantity, pair.unit) {
      case (.length, nil): lengths.bare += 1
      case (.length, _): lengths.stated += 1
      case (.time, nil): times.bare += 1
      case (.time, _): times.stated += 1
      default: break
      }
    }
  }

  /// Returns `pairs` with units in the names of their keys instead of behind their values.
  func resolved(_ pairs: [KeyValueLine.Pair]) -> [KeyValueLine.Pair] {
    pairs.map { pair in
      guard pair.key.isKnown else { return pair }
      switch pair.key.quantity {
      case .length: return resolved(pair, lengths, "m")
      case .time: return resolved(pair, times, "s")
      default:
        var pair = pair
        if let unit = pair.unit, pair.key.unit == nil { pair.name += "_\(unit)" }
        return pair
      }
    }
  }

  private func resolved(
    _ pair: KeyValueLine.Pair, _ counts: Counts, _ basic: String
  ) -> KeyValueLine.Pair {
    var pair = pair
    if let unit = pair.unit {
      guard let exponent = Self.exponents[unit], let own = Self.exponents[pair.key.unit ?? basic]
      else {
        // Ticks of a device.
        if pair.key.unit == nil { pair.name += "_\(unit)" }
        return pair
      }
      pair.value = Self.shifted(pair.value, by: exponent - own)
    } else if pair.key.unit == nil, counts.stated > counts.bare, Self.isNumber(pair.value) {
      pair.value += Array(" without a unit".utf8)
    }
    if pair.key.unit == nil, counts.stated > 0 { pair.name += "_\(basic)" }
    return pair
  }

  /// Powers of ten of the units.
  static let exponents = [
    "m": 0, "cm": -2, "mm": -3, "s": 0, "ms": -3, "us": -6, "ns": -9,
  ]

  private static func isNumber(_ value: ArraySlice<UInt8>) -> Bool {
    value.contains { $0 &- UInt8(ascii: "0") < 10 }
      && value.allSatisfy { $0 &- UInt8(ascii: "0") < 10 || "+-.".utf8.contains($0) }
  }

  /// Returns the decimal number `value` times a power of ten; another text as it is.
  static func shifted(_ value: ArraySlice<UInt8>, by exponent: Int) -> ArraySlice<UInt8> {
    guard exponent != 0, isNumber(value) else { return value }
    let point = UInt8(ascii: ".")
    let sign = value.prefix { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    let parts = value.dropFirst(sign.count).split(
      separator: point, omittingEmptySubsequences: false)
    guard sign.count < 2, parts.count < 3,
      parts.allSatisfy({ $0.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } })
    else { return value }
    var whole = Array(parts[0])
    var rest = parts.count > 1 ? Array(parts[1]) : []
    let zero = UInt8(ascii: "0")
    if exponent < 0 {
      whole.insert(
        contentsOf: Array(repeating: zero, count: max(0, 1 - exponent - whole.count)), at: 0)
      rest = whole.suffix(-exponent) + rest
      whole.removeLast(-exponent)
    } else {
      rest += Array(repeating: zero, count: max(0, exponent - rest.count))
      whole += rest.prefix(exponent)
      rest.removeFirst(exponent)
    }
    return (Array(sign) + whole + (rest.isEmpty ? [] : [point] + rest))[...]
  }
}
