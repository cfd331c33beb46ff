import FathomRecordings
import TestSupport
import Testing

@testable import FathomReports

@Suite struct BenchmarkResultsTests {
  private func results(_ text: String) throws -> BenchmarkResults {
    try BenchmarkResults(path: "b.json", bytes: Array(text.utf8))
  }

  private let text = """
    [{"recording":"r","method":"a","rmse_m":0.2,"p95_m":0.4,"ns_per_range":null,"later":[1]},
     {"recording":"r","method":"b","rmse_m":0.1,"coverage":1,"n":7,"nees":1.5},
     {"recording":"r","method":"c","rmse_m":null},
     {"recording":"s","method":"a","rmse_m":0.3},
     {"recording":"s","method":"b","rmse_m":0.3},
     {"recording":"s","method":"c","rmse_m":0.5},
     {"recording":"s","method":"m","kind":"distance","rmse_m":0.01,"lag_s":0.2}]
    """

  @Test func ignoresUnknownKeysAndNulls() throws {
    let entry = try results(text).entries[0]
    #expect(entry.p95M == 0.4 && entry.nsPerRange == nil && entry.kind == .position)
  }

  @Test func ranksMethodsByError() throws {
    let rankings = try results(text).rankings
    #expect(rankings.map(\.recording) == ["r", "s", "s"])
    #expect(rankings.map(\.kind) == [.position, .position, .distance])
    #expect(rankings[0].entries.map(\.method) == ["b", "a", "c"])
    #expect(rankings[1].entries.map(\.method) == ["a", "b", "c"])
  }

  @Test func equalErrorsShareRanks() throws {
    // On r: b has rank 1, a rank 2. On s: a and b share ranks 1 and 2, c has rank 3. c has no error
    // on r.
    let results = try results(text)
    let ranks = results.meanRanks(of: .position)
    #expect(ranks.map(\.method) == ["b", "a"])
    #expect(ranks.map(\.rank) == [1.25, 1.75])
    // Distances were compared on one recording only.
    #expect(results.comparedKinds == [.position])
  }

  @Test func tablesShowKnownValues() throws {
    let tables = try results(text).tables
    #expect(
      tables.map(\.heading) == [
        "Methods by mean rank: position", "r: position", "s: position", "s: distance",
      ])
    #expect(tables[1].lines[0] == ["b", "7", "100.0", "0.100", "–", "–", "–", "1.50", "–"])
    #expect(tables[3].columns.map(\.text).contains("lag, s"))
    #expect(!tables[1].columns.map(\.text).contains("lag, s"))
  }

  @Test(arguments: [
    ("{}", "the top-level value has the wrong type"),
    ("[{\"recording\":\"r\"}]", "the key \"method\" is missing"),
    ("[", "it is not valid JSON"), ("[]", "there are no benchmark results"),
    ("[{\"recording\":\"r\",\"method\":\"m\",\"n\":\"x\"}]", "n has the wrong type"),
  ])
  func rejectsOtherFiles(_ text: String, _ reason: String) {
    let error = #expect(throws: RecordingError.self) { try results(text) }
    #expect(error?.exitCode == 65)
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }
}
