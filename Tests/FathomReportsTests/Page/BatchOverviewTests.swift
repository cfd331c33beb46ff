import Testing

@testable import FathomRecordings
@testable import FathomReports

@Suite struct BatchOverviewTests {
  private func entry(
    _ name: String, _ positions: [String: Int]? = ["tracking": 10], diagnoses: [String: Int]? = nil,
    rejected: Int = 0, warnings: Int = 0, failure: String? = nil
  ) throws -> BatchManifest.Entry {
    var entry = BatchManifest.Entry(of: try madeResults(name).summary)
    entry.positions = failure == nil ? positions : nil
    entry.diagnoses = diagnoses
    entry.rows = BatchManifest.Rows(read: 10, used: 10 - rejected, rejected: rejected)
    entry.warnings = warnings
    entry.failure = failure.map { BatchManifest.Failure(message: $0, exitCode: 65) }
    return entry
  }

  @Test func worstComesFirst() throws {
    let overview = try BatchOverview([
      entry("b"), entry("a"), entry("warned", warnings: 2), entry("rejected", rejected: 1),
      entry("doubtful", ["ambiguous": 1, "tracking": 9]), entry("late", ["starting": 5, "fix": 5]),
      entry("diagnosed", diagnoses: ["unit_suspect": 1]), entry("lost", ["starting": 10]),
      entry("failed", failure: "no file"),
    ])
    #expect(
      overview.entries.map(\.name) == [
        "failed", "lost", "diagnosed", "late", "doubtful", "rejected", "warned", "a", "b",
      ])
    let section = overview.section
    #expect(section.facts.map(\.value).prefix(4) == ["9", "1", "1", "1"])
    #expect(section.tables.map(\.heading) == ["Diagnoses", "Recordings, worst first"])
    #expect(section.tables[1].lines[0].last == "no file")
    #expect(section.tables[1].lines.allSatisfy { $0.count == section.tables[1].columns.count })
  }

  @Test func tableIsBounded() throws {
    let one = try entry("x")
    let overview = BatchOverview(Array(repeating: one, count: BatchOverview.mostRows + 1))
    #expect(overview.section.tables.last?.lines.count == BatchOverview.mostRows)
  }
}
