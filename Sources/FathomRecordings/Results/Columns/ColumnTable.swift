import Fathom

/// A table of results in columns at addresses that stay the same, so that other languages can read
/// them in place.
///
/// Instants are `Int64` nanoseconds, names and counts `Int32`, words `UInt8`, and numbers `Double`.
/// The table is filled once, by one thread, up to its capacity; after that it is only read.
package final class ColumnTable<Field: ResultField>: @unchecked Sendable {
  /// The columns, in their order.
  package let fields = Field.stored
  /// The address of the first cell of each column, valid as long as the table.
  package let addresses: [UnsafeMutableRawPointer]
  /// The number of rows so far.
  package private(set) var count = 0
  private let capacity: Int

  /// Creates an empty table with the given capacity.
  init(capacity: Int) {
    self.capacity = capacity
    addresses = fields.map { field in
      let size =
        switch field.column.content {
        case .time, .number: 8
        case .name, .count: 4
        case .word: 1
        }
      return .allocate(byteCount: capacity * size, alignment: MemoryLayout<Int64>.alignment)
    }
  }

  deinit { for address in addresses { address.deallocate() } }

  /// Appends a row; the table must have capacity for it.
  @inline(__always)
  func append(_ row: Field.Row) {
    precondition(count < capacity, "the table is full")
    for (field, address) in zip(fields, addresses) {
      switch field.value(in: row) {
      case .time(let time): store(time.nanoseconds, at: address)
      case .name(let index): store(index, at: address)
      case .number(let number): store(number, at: address)
      case .count(let count): store(Int32(clamping: count), at: address)
      case .word(let code): store(code, at: address)
      }
    }
    count += 1
  }

  /// Returns the row at `index`, which must be one of the table.
  func row(at index: Int) -> Field.Row {
    precondition(index >= 0 && index < count, "index out of range")
    var row = Field.emptyRow
    for (field, address) in zip(fields, addresses) {
      func cell<Cell: BitwiseCopyable>(_: Cell.Type) -> Cell {
        address.load(fromByteOffset: index * MemoryLayout<Cell>.stride, as: Cell.self)
      }
      // The kind of the cell is that in an empty row.
      let value: ResultValue =
        switch field.value(in: row) {
        case .time: .time(Timestamp(nanoseconds: cell(Int64.self)))
        case .name: .name(cell(Int32.self))
        case .number: .number(cell(Double.self))
        case .count: .count(Int(cell(Int32.self)))
        case .word: .word(cell(UInt8.self))
        }
      field.set(value, in: &row)
    }
    return row
  }

  @inline(__always)
  private func store<Cell: BitwiseCopyable>(_ cell: Cell, at address: UnsafeMutableRawPointer) {
    address.storeBytes(of: cell, toByteOffset: count * MemoryLayout<Cell>.stride, as: Cell.self)
  }
}

extension ColumnTable<PositionField> {
  /// Creates the columns of the positions of all tags, in order of time.
  convenience init(_ positions: PositionsByTag, names: TargetNames) {
    self.init(capacity: positions.count)
    positions.forEachInOrder { tag, row in
      append(LocatedRow(row, name: names.place(of: row, tag: tag)))
    }
  }
}

extension ColumnTable<DistanceField> {
  /// Creates the columns of the ranges of `slice`, whose results are grouped by tag.
  convenience init(_ slice: RecordingSlice, _ results: [[RangeResult]], in frame: DeviceFrame) {
    self.init(capacity: slice.ranges.count)
    var results = ResultsByTag(results)
    results.forEachRow(of: slice.entries[...], in: slice.ranges, frame) { append($0) }
  }
}
