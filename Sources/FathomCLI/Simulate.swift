import ArgumentParser
import FathomEvaluation
import FathomRecordings
import Foundation

/// `fathom simulate`: a recording with truth from a scenario file.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Make a recording with truth from a scenario.",
    discussion: """
      Writes ranges.csv, anchors.csv, truth.csv and recording.json into the output folder. The \
      same scenario and seed give the same files. The keys of a scenario are in the documentation \
      (article Simulation); Datasets/ has examples.

      Example:
        fathom simulate Datasets/robot-2d/scenario.yaml -o /path/to/robot --seed 7
      """)

  @Argument(help: ArgumentHelp("Scenario file (YAML); - reads standard input."))
  var scenario: String

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Folder for the recording; made where it is not there.", valueName: "dir"))
  var output: String

  @Option(help: "Seed of the random numbers, instead of the scenario's.")
  var seed: UInt64?

  @Flag(help: "Replace files that are there already.")
  var force = false

  func validate() throws {
    if output.isEmpty { throw ValidationError("--output wants the name of a folder") }
  }

  func run() throws {
    do {
      var scenario = try readScenario()
      if let seed { scenario.seed = seed }
      let simulated = RangeSimulator(scenario).recording()
      if !force, let path = SimulatedRecordingWriter.conflict(in: output) {
        throw RecordingError.cannotWrite(path: path, reason: "is there already (replace: --force)")
      }
      try SimulatedRecordingWriter.write(simulated, to: output, overwriting: force)
    } catch let error as RecordingError {
      Console.message("\(error)")
      throw ExitCode(error.exitCode)
    }
  }

  private func readScenario() throws(RecordingError) -> Scenario {
    let name = scenario == "-" ? "standard input" : scenario
    let data: Data
    do {
      data =
        scenario == "-"
        ? try FileHandle.standardInput.readToEnd() ?? Data()
        : try Data(contentsOf: URL(filePath: scenario))
    } catch CocoaError.fileReadNoSuchFile {
      throw .noInput(path: name, reason: "is not there")
    } catch {
      throw .noInput(path: name, reason: "cannot be read: \(error.localizedDescription)")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw .badData(path: name, line: nil, reason: "is not UTF-8 text")
    }
    do {
      return try ScenarioReader.scenario(from: text)
    } catch {
      throw .badData(path: name, line: error.line, reason: error.reason)
    }
  }
}
