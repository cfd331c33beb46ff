import Fathom
import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct MethodBenchmarkTests {
  private func subject(_ dataset: String) throws -> BenchmarkCase {
    let folder = Reference.packageRoot.appending(path: "Datasets/\(dataset)")
    return try BenchmarkCase.read(folder.path(percentEncoded: false))
  }

  @Test(.releaseOnly) func scoresEveryMethodOnARecording() throws {
    var benchmark = MethodBenchmark(repeats: 1)
    let subject = try subject("robot-2d")
    var steps = 0
    benchmark.run(on: subject) { steps += 1 }
    #expect(steps == MethodRegistry.all.count)
    #expect(benchmark.results.map(\.method) == MethodRegistry.all.map(\.name))
    for result in benchmark.results where result.kind != .quality {
      #expect(result.recording == "robot-2d")
      #expect(result.n > 2000)
      #expect(try #require(result.rmseM) > 0.01)
      #expect(try #require(result.rmseM) < 1)
      #expect(try #require(result.coverage) > 0.9)
      #expect(try #require(result.nsPerRange) > 0)
      #expect(try #require(result.nsPerRangeMedian) >= (try #require(result.nsPerRange)))
      #expect(result.repeats == 1)
      #expect(result.tiesWithBest != nil)
    }
    let filter = try #require(benchmark.results.first { $0.method == "filter" })
    #expect(filter.nees != nil && filter.nis != nil)
    #expect(filter.timeToFirstFixS != nil && filter.longestOutageS != nil)
  }

  @Test func skipsMethodsThatDoNotApply() throws {
    var benchmark = MethodBenchmark(repeats: 1)
    benchmark.run(on: try subject("phone-accessory"))
    #expect(benchmark.results.allSatisfy { $0.kind != .position })
    #expect(benchmark.ranking(of: .position) == nil)
    #expect(benchmark.ranking(of: .distance)?.recordings == ["phone-accessory"])
  }

  @Test func ranksMethodsOverRecordings() throws {
    let methods = try MethodRegistry.methods(named: ["filter", "fix", "raw"])
    var benchmark = MethodBenchmark(methods, repeats: 1)
    benchmark.run(on: try subject("robot-2d"))
    benchmark.run(on: try subject("drone-3d"))
    let positions = try #require(benchmark.ranking(of: .position))
    #expect(positions.recordings == ["robot-2d", "drone-3d"])
    #expect(positions.methods == ["fix", "filter"])
    // The filter is twice as accurate on both recordings.
    #expect(positions.ranking.places.map { positions.methods[$0.method] } == ["filter", "fix"])
    #expect(positions.ranking.places.map(\.rank) == [1, 2])
  }

  @Test func withoutTruthOnlyTimesAreReported() throws {
    let known = try subject("robot-2d")
    var benchmark = MethodBenchmark(try MethodRegistry.methods(named: ["filter"]), repeats: 1)
    benchmark.run(on: BenchmarkCase(known.recording, truth: nil))
    let result = try #require(benchmark.results.first)
    #expect(result.n == 0 && result.rmseM == nil && result.coverage == nil)
    #expect(result.nsPerRange != nil)
    #expect(benchmark.ranking(of: .position) == nil)
  }

  @Test func labelledRangesYieldConfusionTables() throws {
    var recording = try subject("robot-2d").recording
    recording.ranges[.nonLineOfSight] = recording.ranges.distance.indices.map { Double($0 / 4 % 2) }
    var benchmark = MethodBenchmark(
      try MethodRegistry.methods(named: ["filter", "quality", "link-quality"]), repeats: 1)
    benchmark.run(on: BenchmarkCase(recording, truth: nil))
    let tables = benchmark.results.compactMap(\.confusion)
    #expect(tables.count == 2)
    for table in tables { #expect(table.total == recording.ranges.count) }
    // Labels that alternate from round to round are independent of the score.
    let separation = try #require(benchmark.results.last?.separation)
    #expect(abs(separation - 0.5) < 0.05)
  }

  @Test func emptyRecordingYieldsNoAccuracy() {
    var benchmark = MethodBenchmark(repeats: 1)
    benchmark.run(on: BenchmarkCase(Recording(name: "empty"), truth: nil))
    #expect(benchmark.results.allSatisfy { $0.n == 0 && $0.nsPerRange == nil })
  }
}
