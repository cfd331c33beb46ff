import Fathom

/// A fast parser for simple rows of a ranges file.
///
/// A row is simple when its cells are numbers of at most 19 digits without exponent and names that
/// occurred before, without quotes, blanks or faults. All other rows are left to ``RangeTextRow``,
/// which defines the meaning of rows. Both parsers give bit-identical results for a simple row.
struct FastRowParser {
  private let fields: [FastRowField]
  /// Optional columns of the file, in the order of their slots.
  private let optional: [RangeQuantity]
  private let cells: FastCellParser
  /// Delimiter of fields.
  private let delimiter: UInt8
  private let zeroIsDistance: Bool
  private let distanceScale: Int
  private let hasTag: Bool
  private let hasAnchor: Bool
  private let hasDirection: Bool

  /// Creates a parser for files of the given layout.
  init(layout: RangesLayout, options: RecordingOptions) {
    fields = FastRowField.all(of: layout)
    optional = layout.numbers.map(\.quantity)
    delimiter = layout.delimiter.byte
    cells = FastCellParser(
      separator: options.decimalSeparator.byte,
      timeExponent: layout.timeUnit.nanosecondExponent)
    zeroIsDistance = options.zeroIsDistance
    hasDirection = optional.contains(.directionX)
    distanceScale = layout.distanceUnit.exponent
    hasTag = layout[.tag] != nil
    hasAnchor = layout[.anchor] != nil
  }

  /// Parses simple rows of `text` from `place` on, up to the first row that is not simple or not
  /// complete.
  ///
  /// `place` is the start of a line, and is advanced to the first row that is not parsed. The rows
  /// are appended to `ranges`, the columns of the layout; their number is returned.
  func parse(
    _ text: UnsafeBufferPointer<UInt8>, from place: inout RangesPosition, names: RangesNames,
    into ranges: inout RangeColumns
  ) -> Int {
    guard (hasTag || names.onlyTag != nil) && (hasAnchor || names.onlyAnchor != nil) else {
      return 0
    }
    // Rows that end this far before the end of the text need no bounds checks.
    guard let base = text.baseAddress,
      let last = text.dropLast(CellEndScanner.margin).lastIndex(of: UInt8(ascii: "\n")),
      last >= place.position
    else { return 0 }
    let end = base + last
    var row = base + place.position
    var parsed = 0
    FastRowBuffer.with(optional) { scratch in
      names.tags.withLookUp { tags in
        names.anchors.withLookUp { anchors in
          var count = 0
          while row <= end {
            guard
              let next = parseRow(row, tags, anchors, names, scratch, count, place.line),
              next - row <= RecordingLimits.longestRow
            else { break }
            row = next
            place.line += 1
            count += 1
            if count == FastRowBuffer.rows {
              scratch.append(count, to: &ranges)
              parsed += count
              count = 0
            }
          }
          scratch.append(count, to: &ranges)
          parsed += count
        }
      }
    }
    place.position = row - base
    return parsed
  }

  // MARK: Rows

  /// Parses the row at `row` into entry `index` of `scratch`; returns the next row, nil when the
  /// row is not simple.
  ///
  /// `row` must not be after the last line feed.
  @inline(__always)
  private func parseRow(
    _ row: UnsafePointer<UInt8>, _ tags: NameTable.LookUp, _ anchors: NameTable.LookUp,
    _ names: RangesNames, _ scratch: FastRowBuffer, _ index: Int, _ line: Int
  ) -> UnsafePointer<UInt8>? {
    var start = row
    var ends = CellEndScanner(of: row, delimiter: delimiter)
    scratch.tag[index] = names.onlyTag ?? 0
    scratch.anchor[index] = names.onlyAnchor ?? 0
    if row.pointee == UInt8(ascii: "#") { return nil }
    let lastField = fields.count - 1
    var direction = SIMD4<Double>.zero
    var lineEnd = row
    return fields.withUnsafeBufferPointer { fields in
      for place in 0...lastField {
        let field = fields[place]
        let word = FastCellParser.word(start)
        lineEnd = ends.next()
        guard lineEnd.pointee == field.stop else { return nil }
        var end = lineEnd
        if place == lastField, end > start, end[-1] == UInt8(ascii: "\r") { end -= 1 }
        if field.required.contains(.time) {
          guard let time = cells.time(start, end, word) else { return nil }
          scratch.time[index] = time
        } else if field.required.contains(.tag) {
          guard let tag = cells.name(start, end, word, tags) else { return nil }
          scratch.tag[index] = tag
        } else if field.required.contains(.anchor) {
          guard let anchor = cells.name(start, end, word, anchors) else { return nil }
          scratch.anchor[index] = anchor
        } else if field.required.contains(.distance) {
          guard
            let value = cells.magnitude(
              start, end, word, scale: distanceScale, zero: zeroIsDistance)
          else { return nil }
          scratch.distance[index] = value
        } else {
          guard let value = otherCell(field.cell, start, end, word, &direction) else { return nil }
          if field.slot >= 0 {
            scratch.optional[field.slot * FastRowBuffer.rows + index] = value
          }
        }
        start = end + 1
      }
      if hasDirection {
        let length = (direction * direction).sum().squareRoot()
        guard (length - 1).magnitude <= RangeQuantity.directionTolerance else { return nil }
      }
      scratch.line[index] = line
      return lineEnd + 1
    }
  }

