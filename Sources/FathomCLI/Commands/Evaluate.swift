import ArgumentParser
import Fathom
import FathomEvaluation
import FathomRecordings

/// `fathom evaluate`: compares an estimated trajectory with truth.
struct Evaluate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Compare an estimated trajectory with truth.",
    discussion: """
      Both arguments are files of positions, recognised by content: positions.csv, \
      positions.jsonl, truth.csv, TUM (timestamp tx ty tz qx qy qz qw) or EuRoC (data.csv). TRUTH \
      may be the folder of a recording; the offsets and the height in its recording.json then apply.

      Examples:
        fathom evaluate results/walk.positions.csv walk
        fathom evaluate estimate.tum groundtruth.tum --align --relative-distance 10
        fathom evaluate results/walk.positions.csv walk --max-rmse 0.3
      """)

  @Argument(help: "File of estimated positions; - reads standard input.")
  var estimate: String

  @Argument(help: "Folder of a recording with truth, or a file of true positions.")
  var truth: String

  @Option(help: "Format of the estimate, if its content is ambiguous.")
  var format: TrajectoryFormat?

  @Option(help: "Format of a file of truth, if its content is ambiguous.")
  var truthFormat: TrajectoryFormat?

  @Flag(help: "Compare x and y only; the default for recordings with a known height.")
  var horizontal = false

  @Option("Evaluate only this tag.", value: "name")
  var tag: String?

  @Option("Truth is not interpolated over longer gaps.", in: "seconds")
  var maxGap = 1.5

  @Option(
    "Use the nearest pose of truth within this time instead of interpolating.", in: "seconds")
  var maxDifference: Double?

  @Option("Beginning of the estimate that is not scored.", in: "seconds")
  var skipFirst = 0.0

  @Option("Added to the time stamps of truth, beside the offset in recording.json.", in: "seconds")
  var timeOffset = 0.0

  @Flag(help: "First align the estimate with truth by rotation and translation.")
  var align = false

  @Flag(help: "Like --align, with a scale as well.")
  var alignScale = false

  @Option(
    name: .customLong("relative-distance"), parsing: .singleValue,
    help: ArgumentHelp("Drift over this path length; may be repeated.", valueName: "metres"))
  var relativeDistances: [Double] = []

  @Option(
    name: .customLong("relative-time"), parsing: .singleValue,
    help: ArgumentHelp("Drift over this time; may be repeated.", valueName: "seconds"))
  var relativeTimes: [Double] = []

  @Option("Exit with code 1 if the RMSE exceeds this or nothing can be compared.", in: "metres")
  var maxRmse: Double?

  @Flag(help: "Print everything as JSON.")
  var json = false

  @OptionGroup(title: "Reading of the estimate, if it is CSV") var reading: ColumnArguments

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
    _ = try reading.options()
    if estimate.isEmpty || truth.isEmpty {
      throw ValidationError("the name of the \(estimate.isEmpty ? "estimate" : "truth") is empty")
    }
    if estimate == "-", truth == "-" {
      throw ValidationError("estimate and truth cannot both be standard input")
    }
  }

  func run() throws {
    let options = try reading.options()
    let paths = ComparedPaths(estimate: estimate, truth: truth)
    let evaluated = try reportingErrors { () throws(RecordingError) in
      do throws(RecordingError) {
        return try evaluate(options)
      } catch {
        throw paths.explaining(error)
      }
    }
    for message in evaluated.messages { Console.message(message) }
    if let warning = paths.exchange(evaluated.trajectory, evaluated.reference) {
      Console.message(warning)
    }
    Console.print(json ? try evaluated.json() : evaluated.text())
    guard let rmse = evaluated.evaluation.accuracy?.rmseM else {
      throw FailureReport(
        "\(estimate): nothing can be compared with \(truth)\(evaluated.reason)\(evaluated.spans)",
        exitCode: maxRmse == nil ? RecordingError.noComparison : 1
      ).print()
    }
    if let maxRmse, rmse > maxRmse {
      throw FailureReport(
        "\(estimate): RMSE \(rmse.text(decimals: 4)) m exceeds --max-rmse \(maxRmse.plainText)",
        exitCode: 1
      ).print()
    }
  }

  private func evaluate(
    _ options: RecordingOptions
  ) throws(RecordingError) -> EvaluatedTrajectory {
    let reference = try ReferenceTrajectory(
      truth, format: truthFormat, options: options.forTruth)
    let trajectory = try TrajectoryReader.read(estimate, format: format, options: options)
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

extension RecordingOptions {
  /// The options for truth beside an estimate: units are those of the estimate.
  fileprivate var forTruth: RecordingOptions {
    var options = RecordingOptions()
    options.columns = columns.filter { $0.key.hasPrefix("truth.") }
    options.decimalSeparator = decimalSeparator
    return options
  }
}

extension TrajectoryFormat: ExpressibleByArgument {}

extension RecordingError {
  /// The exit code for an estimate and truth without a common instant: bad data.
  static let noComparison: Int32 = 65
}
