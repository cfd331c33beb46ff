import FathomEvaluation
import Testing

@Suite struct ConfusionTableTests {
  @Test func countsByLabelAndVerdict() {
    var table = ConfusionTable()
    for (verdict, label, times) in [
      ("used", "line_of_sight", 7), ("discounted", "line_of_sight", 1), ("used", "obstructed", 2),
      ("discounted", "obstructed", 6),
    ] {
      for _ in 0..<times { table.count(verdict, label: label) }
    }
    #expect(table.total == 16)
    #expect(table.counts["obstructed"] == ["used": 2, "discounted": 6])
    #expect(table.share(of: "obstructed", with: ["discounted"]) == 0.75)
    #expect(table.share(of: "line_of_sight", with: ["used", "discounted"]) == 1)
    #expect(table.share(of: "elsewhere", with: ["used"]) == nil)
  }

  /// Of the six pairs below, clear ranges win 4, tie 1 and lose 1: (4 + 0.5) / 6.
  @Test func areaEqualsShareOfOrderedPairs() {
    #expect(Separation.area(clear: [3, 5], obstructed: [1, 2, 5]) == 4.5 / 6)
    #expect(Separation.area(clear: [1, 1], obstructed: [1]) == 0.5)
    #expect(Separation.area(clear: [2, 3], obstructed: [0, 1]) == 1)
    #expect(Separation.area(clear: [], obstructed: [1]) == nil)
  }

  /// Ranks 1 2 3 4 5 against 2 1 4 3 5: 1 - 6 Σd² / (n (n² - 1)) = 1 - 6 · 4 / 120 = 0.8.
  @Test func rankCorrelationMatchesSpearmansFormula() throws {
    let rho = try #require(
      Separation.rankCorrelation([10, 20, 30, 40, 50], [0.2, 0.1, 0.4, 0.3, 0.5]))
    #expect(abs(rho - 0.8) < 1e-15)
    #expect(Separation.rankCorrelation([1, 2, 3], [5, 5, 5]) == nil)
    #expect(Separation.rankCorrelation([1, 2], [1, 2]) == nil)
    #expect(Separation.rankCorrelation([1, 2, 3], [3, 2, 1]) == -1)
  }
}
