import Foundation

/// The lines that were read but not processed, in bounded memory.
///
/// When it is full, either the oldest lines are dropped and counted, or the reader waits.
package final class LineQueue: @unchecked Sendable {
  /// What the reader passes on.
  package enum Item: Sendable, Equatable {
    /// Whole lines.
    case lines([UInt8])
    /// The connection ended: an incomplete line will not be completed.
    case cut(losesLine: Bool)
    /// A message for the user.
    case message(String)
  }

  /// What ``pop(timeout:)`` returns.
  package enum Popped: Sendable, Equatable {
    /// The next item; `isDrained` tells that none is waiting behind it.
    case item(Item, isDrained: Bool)
    /// Nothing came in time.
    case timeout
    /// Nothing will come any more.
    case end
  }

  private let condition = NSCondition()
  private let capacity: Int
  private let dropsOldest: Bool
  // All below are accessed only while the lock is held.
  private var items: [Item] = []
  private var first = 0
  private var bytes = 0
  private var isEnded = false
  private var isClosed = false
  private var droppedLines = 0

  /// Lines that are joined into one item at most, in bytes.
  private static let mostJoined = 1 << 17

  /// Creates an empty queue in which at most `capacity` bytes wait.
  ///
  /// When it is full, the oldest lines are dropped with `dropsOldest`; otherwise the reader waits.
  package init(capacity: Int = 1 << 22, dropsOldest: Bool) {
    self.capacity = capacity
    self.dropsOldest = dropsOldest
  }

  /// Number of lines that were dropped.
  package var dropped: Int { condition.withLock { droppedLines } }

  /// Whether the processing has stopped, so that reading is in vain.
  package var isStopped: Bool { condition.withLock { isClosed } }

  /// Appends an item.
  package func push(_ item: Item) {
    condition.withLock {
      guard case .lines(let more) = item else {
        items.append(item)
        condition.signal()
        return
      }
      if more.isEmpty || isClosed { return }
      if dropsOldest {
        while bytes > 0, bytes + more.count > capacity { dropOldest() }
      } else {
        while bytes > 0, bytes + more.count > capacity, !isClosed { condition.wait() }
        if isClosed { return }
      }
      bytes += more.count
      // Joined in place: a batch costs as much as a line.
      if items.count > first, case .lines(var last) = items[items.count - 1],
        last.count + more.count <= Self.mostJoined
      {
        items[items.count - 1] = .cut(losesLine: false)
        last += more
        items[items.count - 1] = .lines(last)
      } else {
        items.append(item)
      }
      condition.signal()
    }
  }

  /// Notes that nothing will come any more.
  package func end() {
    condition.withLock {
      isEnded = true
      condition.broadcast()
    }
  }

  /// Stops: what waits is discarded, and ``pop(timeout:)`` returns `end`.
  package func close() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  /// Returns the next item, and waits for it up to `timeout` seconds.
  package func pop(timeout: Double) -> Popped {
    condition.withLock {
      let limit = Date(timeIntervalSinceNow: timeout)
      while first == items.count {
        if isEnded || isClosed { return .end }
        if !condition.wait(until: limit), first == items.count { return isEnded ? .end : .timeout }
      }
      if isClosed { return .end }
      let item = items[first]
      items[first] = .cut(losesLine: false)
      first += 1
      if first == items.count {
        items.removeAll(keepingCapacity: true)
        first = 0
      } else if first > 1024 {
        items.removeFirst(first)
        first = 0
      }
      if case .lines(let lines) = item { bytes -= lines.count }
      // A reader may wait for the capacity.
      if !dropsOldest { condition.broadcast() }
      return .item(item, isDrained: first == items.count)
    }
  }

  private func dropOldest() {
    guard
      let index = items[first...].firstIndex(where: {
        if case .lines(let lines) = $0 { !lines.isEmpty } else { false }
      }), case .lines(let lines) = items[index]
    else {
      bytes = 0
      return
    }
    droppedLines += lines.count { $0 == UInt8(ascii: "\n") }
    bytes -= lines.count
    items.remove(at: index)
  }
}
