import ArgumentParser
import FathomRecordings
import FathomReports

/// `fathom report`: shows results on one page with figures.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show results on one page with figures.",
    discussion: """
      Example:
        fathom report results bench.json -o report.html

      Results are folders or files that fathom process wrote (NAME.summary.json, \
      NAME.positions.csv), and files of fathom benchmark --json. Several recordings begin with an \
      overview, the worst first; of many, only the worst are shown in detail. Several results of \
      one recording are compared. The page is one file and loads nothing; figures zoom by dragging \
      and show coordinates under the pointer. Anchors and truth come from the recording, which is \
      found by the paths in the summary. gnuplot draws the figures; it must be installed \
      (package gnuplot-nox; exit code 69 if it is missing).
      """)

  @Argument(help: "Results: folders, files of fathom process, files of benchmark --json.")
  var results: [String]

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The page, an HTML file; - writes it to standard output.", valueName: "file")
  )
  var output: String

  @Option("Folder to which the figures are also written as files of their own.", value: "dir")
  var figures: String?

  @Option("Formats of these files, separated by commas: svg, png, pdf.", value: "format,...")
  var figureFormats = FormatList<FigureFormat>([.svg])

  @Option(
    "Truth, instead of the recording's own: a file, or a folder with truth.csv.", value: "path")
  var truth: String?

  @Option("Anchors file, instead of the one processed.", value: "file")
  var anchors: String?

  @Option("Where the recordings are, instead of the paths in the summaries.", value: "dir")
  var recordings: String?

  @Option("The largest number of recordings shown in detail.", in: "number")
  var details = Report.usualDetails

  @Flag(help: "Replace files that already exist.")
  var force = false

  @Flag(help: "Print one JSON object with the files and what the page shows.")
  var json = false

  func validate() throws {
    if results.contains("") { throw ValidationError("the name of a result is empty") }
    if output.isEmpty { throw ValidationError("--output must name a file") }
    if !(0...10_000).contains(details) {
      throw ValidationError("--details must be from 0 to 10000")
    }
    if json, output == "-" {
      throw ValidationError("--json and -o - cannot be combined: both write to standard output")
    }
    if figures?.isEmpty == true { throw ValidationError("--figures must name a folder") }
  }

  func run() throws {
    try withAtomicFileWriter { try write(through: $0) }
  }

  /// What the page shows, for `--json`.
  private struct Shown: Encodable {
    /// Figures that are also files of their own.
    var figures: Int
  }

  private func write(through writer: AtomicFileWriter) throws {
    let isStandardOutput = output == "-"
    // Checked before anything is computed.
    if !isStandardOutput, !force { try OutputFile.requireNew([output]) }
    let report = try Report(
      reading: results,
      sources: ReportSources(truth: truth, anchors: anchors, recordings: recordings),
      details: details)
    let rendered = try showingProgress { progress throws(ReportError) in
      try report.rendered(
        formats: figures == nil ? [] : figureFormats.formats, progress: progress)
    }
    var files: [OutputFile] = []
    if !isStandardOutput {
      files.append(OutputFile(path: output, bytes: Array(rendered.page.utf8)))
    }
    if let figures {
      files += rendered.figures.map {
        OutputFile(path: OutputFile.path(of: $0.name, in: figures), bytes: $0.bytes)
      }
    }
    if !force { try OutputFile.requireNew(files.map(\.path)) }
    try writer.write(files)
    if isStandardOutput {
      Console.write(rendered.page, to: .standardOutput)
    } else if json {
      let written = files.map { (path: $0.path, byteCount: $0.bytes.count) }
      Console.print(try WrittenFiles.json(written, Shown(figures: rendered.figures.count)))
    } else {
      for file in files { Console.print(file.path) }
    }
  }
}
