import Foundation
import Testing

@testable import FathomLive

@Suite struct LineQueueTests {
  private func lines(_ text: String) -> LineQueue.Item { .lines(Array(text.utf8)) }

  @Test func linesThatWaitAreJoined() {
    let queue = LineQueue(dropsOldest: true)
    queue.push(lines("a\n"))
    queue.push(lines("b\n"))
    queue.push(.cut(losesLine: true))
    queue.push(lines("c\n"))
    queue.end()
    #expect(queue.pop(timeout: 0) == .item(lines("a\nb\n"), isDrained: false))
    #expect(queue.pop(timeout: 0) == .item(.cut(losesLine: true), isDrained: false))
    #expect(queue.pop(timeout: 0) == .item(lines("c\n"), isDrained: true))
    #expect(queue.pop(timeout: 0) == .end)
  }

  @Test func theOldestLinesAreDroppedAndCounted() {
    let queue = LineQueue(capacity: 1 << 18, dropsOldest: true)
    let line = String(repeating: "x", count: 99) + "\n"
    for _ in 0..<100_000 { queue.push(lines(line)) }
    queue.end()
    var kept = 0
    while case .item(.lines(let bytes), _) = queue.pop(timeout: 0) { kept += bytes.count / 100 }
    #expect(kept <= (1 << 18) / 100)
    #expect(kept + queue.dropped == 100_000)
  }

  @Test func aReaderWaitsIfNothingMayBeLost() {
    let queue = LineQueue(capacity: 1000, dropsOldest: false)
    let line = String(repeating: "x", count: 99) + "\n"
    let thread = Thread {
      for _ in 0..<1000 { queue.push(.lines(Array(line.utf8))) }
      queue.end()
    }
    thread.start()
    var count = 0
    while case .item(.lines(let bytes), _) = queue.pop(timeout: 5) {
      #expect(bytes.count <= 1100)
      count += bytes.count / 100
    }
    #expect(count == 1000 && queue.dropped == 0)
  }

  @Test func nothingComesInTime() {
    let queue = LineQueue(dropsOldest: true)
    #expect(queue.pop(timeout: 0.01) == .timeout)
    queue.close()
    #expect(queue.isStopped && queue.pop(timeout: 1) == .end)
  }
}
