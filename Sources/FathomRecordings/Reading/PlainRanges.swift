import Fathom

/// Rows of a ranges file in which nothing is out of the ordinary, read as fast as bytes can be looked at.
///
/// A row is plain where every cell is what it seems: numbers of at most 18 digits without exponent, names
/// that occurred before, nothing quoted, no blanks, no fault. Everything else is left to ``RangesRow``,
/// which says what the rows of a file mean; a plain row means the same here, bit for bit.
struct PlainRanges {
  /// What the cells of one field of the file become.
  private enum Cell {
    case ignored, time, tag, anchor, distance, event, verticalEstimate, flag
    /// A number, times a power of ten.
    case number(scale: Int)
    /// A standard deviation, times a power of ten.
    case sigma(scale: Int)
    case angle(AngleUnit)
    /// A component of a direction: 0, 1, 2.
    case component(Int)
  }

  /// One field of the file.
  private struct Field {
    var cell: Cell
    /// Place of its numbers in the scratch columns of optional cells.
    var slot: Int
  }

  private let fields: [Field]
  /// The optional columns that the file has, in the order of their slots.
  private let optional: [RangesColumn]
  private let cells: PlainCells
  private let zeroIsDistance: Bool
  private let distanceScale: Int
  private let hasTag: Bool
  private let hasAnchor: Bool
  private let hasDirection: Bool

  /// A reader for files of the given layout.
  init(layout: RangesLayout, options: RecordingOptions) {
    var cells = [Cell](repeating: .ignored, count: layout.header.names.count)
    var slots = [Int](repeating: 0, count: cells.count)
    var optional: [RangesColumn] = []
    for column in RangesColumn.allCases {
      guard let place = layout[column]?.field else { continue }
      switch column {
      case .time: cells[place] = .time
      case .tag: cells[place] = .tag
      case .anchor: cells[place] = .anchor
      case .distance: cells[place] = .distance
      case .event: cells[place] = .event
      case .sigma: cells[place] = .sigma(scale: layout.sigmaUnit.exponent)
      case .azimuth, .elevation, .horizontalAngle:
        cells[place] = .angle(layout.angleUnits[column] ?? .radians)
      case .directionX, .directionY, .directionZ:
        // Components of an incomplete direction are not even looked at.
        guard layout.hasDirection else { continue }
        cells[place] = .component(column.rawValue - RangesColumn.directionX.rawValue)
      case .verticalEstimate: cells[place] = .verticalEstimate
      case .rssi, .firstPathRSSI: cells[place] = .number(scale: 0)
      case .nonLineOfSight: cells[place] = .flag
      case .trueDistance: cells[place] = .number(scale: layout.trueDistanceUnit.exponent)
      }
      if column.isOptionalNumber {
        slots[place] = optional.count
        optional.append(column)
      }
    }
    fields = zip(cells, slots).map { Field(cell: $0, slot: $1) }
    self.optional = optional
    self.cells = PlainCells(
      delimiter: layout.delimiter.byte, separator: options.decimalSeparator.byte,
      timeExponent: layout.timeUnit.nanosecondExponent)
    zeroIsDistance = options.zeroIsDistance
    hasDirection = layout.hasDirection
    distanceScale = layout.distanceUnit.exponent
    hasTag = layout[.tag] != nil
    hasAnchor = layout[.anchor] != nil
  }

  /// What is known of names when a run of rows begins.
  struct Names {
    /// The tags, and the anchors.
    var tags: NameTable
    var anchors: NameTable
    /// Anchors at this place and beyond are not declared; rows that name them are not plain.
    var declaredAnchors: Int
    /// Place of the tag where the file has no column for it; nil: not named yet.
    var onlyTag: Int32? = nil
    /// Place of the anchor where the file has no column for it; nil: not named yet.
    var onlyAnchor: Int32? = nil
  }

  /// Where in a text a reader stands.
  struct Place {
    /// Offset of the first byte that is not taken.
    var position: Int
    /// Its line.
    var line: Int
  }