  /// Returns the value of an optional cell, NaN when it is empty or has no value; nil when it is
  /// not simple.
  private func otherCell(
    _ cell: FastRowField.Cell, _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
    _ word: UInt64, _ direction: inout SIMD4<Double>
  ) -> Double? {
    let isEmpty = start == end
    switch cell {
    case .ignored: return cells.canSkip(start, end) ? .nan : nil
    case .event: return isEmpty ? .nan : nil
    case .number(let scale):
      return isEmpty ? .nan : cells.number(start, end, word, scale: scale)
    case .sigma(let scale):
      return isEmpty ? .nan : cells.magnitude(start, end, word, scale: scale, zero: false)
    case .angle(let unit):
      return isEmpty ? .nan : cells.number(start, end, word).map { unit.radians($0) }
    case .openAngle:
      if isEmpty { return .nan }
      guard let value = cells.number(start, end, word),
        value.magnitude <= RangeQuantity.largestAngle
      else { return nil }
      return value
    case .flag:
      if isEmpty { return .nan }
      guard let value = cells.number(start, end, word), value >= 0, value <= 1 else { return nil }
      return value
    case .verticalEstimate:
      if isEmpty { return .nan }
      let digit = start.pointee &- UInt8(ascii: "0")
      return digit <= 4 && end - start == 1 ? Double(digit) : nil
    case .component(let axis):
      guard let value = cells.number(start, end, word) else { return nil }
      direction[axis] = value
      return value
    }
  }
}

/// The use of a field of a ranges file in a simple row; see ``FastRowParser``.
struct FastRowField {
  /// The use of an optional cell.
  enum Cell {
    case ignored, event, verticalEstimate, flag
    /// A number, times a power of ten.
    case number(scale: Int)
    /// A standard deviation, times a power of ten.
    case sigma(scale: Int)
    case angle(AngleUnit)
    /// An angle in radians, because nothing states another unit.
    case openAngle
    /// A component of a direction: 0, 1, 2.
    case component(Int)
  }

  /// The required cells, one bit each.
  ///
  /// Bit tests distinguish them. The compiler turns a switch into an indirect jump, which costs
  /// more than the cell on processors that do not predict it.
  struct Required: OptionSet {
    let rawValue: UInt8
    static let time = Required(rawValue: 1)
    static let tag = Required(rawValue: 2)
    static let anchor = Required(rawValue: 4)
    static let distance = Required(rawValue: 8)
  }

  var required: Required = []
  var cell = Cell.ignored
  /// Index of its column among the optional columns; negative when it has none.
  var slot = -1
  /// Byte that ends the cell.
  var stop: UInt8

  /// Returns the fields of files of the given layout.
  ///
  /// The slots are the indices in ``RangesLayout/numbers``. Components of an incomplete direction are
  /// ignored.
  static func all(of layout: RangesLayout) -> [FastRowField] {
    var fields = [FastRowField](
      repeating: FastRowField(stop: layout.delimiter.byte),
      count: layout.header.names.count)
    fields[fields.count - 1].stop = UInt8(ascii: "\n")
    let required: [(RangeField, Required)] = [
      (.time, .time), (.tag, .tag), (.anchor, .anchor), (.distance, .distance),
    ]
    for (column, cell) in required {
      if let place = layout[column]?.field { fields[place].required = cell }
    }
    if let place = layout[.event]?.field { fields[place].cell = .event }
    for (slot, column) in layout.numbers.enumerated() {
      fields[column.field].slot = slot
      fields[column.field].cell =
        switch column.quantity {
        case .sigma: .sigma(scale: column.exponent)
        case .azimuth, .elevation, .horizontalAngle:
          column.isUnitStated ? .angle(column.angleUnit) : .openAngle
        case .directionX: .component(0)
        case .directionY: .component(1)
        case .directionZ: .component(2)
        case .verticalEstimate: .verticalEstimate
        case .nonLineOfSight: .flag
        case .rssi, .firstPathRSSI, .trueDistance, .height: .number(scale: column.exponent)
        }
    }
    return fields
  }
}
