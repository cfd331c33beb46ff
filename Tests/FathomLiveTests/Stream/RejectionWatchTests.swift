import FathomRecordings
import Testing

@testable import FathomLive

@Suite struct RejectionWatchTests {
  private let start = ContinuousClock.now

  private func rejected(_ reason: String, line: Int) -> LiveResults {
    var results = LiveResults()
    results.rejectedCount = 3
    results.firstRejected = RejectedRow(line: line, column: "", reason: reason, text: "")
    return results
  }

  private var used: LiveResults {
    var results = rejected("is wrong: 1", line: 1)
    results.usedCount = 1
    return results
  }

  @Test func twoSecondsOfRejectedLinesAreReportedOnce() {
    var watch = RejectionWatch()
    #expect(watch.add(rejected("is wrong: 1", line: 7), at: start) == nil)
    #expect(watch.add(rejected("is wrong: 2", line: 9), at: start + .seconds(1.9)) == nil)
    let text = watch.add(rejected("is wrong: 3", line: 12), at: start + .seconds(2))
    #expect(text == "warning: none of the last 9 lines could be used; line 7: is wrong: 1")
    #expect(watch.add(rejected("is wrong: 4", line: 15), at: start + .seconds(9)) == nil)
    // Another reason is reported after two seconds more.
    #expect(watch.add(rejected("is missing", line: 18), at: start + .seconds(10)) != nil)
  }

  @Test func aUsedLineEndsTheWait() {
    var watch = RejectionWatch()
    #expect(watch.add(rejected("is wrong", line: 1), at: start) == nil)
    #expect(watch.add(used, at: start + .seconds(1)) == nil)
    #expect(watch.add(rejected("is wrong", line: 5), at: start + .seconds(2)) == nil)
    #expect(watch.add(rejected("is wrong", line: 8), at: start + .seconds(4)) != nil)
  }

  @Test func linesThatWaitAreReported() {
    var watch = RejectionWatch()
    #expect(watch.wait("no format is recognised", at: start) == nil)
    #expect(
      watch.wait("no format is recognised", at: start + .seconds(3))
        == "warning: no line could be used; no format is recognised")
  }
}
