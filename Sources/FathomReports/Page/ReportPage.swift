import Mustache

/// The content of the page template.
struct ReportPage: Sendable {
  var title: String
  var subtitle: String
  var style = PageStyle.text
  var sections: [Section]
  var footer: String

  /// Links to the sections; empty for a single section.
  var contents: [Link] {
    sections.count > 1 ? sections.map { Link(identifier: $0.identifier, text: $0.heading) } : []
  }

  /// Returns the page as HTML.
  func rendered() throws(ReportError) -> String {
    do {
      return try MustacheTemplate(string: PageTemplate.page).render(context)
    } catch {
      throw .pageFailed(reason: "\(error)")
    }
  }

  /// A link within the page.
  struct Link: Sendable {
    var identifier: String
    var text: String
  }

  /// A part of the page: a recording, or a file of benchmark results.
  struct Section: Sendable {
    /// Unique in the page.
    var identifier: String
    var heading: String
    /// Whether the page shows only the heading until the reader opens it.
    var isFolded = false
    /// What the results mean, in a few sentences.
    var conclusions: [Fact] = []
    var lead: String?
    /// The command that made what the section shows.
    var command: String?
    var facts: [Fact] = []
    var messages: [Message] = []
    var figures: [PageFigure] = []
    var tables: [Table] = []

    /// Links to the figures and tables; empty for few.
    var contents: [Link] {
      let all =
        figures.map { Link(identifier: $0.identifier, text: $0.heading) }
        + tables.indices.map { Link(identifier: tableIdentifier($0), text: tables[$0].heading) }
      return all.count > 3 ? all : []
    }

    func tableIdentifier(_ place: Int) -> String { "\(identifier)-table-\(place + 1)" }
  }

  /// A key figure of the recording.
  struct Fact: Sendable {
    var term: String
    var value: String
  }

  /// A diagnosis, a warning or a note.
  struct Message: Sendable {
    /// `diagnosis`, `warning` or `note`, also the name of its style.
    var kind: String
    var text: String
    var label: String { "\(kind.prefix(1).uppercased())\(kind.dropFirst()):" }
  }

  /// A figure with its drawing, or with its caption only.
  struct PageFigure: Sendable {
    /// Unique in the page.
    var identifier: String
    var heading: String
    /// Whether the page shows only the heading until the reader opens it.
    var isFolded = false
    /// The SVG element; nil without a drawing.
    var drawing: String?
    var caption: String
  }

  /// A table.
  struct Table: Sendable {
    var heading: String
    var columns: [Column]
    /// Cells as text, one per column; the first cell is the heading of its row.
    var lines: [[String]]
    /// A sentence below the table.
    var remark: String?
    /// Whether the page shows only the heading until the reader opens it.
    var isFolded = false

    /// Creates a table.
    ///
    /// Headings that end in `#` mark columns of numbers.
    init(_ heading: String, _ headings: [String], _ lines: [[String]], remark: String? = nil) {
      self.heading = heading
      columns = headings.map {
        Column(text: $0.hasSuffix("#") ? String($0.dropLast()) : $0, isNumber: $0.hasSuffix("#"))
      }
      self.lines = lines
      self.remark = remark
    }

    struct Column: Sendable {
      var text: String
      var isNumber: Bool
    }
  }
}

extension ReportPage.Section {
  /// Adds a figure of the recording or layout called `name`; `draw` draws a plot under a title.
  mutating func add(
    _ figure: Figure, of name: String,
    _ draw: (_ plot: Plot, _ title: String) throws(ReportError) -> Drawing
  ) throws(ReportError) {
    let identifier = "\(identifier)-\(figure.name)"
    var drawing: String?
    var caption = figure.caption
    switch figure.content {
    case .absent(let sentence): caption = sentence
    case .plot(let plot):
      let title = "\(figure.heading) of \(name)"
      drawing = try draw(plot, title)
        .element(identifier: identifier, title: title, description: caption)
    }
    figures.append(
      ReportPage.PageFigure(
        identifier: identifier, heading: figure.heading, isFolded: figure.isFolded,
        drawing: drawing, caption: caption))
  }
}

extension ReportPage {
  /// The values of the template, without characters that are invalid in a page.
  var context: [String: Any] {
    [
      "title": title.clean, "subtitle": subtitle.clean, "style": style, "footer": footer.clean,
      "hasContents": !contents.isEmpty,
      "contents": contents.map(\.context), "sections": sections.map(\.context),
      "script": PageScript.text,
    ]
  }
}

extension ReportPage.Link {
  fileprivate var context: [String: Any] { ["identifier": identifier, "text": text.clean] }
}

extension ReportPage.Section {
  fileprivate var context: [String: Any] {
    [
      "identifier": identifier, "heading": heading.clean, "isFolded": isFolded,
      "hasConclusions": !conclusions.isEmpty,
      "conclusions": conclusions.map { ["term": $0.term.clean, "value": $0.value.clean] },
      "hasContents": !contents.isEmpty, "contents": contents.map(\.context),
      "lead": [lead?.clean].compactMap { $0 },
      "command": [command?.clean].compactMap { $0 },
      "hasFacts": !facts.isEmpty,
      "facts": facts.map { ["term": $0.term.clean, "value": $0.value.clean] },
      "messages": messages.map { ["kind": $0.kind, "label": $0.label, "text": $0.text.clean] },
      "hasFigures": !figures.isEmpty,
      "figures": figures.map { figure -> [String: Any] in
        [
          "identifier": figure.identifier, "heading": figure.heading.clean,
          "isFolded": figure.isFolded, "drawing": [figure.drawing].compactMap { $0 },
          "caption": figure.caption.clean,
        ]
      },
      "tables": tables.indices.map { tables[$0].context(tableIdentifier($0)) },
    ]
  }
}

extension ReportPage.Table {
  fileprivate func context(_ identifier: String) -> [String: Any] {
    [
      "identifier": identifier, "heading": heading.clean, "isFolded": isFolded,
      "remark": [remark?.clean].compactMap { $0 },
      "columns": columns.map { ["text": $0.text, "isNumber": $0.isNumber] as [String: Any] },
      "rows": lines.map { line in
        [
          "cells": zip(line, columns).enumerated().map { place, cell in
            [
              "text": cell.0.clean, "isNumber": cell.1.isNumber, "isHeading": place == 0,
            ] as [String: Any]
          }
        ]
      },
    ]
  }
}

extension String {
  /// The text without control characters, which are invalid in a page.
  ///
  /// The template escapes the rest.
  fileprivate var clean: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map {
          $0.properties.generalCategory == .control && $0 != "\n" ? "\u{FFFD}" : $0
        }))
  }
}
