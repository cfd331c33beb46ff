import ArgumentParser
import FathomRecordings

/// `fathom process`: recordings in, results out.
struct Process: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "process",
    abstract: "Turn recordings into positions and smoothed distances.",
    discussion: """
      Example:
        fathom process walk/ drive.csv --anchors anchors.csv -o results

      A recording is a folder with ranges.csv (and anchors.csv, poses.csv, recording.json), or one \
      ranges file. Each gives four files in the output folder, whole or not at all:
        NAME.positions.csv   positions with covariances
        NAME.distances.csv   smoothed distances, quality, zones, decisions
        NAME.rejected.csv    rows set aside, with line, column and reason
        NAME.summary.json    counts, rates, consistency, warnings
      and all together batch.json, what became of each. --results jsonl,tum writes \
      NAME.positions.jsonl, NAME.distances.jsonl and NAME.positions.tum in place of \
      the two CSV files; with zones on the floor plan there is NAME.zones.csv. One that fails does not keep the others \
      from being done; the exit code is that of the first failure. After an interrupt, a crash or a \
      failure, --resume does what is not done yet.
      """)

  @Argument(help: "Recordings: folders or ranges files; - reads standard input.")
  var recordings: [String]

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Folder for the results; made where it is not there.", valueName: "dir"))
  var output: String

  @Option(
    help: ArgumentHelp("How positions are computed.", valueName: "method"))
  var method = PositionMethod.filter

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How many threads work, on recordings side by side or together on one; all cores where left out.",
      valueName: "number"))
  var jobs: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Positions on a grid of so many per second.", valueName: "hz"))
  var rate: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "For fix: how long a range counts; from the recording where left out.",
      valueName: "seconds"))
  var epochWindow: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Known height of the tags.", valueName: "metres"))
  var height: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Standard deviation of the height: it is then estimated as well.", valueName: "metres"))
  var heightSigma: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A box that holds the tags: chooses between mirror images.", valueName: "x,y,z,x,y,z"))
  var bounds: String?

  @Option(
    help: ArgumentHelp(
      "Zones on the floor plan (JSON), instead of the recordings' own.", valueName: "file"))
  var zones: String?

  @Option(help: ArgumentHelp("How distances are smoothed.", valueName: "method"))
  var smoothing = SmoothingMethod.kalmanVelocity

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Standard deviation of ranges.", valueName: "metres"))
  var rangeSigma: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Standard deviation of directions.", valueName: "degrees"))
  var angleSigma: Double?

  @Option(
    help: ArgumentHelp(
      "Frame of directions and poses.csv: x right, y up, or x forward, z up; phone where the recording does not say.",
      valueName: "frame"))
  var deviceFrame: DeviceFrame?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "For fix and filter: standard deviation of the heading in poses.csv, 180 where it is not known.",
      valueName: "degrees"))
  var headingSigma: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Density of the tags' acceleration, (m/s²)/√Hz: 0.5 walking, 2 flying.", valueName: "number"))
  var acceleration: Double?

  @Option(
    help: ArgumentHelp(
      "Forms of positions and distances: csv, jsonl, tum (positions only).",
      valueName: "format,..."))
  var results = ResultFormats([.csv])

  @Flag(help: "Fail, with exit code 65, where a row would be set aside.")
  var strict = false

  @Flag(help: "Replace results that are there already.")
  var force = false

  @Flag(
    help: """
      Skip recordings whose results are complete, made by this version from the same files with the \
      same options; replace other results.
      """)
  var resume = false

  @Flag(help: "Print the summaries as JSON Lines instead of a table.")
  var json = false

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  func validate() throws {
    // What a shell makes of a variable that is not set.
    if recordings.contains("") { throw ValidationError("a recording's name is empty") }
    if output.isEmpty { throw ValidationError("--output wants the name of a folder") }
    if force, resume {
      throw ValidationError("--force does everything again, --resume what is not done: not both")
    }
    if let jobs, jobs < 1 { throw ValidationError("--jobs wants a number of 1 or more") }
    if let clash = RecordingBatch.clash(among: recordings) {
      throw ValidationError(
        "\(clash.first) and \(clash.second) would both write \(clash.name).positions.csv")
    }
    try require(rate, "--rate", in: 1e-3...1e6)
    try require(epochWindow, "--epoch-window", in: 0...1e6)
    try require(height, "--height", in: -1e7...1e7)
    try require(heightSigma, "--height-sigma", in: 1e-6...1e6)
    _ = try corners()
    try require(rangeSigma, "--range-sigma", in: 1e-6...1e6)
    try require(angleSigma, "--angle-sigma", in: 1e-6...180)
    try require(headingSigma, "--heading-sigma", in: 1e-4...180)
    try require(acceleration, "--acceleration", in: 0...1e6)
  }

  func run() async throws {
    var settings = ProcessingSettings()
    settings.method = method
    settings.rateHz = rate
    settings.epochWindowS = epochWindow
    settings.heightM = height
    settings.heightSigmaM = heightSigma
    settings.boundsM = try corners()
    settings.smoothing = smoothing
    if let zones { settings.zones = try readZones(zones) }
    if let rangeSigma { settings.rangeSigmaM = rangeSigma }
    if let angleSigma { settings.angleSigmaRad = angleSigma * .pi / 180 }
    settings.deviceFrame = deviceFrame
    settings.headingSigmaRad = headingSigma.map { $0 * .pi / 180 }
    if let acceleration { settings.accelerationDensity = acceleration }
    var batch = RecordingBatch(
      anchors: reading.anchors, options: try reading.options(), settings: settings, output: output,
      isStrict: strict, overwrites: force)

    batch.resumes = resume
    batch.formats = results.formats
    try refuseForeignManifest()

    let run = BatchRun(batch, of: recordings, jobs: jobs)
    let outcomes = await run.outcomes()
    if json {
      BatchSummary.printLines(outcomes)
    } else {
      BatchSummary.printTable(outcomes, output: output)
    }
    run.tellFailures()
    let manifestCode = run.writeManifest()
    if let code = BatchManifest.exitCode(of: outcomes) ?? manifestCode { throw ExitCode(code) }
  }

  /// The corners of the box; nil where none was given.
  private func corners() throws -> [[Double]]? {
    guard let bounds else { return nil }
    let numbers = bounds.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0) ?? .nan
    }
    // Without z the box goes all the way up.
    let half = numbers.count / 2
    let corners = [Array(numbers.prefix(half)), Array(numbers.dropFirst(half))]
    guard TagBounds.box(corners) != nil,
      numbers.allSatisfy({ $0.magnitude <= RecordingLimits.farthest })
    else {
      throw ValidationError(
        "--bounds wants the least x,y,z and the greatest x,y,z in metres, not \"\(bounds)\"")
    }
    return corners
  }

  /// The zones in the file at `path`.
  private func readZones(_ path: String) throws -> ZoneSettings {
    do throws(RecordingError) {
      return try ZonesReader.read(path)
    } catch {
      Console.message("\(error)")
      throw ExitCode(error.exitCode)
    }
  }

  /// A file that happens to have the manifest's name is not replaced unasked.
  private func refuseForeignManifest() throws {
    let path = OutputFile.path(of: BatchManifest.fileName, in: output)
    guard !force, OutputFile.conflict(among: [path]) != nil, !BatchManifest.isManifest(path)
    else { return }
    let error = RecordingError.cannotWrite(
      path: path, reason: "is there already, and is no manifest of a batch (replace: --force)")
    Console.message("\(error)")
    throw ExitCode(error.exitCode)
  }
}

extension PositionMethod {
  /// What each method does, for the help.
  public static var allValueDescriptions: [String: String] {
    [
      "fix": "each epoch by itself, without a past",
      "filter": "one track per tag, from what came before",
      "smooth": "the whole recording at once: least error, once it is complete",
    ]
  }
}
