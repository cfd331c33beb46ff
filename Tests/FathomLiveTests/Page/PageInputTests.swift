import FathomRecordings
import Foundation
import Testing

@testable import FathomLive

@Suite struct PageInputTests {
  private let start = ContinuousClock.now

  private func rejected(_ kind: String, _ reason: String, line: Int? = nil) -> LiveResults {
    var results = LiveResults()
    results.rejectedCount = 1
    results.rejections = [LiveRejection(kind: kind, reason: reason, line: line)]
    return results
  }

  private func used(_ count: Int) -> LiveResults {
    var results = LiveResults()
    (results.usedCount, results.rangeCount) = (count, count)
    return results
  }

  private func counts(_ input: PageInput, after seconds: Double) throws -> [String: Any] {
    var json = JSONText()
    json.object { input.write(at: start + .seconds(seconds), to: &$0) }
    return try #require(
      try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any])
  }

  @Test func linesAndRowsAreCounted() throws {
    var input = PageInput()
    input.read(Array("a\nb\n".utf8), at: start)
    let news = input.add(rejected("k", "the reason", line: 2), at: start)
    #expect(news == ["rejected: line 2: the reason"])
    input.read([], at: start + .seconds(1))
    let first = try counts(input, after: 3)
    #expect(first["lines"] as? Int == 2 && first["used"] as? Int == 0)
    #expect(first["rejected"] as? Int == 1 && first["quiet"] as? Double == 3)
    #expect(first["reason"] as? String == "line 2: the reason")
    #expect(first["last"] as? String == "line 2: the reason")
    // A usable row ends what was wrong since the last one.
    let none = input.add(used(5), at: start + .seconds(4))
    #expect(none == [])
    let second = try counts(input, after: 6)
    #expect(second["used"] as? Int == 5 && second["r"] as? Int == 5)
    #expect(second["quiet"] as? Double == 2 && second["idle"] as? Double == 2)
    #expect(second["last"] == nil && second["reason"] as? String == "line 2: the reason")
  }

  @Test func eachReasonIsNewsOnceAndTheirNumberIsBounded() {
    var input = PageInput()
    var news = 0
    for _ in 0..<3 {
      for index in 0..<20 {
        news += input.add(rejected("anchor", "anchor X\(index)"), at: start).count
      }
    }
    #expect(news == 8)
    for index in 0..<100 { news += input.add(rejected("kind \(index)", "r"), at: start).count }
    #expect(news == 8 + 31)
  }

  /// The format of a log is recognised from several lines, which need time to come.
  @Test func anUnrecognisedFormatIsNewsAfterAMoment() {
    var input = PageInput()
    let row = LiveRejection(kind: "unrecognised", reason: "no header", line: nil)
    var news: [String?] = []
    for milliseconds in [0, 400, 600, 700] {
      news.append(input.add(row, at: start + .milliseconds(milliseconds)))
    }
    news.append(input.add(nil, at: start + .milliseconds(800)))
    #expect(news == [nil, nil, "rejected: no header", nil, nil])
  }
}
