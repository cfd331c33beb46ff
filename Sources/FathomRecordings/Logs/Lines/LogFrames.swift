/// A reader of one format of binary frames.
///
/// It keeps only the state of an unfinished measurement.
protocol LogFrameReader: Sendable {
  /// Creates a reader at the beginning of a stream of frames.
  init()
  /// What was read so far.
  var count: LogFrameCount { get set }
  /// Why bytes that belong to no frame are rejected.
  static var damage: String { get }
  /// Returns the frame at `position` of `block`, behind which other bytes follow unless `isLast`.
  static func frame(_ block: [UInt8], at position: Int, isLast: Bool) -> FoundFrame
  /// Reads a complete frame.
  mutating func read(_ block: [UInt8], _ frame: Range<Int>, into rows: inout LogRows)
}

/// The number of frames and of bytes between them.
struct LogFrameCount: Sendable {
  /// The number of the frame that is read, from 1: the line of its measurements.
  var number = 1
  /// Bytes since the last frame that belong to no frame.
  fileprivate var strayBytes = 0
}

/// What begins at a byte.
enum FoundFrame {
  case nothing
  /// The frame ends behind the bytes that have come.
  case incomplete
  /// A frame of so many bytes.
  case frame(Int)
}

extension LogFrameReader {
  /// Reads the complete frames of `block`; returns the number of bytes that were read.
  mutating func read(_ block: [UInt8], isLast: Bool, into rows: inout LogRows) -> Int {
    var position = 0
    while position < block.count {
      switch Self.frame(block, at: position, isLast: isLast) {
      case .incomplete: return position
      case .nothing:
        count.strayBytes += 1
        position += 1
      case .frame(let length):
        rejectStrayBytes(into: &rows)
        read(block, position..<position + length, into: &rows)
        count.number += 1
        position += length
      }
    }
    if isLast { rejectStrayBytes(into: &rows) }
    return position
  }

  private mutating func rejectStrayBytes(into rows: inout LogRows) {
    guard count.strayBytes > 0 else { return }
    rows.reject(line: count.number, Self.damage, [])
    count.strayBytes = 0
  }
}
