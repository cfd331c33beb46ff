import Fathom

/// A reader of the text of Qorvo's UCI tool `run_fira_twr`: a block `# Ranging Data:` per round,
/// with a block `# Measurement 1:` per peer.
///
/// The sequence number times the ranging interval is the time.
struct FiraReader: LogLineReader {
  /// The open measurement.
  private struct Measurement {
    var range = LogRange()
    var line: Int
    var status: String?
    var isDamaged = false
    /// Figures of merit; an angle with 0 % is not measured.
    var azimuthMerit = Double.nan
    var elevationMerit = Double.nan
  }
  private var open: Measurement?
  /// The open block: its first line, session, sequence number and interval in nanoseconds.
  private var block: (line: LogLine, session: Int64, sequence: Int64?, interval: Int64?)?
  private var hasEpoch = false

  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.cursor
    if cursor.skip(past: "# Ranging Data") {
      close(into: &rows)
      block = (LogLine([], 0..<0, number: line.number, host: line.host), 0, nil, nil)
      hasEpoch = false
      return
    }
    guard let block else { return rows.skip() }
    if cursor.skip(past: "# Measurement") {
      close(into: &rows)
      if !hasEpoch {
        hasEpoch = true
        var clock = LogClock.none
        if let sequence = block.sequence, let interval = block.interval {
          let (time, overflow) = sequence.multipliedReportingOverflow(by: interval)
          if !overflow { clock = .sinceStart(time) }
        }
        rows.beginEpoch(clock, in: block.line)
      }
      open = Measurement(line: line.number)
      return
    }
    let key = cursor.trimmed(cursor.consume { $0 == UInt8(ascii: ":") })
    guard cursor.consume(UInt8(ascii: ":")) else { return }
    cursor.consumeBlanks()
    if open == nil { readBlock(key, &cursor) } else { readMeasurement(key, &cursor) }
  }

  mutating func finish(into rows: inout LogRows) {
    close(into: &rows)
    block = nil
  }

  private mutating func readBlock(_ key: Range<Int>, _ cursor: inout TokenCursor) {
    let value = cursor.consume { $0 == UInt8(ascii: " ") }
    let number = cursor.integer(in: value)
    if cursor.isText(key, "session handle") { block?.session = number ?? 0 }
    if cursor.isText(key, "sequence n") { block?.sequence = number }
    if cursor.isText(key, "ranging interval"), let number, (1...3_600_000).contains(number) {
      block?.interval = 1_000_000 * number
    }
  }

  private mutating func readMeasurement(_ key: Range<Int>, _ cursor: inout TokenCursor) {
    let value = cursor.consume { $0 == UInt8(ascii: " ") }
    if cursor.isText(key, "status") {
      open?.status = Excerpt.text(cursor.bytes[value], limit: 40)
    } else if cursor.isText(key, "mac address") {
      open?.range.anchor = Array(cursor.bytes[value])[...]
    } else if cursor.isText(key, "is nlos meas") {
      if cursor.isText(value, "LoS") || cursor.isText(value, "Los") || cursor.isText(value, "0") {
        open?.range.nonLineOfSight = 0
      }
      if cursor.isText(value, "NLoS") || cursor.isText(value, "Nlos") || cursor.isText(value, "1") {
        open?.range.nonLineOfSight = 1
      }
    } else {
      let number = cursor.number(in: value)
      if cursor.isText(key, "distance") {
        open?.range.distance = (number ?? .nan) / 100
        if number == nil { open?.isDamaged = true }
      }
      if cursor.isText(key, "AoA azimuth") {
        open?.range.azimuth = (number ?? .nan).degreesInRadians
      }
      if cursor.isText(key, "AoA elevation") {
        open?.range.elevation = (number ?? .nan).degreesInRadians
      }
      if cursor.isText(key, "AoA az. FOM") { open?.azimuthMerit = number ?? .nan }
      if cursor.isText(key, "AoA elev. FOM") { open?.elevationMerit = number ?? .nan }
      if cursor.isText(key, "rssi"), let number, number != 0 { open?.range.rssi = number }
    }
  }

  private mutating func close(into rows: inout LogRows) {
    guard var measurement = open else { return }
    open = nil
    if measurement.azimuthMerit == 0 { measurement.range.azimuth = .nan }
    if measurement.elevationMerit == 0 { measurement.range.elevation = .nan }
    guard let status = measurement.status, !measurement.range.anchor.isEmpty,
      !measurement.isDamaged
    else {
      return rows.reject(line: measurement.line, "the measurement is damaged", [])
    }
    if status != "Ok", status != "SUCCESS" {
      rows.fail(line: measurement.line, status, [])
    } else if measurement.range.distance.isNaN {
      rows.reject(line: measurement.line, "the measurement is damaged", [])
    } else {
      rows.append(measurement.range, line: measurement.line)
    }
  }
}
