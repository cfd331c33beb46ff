import ArgumentParser
import Fathom
import FathomEvaluation
import FathomRecordings
import FathomReports

/// `fathom geometry`: what accuracy to expect from a layout of anchors.
struct Geometry: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "geometry",
    abstract: "Show what accuracy to expect over the floor plan from a layout of anchors.",
    discussion: """
      Examples:
        fathom geometry anchors.csv --height 1
        fathom geometry walk/ --area -5,-5,5,5 -o map.html
        fathom geometry anchors.csv --measure differences --noise 0.2 -o map.csv

      The expected error is the least that any unbiased method can have (Cramér-Rao), for \
      normal errors: obstructed paths and biases come on top. Also shown: the worst \
      places, what the loss of each anchor costs, and where one more helps most. Figures \
      are drawn by gnuplot (package gnuplot-nox; exit code 69 where it is not there).
      """)

  @Argument(
    help: "Anchors file (id,x,y,z in metres), or the folder of a recording that has one.")
  var anchors: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The floor plan; the anchors with a margin where left out.", valueName: "x0,y0,x1,y1"))
  var area: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Known height of the tag, instead of recording.json's; without either it is estimated.",
      valueName: "metres"))
  var height: Double?

  @Flag(help: "Estimate the height although it is known.")
  var solveHeight = false

  @Option(help: "What every anchor measures.")
  var measure = Measure.ranges

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Standard deviation of ranges and arrivals.", valueName: "metres"))
  var noise = RangingDefaults.rangeSigma

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "What it grows by with distance, as the root of the sum of squares.",
      valueName: "metres per metre"))
  var noisePerMetre = 0.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Standard deviation of angles.", valueName: "degrees"))
  var angleNoise = 3.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Beyond this an anchor hears nothing.", valueName: "metres"))
  var maxRange: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Longest side of a cell of the map; about 10 000 cells where left out.",
      valueName: "metres"))
  var step: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Where one more anchor would hang; the mean of the anchors where left out.",
      valueName: "metres"))
  var newAnchorHeight: Double?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The map as well: .csv for the cells, .html for a page with figures.",
      valueName: "file"))
  var output: String?

  @Flag(help: "Print everything but the map as JSON.")
  var json = false

  @Flag(help: "Replace a file that is there already.")
  var force = false

  func validate() throws {
    if anchors.isEmpty { throw ValidationError("the name of the anchors file is empty") }
    try require(height, "--height", in: -1e7...1e7)
    try require(newAnchorHeight, "--new-anchor-height", in: -1e7...1e7)
    try require(noise, "--noise", in: 1e-6...1e6)
    try require(noisePerMetre, "--noise-per-metre", in: 0...10)
    try require(angleNoise, "--angle-noise", in: 1e-6...180)
    try require(maxRange, "--max-range", in: 1e-3...1e7)
    try require(step, "--step", in: 1e-6...1e7)
    _ = try floorArea()
    if let output, !output.hasSuffix(".csv"), !output.hasSuffix(".html") {
      throw ValidationError("--output wants a file that ends in .csv or .html")
    }
  }

  func run() throws {
    try withAtomicFileWriter { try survey(through: $0) }
  }

  private func survey(through writer: AtomicFileWriter) throws {
    // Said before anything is computed.
    if let output, !force, OutputFile.conflict(among: [output]) != nil {
      throw RecordingError.cannotWrite(
        path: output, reason: "is there already (replace: --force)")
    }
    let layout = try AnchorLayoutSource(anchors)
    for note in layout.notes where !json { Console.message(note) }
    var settings = GeometrySurvey.Settings()
    settings.measuring = measuring
    settings.area = try floorArea()
    settings.height = height ?? layout.height
    settings.solvesHeight = solveHeight
    settings.step = step
    settings.newAnchorHeight = newAnchorHeight
    let survey: GeometrySurvey
    do throws(GeometrySurvey.Failure) {
      survey = try GeometrySurvey(layout.declared, settings)
    } catch {
      if error == .tooManyCells { throw ValidationError("--step is too small: \(error)") }
      throw RecordingError.badData(
        path: layout.path, line: nil, reason: "there is nothing to survey: \(error)")
    }
    let surveyed = SurveyedPlan(name: layout.name, measure: measure, survey: survey)
    if let output {
      let bytes =
        output.hasSuffix(".csv")
        ? survey.map : Array(try GeometryPage(survey, name: layout.name).rendered().utf8)
      try writer.write([OutputFile(path: output, bytes: bytes)])
    }
    Console.print(json ? try surveyed.json() : surveyed.text())
  }

  /// What every anchor measures, and how well.
  private var measuring: ExpectedMeasurements {
    var measuring = ExpectedMeasurements(measure.kinds)
    measuring.rangeSigma = noise
    measuring.rangeSigmaPerMetre = noisePerMetre
    measuring.azimuthSigma = Angle(degrees: angleNoise)
    measuring.elevationSigma = Angle(degrees: angleNoise)
    measuring.maximumRange = maxRange
    return measuring
  }

  private func floorArea() throws -> FloorArea? {
    guard let area else { return nil }
    let parts = area.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }.filter { $0.magnitude <= 1e7 }
    guard parts.count == 4, numbers.count == 4, numbers[0] < numbers[2], numbers[1] < numbers[3]
    else {
      throw ValidationError(
        "--area wants the least x,y and the greatest x,y in metres, not \"\(area)\"")
    }
    return FloorArea(x: numbers[0]...numbers[2], y: numbers[1]...numbers[3])
  }
}
