import FathomRecordings
import Testing

@testable import FathomLive

@Suite struct RejectionWatchTests {
  private let start = ContinuousClock.now
  private let first = LiveRejection(kind: "no number", reason: "no number: \"x\"", line: 2)
  private let second = LiveRejection(kind: "no name", reason: "no name: \"\"", line: 9)

  private func after(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  @Test func tellsTheFirstReasonAfterTwoSecondsAndEachNewOne() {
    var watch = RejectionWatch()
    watch.add(used: 0, rejected: [first], at: start)
    #expect(watch.message(at: after(1.9)) == nil)
    watch.add(used: 0, rejected: [first], at: after(1.95))
    #expect(
      watch.message(at: after(2))
        == "warning: all lines of the last 2 s are rejected: line 2: no number: \"x\"")
    #expect(watch.message(at: after(3)) == nil)
    watch.add(used: 0, rejected: [first], at: after(3))
    #expect(watch.message(at: after(3)) == nil)
    watch.add(used: 0, rejected: [second], at: after(4))
    #expect(
      watch.message(at: after(4))
        == "warning: lines are also rejected for another reason: line 9: no name: \"\"")
  }

  @Test func aUsableRowEndsTheWatch() {
    var watch = RejectionWatch()
    watch.add(used: 0, rejected: [first], at: start)
    watch.add(used: 1, rejected: [second], at: after(1))
    #expect(watch.message(at: after(5)) == nil)
    watch.add(used: 0, rejected: [first], at: after(5))
    #expect(watch.message(at: after(6.9)) == nil)
    #expect(watch.message(at: after(7)) != nil)
  }

  /// A text of random reasons does not fill the terminal.
  @Test func reasonsAreBounded() {
    var watch = RejectionWatch()
    for index in 0..<100 {
      let reason = LiveRejection(kind: "\(index)", reason: "\(index)", line: index)
      watch.add(used: 0, rejected: [reason], at: start)
    }
    var count = 0
    while watch.message(at: after(2)) != nil { count += 1 }
    #expect(count == 8)
  }
}
