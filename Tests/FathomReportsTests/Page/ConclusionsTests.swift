import FathomRecordings
import Testing

@testable import Fathom
@testable import FathomReports

@Suite struct ConclusionsTests {
  @Test func threeSentencesComeFirst() throws {
    let results = try madeResults()
    let facts = results.conclusions(results.linkChanges)
    #expect(facts.map(\.term) == ["How accurate", "What not to trust", "What to do"])
    let accuracy = try #require(results.evaluation?.accuracy)
    #expect(facts[0].value.contains("an RMSE of \(accuracy.rmseM.text(decimals: 2)) m"))
    #expect(facts[0].value.hasPrefix("The horizontal error"))
  }

  /// Diagnoses come before links, changes and positions; of more than four doubts the number is stated.
  @Test func doubtsAreNamed() throws {
    var results = try madeResults()
    results.summary.diagnoses = [
      Diagnosis(
        .anchorOffset, "anchor A reads 20 m too much", suggestion: "check its antenna delay",
        anchors: ["A"])
    ]
    for place in results.summary.links.indices { results.summary.links[place].consistent = 1 }
    results.summary.links[0].consistent = 0
    results.summary.links[2].consistent = 0.25
    results.summary.positions = ["tracking": 75, "ambiguous": 20, "inconsistent": 5, "starting": 9]
    let change = LinkChange(
      tag: "T", anchor: "D", time: results.start.advanced(bySeconds: 12),
      level: LevelChange(index: 5, before: 0.1, after: -0.4, probability: 0))
    let facts = results.conclusions([change])
    #expect(
      facts[1].value
        == "Anchor A reads 20 m too much; only 25 % of the ranges of C agree with the track; anchor D"
        + " reads 0.50 m less from second 12 on; 25 % of the positions are ambiguous or inconsistent."
    )
    #expect(facts[2].value == "For A: check its antenna delay.")
    let more = results.conclusions([change, change])
    #expect(more[1].value.hasSuffix("; and 1 more."))
    results.summary.diagnoses = []
    let advice = results.conclusions([change])[2].value
    #expect(advice.hasPrefix("Find out what happened to anchor D at second 12:"))
  }

  @Test func withoutTruthTheCovariancesSpeak() throws {
    var results = try madeResults()
    results.evaluation = nil
    results.summary.diagnoses = []
    results.summary.warnings = []
    let facts = results.conclusions([])
    #expect(facts[0].value.hasPrefix("There is no truth; by the covariances"))
    #expect(facts[2].value.contains("--truth"))
    results.positions = PositionColumns()
    #expect(results.conclusions([])[0].value.hasPrefix("There are no positions"))
  }
}
