import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomReports

@Suite struct GeometryPageTests {
  private func survey(
    _ name: String = "A", height: Double? = 1, reach: Double? = nil
  ) throws -> GeometrySurvey {
    var declared = DeclaredAnchors()
    declared.names = [name, "B", "C", "D"]
    declared.anchors = [(0.0, 0.0, 2.0), (9, 0, 1), (9, 6, 2), (0, 6, 1)].map {
      Anchor(position: Vector([$0.0, $0.1, $0.2]))
    }
    var settings = GeometrySurvey.Settings()
    settings.height = height
    settings.measuring.maximumRange = reach
    settings.step = 0.5
    return try GeometrySurvey(declared, settings)
  }

  /// Every cell is covered by one rectangle of each layer up to its own level.
  @Test func rectanglesCoverTheCells() throws {
    let survey = try survey(reach: 7)
    let layers = LevelMap(survey.errors.horizontal, survey.grid).layers
    let scale = ErrorLevels(of: survey.errors.horizontal)
    #expect(layers.count == scale.names.count + 1)
    for cell in 0..<survey.grid.count {
      let (x, y) = survey.grid.centre(cell)
      let inside = layers.map { layer in
        layer.points.count { $0.x < x && x < $0.right && $0.y < y && y < $0.upper }
      }
      let error = survey.errors.horizontal[cell]
      let level = error.isFinite ? scale.level(of: error) : 0
      let expected = scale.names.indices.map { $0 <= level ? 1 : 0 } + [error.isFinite ? 0 : 1]
      #expect(inside == expected)
    }
  }

  /// Walls are lines of the maps; a picture is laid over the axes, embedded in the page.
  @Test func wallsAndAPictureAreDrawn() throws {
    try withTemporaryFolder { folder in
      let (walls, picture) = ("\(folder)/walls.csv", "\(folder)/plan.png")
      try Data("x0_m,y0_m,x1_m,y1_m\n0,0,9,0\n4,0,4,3\n".utf8).write(to: URL(filePath: walls))
      try Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]).write(to: URL(filePath: picture))
      let plan = try FloorPlan(walls: walls, picture: picture, area: (0...9, 0...6))
      #expect(plan.walls.count == 2)
      let survey = try survey()
      let layers = survey.figures(walls: plan.walls).compactMap { figure -> [Plot.Layer]? in
        guard case .plot(let plot) = figure.content else { return nil }
        return plot.panels[0].layers
      }
      let drawn = try #require(layers[0].first { $0.name == "wall" })
      #expect(drawn.points.map(\.beginsAnew) == [true, false, true, false])
      let standIn = try StandIn.drawing()
      let page = try GeometryPage(survey, name: "A", plan: plan).rendered {
        () throws(ReportError) in standIn.gnuplot
      }
      let xml = try XML(page)
      #expect(xml.elements.filter { $0.name == "image" }.count == 1)
      #expect(page.contains("data:image/png;base64,iVBORw0KGgo="))
      for text in ["x0_m,y0_m,x1_m,y1_m\n0,0,x,1\n", "x0,y0\n1,2\n"] {
        try Data(text.utf8).write(to: URL(filePath: walls))
        #expect(throws: RecordingError.self) { try FloorPlan(walls: walls, picture: nil) }
      }
      #expect(throws: RecordingError.self) { try FloorPlan(walls: nil, picture: walls) }
    }
  }

  @Test func pageIsWellFormedAndComplete() throws {
    let standIn = try StandIn.drawing()
    for height: Double? in [1, nil] {
      let page = try GeometryPage(survey(hostileName, height: height), name: hostileName)
        .rendered { () throws(ReportError) in standIn.gnuplot }
      let xml = try XML(page)
      let identifiers = xml.values(of: "id")
      #expect(Set(identifiers).count == identifiers.count)
      #expect(identifiers.contains("survey-horizontal"))
      #expect(identifiers.contains("survey-vertical") == (height == nil))
      for heading in [
        "Expected error over the plan", "Worst places", "Without one anchor", "One more anchor",
      ] {
        #expect(xml.text.contains(heading))
      }
      #expect(Set(xml.elements.map(\.name)).isDisjoint(with: ["link", "img", "iframe"]))
    }
  }

  @Test(.needsGnuplot) func drawsTheMap() throws {
    let survey = try survey(hostileName, reach: 6)
    let page = try GeometryPage(survey, name: "hall").rendered()
    _ = try XML(page)
    // Levels, anchors and the undetermined part are identified by their colours.
    for colour in [Palette.level1, .level8, .anchors, .rejected, .fixes, .unknown] as [Palette] {
      #expect(page.contains("=\"\(colour.light)\""), "\(colour)")
    }
    #expect(try GeometryPage(survey, name: "hall").rendered() == page)
  }

  @Test func undeterminedPlanHasNoMap() throws {
    let survey = try survey(reach: 0.2)
    for figure in survey.figures() {
      guard case .absent = figure.content else {
        Issue.record("\(figure.name) is drawn")
        continue
      }
    }
    let page = try GeometryPage(survey, name: "hall").rendered()
    #expect(page.contains("there is no map to draw"))
  }
}
