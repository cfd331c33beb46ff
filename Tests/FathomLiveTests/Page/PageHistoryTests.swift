import Fathom
import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomLive

@Suite struct PageHistoryTests {
  private func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64((seconds * 1e9).rounded()))
  }

  private func add(_ history: inout PageHistory, _ tag: String, _ seconds: Double, x: Double = 0) {
    history.add(tag, time(seconds), Vector([x, 2, 3]), sigma: 0.125, .tracking)
  }

  @Test func positionsNearerThanTheIntervalAreLeftOut() {
    var history = PageHistory()
    for step in 0..<20 { add(&history, "a", Double(step) / 20) }
    add(&history, "b", 0.95)
    #expect(history.rows.count == 11)
    #expect(history.rows.last?.tag == 1)
    // A clock that steps back far begins anew, one that is late by a little does not.
    add(&history, "a", 0.5)
    add(&history, "a", -20)
    #expect(history.rows.count == 12)
  }

  /// However long the session is, it is kept from its beginning to its end.
  @Test func memoryIsBounded() {
    let count = repetitions(5000, long: 200_000)
    var history = PageHistory(most: 256)
    for step in 0..<count {
      for tag in ["a", "b", "c"] { add(&history, tag, Double(step) / 10) }
    }
    #expect(history.rows.count <= 256)
    #expect(history.rows.count >= 60)
    let times = history.rows.map { $0.time.seconds }
    #expect(times.first == 0)
    #expect(Double(count) / 10 - (times.last ?? 0) <= 2 * history.interval)
    for tag in 0..<3 {
      let own = history.rows.filter { $0.tag == tag }.map { $0.time.seconds }
      #expect(zip(own, own.dropFirst()).allSatisfy { $1 - $0 >= history.interval - 0.001 })
    }
  }

  @Test func manyNamesAreLeftOut() {
    var history = PageHistory()
    for index in 0..<5000 { add(&history, "tag\(index)", 1) }
    #expect(history.names.count == 4096 && history.rows.count == 4096)
  }

  @Test func theTextIsJSON() throws {
    var history = PageHistory()
    add(&history, "a\"b", 1.5, x: -0.25)
    let object = try JSONSerialization.jsonObject(with: Data(history.text.utf8))
    let parts = try #require(object as? [String: Any])
    #expect(parts["names"] as? [String] == ["a\"b"])
    let words = try #require(parts["statuses"] as? [String])
    let row = try #require((parts["rows"] as? [[Double]])?.first)
    #expect(row.dropLast() == [0, 1500, -0.25, 2, 3, 0.125])
    #expect(words[Int(row[6])] == "tracking")
  }
}
