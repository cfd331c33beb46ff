import Fathom
import Foundation

/// A reader of positions from JSON Lines, as ``ResultWriter`` writes them with `--results jsonl`.
///
/// Each line is an object with the keys of the CSV columns: `time_s`, `x_m`, `y_m` and optionally
/// `z_m`, `tag`, and the covariance `sxx`, `sxy`, `sxz`, `syy`, `syz`, `szz`. `null` marks an
/// undetermined number; other keys are ignored.
enum PositionLinesReader {
  static func read(_ source: ByteSource) -> RecordedTrajectory {
    var trajectory = RecordedTrajectory(path: source.path, format: .jsonl)
    let decoder = JSONDecoder()
    var columns = TrajectoryColumns()
    var hasCovariance = false
    var row = HeaderlessRow(source.bytes)
    while row.next(separatedBy: .commas) {
      trajectory.rowsRead += 1
      do throws(RowFault) {
        let line = try line(Data(source.bytes[row.row]), decoder)
        // The first usable row decides whether all rows have a covariance.
        if trajectory.rowsRead == trajectory.rejected.total + 1 {
          hasCovariance = line.hasCovariance
        }
        columns.append(
          line.time, tag: line.tag, line.position,
          covariance: hasCovariance ? line.covariance : nil)
      } catch {
        trajectory.rejected.append(row.rejected(error))
      }
    }
    trajectory.tracks = columns.tracks
    return trajectory
  }

  private static func line(
    _ text: Data, _ decoder: JSONDecoder
  ) throws(RowFault) -> PositionLine {
    do {
      return try decoder.decode(PositionLine.self, from: text)
    } catch let fault as RowFault {
      throw fault
    } catch {
      throw PositionLine.fault(error)
    }
  }
}

/// A line with one position.
private struct PositionLine: Decodable {
  let time: Timestamp
  let tag: String
  let position: Vector<3>
  let covariance: Matrix<3, 3>
  let hasCovariance: Bool

  private enum Key: String, CodingKey {
    case time = "time_s"
    case tag
    case x = "x_m"
    case y = "y_m"
    case z = "z_m"
    case sxx, sxy, sxz, syy, syz, szz
  }

  init(from decoder: any Decoder) throws {
    let line = try decoder.container(keyedBy: Key.self)
    // Parsed as a decimal number: a `Double` cannot represent Unix times to the nanosecond.
    let seconds = Array("\(try line.decode(Decimal.self, forKey: .time))".utf8)
    let number = DecimalNumber(
      seconds, 0..<seconds.count, decimalSeparator: UInt8(ascii: "."))
    guard let nanoseconds = number?.nanoseconds(from: .seconds) else {
      throw RowFault(column: Key.time.rawValue, reason: "time_s exceeds 292 years")
    }
    time = Timestamp(nanoseconds: nanoseconds)
    tag = try line.decodeIfPresent(String.self, forKey: .tag) ?? ""
    for key in [Key.x, .y] where !line.contains(key) {
      throw RowFault(column: key.rawValue, reason: "\(key.rawValue) is missing")
    }
    func optional(_ key: Key) throws -> Double {
      try line.decodeIfPresent(Double.self, forKey: key) ?? .nan
    }
    var position = Vector<3>.zero
    for (axis, key) in [Key.x, .y, .z].enumerated() {
      position[axis] = try optional(key)
      guard position[axis].isFinite else { continue }
      if let reason = RecordingLimits.reasonTooFar(position[axis]) {
        throw RowFault(column: key.rawValue, reason: "\(key.rawValue) \(reason)")
      }
    }
    self.position = position
    let elements = [Key.sxx, .sxy, .sxz, .syy, .syz, .szz]
    covariance = try Matrix<3, 3> { try optional(elements[$0]) }
    hasCovariance = elements.contains(where: line.contains)
  }

  /// Describes an error in decoding a line.
  static func fault(_ error: any Error) -> RowFault {
    guard let error = error as? DecodingError else { return RowFault(reason: "row is not JSON") }
    switch error {
    case .keyNotFound(let key, _):
      return RowFault(column: key.stringValue, reason: "\(key.stringValue) is missing")
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      guard let key = context.codingPath.first?.stringValue else {
        return RowFault(reason: "row is not a JSON object")
      }
      let kind = key == Key.tag.rawValue ? "string" : "number"
      return RowFault(column: key, reason: "\(key) is not a \(kind)")
    case .dataCorrupted(let context):
      guard let key = context.codingPath.first?.stringValue else {
        return RowFault(reason: "row is not JSON")
      }
      return RowFault(column: key, reason: "\(key) is not a finite number")
    @unknown default:
      return RowFault(reason: "row is not JSON")
    }
  }
}
