import FathomEvaluation
import Testing

@testable import FathomReports

@Suite struct LabelPlacementTests {
  private func panel(_ labels: [Plot.Label]) -> Plot.Panel {
    Plot.Panel(height: 300, x: 0...10, y: 0...6, layers: [], labels: labels)
  }

  @Test func aSingleLabelIsUpperRight() {
    let sides = LabelPlacement.sides(of: panel([Plot.Label(x: 5, y: 3, text: "A")]), width: 480)
    #expect(sides == [.upperRight])
  }

  @Test func labelsAtTheEdgeStayInside() {
    let sides = LabelPlacement.sides(
      of: panel([Plot.Label(x: 10, y: 3, text: "anchor-12")]), width: 480)
    #expect(sides == [.upperLeft])
  }

  /// Two texts at one point, and texts beside each other, do not cover each other.
  @Test func closeLabelsTakeDifferentSides() {
    let labels = (0..<4).map { _ in Plot.Label(x: 5, y: 3, text: "tag") }
    #expect(Set(LabelPlacement.sides(of: panel(labels), width: 480)).count == 4)
    let row = [
      Plot.Label(x: 5, y: 3, text: "anchor-1"), Plot.Label(x: 5.3, y: 3, text: "anchor-2"),
    ]
    let sides = LabelPlacement.sides(of: panel(row), width: 480)
    #expect(sides[0] != sides[1])
  }

  @Test func anyNumbersHaveSides() {
    var random = SeededGenerator(seed: 5)
    let numbers = [.nan, .infinity, -1e300, 1e300, 0, 3]
    let labels = (0..<60).map { _ in
      Plot.Label(
        x: numbers.randomElement(using: &random) ?? 0,
        y: numbers.randomElement(using: &random) ?? 0,
        text: String(repeating: "m", count: Int.random(in: 0...40, using: &random)))
    }
    #expect(LabelPlacement.sides(of: panel(labels), width: 480).count == 60)
  }
}
