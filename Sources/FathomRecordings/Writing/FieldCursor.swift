import CVectors
import Fathom

/// The place in a ``CSVRow`` where the next field goes; every field is written with a comma behind it.
///
/// Its room was established by ``CSVRow/writeRow(most:_:)``: ``FixedDecimal/mostBytes`` and one for a
/// number, the longest of its table for a field, at least 16.
struct FieldCursor {
  /// Behind the last comma.
  private(set) var end: UnsafeMutablePointer<UInt8>

  /// A cursor at `end`.
  @inline(__always)
  init(end: UnsafeMutablePointer<UInt8>) { self.end = end }

  /// Writes a number with a fixed number of decimals; NaN and infinities leave the field empty.
  @inline(__always)
  mutating func append(_ value: Double, decimals: Int) {
    close(FixedDecimal.write(value, decimals: decimals, at: end))
  }

  /// Writes three numbers with four decimals, as one by one.
  @inline(__always)
  mutating func appendWithFourDecimals(_ a: Double, _ b: Double, _ c: Double) {
    if let end = cvectors_write_three(end, a, b, c) {
      self.end = end
    } else {
      append(a, decimals: 4)
      append(b, decimals: 4)
      append(c, decimals: 4)
    }
  }

  /// Writes the upper triangle of a symmetric matrix, row by row, with eight decimals, as one by one.
  @inline(__always)
  mutating func appendWithEightDecimals(_ matrix: Matrix<3, 3>) {
    if let end = cvectors_write_six(
      end, matrix[0, 0], matrix[0, 1], matrix[0, 2], matrix[1, 1], matrix[1, 2], matrix[2, 2])
    {
      self.end = end
    } else {
      for row in 0..<3 {
        for column in row..<3 { append(matrix[row, column], decimals: 8) }
      }
    }
  }

  /// Writes the next instant of `times`, in seconds.
  @inline(__always)
  mutating func append(_ time: Timestamp, of times: inout TimeColumn) {
    close(times.write(time, at: end))
  }

  /// Writes a whole number.
  @inline(__always)
  mutating func append(_ value: Int) { close(FixedDecimal.write(value, at: end)) }

  /// Writes an empty field.
  @inline(__always)
  mutating func appendEmpty() { close(end) }

  /// Writes field `index` of `table`.
  @inline(__always)
  mutating func append(_ index: Int, of table: FieldTable) {
    end = table.write(index, at: end)
  }

  @inline(__always)
  private mutating func close(_ field: UnsafeMutablePointer<UInt8>) {
    field.pointee = UInt8(ascii: ",")
    end = field + 1
  }
}
