import ArgumentParser
import FathomEvaluation
import FathomRecordings
import Foundation

/// `fathom simulate`: makes recordings with truth from scenario files.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Make recordings with truth from scenarios.",
    discussion: """
      Writes ranges.csv (tdoa.csv for differences), anchors.csv, truth.csv, recording.json and, if \
      the scenario has poses, poses.csv to the output folder. Several scenarios or runs each go to a folder inside it: NAME, \
      NAME-0001, NAME-0002. The same scenario and seed give the same files. The article \
      Simulation of the documentation lists the keys of a scenario; Datasets/ has examples.

      Examples:
        fathom simulate Datasets/robot-2d/scenario.yaml -o /path/to/robot --seed 7
        fathom simulate Datasets/Scenarios/*.yaml -o /path/to/library
      """)

  @Argument(help: ArgumentHelp("Scenario files (YAML); - reads standard input."))
  var scenarios: [String]

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Folder for the recordings; created if it does not exist.", valueName: "dir")
  )
  var output: String

  @Option(
    parsing: .unconditional,
    help: "Seed of the random numbers, instead of the scenario's; 0 or more.")
  var seed: UInt64?

  @Option(
    "Number of recordings per scenario; the seed increases by one from each to the next.",
    in: "number")
  var runs = 1

  @Flag(help: "Replace files that already exist.")
  var force = false

  @Flag(help: "Print one JSON object per recording.")
  var json = false

  func validate() throws {
    if scenarios.contains("") { throw ValidationError("a scenario's name is empty") }
    if output.isEmpty || output == "-" {
      throw ValidationError("--output must name a folder: the results are several files")
    }
    if !(1...9999).contains(runs) {
      throw ValidationError("--runs must be from 1 to 9999")
    }
    if scenarios.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input can be read only once")
    }
  }

  func run() throws {
    try withAtomicFileWriter { try simulate(through: $0) }
  }

  /// Makes all recordings.
  ///
  /// Writes nothing unless every scenario is valid and no output file exists.
  private func simulate(through writer: AtomicFileWriter) throws(RecordingError) {
    let jobs = try plannedJobs()
    for job in jobs where !force {
      if let path = SimulatedRecordingWriter.conflict(in: job.folder) {
        throw .cannotWrite(path: path, reason: "already exists (use --force to replace it)")
      }
    }
    let lock = try FolderLock(output, replaces: force)
    defer { lock?.removeEmptyFolder() }
    let bar = ProgressBar(total: jobs.count)
    defer { bar?.end() }
    for job in jobs {
      let simulated = RangeSimulator(job.scenario).recording()
      try SimulatedRecordingWriter.write(
        simulated, to: job.folder, overwriting: force, through: writer)
      let differences = simulated.differences?.count
      bar?.advance(rows: simulated.recording.rowsRead + (differences ?? 0))
      if json {
        let made = Made(
          recording: job.folder, scenario: job.scenario.name, seed: job.scenario.seed,
          ranges: simulated.recording.ranges.count, timeDifferences: differences,
          anchors: simulated.recording.anchors.count, tags: simulated.recording.tagNames.count)
        // Numbers and names alone are always valid JSON.
        if let line = try? Console.json(made, keys: .convertToSnakeCase) {
          bar?.clear()
          Console.print(line)
        }
      }
    }
  }

  /// A recording that was made, for `--json`.
  private struct Made: Encodable {
    var recording: String
    var scenario: String
    var seed: UInt64
    var ranges: Int
    var timeDifferences: Int?
    var anchors: Int
    var tags: Int
  }

  /// Returns every scenario to simulate, with the seed of its run and its output folder.
  private func plannedJobs() throws(RecordingError) -> [(scenario: Scenario, folder: String)] {
    var jobs: [(scenario: Scenario, folder: String)] = []
    var files: [String: String] = [:]
    for file in scenarios {
      var scenario = try readScenario(file)
      if let seed { scenario.seed = seed }
      if let first = files.updateValue(file, forKey: scenario.name) {
        throw .badData(
          path: file, line: nil, reason: "has the same name as \(first): \(scenario.name)")
      }
      for run in 1...runs {
        if run > 1 { scenario.seed &+= 1 }
        jobs.append((scenario, folder(of: scenario.name, run: run)))
      }
    }
    return jobs
  }

  private func folder(of name: String, run: Int) -> String {
    if scenarios.count == 1, runs == 1 { return output }
    let number = String(repeating: "0", count: max(0, 4 - "\(run)".count)) + "\(run)"
    return OutputFile.path(of: runs == 1 ? name : "\(name)-\(number)", in: output)
  }

  private func readScenario(_ file: String) throws(RecordingError) -> Scenario {
    let name = file == "-" ? "standard input" : file
    let source = try ByteSource(path: file, mostBytes: RecordingLimits.longestSettings)
    guard let text = String(validating: source.bytes, as: UTF8.self) else {
      throw .badData(path: name, line: nil, reason: "is not UTF-8 text")
    }
    // Paths in a scenario are relative to its file.
    let directory = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    do {
      return try ScenarioReader.scenario(from: text, directory: file == "-" ? "" : directory)
    } catch {
      throw .badData(path: name, line: error.line, reason: error.reason)
    }
  }
}
