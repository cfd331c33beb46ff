import Fathom
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

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

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
    let targets = page.values(of: "href").map { String($0.dropFirst()) }
    #expect(targets.prefix(3) == ["recording-1", "recording-2", "benchmark-1"])
    #expect(targets.allSatisfy(identifiers.contains))
    #expect(targets.contains("recording-2-plan") && targets.contains("recording-2-table-1"))
    for label in page.values(of: "aria-labelledby").flatMap({ $0.split(separator: " ") }) {
      #expect(identifiers.contains(String(label)))
    }
    #expect(page.elements.count { $0.name == "svg" } == 2 * Self.figures.count + 1)
    #expect(page.elements.first?.attributes["lang"] == "en")
    for caption in ["Accuracy", "Links", "Counts", "walk: position"] {
      #expect(page.text.contains(caption))
    }
    #expect(rendered.figures.map(\.name).contains("fly.height.svg"))
    for figure in rendered.figures { _ = try XML(text(figure.bytes)) }
  }

  @Test func pageLoadsNothing() throws {
    let page = try rendered(Report(recordings: [try madeResults()])).page
    let xml = try XML(page)
    let names = Set(xml.elements.map(\.name))
    #expect(names.isDisjoint(with: ["link", "img", "iframe", "object", "use", "image"]))
    // The only script is the page's own, in which nothing of the results stands.
    #expect(xml.elements.count { $0.name == "script" } == 1)
    #expect(page.contains("<script>\n//<![CDATA[\n\(PageScript.text)\n//]]>\n</script>"))
    #expect(xml.values(of: "content").contains { $0.hasPrefix("default-src 'none'") })
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
    for (name, bytes) in rendered.figures {
      let text = text(bytes)
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

  @Test(.needsGnuplot) func figuresHaveOtherFormats() throws {
    let rendered = try Report(recordings: [try madeResults()]).rendered(formats: [.png, .pdf])
    #expect(rendered.figures.count == 2 * Self.figures.count)
    for (name, bytes) in rendered.figures {
      let magic: [UInt8] = name.hasSuffix(".png") ? [0x89, 0x50, 0x4E, 0x47] : Array("%PDF".utf8)
      #expect(Array(bytes.prefix(4)) == magic && bytes.count > 3000, "\(name)")
    }
  }

  @Test func pageSaysHowResultsWereMade() throws {
    var results = try madeResults()
    var settings = ProcessingSettings()
    settings.method = .smooth
    settings.heightM = 1.25
    settings.keptAnchors = ["it's"]
    var reading = RecordingOptions()
    reading.distanceUnit = .centimetres
    results.summary.request = RecordingRequest(settings: settings, reading: reading, isStrict: true)
    results.summary.time?.startS = 1_714_566_828
    results.summary.diagnoses = [Diagnosis(.clockStep, "a step", suggestion: "none")]
    results.summary.warnings = ["a step: none", "another warning"]
    let page = try XML(try rendered(Report(recordings: [results])).page)
    #expect(
      page.text.contains(
        "fathom process walk --method smooth --height 1.25 --keep 'it'\\''s' --distance-unit cm --strict"
      ))
    #expect(page.text.contains("recorded 2024-05-01T12:33:48Z"))
    #expect(page.text.contains("Diagnosis: a step: none"))
    #expect(page.text.contains("Warning: another warning"))
  }

  @Test func estimatesOfOneRecordingAreCompared() throws {
    var other = try madeResults()
    other.summary.settings.method = .smooth
    let rendered = try rendered(Report(recordings: [try madeResults(), other]))
    let page = try XML(rendered.page)
    #expect(page.text.contains("Comparison: walk") && page.text.contains("walk, smooth"))
    #expect(rendered.figures.map(\.name).contains("walk.comparison.plan.svg"))
    let section = try #require(EstimateComparison.all(of: [try madeResults(), other]).first)
    #expect(section.estimates.map(\.name) == ["filter", "smooth"])
    #expect(EstimateComparison.all(of: [try madeResults(), try madeResults("fly")]).isEmpty)
  }

  /// Residuals are those of ranges without the errors that the method found.
  @Test func foundErrorsAreTakenOffResiduals() throws {
    var results = try madeResults()
    results.summary.calibration?[0].biasM = nil
    results.summary.calibration?[0].scale = nil
    results.summary.calibration?[0].offsetsM = nil
    let before = results.fitResiduals
    results.summary.calibration?[0].biasM = 0.5
    results.summary.calibration?[0].offsetsM = ["B": 0.25]
    for (one, other) in zip(before, results.fitResiduals) {
      let shift = one.anchor == "B" ? 0.75 : 0.5
      let median = try #require(one.median)
      #expect(((other.median ?? 0) - (median - shift)).magnitude < 1e-9, "\(one.anchor)")
    }
    // Errors relative to truth stay whole.
    #expect(results.rangeErrors == (try madeResults()).rangeErrors)
    #expect(results.errorTable?.lines.contains { $0[1] == "offset of B" } == true)
  }

  /// Without truth, errors of ranges come from the true distances of the file.
  @Test func trueDistancesReplaceTruth() throws {
    var results = try madeResults()
    results.truth = nil
    results.trueDistances = results.distances.distance.map { $0 - 0.125 }
    #expect(
      results.rangeErrors.allSatisfy { $0.values.allSatisfy { ($0 - 0.125).magnitude < 1e-9 } })
    #expect(results.residualFigures([]).map(\.name) == ["residuals", "range-errors"])
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

  /// Of several recordings the first is open; figures and tables that most readers skip are folded.
  @Test func pageIsFolded() throws {
    let results = [try madeResults(), try madeResults("fly", height: nil)]
    let page = try XML(try rendered(Report(recordings: results)).page)
    let open = page.elements.filter { $0.attributes["open"] == "open" }
      .compactMap { $0.attributes["id"] }
    for part in ["recording-1", "recording-1-plan", "recording-2-plan", "recording-1-table-1"] {
      #expect(open.contains(part))
    }
    for part in ["recording-2", "recording-1-quality", "recording-1-geometry"] {
      #expect(!open.contains(part))
    }
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
