import FathomEvaluation
import Testing

@testable import FathomReports

@Suite struct DecimationTests {
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func keepsExtremes(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let count = Int(random.next() % 5000)
      let width = 1 + Int(random.next() % 3)
      let limit = 2 + 2 * width + Int(random.next() % 300)
      let columns = (0..<width).map { _ in
        (0..<count).map { _ in random.next() % 10 == 0 ? Double.nan : random.uniform() }
      }
      let kept = Decimation.indices(of: columns, limit: limit)
      #expect(kept.count <= max(limit, 0), "seed \(seed)")
      #expect(kept == Array(Set(kept)).sorted())
      if count <= limit { #expect(kept == Array(0..<count)) }
      guard count > 0 else { continue }
      #expect(kept.first == 0 && kept.last == count - 1)
      for column in columns {
        let all = column.filter { !$0.isNaN }
        let seen = kept.map { column[$0] }.filter { !$0.isNaN }
        #expect(seen.min() == all.min() && seen.max() == all.max(), "seed \(seed)")
      }
    }
  }

  @Test func breaksMoveToTheNextKeptPoint() {
    var points = (0..<1000).map { Plot.Point(x: Double($0), y: Double($0 % 7)) }
    points[500].beginsAnew = true
    let kept = Decimation.points(points, limit: 50)
    #expect(kept.count <= 50)
    let breaks = kept.filter(\.beginsAnew)
    #expect(breaks.count == 1)
    // Points before the break have indices below 500; those after it do not.
    #expect(breaks[0].x >= 500)
    #expect(kept.last { $0.x < breaks[0].x }.map { $0.x < 500 } == true)
  }
}
