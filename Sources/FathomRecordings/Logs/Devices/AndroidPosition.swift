import Fathom

/// A position of `androidx.core.uwb` as apps print it with `toString()`: `RangingResultPosition`,
/// `UwbAddress{0x0600}` and numbers behind `distance`, `azimuth` and `elevation`, in metres and degrees.
struct AndroidPosition {
  private(set) var range = LogRange()
  /// Nanoseconds since the start of the phone; nil if the line has none.
  private(set) var time: Int64?

  /// Whether `line` is such a position.
  static func begins(_ line: TokenCursor) -> Bool {
    line.offset(of: "RangingPosition") != nil || line.offset(of: "RangingResultPosition") != nil
      || line.offset(of: "RangingResult") != nil && line.offset(of: "distance") != nil
  }

  /// Parses the position in `line`; nil without a distance.
  init?(_ line: TokenCursor) {
    guard let distance = Self.number(after: "distance", line) else { return nil }
    range.distance = distance
    range.azimuth = (Self.number(after: "azimuth", line) ?? .nan).degreesInRadians
    range.elevation = (Self.number(after: "elevation", line) ?? .nan).degreesInRadians
    var address = line
    if address.skip(past: "UwbAddress") {
      let opening = address.next
      address.position += 1
      if opening == UInt8(ascii: "{") || opening == UInt8(ascii: "(") {
        let closing = UInt8(ascii: opening == UInt8(ascii: "{") ? "}" : ")")
        let inner = address.consume { $0 == closing }
        // `address=` is the name of the member.
        var name = address.part(inner)
        _ = name.consume("address=")
        range.anchor = name.rest
      }
    }
    var clock = line
    if clock.skip(past: "lapsedRealtimeNanos") {
      _ = clock.consume { $0 &- UInt8(ascii: "0") < 10 }
      time = clock.integer(in: clock.consume { $0 &- UInt8(ascii: "0") >= 10 })
    }
  }

  /// Returns the first number behind `key` and before the next member; nil without one.
  private static func number(after key: StaticString, _ text: TokenCursor) -> Double? {
    var text = text
    guard text.skip(past: key) else { return nil }
    // `=RangingMeasurement(value=1.5)` or `: 1.5`; a comma ends the member.
    _ = text.consume {
      $0 &- UInt8(ascii: "0") < 10 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ",")
    }
    return text.number()
  }
}
