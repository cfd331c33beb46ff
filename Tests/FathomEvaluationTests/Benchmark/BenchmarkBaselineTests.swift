import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct BenchmarkBaselineTests {
  private func result(_ change: (inout BenchmarkResult) -> Void = { _ in }) throws
    -> BenchmarkResult
  {
    let method = try #require(try MethodRegistry.methods(named: ["filter"]).first)
    var result = BenchmarkResult(recording: "walk", method: method)
    result.n = 100
    result.coverage = 0.9
    result.rmseM = 0.2
    result.medianM = 0.15
    result.p95M = 0.4
    result.nees = 1.2
    result.nsPerRange = 800
    change(&result)
    return result
  }

  private func regressions(
    _ tolerance: BenchmarkBaseline.Tolerance = .init(), _ change: (inout BenchmarkResult) -> Void
  ) throws -> [String] {
    BenchmarkBaseline([try result()]).regressions(in: [try result(change)], tolerance: tolerance)
      .regressions.map(\.figure)
  }

  @Test func equalOrBetterResultsAreNoRegression() throws {
    #expect(try regressions { _ in } == [])
    #expect(
      try regressions {
        $0.rmseM = 0.1
        $0.coverage = 1
        $0.nees = 1
      } == [])
  }

  @Test func smallChangesAreTolerated() throws {
    #expect(try regressions { $0.rmseM = 0.2039 } == [])
    #expect(try regressions { $0.rmseM = 0.2041 } == ["rmse_m"])
    #expect(try regressions { $0.coverage = 0.891 } == [])
    #expect(try regressions { $0.coverage = 0.889 } == ["coverage"])
  }

  @Test func consistencyIsCheckedInBothDirections() throws {
    #expect(try regressions { $0.nees = 1.31 } == [])
    #expect(try regressions { $0.nees = 1.33 } == ["nees"])
    // Pessimistic covariances are as wrong as optimistic ones: 1 / 0.75 = 1.33.
    #expect(try regressions { $0.nees = 0.75 } == ["nees"])
  }

  @Test func timeIsComparedOnlyOnRequest() throws {
    #expect(try regressions { $0.nsPerRange = 8000 } == [])
    var tolerance = BenchmarkBaseline.Tolerance()
    tolerance.time = 0.2
    #expect(try regressions(tolerance) { $0.nsPerRange = 970 } == ["ns_per_range"])
    #expect(try regressions(tolerance) { $0.nsPerRange = 950 } == [])
  }

  @Test func missingFiguresAndBrokenClaimsAreRegressions() throws {
    #expect(try regressions { $0.rmseM = nil } == ["rmse_m"])
    #expect(try regressions { $0.breaksItsClaim = true } == ["breaks_its_claim"])
  }

  @Test func comparesOnlyCommonResults() throws {
    let other = try result { $0.recording = "run" }
    let (regressions, compared) = BenchmarkBaseline([try result()])
      .regressions(in: [other, try result()])
    #expect(regressions.isEmpty)
    #expect(compared == 1)
  }

  @Test func filesRoundTrip() throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "fathom-benchmark-\(UUID().uuidString).json").path(percentEncoded: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var table = ConfusionTable()
    table.count("used", label: "line_of_sight")
    let results = [
      try result(),
      try result {
        $0.recording = "a \"b\""
        $0.rmseM = nil
        $0.confusion = table
        $0.rmseByVerdictM = ["good": 0.1]
        $0.tiesWithBest = true
      },
    ]
    try Data(BenchmarkFile.bytes(of: results)).write(to: URL(filePath: path))
    #expect(try BenchmarkFile.read(path) == results)
  }

  @Test func requiredKeysAreWrittenWhenNull() throws {
    let method = try #require(try MethodRegistry.methods(named: ["quality"]).first)
    let bytes = BenchmarkFile.bytes(of: [BenchmarkResult(recording: "r", method: method)])
    let objects = try #require(
      try JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]])
    for key in [
      "recording", "method", "n", "coverage", "rmse_m", "median_m", "p95_m", "max_m", "nees",
      "ns_per_range",
    ] {
      #expect(objects[0].keys.contains(key), "\(key)")
    }
    #expect(objects[0]["rmse_m"] is NSNull)
  }

  @Test func rejectsInvalidFiles() throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "fathom-benchmark-\(UUID().uuidString).json").path(percentEncoded: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    for text in ["", "{}", "[{}]", "[1]", "no"] {
      try Data(text.utf8).write(to: URL(filePath: path))
      #expect(throws: RecordingError.self) { try BenchmarkFile.read(path) }
    }
  }
}
