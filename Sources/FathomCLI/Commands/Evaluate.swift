import ArgumentParser
import Fathom
import FathomEvaluation
import FathomRecordings

/// `fathom evaluate`: how good an estimate is where truth is known.
struct Evaluate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Compare an estimated trajectory with truth.",
    discussion: """
      Both are files of positions: positions.csv, positions.jsonl or truth.csv, TUM (timestamp tx ty \
      tz qx qy qz qw) or EuRoC (data.csv), recognised by content. TRUTH may be the folder of a recording; its \
      offsets and height then apply.

      Examples:
        fathom evaluate results/walk.positions.csv walk
        fathom evaluate estimate.tum groundtruth.tum --align --relative-distance 10
        fathom evaluate results/walk.positions.csv walk --max-rmse 0.3
      """)

  @Argument(help: "File of estimated positions; - reads standard input.")
  var estimate: String

  @Argument(help: "Folder of a recording with truth, or a file of true positions.")
  var truth: String

  @Option(help: "Layout of the estimate, where its content does not tell.")
  var format: TrajectoryFormat?

  @Option(help: "Layout of a file of truth, where its content does not tell.")
  var truthFormat: TrajectoryFormat?

  @Flag(help: "Compare x and y only, as where the height was known.")
  var horizontal = false

  @Option(help: ArgumentHelp("Only this tag.", valueName: "name"))
  var tag: String?

  @Option(help: ArgumentHelp("Truth is not interpolated over longer gaps.", valueName: "seconds"))
  var maxGap = 1.5

  @Option(
    help: ArgumentHelp(
      "Instead of interpolating, take truth's nearest pose, at most this far away.",
      valueName: "seconds"))
  var maxDifference: Double?

  @Option(
    help: ArgumentHelp("Not scored: the beginning of the estimate.", valueName: "seconds"))
  var skipFirst = 0.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Added to truth's time stamps, besides what recording.json says.", valueName: "seconds"))
  var timeOffset = 0.0

  @Flag(help: "First rotate and move the estimate closest to truth.")
  var align = false

  @Flag(help: "As --align, with a scale.")
  var alignScale = false

  @Option(
    name: .customLong("relative-distance"), parsing: .singleValue,
    help: ArgumentHelp("Drift over this much of path; may be given again.", valueName: "metres"))
  var relativeDistances: [Double] = []

  @Option(
    name: .customLong("relative-time"), parsing: .singleValue,
    help: ArgumentHelp("Drift over this much time; may be given again.", valueName: "seconds"))
  var relativeTimes: [Double] = []

  @Option(
    help: ArgumentHelp(
      "Exit with code 1 where the RMSE exceeds this, or nothing can be compared.",
      valueName: "metres"))
  var maxRmse: Double?

  @Flag(help: "Print everything as JSON.")
  var json = false

  func validate() throws {
    try require(maxGap, "--max-gap", in: 0...1e9)
    try require(maxDifference, "--max-difference", in: 0...1e9)
    try require(skipFirst, "--skip-first", in: 0...1e9)
    try require(timeOffset, "--time-offset", in: -9e9...9e9)
    try require(maxRmse, "--max-rmse", in: 0...1e9)
    for distance in relativeDistances {
      try require(distance, "--relative-distance", in: 1e-6...1e9)
    }
    for time in relativeTimes { try require(time, "--relative-time", in: 1e-6...1e9) }
    if estimate == "-", truth == "-" {
      throw ValidationError("estimate and truth cannot both be standard input")
    }
  }

  func run() throws {
    let evaluated: EvaluatedTrajectory
    do throws(RecordingError) {
      evaluated = try evaluate()
    } catch {
      Console.message("\(error)")
      throw ExitCode(error.exitCode)
    }
    for message in evaluated.messages { Console.message(message) }
    Console.print(json ? try evaluated.json() : evaluated.text())
    guard let rmse = evaluated.evaluation.accuracy?.rmseM else {
      Console.message("\(estimate): nothing can be compared with \(truth)\(evaluated.reason)")
      throw ExitCode(maxRmse == nil ? RecordingError.noComparison : 1)
    }
    if let maxRmse, rmse > maxRmse {
      Console.message(
        "\(estimate): RMSE \(rmse.text(decimals: 4)) m exceeds --max-rmse \(maxRmse.plainText)")
      throw ExitCode(1)
    }
  }

  private func evaluate() throws(RecordingError) -> EvaluatedTrajectory {
    let reference = try ReferenceTrajectory(truth, format: truthFormat)
    let trajectory = try TrajectoryReader.read(estimate, format: format)
    if let tag, trajectory.tracks[tag] == nil {
      let names = trajectory.tracks.keys.sorted().joined(separator: ", ")
      throw .badData(
        path: estimate, line: nil, reason: "there is no tag \"\(tag)\" (there are: \(names))")
    }
    var settings = EvaluationSettings()
    settings.longestGap = maxGap
    settings.maximumDifference = maxDifference
    settings.isHorizontal = horizontal || reference.hasHeight
    settings.skipFirst = skipFirst
    settings.timeOffset = timeOffset
    settings.tag = tag
    settings.relativeDistances = relativeDistances
    settings.relativeTimes = relativeTimes
    var evaluation: TrajectoryEvaluation
    if align || alignScale {
      do throws(AlignmentError) {
        evaluation = try TrajectoryEvaluation.aligned(
          trajectory.tracks, truth: reference.truth, settings: settings, isScaled: alignScale,
          start: reference.start)
      } catch {
        throw .badData(path: estimate, line: nil, reason: "cannot be aligned: \(error)")
      }
    } else {
      evaluation = TrajectoryEvaluation(
        trajectory.tracks, truth: reference.truth, settings: settings, start: reference.start)
    }
    return EvaluatedTrajectory(
      trajectory: trajectory, reference: reference, evaluation: evaluation)
  }
}

extension TrajectoryFormat: ExpressibleByArgument {}

extension RecordingError {
  /// The exit code for two files that have nothing in common: bad data.
  static let noComparison: Int32 = 65
}
