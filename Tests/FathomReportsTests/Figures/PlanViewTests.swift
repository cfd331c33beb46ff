import Fathom
import TestSupport
import Testing

@testable import FathomReports

@Suite struct PlanViewTests {
  @Test(arguments: [(0.0...10.0, 0.0...5.0), (0...10, 0...100), (0...100, 0...1), (-3...3, 2...9)])
  func axesHaveEqualScales(_ x: ClosedRange<Double>, _ y: ClosedRange<Double>) {
    let frame = PlanView.frame(x: x, y: y, width: 480)
    let scaleX = 480 / (frame.x.upperBound - frame.x.lowerBound)
    let scaleY = frame.height / (frame.y.upperBound - frame.y.lowerBound)
    #expect(isClose(scaleX, scaleY, within: 1e-9 * scaleX))
    #expect((170...480).contains(frame.height))
    // The requested intervals are fully visible.
    #expect(frame.x.contains(x.lowerBound) && frame.x.contains(x.upperBound))
    #expect(frame.y.contains(y.lowerBound) && frame.y.contains(y.upperBound))
  }

  @Test func deviceFacesUpThePage() {
    let view = PlanView(isRelative: true)
    // Two metres to the right, five ahead: -z is ahead.
    let point = view.point(Vector([2, 0.5, -5]))
    #expect(point.x == 2 && point.y == 5)
    // Right and ahead are positively correlated: z decreases as x increases, so the ellipse rises.
    let covariance = Matrix<3, 3>([[2, 0, -1], [0, 1, 0], [-1, 0, 2]])
    #expect(view.ellipse(covariance).map { $0.angle > 0 } == true)
    #expect(PlanView(isRelative: false).point(Vector([2, 0.5, -5])).y == 0.5)
  }

  @Test func outliersDoNotShrinkThePlan() throws {
    let near = try #require(PlanView.range(core: [0, 10], others: [5, 11]))
    #expect(near.contains(11) && near.upperBound < 13)
    // A quarter of the span is shown beyond the core, plus margins.
    let far = try #require(PlanView.range(core: [0, 10], others: [5, 1000]))
    #expect(far.contains(12.5) && far.upperBound < 14)
    #expect(PlanView.range(core: [], others: []) == nil)
  }

  @Test func planHasAllNamedLayers() throws {
    let results = try madeResults()
    guard case .plot(let plot) = results.planFigure.content else {
      Issue.record("there is no plan")
      return
    }
    let panel = plot.panels[0]
    #expect(
      Set(panel.layers.compactMap(\.name)) == [
        "raw fixes", "truth", "95 % ellipse", "track", "anchor",
      ])
    #expect(panel.labels.map(\.text) == ["A", "B", "C", "D"])
    let anchors = try #require(panel.layers.last)
    #expect(anchors.points.map(\.x) == [0, 8, 8, 0] && anchors.points.map(\.y) == [0, 0, 6, 6])
    let ellipses = panel.layers.first { $0.name == "95 % ellipse" }?.points ?? []
    let count = ellipses.count { $0.beginsAnew }
    #expect((20...25).contains(count), "\(count)")
  }
}
