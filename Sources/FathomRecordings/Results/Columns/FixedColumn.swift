/// A column of numbers at an address that stays the same, so that other languages can read it in place.
///
/// It is filled once, by one thread, up to its capacity; after that it is only read.
package final class FixedColumn<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  private let buffer: UnsafeMutableBufferPointer<Element>
  /// The number of elements so far.
  package private(set) var count = 0

  /// Creates an empty column of the given capacity.
  package init(capacity: Int) { buffer = .allocate(capacity: capacity) }

  /// Creates a full column with the elements of `array`.
  package convenience init(_ array: [Element]) {
    self.init(capacity: array.count)
    for element in array { append(element) }
  }

  deinit { buffer.deallocate() }

  /// Appends an element; the column must have capacity for it.
  @inline(__always)
  func append(_ element: Element) {
    precondition(count < buffer.count, "the column is full")
    buffer.initializeElement(at: count, to: element)
    count += 1
  }

  /// The element at `index`, which must be one of the column.
  package subscript(index: Int) -> Element {
    precondition(index >= 0 && index < count, "index out of range")
    return buffer[index]
  }

  /// The address of the first element, valid as long as the column.
  package var address: UnsafePointer<Element>? { UnsafePointer(buffer.baseAddress) }
}
