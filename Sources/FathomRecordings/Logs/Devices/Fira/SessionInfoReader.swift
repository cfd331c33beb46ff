import Fathom

/// A reader of `SESSION_INFO_NTF` notifications, which Qorvo's command-line firmware prints.
///
/// A notification has one measurement per peer, on one line or on a line each. Angles are in
/// degrees, distances in centimetres. The block index is the time.
struct SessionInfoReader: LogLineReader {
  /// The open notification.
  private struct Notification {
    var line: Int
    var announced: Int64?
    var found: Int64 = 0
  }
  private var open: Notification?
  private var isHeaderDamaged = false

  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.cursor
    var isOther = true
    while true {
      let begin = cursor.offset(of: "SESSION_INFO_NTF:")
      var before = cursor.part(cursor.position..<(begin ?? cursor.end))
      before.consumeBlanks()
      if !before.isAtEnd, readMeasurements(&before, line, into: &rows) { isOther = false }
      guard let begin else { break }
      isOther = false
      close(line, into: &rows)
      cursor.position = begin
      _ = cursor.consume("SESSION_INFO_NTF:")
      readHeader(&cursor, line, into: &rows)
    }
    if isOther { rows.skip() }
  }

  mutating func finish(into rows: inout LogRows) {
    if let open {
      rows.reject(line: open.line, Self.unclosed, [])
      self.open = nil
    }
  }

  private static let unclosed = "the notification is not closed"

  /// Closes the open notification before another begins.
  private mutating func close(_ line: LogLine, into rows: inout LogRows) {
    guard let before = open else { return }
    rows.reject(line: before.line, Self.unclosed, line.cursor.bytes[line.whole])
    open = nil
  }

  /// Reads `{session_handle=1, sequence_number=39, block_index=39, n_measurements=1`.
  private mutating func readHeader(
    _ cursor: inout TokenCursor, _ line: LogLine, into rows: inout LogRows
  ) {
    var session: Int64 = 0
    var block: Int64?
    var notification = Notification(line: line.number)
    cursor.consumeBlanks()
    isHeaderDamaged = !cursor.consume(UInt8(ascii: "{"))
    while !isHeaderDamaged {
      cursor.consumeBlanks()
      guard let byte = cursor.next, byte != UInt8(ascii: "["), byte != UInt8(ascii: "}") else {
        break
      }
      let key = cursor.consume { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "[") }
      guard cursor.consume(UInt8(ascii: "=")) else {
        isHeaderDamaged = true
        break
      }
      let value = cursor.consume {
        $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "[")
          || $0 == UInt8(ascii: "}")
      }
      let number = cursor.integer(in: value)
      if cursor.isText(key, "session_handle") { session = number ?? 0 }
      if cursor.isText(key, "block_index") { block = number }
      if cursor.isText(key, "n_measurements") { notification.announced = number }
      _ = cursor.consume(UInt8(ascii: ","))
    }
    guard !isHeaderDamaged, let block, notification.announced != nil else {
      isHeaderDamaged = true
      return rows.reject(line, "the notification has no block index or number of measurements")
    }
    rows.beginEpoch(.block(block, session: session), in: line)
    open = notification
  }

  /// Reads measurements and the end of a notification; returns whether there were any.
  private mutating func readMeasurements(
    _ cursor: inout TokenCursor, _ line: LogLine, into rows: inout LogRows
  ) -> Bool {
    var isFound = false
    while !cursor.isAtEnd {
      cursor.consumeBlanks()
      if cursor.consume(UInt8(ascii: ";")) || cursor.consume(UInt8(ascii: ",")) { continue }
      if open != nil, cursor.consume(UInt8(ascii: "}")) {
        end(line, into: &rows)
        return true
      }
      guard cursor.matches("[mac_address", at: cursor.position) else { break }
      isFound = true
      let outcome = readMeasurement(&cursor)
      guard open != nil else {
        // The measurements of a damaged header have been reported with it.
        if !isHeaderDamaged {
          rows.reject(line, "a measurement without the beginning of its notification")
        }
        return true
      }
      open?.found += 1
      switch outcome {
      case .success(let range): rows.append(range, line: line.number)
      case .failure(let fault):
        guard fault.column == "status" else {
          rows.reject(line, fault.reason)
          return true
        }
        rows.fail(line: line.number, fault.reason, line.cursor.bytes[line.whole])
      }
    }
    return isFound
  }

  private mutating func end(_ line: LogLine, into rows: inout LogRows) {
    if let open, let announced = open.announced, announced != open.found {
      rows.reject(
        line: open.line, "the number of measurements differs from n_measurements: \(open.found)",
        line.cursor.bytes[line.whole])
    }
    open = nil
  }

  /// Reads `[mac_address=0x0001, status="SUCCESS", distance[cm]=71]`.
  ///
  /// The column of a fault is empty if the text is damaged.
  private func readMeasurement(_ cursor: inout TokenCursor) -> Result<LogRange, RowFault> {
    let damaged = Result<LogRange, RowFault>.failure(RowFault(reason: "the measurement is damaged"))
    _ = cursor.consume(UInt8(ascii: "["))
    var range = LogRange()
    var status = 0..<0
    var (azimuth, elevation) = (Double.nan, Double.nan)
    while true {
      cursor.consumeBlanks()
      let key = cursor.consume {
        $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "{")
      }
      guard cursor.consume(UInt8(ascii: "=")), key.count <= 40 else { return damaged }
      let value: Range<Int>
      if cursor.next == UInt8(ascii: "\"") {
        guard let text = cursor.string() else { return damaged }
        value = text
      } else {
        value = cursor.trimmed(
          cursor.consume { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "]") })
      }
      if cursor.isText(key, "mac_address") {
        range.anchor = cursor.bytes[value]
      } else if cursor.isText(key, "status") {
        status = value
      } else {
        let number = cursor.number(in: value)
        if cursor.isText(key, "distance[cm]") {
          guard let number else { return damaged }
          range.distance = number / 100
        } else if cursor.isText(key, "distance[mm]") {
          guard let number else { return damaged }
          range.distance = number / 1000
        } else if cursor.isText(key, "distance[m]") {
          guard let number else { return damaged }
          range.distance = number
        } else if cursor.isText(key, "loc_az") || cursor.isText(key, "loc_az_pdoa")
          || cursor.isText(key, "loc_el") || cursor.isText(key, "loc_el_pdoa")
          || cursor.isText(key, "RSSI[dBm]")
        {
          guard let number else { return damaged }
          if cursor.isText(key, "loc_az") { azimuth = number }
          if cursor.isText(key, "loc_el") { elevation = number }
          if cursor.isText(key, "RSSI[dBm]") { range.rssi = number }
        }
      }
      cursor.consumeBlanks()
      if cursor.consume(UInt8(ascii: "]")) { break }
      guard cursor.consume(UInt8(ascii: ",")) else { return damaged }
    }
    guard !range.anchor.isEmpty, range.anchor.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return damaged
    }
    guard cursor.isText(status, "SUCCESS") || cursor.isText(status, "Ok") else {
      let word = Excerpt.text(cursor.bytes[status], limit: 40)
      return .failure(RowFault(column: "status", reason: word))
    }
    guard !range.distance.isNaN else { return damaged }
    range.azimuth = azimuth.degreesInRadians
    range.elevation = elevation.degreesInRadians
    return .success(range)
  }
}
