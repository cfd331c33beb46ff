import ArgumentParser
import FathomRecordings
import Foundation

/// `fathom process`: recordings in, results out.
struct Process: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "process",
    abstract: "Turn recordings into positions and smoothed distances.",
    discussion: """
      Example:
        fathom process walk/ drive.csv --anchors anchors.csv -o results

      A recording is a folder with ranges.csv (and anchors.csv, recording.json), or one ranges \
      file. Each gives four files in the output folder, whole or not at all:
        NAME.positions.csv   positions with covariances
        NAME.distances.csv   smoothed distances, quality, zones, what was made of each range
        NAME.rejected.csv    rows set aside, with line, column and reason
        NAME.summary.json    counts, rates, consistency, warnings
      """)

  @Argument(help: "Recordings: folders or ranges files; - reads standard input.")
  var recordings: [String]

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Folder for the results; made where it is not there.", valueName: "dir"))
  var output: String

  @Option(help: "How positions are computed: filter (one track) or fix (each epoch by itself).")
  var method = PositionMethod.filter

  @Option(help: "How many recordings are worked on at once; all cores where left out.")
  var jobs: Int?

  @Option(help: ArgumentHelp("Positions on a grid of so many per second.", valueName: "hz"))
  var rate: Double?

  @Option(
    help: ArgumentHelp(
      "For fix: how long a range counts, seconds; from the recording where left out.",
      valueName: "seconds"))
  var epochWindow: Double?

  @Option(help: ArgumentHelp("Known height of the tags.", valueName: "metres"))
  var height: Double?

  @Option(
    help: ArgumentHelp(
      "How distances are smoothed: "
        + SmoothingMethod.allCases.map(\.rawValue).joined(separator: ", ") + "."))
  var smoothing = SmoothingMethod.kalmanVelocity

  @Option(help: ArgumentHelp("Standard deviation of ranges.", valueName: "metres"))
  var rangeSigma: Double?

  @Option(help: ArgumentHelp("Standard deviation of directions.", valueName: "degrees"))
  var angleSigma: Double?

  @Option(
    help: ArgumentHelp(
      "Density of the tags' acceleration, (m/s²)/√Hz: 0.5 walking, 2 flying.", valueName: "number"))
  var acceleration: Double?

  @Flag(help: "Fail, with exit code 65, where a row would be set aside.")
  var strict = false

  @Flag(help: "Replace results that are there already.")
  var force = false

  @Flag(help: "Print the summaries as JSON Lines instead of a table.")
  var json = false

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs wants a number of 1 or more") }
    if let clash = RecordingBatch.clash(among: recordings) {
      throw ValidationError(
        "\(clash.first) and \(clash.second) would both write \(clash.name).positions.csv")
    }
    try require(rate, "--rate", in: 1e-3...1e6)
    try require(epochWindow, "--epoch-window", in: 0...1e6)
    try require(height, "--height", in: -1e7...1e7)
    try require(rangeSigma, "--range-sigma", in: 1e-6...1e6)
    try require(angleSigma, "--angle-sigma", in: 1e-6...180)
    try require(acceleration, "--acceleration", in: 0...1e6)
  }

  private func require(
    _ value: Double?, _ name: String, in range: ClosedRange<Double>
  ) throws {
    if let value, !range.contains(value) {
      throw ValidationError(
        "\(name) wants a number from \(range.lowerBound) to \(range.upperBound)")
    }
  }

  func run() async throws {
    var settings = ProcessingSettings()
    settings.method = method
    settings.rateHz = rate
    settings.epochWindowS = epochWindow
    settings.heightM = height
    settings.smoothing = smoothing
    if let rangeSigma { settings.rangeSigmaM = rangeSigma }
    if let angleSigma { settings.angleSigmaRad = angleSigma * .pi / 180 }
    if let acceleration { settings.accelerationDensity = acceleration }
    let batch = RecordingBatch(
      anchors: reading.anchors, options: try reading.options(), settings: settings, output: output,
      isStrict: strict, overwrites: force)

    let bar = ProgressBar(total: recordings.count)
    let results = await batch.run(recordings, jobs: jobs) { bar?.advance(rows: $0) }
    bar?.clear()
    report(results)
    for case .failure(let error) in results { Console.message("\(error)") }
    for case .failure(let error) in results { throw ExitCode(error.exitCode) }
  }

  private func report(_ results: [Result<RecordingSummary, RecordingError>]) {
    var table = TextTable([
      "recording", "rows#", "used#", "set aside#", "positions#", "rows/s#", "results",
    ])
    var hasRow = false
    for case .success(let summary) in results {
      hasRow = true
      if json {
        Console.print(ResultWriter.line(of: summary))
      } else {
        let located = summary.positions.filter { $0.key != "starting" }.values.reduce(0, +)
        table.append([
          summary.recording, "\(summary.rows.read)", "\(summary.rows.used)",
          "\(summary.rows.setAside)", "\(located)",
          summary.timing.map { "\(Int($0.rowsPerSecond))" } ?? "-",
          URL(filePath: output).appending(path: "\(summary.recording).*").relativePath,
        ])
        for warning in summary.warnings { Console.message("\(summary.recording): \(warning)") }
      }
    }
    if hasRow, !json { Console.print(table.text) }
  }
}
