/// A column of numbers at an address that stays the same, so that other languages can read it in place.
package final class FixedColumn<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  private let buffer: UnsafeMutableBufferPointer<Element>

  /// Creates a column with the elements of `array`.
  package init(_ array: [Element]) {
    buffer = .allocate(capacity: array.count)
    _ = buffer.initialize(from: array)
  }

  deinit { buffer.deallocate() }

  /// The address of the first element, valid as long as the column.
  package var address: UnsafePointer<Element>? { UnsafePointer(buffer.baseAddress) }
}
