import Fathom

/// A reader of the console of ESP32 boards that measure by Wi-Fi FTM, as ESP-IDF's example `ftm` and
/// Arduino's `FTM_Initiator` print it:
/// `I (5121) ftm_station: Estimated RTT - 14 nSec, Estimated Distance - 2.10 meters`.
///
/// The anchor is the responder: its address, or the SSID of the command if the firmware prints no address.
/// The milliseconds since the start of the board are the time. The table of frames has no distances.
struct FTMConsoleReader: LogLineReader {
  /// The responder of the session; empty before one is named.
  private var peer: ArraySlice<UInt8> = []
  /// The access point to which the board is connected, with which a command without SSID measures.
  private var connected: ArraySlice<UInt8> = []
  /// The SSID in the last command; empty without one.
  private var requested: ArraySlice<UInt8> = []
  /// Mean level of the frames of the session, in dBm.
  private var level = Double.nan

  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.wholeCursor
    if cursor.skip(past: "Estimated Distance - ") {
      readDistance(&cursor, unit: "meters", line, into: &rows)
    } else if cursor.skip(past: "FTM Estimate: Distance: ") {
      readDistance(&cursor, unit: "m", line, into: &rows)
    } else if cursor.skip(past: "FTM procedure with Peer(") {
      peer = Self.copy(cursor.bytes, cursor.consume { $0 == UInt8(ascii: ")") })
      level = .nan
      let text = line.cursor.bytes[line.whole]
      rows.fail(line: line.number, Self.status(cursor), text)
    } else {
      readSession(cursor)
      rows.skip()
    }
  }

  /// Reads what a line says about the responder.
  private mutating func readSession(_ line: TokenCursor) {
    var cursor = line
    if cursor.skip(past: "Requesting FTM session") {
      // The address follows; if its line is lost, the distance must not go to the responder before.
      (peer, level) = (requested.isEmpty ? connected : requested, .nan)
    } else if cursor.skip(past: "FTM session with ") {
      let name = cursor.consume { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
      if Self.isAddress(cursor, name) { peer = Self.copy(cursor.bytes, name) }
      level = .nan
    } else if cursor.skip(past: "FTM session ends"), cursor.skip(past: "Avg RSSI: ") {
      level = cursor.number() ?? .nan
    } else if cursor.skip(past: "(BSSID: ") {
      let name = cursor.consume { $0 == UInt8(ascii: ")") || $0 == UInt8(ascii: ",") || $0 <= 0x20 }
      if Self.isAddress(cursor, name) { connected = Self.copy(cursor.bytes, name) }
      peer = connected
    } else if cursor.skip(past: "ftm -I") {
      // The command on the console; without an SSID it holds for the connection.
      requested = []
      if cursor.skip(past: "-s ") {
        cursor.consumeBlanks()
        let name = cursor.consume { $0 <= 0x20 }
        requested = Self.copy(cursor.bytes, LoggedName.content(of: cursor.bytes, name))
      }
      (peer, level) = (requested.isEmpty ? connected : requested, .nan)
    }
  }

  private mutating func readDistance(
    _ cursor: inout TokenCursor, unit: StaticString, _ line: LogLine, into rows: inout LogRows
  ) {
    let distance = cursor.number()
    cursor.consumeBlanks()
    guard let distance, cursor.consume(unit) else {
      return rows.reject(line, "the line is damaged")
    }
    var range = LogRange()
    (range.anchor, range.distance, range.rssi) = (peer, distance, level)
    // Zero is what the driver reports without a level.
    if range.rssi >= 0 { range.rssi = .nan }
    level = .nan
    rows.beginEpoch(Self.milliseconds(line).map { .sinceStart(1_000_000 * $0) } ?? .round, in: line)
    rows.append(range, line: line.number)
  }

  /// Returns the time since the start in `I (5121) tag:` or `[  2964][I][file:235]`; nil without one.
  private static func milliseconds(_ line: LogLine) -> Int64? {
    var cursor = line.wholeCursor
    if cursor.skip(past: " (") {
      let digits = cursor.consume { $0 &- UInt8(ascii: "0") >= 10 }
      if cursor.consume(UInt8(ascii: ")")), let time = cursor.integer(in: digits), time < longest {
        return time
      }
    }
    cursor = line.wholeCursor
    guard cursor.skip(past: "[") else { return nil }
    cursor.consumeBlanks()
    let digits = cursor.consume { $0 &- UInt8(ascii: "0") >= 10 }
    guard cursor.consume("]["), let time = cursor.integer(in: digits), time < longest else {
      return nil
    }
    return time
  }

  /// More milliseconds than a board can have run, so that nanoseconds do not overflow.
  private static let longest: Int64 = 1 << 40

  private static func status(_ cursor: TokenCursor) -> String {
    var cursor = cursor
    guard cursor.skip(past: "Status - ") else { return "status unknown" }
    let digits = cursor.consume { $0 &- UInt8(ascii: "0") >= 10 }
    return "status \(Excerpt.text(cursor.bytes[digits], limit: 10))"
  }

  /// Whether `name` is an address of six bytes.
  private static func isAddress(_ cursor: TokenCursor, _ name: Range<Int>) -> Bool {
    let parts = cursor.bytes[name].split(
      separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    return parts.count == 6
      && parts.allSatisfy { part in
        part.count == 2 && part.allSatisfy { TokenCursor.hexadecimalDigit($0) != nil }
      }
  }

  private static func copy(_ bytes: [UInt8], _ range: Range<Int>) -> ArraySlice<UInt8> {
    Array(bytes[range])[...]
  }
}
