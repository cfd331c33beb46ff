import Fathom
import Foundation

/// A parser of the lines of a device log in blocks.
struct LogParser: Sendable {
  let format: LogFormat
  /// Reader of lines; nil for binary frames.
  private var reader: (any LogLineReader)?
  private var frames: (any LogFrameReader)?
  /// What the last lines contained.
  var rows = LogRows()
  var timeline: LogTimeline
  /// Line of the next byte, from 1.
  private var line = 1
  /// Lines without a measurement.
  private(set) var otherLines = 0

  /// Creates a parser at the beginning of a log; nil for rows with columns.
  init?(_ format: LogFormat, options: RecordingOptions) {
    reader = format.makeReader()
    frames = format.makeFrameReader()
    if reader == nil, frames == nil { return nil }
    self.format = format
    timeline = LogTimeline(format, options: options)
  }

  /// Decides from the beginning of the log, `head`, where times come from.
  mutating func chooseTimes(from head: [UInt8], isWhole: Bool) {
    var probe = self
    _ = probe.rows(of: head, isLast: isWhole)
    reader = probe.reader?.restarted()
    probe = self
    timeline.choose(for: probe.rows(of: head, isLast: isWhole).epochs)
  }

  /// Returns the rows in `head`, the beginning of a log; `isLast` says whether the log ends with it.
  mutating func rows(of head: [UInt8], isLast: Bool) -> LogRows {
    _ = readLines(of: head, isLast: isLast)
    return rows
  }

  /// Returns the positions of anchors in the complete lines of `block`, and the number of bytes taken.
  mutating func anchors(of block: [UInt8], isLast: Bool) -> (taken: Int, anchors: [LogAnchor]) {
    rows.collectsAnchors = true
    let taken = readLines(of: block, isLast: isLast)
    return (taken, rows.anchors)
  }

  /// Reads the complete lines of `block` into ``rows``; returns the number of bytes taken.
  mutating func readLines(of block: [UInt8], isLast: Bool) -> Int {
    rows.removeAll()
    defer { otherLines += rows.otherLines }
    if let taken = frames?.read(block, isLast: isLast, into: &rows) { return taken }
    var begin = 0
    while begin < block.count {
      let lineFeed = Self.offset(of: UInt8(ascii: "\n"), in: block, begin..<block.count)
      guard let end = lineFeed ?? (isLast ? block.count : nil) else { break }
      parse(block, begin..<end)
      line += 1
      begin = end + 1
    }
    if isLast { reader?.finish(into: &rows) }
    return min(begin, block.count)
  }

  /// Reads the line in `range`, in which carriage returns separate what is printed over each other.
  private mutating func parse(_ block: [UInt8], _ range: Range<Int>) {
    guard range.count <= RecordingLimits.longestRow else {
      rows.reject(
        line: line, "the line is longer than \(RecordingLimits.longestRow) bytes", block[range])
      return
    }
    var begin = range.lowerBound
    while begin < range.upperBound {
      let end =
        Self.offset(of: UInt8(ascii: "\r"), in: block, begin..<range.upperBound)
        ?? range.upperBound
      if end > begin { reader?.read(LogLine(block, begin..<end, number: line), into: &rows) }
      begin = end + 1
    }
  }

  /// Returns the offset of the first `byte` in `range` of `block`; nil without one.
  private static func offset(of byte: UInt8, in block: [UInt8], _ range: Range<Int>) -> Int? {
    block.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, !range.isEmpty, range.upperBound <= bytes.count,
        let found = memchr(base + range.lowerBound, Int32(byte), range.count)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  /// Notes for the user on the complete log.
  func notes() -> [String] {
    var notes = ["format: \(format.title)", timeline.note]
    if otherLines > 0 {
      notes.append(
        otherLines == 1
          ? "1 line without a measurement" : "\(otherLines) lines without a measurement")
    }
    return notes
  }
}
