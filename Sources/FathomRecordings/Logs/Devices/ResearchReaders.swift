import Fathom

/// A reader of GTSAM's ranges: `time sender receiver range`, separated by blanks, in seconds and
/// metres, with the addresses as numbers.
struct GTSAMReader: LogLineReader {
  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.wholeCursor
    guard let fields = cursor.blankFields(atMost: 4), fields.count == 4,
      let tag = Self.address(fields[1], cursor), let anchor = Self.address(fields[2], cursor),
      let time = cursor.nanoseconds(in: fields[0], .seconds),
      let distance = cursor.number(in: fields[3])
    else { return rows.reject(line, "the row is not time, sender, receiver and range") }
    var range = LogRange()
    range.tag = Array("\(tag)".utf8)[...]
    range.anchor = Array("\(anchor)".utf8)[...]
    range.distance = distance
    rows.beginEpoch(.instant(time), in: line)
    rows.append(range, line: line.number)
  }

  private static func address(_ field: Range<Int>, _ cursor: TokenCursor) -> Int? {
    cursor.number(in: field).flatMap { Int(exactly: $0) }
      .flatMap { (0..<65_536).contains($0) ? $0 : nil }
  }
}

/// A reader of libRSF's ranges: `range2 time mean variance x y id` or
/// `range3 time mean variance x y z id`, with the positions of the anchors, in metres.
struct LibRSFReader: LogLineReader {
  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.wholeCursor
    cursor.consumeBlanks()
    let kind = cursor.consume { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let isPlanar = cursor.isText(kind, "range2")
    guard isPlanar || cursor.isText(kind, "range3") else { return rows.skip() }
    let count = isPlanar ? 6 : 7
    guard let fields = cursor.blankFields(atMost: count), fields.count == count,
      let time = cursor.nanoseconds(in: fields[0], .seconds),
      let distance = cursor.number(in: fields[1]), let variance = cursor.number(in: fields[2]),
      let x = cursor.number(in: fields[3]), let y = cursor.number(in: fields[4]),
      let z = isPlanar ? 0 : cursor.number(in: fields[5])
    else { return rows.reject(line, "the row does not have the fields of a range") }
    var range = LogRange()
    range.anchor = cursor.bytes[fields[count - 1]]
    range.distance = distance
    if variance > 0 { range.sigma = variance.squareRoot() }
    rows.beginEpoch(.instant(time), in: line)
    rows.append(range, line: line.number)
    rows.appendAnchor(range.anchor, at: Vector([x, y, z]), line: line.number)
  }
}

extension TokenCursor {
  /// Takes the fields up to the end, separated by blanks; nil if there are more than `most`.
  mutating func blankFields(atMost most: Int) -> [Range<Int>]? {
    var fields: [Range<Int>] = []
    while true {
      consumeBlanks()
      if isAtEnd { return fields }
      if fields.count == most { return nil }
      fields.append(consume { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
    }
  }

  /// Takes the fields up to the end, separated by `separator`; nil if there are more than `most`.
  mutating func fields(separatedBy separator: UInt8, atMost most: Int) -> [Range<Int>]? {
    var fields: [Range<Int>] = []
    while true {
      if fields.count == most { return nil }
      fields.append(trimmed(consume { $0 == separator }))
      if !consume(separator) { return fields }
    }
  }
}