  /// Takes plain rows of `text` as long as there are, from `place` on, which then is the beginning of the
  /// first row that is not plain or not complete.
  ///
  /// - Parameters:
  ///   - text: lines of a ranges file.
  ///   - place: where to begin: at the beginning of a line.
  ///   - names: the names known.
  ///   - ranges: the columns that the rows are appended to, those of the layout.
  /// - Returns: how many rows were taken.
  func take(
    _ text: UnsafeBufferPointer<UInt8>, from place: inout Place, names: Names,
    into ranges: inout RangeColumns
  ) -> Int {
    guard (hasTag || names.onlyTag != nil) && (hasAnchor || names.onlyAnchor != nil) else {
      return 0
    }
    // Every loop over a cell stops at the end of a line: rows that end before the last line feed need
    // no look at the end of the text.
    guard let base = text.baseAddress,
      let last = text.lastIndex(of: UInt8(ascii: "\n")), last >= place.position
    else { return 0 }
    let end = base + last
    var row = base + place.position
    var taken = 0
    RangeScratch.with(optional) { scratch in
      names.tags.withLookUp { tags in
        names.anchors.withLookUp { anchors in
          var count = 0
          while row <= end {
            guard
              let next = takeRow(row, tags, anchors, names, scratch, count, place.line),
              next - row <= RecordingLimits.longestRow
            else { break }
            row = next
            place.line += 1
            count += 1
            if count == RangeScratch.rows {
              scratch.append(count, to: &ranges)
              taken += count
              count = 0
            }
          }
          scratch.append(count, to: &ranges)
          taken += count
        }
      }
    }
    place.position = row - base
    return taken
  }

  // MARK: Rows

  /// Takes the row at `row` into place `index` of `scratch`; returns the row after it, nil where it is
  /// not plain.
  ///
  /// `row` is not behind the last line feed.
  @inline(__always)
  private func takeRow(
    _ row: UnsafePointer<UInt8>, _ tags: NameTable.LookUp, _ anchors: NameTable.LookUp,
    _ names: Names, _ scratch: RangeScratch, _ index: Int, _ line: Int
  ) -> UnsafePointer<UInt8>? {
    var cursor = row
    scratch.tag[index] = names.onlyTag ?? 0
    scratch.anchor[index] = names.onlyAnchor ?? 0
    if row.pointee == UInt8(ascii: "#") { return nil }
    let lastField = fields.count - 1
    var direction = SIMD4<Double>.zero
    return fields.withUnsafeBufferPointer { fields in
      for place in 0...lastField {
        let field = fields[place]
        switch field.cell {
        case .ignored:
          guard cells.skip(&cursor) else { return nil }
        case .time:
          guard let time = cells.time(&cursor) else { return nil }
          scratch.time[index] = time
        case .tag:
          guard let tag = cells.name(&cursor, tags) else { return nil }
          scratch.tag[index] = tag
        case .anchor:
          guard let anchor = cells.name(&cursor, anchors), Int(anchor) < names.declaredAnchors
          else {
            return nil
          }
          scratch.anchor[index] = anchor
        case .distance:
          guard let value = cells.number(&cursor, scale: distanceScale),
            value > 0 || (zeroIsDistance && value == 0)
          else { return nil }
          scratch.distance[index] = value
        case .event:
          guard cells.isEnd(cursor.pointee) else { return nil }
        default:
          guard let value = optionalCell(field.cell, &cursor, &direction) else { return nil }
          scratch.optional[field.slot * RangeScratch.rows + index] = value
        }
        if place < lastField {
          guard cursor.pointee == cells.delimiter else { return nil }
          cursor += 1
        }
      }
      if hasDirection {
        let length = (direction * direction).sum().squareRoot()
        guard (length - 1).magnitude <= RangesRow.directionTolerance else { return nil }
      }
      scratch.line[index] = line
      if cursor.pointee == UInt8(ascii: "\r") { cursor += 1 }
      return cursor.pointee == UInt8(ascii: "\n") ? cursor + 1 : nil
    }
  }

  /// The value of an optional cell, NaN where it is empty; nil where it is not plain.
  @inline(__always)
  private func optionalCell(
    _ cell: Cell, _ cursor: inout UnsafePointer<UInt8>, _ direction: inout SIMD4<Double>
  ) -> Double? {
    let isEmpty = cells.isEnd(cursor.pointee)
    switch cell {
    case .number(let scale):
      return isEmpty ? .nan : cells.number(&cursor, scale: scale)
    case .sigma(let scale):
      if isEmpty { return .nan }
      guard let value = cells.number(&cursor, scale: scale), value > 0 else { return nil }
      return value
    case .angle(let unit):
      return isEmpty ? .nan : cells.number(&cursor).map { unit.radians($0) }
    case .flag:
      if isEmpty { return .nan }
      guard let value = cells.number(&cursor), value >= 0, value <= 1 else { return nil }
      return value
    case .verticalEstimate:
      if isEmpty { return 0 }
      let digit = cursor.pointee &- UInt8(ascii: "0")
      guard digit <= 4 else { return nil }
      cursor += 1
      return Double(digit)
    case .component(let axis):
      guard let value = cells.number(&cursor) else { return nil }
      direction[axis] = value
      return value
    case .ignored, .time, .tag, .anchor, .distance, .event: return nil
    }
  }
}

extension RangesColumn {
  /// Whether the column holds a number that a row may lack.
  fileprivate var isOptionalNumber: Bool {
    switch self {
    case .time, .tag, .anchor, .distance, .event: false
    default: true
    }
  }
}
