import Fathom

/// A reader of the JSON that Qorvo's SDK 1.0.2 and Nearby Interaction firmware prints: one object
/// per block, `{"Block":3948, "results":[{"Addr":"0x0001","Status":"Ok","D_cm":71}]}`.
///
/// Distances are in centimetres, angles in degrees. Frames of the listener are skipped.
struct QorvoBlockReader: LogLineReader {
  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.cursor
    guard let key = cursor.offset(of: "\"Block\""), let begin = cursor.offset(of: "{"), begin < key
    else { return rows.skip() }
    cursor.position = begin
    let mark = rows.mark
    var block: Int64?
    var results: [Result<LogRange, RowFault>] = []
    let isWhole = cursor.object { key, cursor in
      if cursor.isText(key, "Block") {
        block = cursor.scalar().flatMap { cursor.integer(in: $0) }
        return block != nil
      }
      if cursor.isText(key, "results") {
        return cursor.array { cursor in
          guard let result = Self.result(&cursor) else { return false }
          results.append(result)
          return true
        }
      }
      return cursor.skipValue()
    }
    guard isWhole, let block else {
      rows.cut(to: mark)
      return rows.reject(line, "the line is damaged")
    }
    rows.beginEpoch(.block(block, session: 0), in: line)
    for result in results {
      switch result {
      case .success(let range): rows.append(range, line: line.number)
      case .failure(let fault):
        rows.fail(line: line.number, fault.reason, line.cursor.bytes[line.whole])
      }
    }
  }

  /// Reads a measurement; returns nil if it is damaged.
  private static func result(_ cursor: inout TokenCursor) -> Result<LogRange, RowFault>? {
    var range = LogRange()
    var status = 0..<0
    let isWhole = cursor.object { key, cursor in
      guard let value = cursor.scalar() else { return false }
      if cursor.isText(key, "Addr") {
        range.anchor = cursor.bytes[value]
        return true
      }
      if cursor.isText(key, "Status") {
        status = value
        return true
      }
      guard let number = cursor.number(in: value) else {
        return !cursor.isText(key, "D_cm") && !cursor.isText(key, "LAoA_deg")
      }
      if cursor.isText(key, "D_cm") { range.distance = number / 100 }
      if cursor.isText(key, "LAoA_deg") { range.azimuth = number.degreesInRadians }
      return true
    }
    guard isWhole, !range.anchor.isEmpty else { return nil }
    guard cursor.isText(status, "Ok") || cursor.isText(status, "SUCCESS") else {
      return .failure(RowFault(reason: Excerpt.text(cursor.bytes[status], limit: 40)))
    }
    return range.distance.isNaN ? nil : .success(range)
  }
}
