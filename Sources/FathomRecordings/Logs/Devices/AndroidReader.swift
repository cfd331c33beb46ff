import Fathom

/// A reader of Android's logs of ultra-wideband ranging.
///
/// - `RangingMeasurement[...]` of `cmd uwb start-fira-ranging-session`, with angles in radians;
/// - `elapsedRealtime (ms) 123456 | distance (m) 1.23 | azimuth: 12.3 | ...` of the ranging backend,
///   with angles in degrees;
/// - `UwbTwoWayMeasurement { MacAddress = ..., Distance = ...(cm), ...}` of the service, with angles
///   in degrees;
/// - `RangingResultPosition` of `androidx.core.uwb`, see ``AndroidPosition``;
/// - `dist=1.23 az=12.3 el=-3.1` of apps, with angles in degrees as `androidx.core.uwb` reports them.
struct AndroidReader: LogLineReader {
  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.cursor
    if cursor.offset(of: "RangingMeasurement[remote") != nil {
      while cursor.skip(past: "RangingMeasurement[remote") {
        let end = cursor.offset(of: "RangingMeasurement[remote") ?? cursor.end
        readReport(cursor.part(cursor.position..<end), line, into: &rows)
      }
    } else if cursor.offset(of: "UwbTwoWayMeasurement") != nil {
      while cursor.skip(past: "UwbTwoWayMeasurement") {
        let next = cursor.offset(of: "UwbTwoWayMeasurement") ?? cursor.end
        let part = cursor.part(cursor.position..<next)
        let end = part.offset(of: "}") ?? next
        readService(part.part(part.position..<end), line, into: &rows)
      }
    } else if cursor.skip(past: "elapsedRealtime (ms)") {
      readBackend(cursor, line, into: &rows)
    } else if AndroidPosition.begins(cursor) {
      guard let position = AndroidPosition(cursor) else {
        return rows.reject(line, "the position has no distance")
      }
      rows.beginEpoch(position.time.map { .sinceStart($0) } ?? .none, in: line)
      rows.append(position.range, line: line.number)
    } else if let begin = cursor.offset(of: "dist="), cursor.offset(of: "az=") != nil,
      // Lines that name the anchor are read as pairs, with their other keys.
      cursor.offset(of: "anchor=") == nil, cursor.offset(of: "id=") == nil
    {
      cursor.position = begin
      readApp(cursor, line, into: &rows)
    } else {
      rows.skip()
    }
  }

  // MARK: The four forms

  private func readReport(_ text: TokenCursor, _ line: LogLine, into rows: inout LogRows) {
    var range = LogRange()
    guard let name = Self.value(after: "device address:", text),
      let status = Self.value(after: "status:", text).flatMap({ text.integer(in: $0) }),
      let time = Self.value(after: "elapsed real time nanos:", text)
        .flatMap({ text.integer(in: $0) })
    else { return rows.reject(line, "the measurement is damaged") }
    guard status == 0 else {
      return rows.fail(line: line.number, "status \(status)", line.cursor.bytes[line.whole])
    }
    guard let distance = Self.number(after: "meters:", text) else {
      return rows.reject(line, "the measurement has no distance")
    }
    range.anchor = text.bytes[name]
    range.distance = distance
    var angles = text
    if angles.skip(past: "aoa measurement: AngleOfArrivalMeasurement[") {
      // The direction that the peer measured follows.
      let part = angles.part(
        angles.position..<(angles.offset(of: "dest aoa measurement:") ?? angles.end))
      let split = part.offset(of: "altitude:") ?? part.end
      range.azimuth = Self.number(after: "radians:", part.part(part.position..<split)) ?? .nan
      range.elevation = Self.number(after: "radians:", part.part(split..<part.end)) ?? .nan
    }
    range.nonLineOfSight = Self.obstruction(Self.number(after: "lineOfSight:", text))
    range.rssi = Self.level(Self.number(after: "rssiDbm:", text))
    rows.beginEpoch(.sinceStart(time), in: line)
    rows.append(range, line: line.number)
  }

  private func readService(_ text: TokenCursor, _ line: LogLine, into rows: inout LogRows) {
    var range = LogRange()
    guard let name = Self.value(after: "MacAddress =", text),
      let status = Self.value(after: "RangingStatus =", text)
    else { return rows.reject(line, "the measurement is damaged") }
    guard text.isText(status, "0") || text.isText(status, "0x0") || text.isText(status, "0x00")
    else {
      let word = Excerpt.text(text.bytes[status], limit: 20)
      return rows.fail(line: line.number, "status \(word)", line.cursor.bytes[line.whole])
    }
    var distance = text
    guard distance.skip(past: " Distance ="), let centimetres = Self.number(&distance) else {
      return rows.reject(line, "the measurement has no distance")
    }
    // The largest value of the field stands for none.
    guard centimetres < 65_535 else {
      return rows.reject(line, "the measurement has no distance")
    }
    range.anchor = text.bytes[name]
    range.distance = centimetres / 100
    let azimuth = Self.number(after: "AoaAzimuth =", text) ?? .nan
    let elevation = Self.number(after: "AoaElevation =", text) ?? .nan
    if Self.number(after: "AoaAzimuthFom =", text) != 0 {
      range.azimuth = azimuth.degreesInRadians
    }
    if Self.number(after: "AoaElevationFom =", text) != 0 {
      range.elevation = elevation.degreesInRadians
    }
    range.nonLineOfSight = Self.obstruction(Self.number(after: "NLoS =", text))
    range.rssi = Self.level(Self.number(after: "RSSI =", text))
    rows.beginEpoch(.none, in: line)
    rows.append(range, line: line.number)
  }

  private func readBackend(_ text: TokenCursor, _ line: LogLine, into rows: inout LogRows) {
    var cursor = text
    cursor.consumeBlanks()
    let digits = cursor.consume { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "|") }
    guard let time = cursor.nanoseconds(in: digits, .milliseconds),
      let distance = Self.number(after: "distance (m)", text)
    else { return rows.reject(line, "the line is damaged") }
    var range = LogRange()
    range.distance = distance
    range.azimuth = (Self.number(after: "azimuth:", text) ?? .nan).degreesInRadians
    range.elevation = (Self.number(after: "elevation:", text) ?? .nan).degreesInRadians
    range.rssi = Self.level(Self.number(after: "rssi:", text))
    rows.beginEpoch(.sinceStart(time), in: line)
    rows.append(range, line: line.number)
  }

  private func readApp(_ text: TokenCursor, _ line: LogLine, into rows: inout LogRows) {
    guard let distance = Self.number(after: "dist=", text),
      let azimuth = Self.number(after: "az=", text)
    else { return rows.reject(line, "the line is damaged") }
    var range = LogRange()
    range.distance = distance
    range.azimuth = azimuth.degreesInRadians
    range.elevation = (Self.number(after: "el=", text) ?? .nan).degreesInRadians
    rows.beginEpoch(.none, in: line)
    rows.append(range, line: line.number)
  }

  // MARK: Values

  private static func value(after key: StaticString, _ text: TokenCursor) -> Range<Int>? {
    var text = text
    guard text.skip(past: key) else { return nil }
    text.consumeBlanks()
    if text.next == UInt8(ascii: "[") {
      // The bytes of an address: [18, 52].
      let list = text.consume { $0 == UInt8(ascii: "]") }
      return text.consume(UInt8(ascii: "]")) ? list.lowerBound..<text.position : nil
    }
    let value = text.consume {
      $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "]") || $0 == UInt8(ascii: " ")
        || $0 == UInt8(ascii: "}")
    }
    return value.isEmpty ? nil : value
  }

  private static func number(after key: StaticString, _ text: TokenCursor) -> Double? {
    var text = text
    return text.skip(past: key) ? number(&text) : nil
  }

  private static func number(_ text: inout TokenCursor) -> Double? {
    text.consumeBlanks()
    return text.number()
  }

  /// Returns the degree of obstruction; 255 is unknown.
  private static func obstruction(_ value: Double?) -> Double {
    value == 0 ? 0 : value == 1 ? 1 : .nan
  }

  /// Returns the level in dBm; -128 and values that no receiver measures are unknown.
  private static func level(_ value: Double?) -> Double {
    guard let value, value > -128, value < 0 else { return .nan }
    return value
  }
}
