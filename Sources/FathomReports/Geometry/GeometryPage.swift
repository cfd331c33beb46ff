import FathomEvaluation
import FathomRecordings
import Mustache

/// The survey of a floor plan as one page with its maps.
public struct GeometryPage: Sendable {
  private let survey: GeometrySurvey
  private let name: String

  /// The page of `survey`, of a layout called `name`.
  public init(_ survey: GeometrySurvey, name: String) {
    self.survey = survey
    self.name = name
  }

  /// Draws the maps and renders the page: one self-contained HTML file, well-formed as XML, without
  /// scripts; the same survey gives the same text.
  ///
  /// - Parameter gnuplot: what draws.
  /// - Returns: the page.
  /// - Throws: ``ReportError/noGnuplot(searched:)``, ``ReportError/gnuplotFailed(figure:reason:)`` or
  ///   ``ReportError/pageFailed(reason:)``.
  public func rendered(
    by gnuplot: () throws(ReportError) -> Gnuplot = { () throws(ReportError) in try .found() }
  ) throws(ReportError) -> String {
    var section = ReportPage.Section(
      identifier: "survey", heading: name, facts: survey.facts, messages: survey.messages,
      tables: survey.tables)
    for figure in survey.figures {
      var drawing: String?
      var caption = figure.caption
      let identifier = "survey-\(figure.name)"
      switch figure.content {
      case .absent(let sentence): caption = sentence
      case .plot(let plot):
        let title = "\(figure.heading) of \(name)"
        drawing = try Drawing(plot, figure: title, by: gnuplot()).element(
          identifier: identifier, title: title, description: caption)
      }
      section.figures.append(
        ReportPage.PageFigure(
          identifier: identifier, heading: figure.heading, drawing: drawing, caption: caption))
    }
    let page = ReportPage(
      title: "Geometry: \(name)",
      subtitle: Figure.counted(survey.anchors.count, "anchor", "anchors"), sections: [section],
      footer: "Made by fathom \(FathomVersion.current). Distances in metres.")
    do {
      return try MustacheTemplate(string: PageTemplate.page).render(page.context)
    } catch {
      throw .pageFailed(reason: "\(error)")
    }
  }
}
