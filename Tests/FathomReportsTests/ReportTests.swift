import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomReports

@Suite struct ReportTests {
  private func rendered(_ report: Report) throws -> Report.Rendered {
    let standIn = try StandIn.drawing()
    return try report.rendered { () throws(ReportError) in standIn.gnuplot }
  }

  private static let figures = [
    "plan", "residuals", "range-errors", "consistency", "error", "error-distribution", "quality",
    "geometry",
  ]

  @Test func pageIsWellFormedAndComplete() throws {
    let benchmark = try BenchmarkResults(
      path: "b.json", bytes: Array(#"[{"recording":"walk","method":"fix","rmse_m":0.5}]"#.utf8))
    let report = Report(
      recordings: [try madeResults(), try madeResults("fly", height: nil)], benchmarks: [benchmark])
    let rendered = try rendered(report)
    let page = try XML(rendered.page)
    let identifiers = page.values(of: "id")
    #expect(Set(identifiers).count == identifiers.count)
    for figure in Self.figures {
      #expect(identifiers.contains("recording-1-\(figure)"))
      #expect(identifiers.contains("recording-2-\(figure)"))
    }
    #expect(!identifiers.contains("recording-1-height"))
    #expect(identifiers.contains("recording-2-height"))
    #expect(identifiers.contains("benchmark-1"))
    // Every link and every label has a target.
    let targets = page.values(of: "href").map { $0.dropFirst() }
    #expect(targets == ["recording-1", "recording-2", "benchmark-1"])
    for label in page.values(of: "aria-labelledby").flatMap({ $0.split(separator: " ") }) {
      #expect(identifiers.contains(String(label)))
    }
    #expect(page.elements.count { $0.name == "svg" } == 2 * Self.figures.count + 1)
    #expect(page.elements.first?.attributes["lang"] == "en")
    for caption in ["Accuracy", "Links", "Counts", "walk: position"] {
      #expect(page.text.contains(caption))
    }
    #expect(rendered.figures.map(\.name).contains("fly.height.svg"))
    for figure in rendered.figures { _ = try XML(figure.text) }
  }

  @Test func pageLoadsAndRunsNothing() throws {
    let page = try rendered(Report(recordings: [try madeResults()])).page
    let xml = try XML(page)
    let names = Set(xml.elements.map(\.name))
    #expect(names.isDisjoint(with: ["script", "link", "img", "iframe", "object", "use", "image"]))
    #expect(xml.values(of: "src").isEmpty && xml.values(of: "xlink:href").isEmpty)
    // The only address is the name of a vocabulary.
    let addresses = page.matches(of: #/https?:[^"' ]*/#).map { String($0.output) }
    #expect(Set(addresses) == ["http://www.w3.org/2000/svg"])
    #expect(!page.contains("url(") && !page.contains("@import"))
  }

  @Test func foreignNamesAreEscaped() throws {
    let results = try madeResults(hostileName, anchor: hostileName, tag: hostileName)
    let rendered = try rendered(Report(recordings: [results]))
    let page = try XML(rendered.page)
    #expect(!page.elements.contains { $0.name == "b" })
    let shown = hostileName.replacing("\u{1}", with: "\u{FFFD}")
    #expect(page.text.contains("Report: \(shown)"))
    #expect(page.text.contains("\(shown) – \(shown)"))
    #expect(!rendered.figures.contains { $0.name.contains("/") })
  }

  @Test(.needsGnuplot) func gnuplotDrawsEveryFigure() throws {
    let results = [
      try madeResults(hostileName, anchor: hostileName, tag: hostileName),
      try madeResults("fly", height: nil),
    ]
    let rendered = try Report(recordings: results).rendered()
    let page = try XML(rendered.page)
    let identifiers = page.values(of: "id")
    #expect(Set(identifiers).count == identifiers.count)
    #expect(!page.elements.contains { $0.name == "b" || $0.name == "use" })
    #expect(page.text.contains("time since the start, s"))
    #expect(rendered.figures.count == 2 * Self.figures.count + 1)
    for (name, text) in rendered.figures {
      let drawing = try XML(text)
      #expect(drawing.elements.count > 30, "\(name)")
      #expect(!text.contains("rgb(") && !text.contains("gnuplot"), "\(name)")
    }
    // Every colour of a drawing is in the style sheet.
    let colours = Set(page.values(of: "stroke") + page.values(of: "fill"))
    let known = Set(Palette.allCases.map(\.light) + ["none", "currentColor"])
    #expect(colours.subtracting(known) == [])
    #expect(try Report(recordings: results).rendered() == rendered)
  }

  @Test func figuresExplainMissingParts() throws {
    var results = try madeResults()
    results.truth = nil
    results.evaluation = nil
    results.fixes = nil
    results.absences = [
      .truth: "The recording has no truth.", .anchors: "The anchors were not found.",
      .fixes: "The recording was not found.",
    ]
    results.anchors = [:]
    results.summary.consistency?.timeline = nil
    let page = try XML(try rendered(Report(recordings: [results])).page)
    for sentence in results.absences.values { #expect(page.text.contains(sentence)) }
    #expect(page.text.contains("has no innovations over time"))
    #expect(page.elements.count { $0.name == "svg" } == 2)
  }

  @Test func rendersAPageWithoutPositions() throws {
    let recording = Recording(name: "empty")
    let processed = recording.processed()
    let results = RecordedResults(
      origin: "empty", summary: processed.summary, positions: processed.positions,
      distances: processed.distances)
    let rendered = try Report(recordings: [results]).rendered {
      () throws(ReportError) in throw .noGnuplot(searched: [])
    }
    #expect(rendered.figures.isEmpty)
    #expect(try XML(rendered.page).text.contains("The results have no positions"))
  }

  @Test func geometryFigureShowsTheTrack() throws {
    let figure = try #require(try madeResults().geometryFigure)
    guard case .plot(let plot) = figure.content, let panel = plot.panels.first else {
      Issue.record("there is no map")
      return
    }
    let track = try #require(panel.layers.first { $0.name == "track" })
    #expect(track.points.count > 100)
    #expect(track.points.allSatisfy { panel.x.contains($0.x) && panel.y.contains($0.y) })
    #expect(panel.layers.last?.points.count == 4)
    #expect(figure.caption.contains("range errors of 0.10 m"))
    var results = try madeResults()
    results.anchors = [:]
    #expect(results.geometryFigure == nil)
  }

  @Test func equalNamesYieldDifferentFiles() throws {
    let names = try rendered(Report(recordings: [try madeResults(), try madeResults()])).figures
      .map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.contains("walk.plan.svg") && names.contains("walk-2.plan.svg"))
  }
}
