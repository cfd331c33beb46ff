import Fathom

/// A buffer of a few hundred ranges in the cache of a core, from which they are appended to the
/// columns of a file.
struct FastRowBuffer {
  let time: UnsafeMutablePointer<Timestamp>
  let distance: UnsafeMutablePointer<Double>
  let line: UnsafeMutablePointer<Int>
  let tag: UnsafeMutablePointer<Int32>
  let anchor: UnsafeMutablePointer<Int32>
  /// Optional columns of ``rows`` numbers each, one after the other.
  let optional: UnsafeMutablePointer<Double>
  private let columns: [RangeQuantity]

  /// Capacity, in ranges.
  static let rows = 512

  /// Calls `body` with a buffer for times, names, distances and the optional `columns`.
  ///
  /// The buffer is uninitialised and valid only during the call.
  static func with(_ columns: [RangeQuantity], _ body: (FastRowBuffer) -> Void) {
    let words = rows * (4 + columns.count)
    withUnsafeTemporaryAllocation(byteCount: 8 * words, alignment: 64) { memory in
      guard let base = memory.baseAddress else { return }
      func part<Element>(_ index: Int, _: Element.Type) -> UnsafeMutablePointer<Element> {
        (base + 8 * rows * index).bindMemory(to: Element.self, capacity: rows)
      }
      // Tags and anchors share the fourth part.
      let tags = (base + 8 * rows * 3).bindMemory(to: Int32.self, capacity: 2 * rows)
      let optional = (base + 8 * rows * 4).bindMemory(
        to: Double.self, capacity: rows * columns.count)
      body(
        FastRowBuffer(
          time: part(0, Timestamp.self), distance: part(1, Double.self), line: part(2, Int.self),
          tag: tags, anchor: tags + rows, optional: optional, columns: columns))
    }
  }

  /// Appends the first `count` rows to the columns of a file, which must include the buffer's
  /// columns.
  func append(_ count: Int, to ranges: inout RangeColumns) {
    func part<Element>(_ first: UnsafeMutablePointer<Element>) -> UnsafeBufferPointer<Element> {
      UnsafeBufferPointer(start: first, count: count)
    }
    ranges.time.append(contentsOf: part(time))
    ranges.tag.append(contentsOf: part(tag))
    ranges.anchor.append(contentsOf: part(anchor))
    ranges.distance.append(contentsOf: part(distance))
    ranges.line.append(contentsOf: part(line))
    for (slot, quantity) in columns.enumerated() {
      ranges[quantity]?.append(contentsOf: part(optional + slot * Self.rows))
    }
  }
}
