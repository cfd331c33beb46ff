import FathomRecordings

/// A page with figures of the results of recordings and benchmarks.
public struct Report: Sendable {
  var recordings: [RecordedResults]
  var benchmarks: [BenchmarkResults]
  /// All recordings, of which ``recordings`` are shown in detail; nil for a single one.
  var overview: BatchOverview?

  init(recordings: [RecordedResults] = [], benchmarks: [BenchmarkResults] = []) {
    self.recordings = recordings
    self.benchmarks = benchmarks
  }

  /// The number of recordings that are shown in detail unless the caller asks for another.
  public static let usualDetails = 20

  /// Reads the results at `paths`.
  ///
  /// - Parameters:
  ///   - paths: folders written by `fathom process`, files `NAME.summary.json` or
  ///     `NAME.positions.csv`, and files of `fathom benchmark --json`.
  ///   - sources: the paths of anchors, truth and recordings.
  ///   - details: the largest number of recordings that are shown in detail: of more recordings
  ///     those, the worst first, that have results.
  /// - Throws: ``ReportError/recording(_:)`` when a result, or a file named in `sources`, is
  ///   missing or invalid.
  ///   where a file that was named in `sources` is not.
  public init(
    reading paths: [String], sources: ReportSources = ReportSources(),
    details: Int = usualDetails
  ) throws(ReportError) {
    recordings = []
    benchmarks = []
    do throws(RecordingError) {
      let files = try ResultFiles(paths)
      let reader = RecordedResultsReader(sources: sources)
      var stems = files.stems
      if stems.count + files.failures.count > 1 {
        let overview = try Self.overview(of: files)
        self.overview = overview.table
        if stems.count > details { stems = Array(overview.stems.prefix(max(0, details))) }
      }
      for stem in stems { recordings.append(try reader.read(stem)) }
      for path in files.benchmarks { benchmarks.append(try BenchmarkResults(path: path)) }
    } catch {
      throw .recording(error)
    }
  }

  /// Returns the overview of all recordings, and the results of which there are some, the worst
  /// first.
  private static func overview(
    of files: ResultFiles
  ) throws(RecordingError) -> (table: BatchOverview, stems: [String]) {
    var entries = files.failures
    for stem in files.stems {
      var entry = BatchManifest.Entry(of: try ResultReader.summary("\(stem).summary.json"))
      entry.path = stem
      entries.append(entry)
    }
    let table = BatchOverview(entries)
    return (table, table.entries.filter { $0.failure == nil }.map(\.path))
  }

  /// The page, and each figure as a separate file.
  public struct Rendered: Sendable, Equatable {
    /// The page: one self-contained HTML file, well-formed as XML.
    ///
    /// It loads nothing. A short script adds zoom and the coordinates under the pointer.
    public var page: String
    /// The figures as files: `RECORDING.FIGURE.svg`, `.png` or `.pdf` with their bytes.
    public var figures: [(name: String, bytes: [UInt8])]

    /// Returns whether page and figures are equal.
    public static func == (left: Self, right: Self) -> Bool {
      left.page == right.page && left.figures.elementsEqual(right.figures, by: ==)
    }
  }

