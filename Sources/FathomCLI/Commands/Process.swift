import ArgumentParser
import Fathom
import FathomRecordings

/// `fathom process`: computes positions and smoothed distances from recordings.
struct ProcessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "process",
    abstract: "Compute positions and smoothed distances from recordings.",
    discussion: """
      Examples:
        fathom process walk/ drive.csv --anchors anchors.csv -o results
        fathom process --recursive campaign/ --exclude 'test*' -o results
        fathom process walk -o - | head

      A recording is a folder with ranges.csv or tdoa.csv (and anchors.csv, poses.csv, heights.csv, \
      odometry.csv, imu.csv, recording.json), or one ranges file, beside which anchors.csv is used. It gives four files in the output folder, each of which is written whole or \
      not at all:
        NAME.positions.csv   positions with covariances
        NAME.distances.csv   smoothed distances, quality, zones, decisions
        NAME.rejected.csv    rejected rows, with line, column and reason
        NAME.summary.json    counts, rates, consistency, diagnoses, warnings
      batch.json and batch.csv have the outcome of each recording of all runs into the folder. \
      -o - writes the positions of one recording to standard output. --results jsonl,tum writes \
      NAME.positions.jsonl, NAME.distances.jsonl and NAME.positions.tum instead of the two CSV \
      files. With zones on the floor plan there is also NAME.zones.csv.

      A recording that fails does not affect the others; the exit code is that of the first \
      failure. After an interrupt, a crash or a failure, --resume processes what is incomplete.
      """)

  @Argument(help: "Recordings: folders or ranges files; - reads standard input.")
  var recordings: [String] = []

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      """
      Folder for the results, created if it does not exist; by default results in the working folder. \
      - writes positions to standard output.
      """,
      valueName: "dir"))
  var givenOutput: String?

  @OptionGroup(title: "Batches") var selection: BatchArguments

  @Option("How positions are computed.", value: "method")
  var method = PositionMethod.filter

  @Option(
    "Number of threads, on several recordings or together on one; by default all cores.",
    in: "number")
  var jobs: Int?

  @Option("For fix: how long a range counts; by default derived from the recording.", in: "seconds")
  var epochWindow: Double?

  @Option(
    """
    For fix: bias of all ranges, positive if they are too long; by default a bias or scale that the \
    recording proves is corrected, and 0 keeps ranges as they are.
    """, in: "metres")
  var rangeBias: Double?

  @Option(
    "Formats of positions and distances: csv, jsonl, tum (positions only).", value: "format,...")
  var results = FormatList<ResultFormat>([.csv])

  @Option(
    """
    Additional columns of positions: geodetic (latitude_deg, longitude_deg, altitude_m, for \
    anchors given by latitude and longitude), alternative (alt_x_m, alt_y_m, alt_z_m: the \
    other position of an ambiguous one).
    """, value: "columns,...")
  var with: ExtraColumnList?

  @Flag(help: "Fail with exit code 65 if a row would be rejected.")
  var strict = false

  @Flag(help: "Replace results that already exist.")
  var force = false

  @Flag(
    help: """
      Skip recordings whose results are complete and were made by this version from the same files \
      with the same options; replace other results.
      """)
  var resume = false

  @Flag(help: "Print the summaries as JSON Lines instead of a table.")
  var json = false

  @OptionGroup(title: "Tracks") var tracking: TrackingArguments

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  private var output: String { givenOutput ?? BatchSummary.usualOutput }

  func validate() throws {
    // A shell passes an unset variable in quotation marks as an empty argument.
    if recordings.contains("") { throw ValidationError("a recording's name is empty") }
    if recordings.isEmpty, selection.recordingsFrom == nil {
      throw ValidationError("Missing expected argument '<recordings> ...'")
    }
    if recordings.contains("-"), selection.recordingsFrom == "-" {
      throw ValidationError("a recording and the list of recordings cannot both be standard input")
    }
    if output == "-",
      force || resume || json || results.formats.count > 1 || results.formats == [.tum]
    {
      throw ValidationError(
        "-o - writes only positions, as csv or jsonl: it cannot be combined with --force, --resume,"
          + " --json or other --results")
    }
    if output.isEmpty { throw ValidationError("--output must name a folder") }
    if force, resume {
      throw ValidationError(
        "--force and --resume cannot be combined: --force repeats everything, --resume only what is"
          + " incomplete")
    }
    if let jobs, !(1...RecordingLimits.mostThreads).contains(jobs) {
      throw ValidationError("--jobs must be from 1 to \(RecordingLimits.mostThreads)")
    }
    if !selection.recursive { try refuseEqualNames(recordings) }
    try requireValid(settings)
    if rangeBias != nil, method != .fix {
      throw ValidationError("--range-bias needs --method fix")
    }
  }

  /// The settings of the options, but for the zones.
  private var settings: ProcessingSettings {
    var settings = tracking.settings()
    settings.method = method
    settings.epochWindowS = epochWindow
    settings.rangeBiasM = rangeBias
    settings.extraColumns = with?.columns
    return settings
  }

  func run() async throws {
    var settings = settings
    settings.zones = try tracking.device.readZones()
    let recordings = try selectedRecordings()
    var batch = RecordingBatch(
      anchors: reading.anchors, options: try reading.options(rate: tracking.rate),
      settings: settings,
      output: output,
      isStrict: strict, overwrites: force)

    batch.resumes = resume
    batch.formats = results.formats
    if output == "-" { return try await StandardOutputRun(batch, of: recordings, jobs).run() }
    try refuseForeignManifest()

    let lock = try lockOutput()
    defer { lock?.removeEmptyFolder() }
    let run = BatchRun(
      batch, of: recordings, by: selection.naming, jobs: jobs, lock: lock)
    let (outcomes, manifestCode) = await run.outcomes()
    if json {
      BatchSummary.printLines(outcomes)
    } else {
      BatchSummary.printTable(outcomes, output: output)
      if givenOutput == nil, outcomes.contains(where: { $0.summary != nil }) {
        Console.message("results are in \(output)/ (-o DIR names another folder)")
      }
    }
    run.printFailures()
    if let code = BatchManifest.exitCode(of: outcomes) ?? manifestCode { throw ExitCode(code) }
  }

  /// Returns the recordings of the batch, whose results have different names.
  ///
  /// Prints an error and throws its exit code, or throws a usage error.
  private func selectedRecordings() throws -> [String] {
    let found = try reportingErrors { try selection.recordings(recordings, output: output) }
    if output == "-", found.count > 1 {
      throw ValidationError("-o - writes the positions of one recording, not of \(found.count)")
    }
    try refuseEqualNames(found)
    return found
  }

  /// Throws a usage error if the results of two of `paths` would have the same names.
  private func refuseEqualNames(_ paths: [String]) throws {
    if let clash = RecordingBatch.clash(among: paths, by: selection.naming) {
      throw ValidationError(
        "\(clash.first) and \(clash.second) would both write \(clash.name).positions.csv; name"
          + " them differently with --name-by path, or a pattern such as --name-by"
          + " '{parent}-{name}'")
    }
  }

  /// Locks the output folder against runs that would mix their results with those of this one.
  private func lockOutput() throws -> FolderLock? {
    try reportingErrors { try FolderLock(output, replaces: force || resume) }
  }

  /// Fails without `--force` if a file that is not of a batch has the name of its manifest or table.
  private func refuseForeignManifest() throws {
    if force { return }
    let files = [
      (BatchManifest.fileName, "manifest", BatchManifest.isManifest),
      (BatchTable.fileName, "table", BatchTable.isTable),
    ]
    for (name, what, isOwn) in files {
      let path = OutputFile.path(of: name, in: output)
      guard OutputFile.conflict(among: [path]) != nil, !isOwn(path) else { continue }
      try reportingErrors {
        throw RecordingError.cannotWrite(
          path: path,
          reason: "already exists and is not the \(what) of a batch (use --force to replace it)")
      }
    }
  }
}

extension PositionMethod {
  /// The descriptions of the methods in the help.
  public static var allValueDescriptions: [String: String] {
    [
      "fix": "each epoch alone",
      "filter": "one track per tag, from past ranges",
      "smooth": "the whole recording at once, usually with the least error",
    ]
  }
}
