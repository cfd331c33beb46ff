import Fathom
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct FloorAreaTests {
  private func anchors(_ places: (Double, Double)...) -> [Anchor] {
    places.map { Anchor(position: Vector([$0.0, $0.1, 2])) }
  }

  @Test func areaAroundAnchorsHasAMargin() {
    // A tenth of 30 m; 1 m where that is more; 5 m around a single position; nil without anchors.
    #expect(
      FloorArea(around: anchors((0, 0), (30, 10))) == FloorArea(x: -3...33, y: -3...13))
    #expect(FloorArea(around: anchors((2, 1), (6, 1))) == FloorArea(x: 1...7, y: 0...2))
    #expect(FloorArea(around: anchors((2, 1), (2, 1))) == FloorArea(x: -3...7, y: -4...6))
    #expect(FloorArea(around: []) == nil)
    #expect(FloorArea(x: 0...3, y: -1...3).diagonal == 5)
  }

  @Test func cellsCoverTheArea() throws {
    let grid = try #require(PlanGrid(FloorArea(x: 0...1, y: 0...0.5), step: 0.3))
    #expect(grid.columns == 4 && grid.rows == 2 && grid.count == 8)
    #expect(grid.stepX == 0.25 && grid.stepY == 0.25)
    #expect(grid.centre(0) == (0.125, 0.125) && grid.centre(5) == (0.375, 0.375))
    // Ten steps of 0.1 give ten cells, although 0.1 exceeds a tenth by rounding.
    #expect(try #require(PlanGrid(FloorArea(x: 0...1, y: 0...1), step: 0.1)).columns == 10)
    #expect(PlanGrid(FloorArea(x: 0...1, y: 0...1), step: 0.0009) == nil)
    let many = try #require(PlanGrid(FloorArea(x: 0...40, y: 0...7), about: 10_000))
    #expect((10_000...10_400).contains(many.count))
  }
}
