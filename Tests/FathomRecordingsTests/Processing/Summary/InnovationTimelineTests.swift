import Fathom
import FathomEvaluation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct InnovationTimelineTests {
  @Test func separatesSeconds() {
    var timeline = InnovationTimeline()
    for (seconds, value) in [(0.0, 1.0), (0.999, 3), (1, 5), (7.5, 2), (-0.5, 4)] {
      timeline.add(value, at: at(seconds))
    }
    #expect(timeline.bins.map(\.place) == [-1, 0, 1, 7])
    #expect(timeline.bins.map(\.count) == [1, 2, 1, 1])
    #expect(timeline.bins.map(\.normalizedSquares) == [4, 4, 5, 2])
    let summary = timeline.summary
    #expect(summary.map(\.startS) == [-1, 0, 1, 7] && summary.map(\.endS) == [0, 1, 2, 8])
    #expect(summary.map(\.meanNormalizedSquare) == [4, 2, 5, 2])
  }

  /// For any input, the bins are bounded in number, in order and equally wide, and keep all sums.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func mergingKeepsSums(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<10 {
      var timeline = InnovationTimeline()
      let span = [10.0, 1000, 1e6, 9e9][Int(random.next() % 4)]
      let count = Int(random.next() % 4000)
      var sum = 0.0
      for _ in 0..<count {
        // Sums of integers are exact in any order.
        let value = Double(random.next() % 100)
        sum += value
        timeline.add(value, at: at((random.uniform() - 0.5) * span))
      }
      #expect(timeline.bins.count <= InnovationTimeline.mostBins)
      #expect(timeline.bins.map(\.count).reduce(0, +) == count, "seed \(seed)")
      #expect(timeline.bins.map(\.normalizedSquares).reduce(0, +) == sum, "seed \(seed)")
      let places = timeline.bins.map(\.place)
      #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
      // The width is no larger than needed: half the width would have given too many bins.
      if timeline.width > 1_000_000_000 { #expect(timeline.bins.count > 256 / 2) }
    }
  }

  /// Checks the division-free lookup of the last bin against bins computed one by one.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func addsInnovationsToCorrectBins(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let second: Int64 = 1_000_000_000
    let instants: [Int64] = [
      .min, .min + 1, -second - 1, -second, -1, 0, 1, second - 1, second, .max - 1, .max,
    ]
    for _ in 0..<300 {
      var timeline = InnovationTimeline()
      var expected: [Int64: Int] = [:]
      for _ in 0..<20 {
        let instant =
          random.next() % 2 == 0
          ? instants[Int(random.next() % UInt64(instants.count))]
          : Int64(random.next() % 4_000_000_000) - 2 * second
        timeline.add(1, at: Timestamp(nanoseconds: instant))
        expected[instant / second - (instant % second < 0 ? 1 : 0), default: 0] += 1
      }
      #expect(timeline.bins.map(\.place) == expected.keys.sorted(), "seed \(seed)")
      #expect(timeline.bins.allSatisfy { expected[$0.place] == $0.count }, "seed \(seed)")
    }
  }

  @Test func doublesWidthWhenFull() {
    var timeline = InnovationTimeline()
    for second in 0..<512 { timeline.add(1, at: at(Double(second))) }
    #expect(timeline.bins.count == 512 && timeline.width == 1_000_000_000)
    timeline.add(1, at: at(512))
    #expect(timeline.bins.count == 257 && timeline.width == 2_000_000_000)
    #expect(timeline.bins.last == .init(place: 256, count: 1, normalizedSquares: 1))
  }

  @Test func coversAllTimeStamps() {
    var timeline = InnovationTimeline()
    for step in 0..<2000 {
      timeline.add(1, at: Timestamp(nanoseconds: .max - Int64(step) * 4_000_000_000_000_000))
      timeline.add(1, at: Timestamp(nanoseconds: .min + Int64(step) * 4_000_000_000_000_000))
    }
    #expect(timeline.bins.count <= InnovationTimeline.mostBins)
    #expect(timeline.bins.map(\.count).reduce(0, +) == 4000)
  }

  /// The sum of the tags' timelines is the timeline of all innovations.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func sumMatchesCombinedTimeline(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (left, right, all) = (InnovationTimeline(), InnovationTimeline(), InnovationTimeline())
    for step in 0..<3000 {
      let value = Double(random.next() % 100)
      let time = at(Double(step) * 0.9)
      if step < 300 || random.next() % 2 == 0 {
        left.add(value, at: time)
      } else {
        right.add(value, at: time)
      }
      all.add(value, at: time)
    }
    #expect(left + right == all, "seed \(seed)")
    #expect(right + left == all)
    #expect(all + InnovationTimeline() == all)
  }
}
