import CVectors

/// Where the cells of a row end, one after the other, whatever is in them.
///
/// Bytes are compared 64 at a time, so that where a cell ends does not have to wait for the one before it.
struct CellEnds {
  /// The bytes looked at last.
  private var text: UnsafePointer<UInt8>
  /// Those of them that end a cell and were not given out, a bit each, the first one the lowest.
  private var stops: UInt64
  private let delimiter: UInt8

  /// So many bytes can be read behind the line feed of a row; they mean nothing.
  static let margin = 64

  /// The ends of the cells of the row that begins at `row`; a line feed is still to come.
  @inline(__always)
  init(of row: UnsafePointer<UInt8>, delimiter: UInt8) {
    text = row
    self.delimiter = delimiter
    stops = cvectors_stops(row, delimiter)
  }

  /// The next delimiter or line feed; not to be asked for behind the line feed.
  @inline(__always)
  mutating func next() -> UnsafePointer<UInt8> {
    while stops == 0 {
      text += 64
      stops = cvectors_stops(text, delimiter)
    }
    let place = stops.trailingZeroBitCount
    stops &= stops &- 1
    return text + place
  }
}