  /// Draws the figures and renders the page; the same results give the same text.
  ///
  /// - Parameters:
  ///   - formats: the formats of the figures' own files.
  ///   - gnuplot: returns the gnuplot that draws the figures; called only when there is a figure to
  ///     draw.
  ///   - progress: called after each figure with the share of the work done, from 0 to 1.
  /// - Returns: the page and the figures.
  /// - Throws: ``ReportError/noGnuplot(searched:)``, ``ReportError/gnuplotFailed(figure:reason:)``
  ///   or ``ReportError/pageFailed(reason:)``.
  public func rendered(
    formats: Set<FigureFormat> = [.svg],
    by gnuplot: () throws(ReportError) -> Gnuplot = { () throws(ReportError) in try .found() },
    progress: (Double) -> Void = { _ in }
  ) throws(ReportError) -> Rendered {
    let comparisons = EstimateComparison.all(of: recordings)
    // A comparison or a recording is a part; its figures take about equally long.
    let parts = Double(max(1, comparisons.count + recordings.count))
    var partsDone = 0.0
    var sections = [overview?.section].compactMap { $0 }
    var files: [(name: String, bytes: [UInt8])] = []
    func add(
      _ section: ReportPage.Section, _ figures: [Figure], of name: String, file: String
    ) throws(ReportError) {
      var section = section
      for (index, figure) in figures.enumerated() {
        defer { progress((partsDone + Double(index + 1) / Double(figures.count)) / parts) }
        try section.add(figure, of: name) { plot, title throws(ReportError) in
          let drawn = try Drawing(plot, figure: title, by: gnuplot())
          for format in FigureFormat.allCases where formats.contains(format) {
            let bytes =
              format == .svg
              ? Array(drawn.file(title: title, description: figure.caption).utf8)
              : Array(
                try gnuplot().bytes(of: GnuplotScript(plot, format: format).text, for: title))
            files.append(("\(file).\(figure.name).\(format.rawValue)", bytes))
          }
          return drawn
        }
      }
      sections.append(section)
      partsDone += 1
    }
    for (index, comparison) in comparisons.enumerated() {
      let same = comparisons[..<index].count { $0.name == comparison.name }
      let file = Self.inFileName(comparison.name) + ".comparison" + (same > 0 ? "-\(same + 1)" : "")
      try add(
        comparison.section("comparison-\(index + 1)"), comparison.figures, of: comparison.name,
        file: file)
    }
    for (index, results) in recordings.enumerated() {
      let changes = results.linkChanges
      let section = ReportPage.Section(
        identifier: "recording-\(index + 1)", heading: heading(of: results),
        // Of several recordings, the first one is open: the worst of a batch.
        isFolded: index > 0, conclusions: results.conclusions(changes), lead: results.lead,
        command: results.command, facts: results.facts, messages: results.messages,
        tables: results.tables(changes))
      try add(
        section, results.figures(changes), of: results.name, file: fileName(of: results, at: index))
    }
    for (index, benchmark) in benchmarks.enumerated() {
      let name = benchmark.path.split(separator: "/").last.map(String.init) ?? benchmark.path
      sections.append(
        ReportPage.Section(
          identifier: "benchmark-\(index + 1)", heading: "Benchmark: \(name)",
          tables: benchmark.tables))
    }
    return Rendered(page: try page(sections), figures: files)
  }

  /// Returns the recording's name, with the method where there are several results of that name.
  private func heading(of results: RecordedResults) -> String {
    recordings.count { $0.name == results.name } > 1
      ? "\(results.name), \(results.summary.settings.method.rawValue)" : results.name
  }

  /// Returns the recording's name in file names, with a number when several have the same name.
  private func fileName(of results: RecordedResults, at index: Int) -> String {
    let before = recordings[..<index].count { $0.name == results.name }
    let name = Self.inFileName(results.name)
    return before == 0 ? name : "\(name)-\(before + 1)"
  }

  private static func inFileName(_ name: String) -> String { name.replacing("/", with: "_") }

  private func page(_ sections: [ReportPage.Section]) throws(ReportError) -> String {
    let names = recordings.map(\.name)
    let count = overview?.entries.count ?? names.count
    let counts = [
      count == 0 ? nil : Figure.counted(count, "recording", "recordings"),
      count > names.count ? "\(names.count) of them in detail" : nil,
      benchmarks.isEmpty ? nil : Figure.counted(benchmarks.count, "benchmark", "benchmarks"),
    ]
    let only = count == 1 && benchmarks.isEmpty ? recordings.first : nil
    let words = only.map { [$0.summary.settings.method.rawValue, $0.recorded] } ?? counts
    return try ReportPage(
      title: only.map { "Report: \($0.name)" } ?? "Report",
      subtitle: words.compactMap { $0 }.joined(separator: ", "), sections: sections,
      footer: "Generated by fathom \(FathomVersion.current). Distances in metres, times in seconds."
    ).rendered()
  }
}

extension RecordedResults {
  /// Figures that the page shows at once; all others are folded.
  private static let shownFigures: Set = ["plan", "distances", "residuals", "error"]

  /// Returns all figures of the recording, in the order of the page.
  func figures(_ changes: [LinkChange]) -> [Figure] {
    var figures = [planFigure]
    if let height = heightFigure { figures.append(height) }
    if anchors.isEmpty, absences[.anchors] == nil { figures.append(distanceFigure) }
    figures += residualFigures(changes)
    figures.append(consistencyFigure)
    figures += errorFigures
    figures.append(qualityFigure)
    if let geometry = geometryFigure { figures.append(geometry) }
    for place in figures.indices {
      figures[place].isFolded = !Self.shownFigures.contains(figures[place].name)
    }
    return figures
  }
}
