import ArgumentParser
import Fathom
import FathomEvaluation
import FathomRecordings
import FathomReports

/// `fathom geometry`: shows the expected accuracy of a layout of anchors.
struct Geometry: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "geometry",
    abstract: "Show the expected accuracy over the floor plan for a layout of anchors.",
    discussion: """
      Examples:
        fathom geometry anchors.csv --height 1
        fathom geometry walk/ --area -5,-5,5,5 -o map.html
        fathom geometry anchors.csv --measure differences --noise 0.2 -o map.csv

      The expected error is the lower bound for any unbiased method (Cramér-Rao) with \
      normal errors; obstructed paths and biases add to it. The tables also show the worst \
      places, the cost of losing each anchor, and the best places for an additional anchor. \
      gnuplot draws the figures (package gnuplot-nox; exit code 69 if it is missing).
      """)

  @Argument(
    help: "Anchors file (id,x,y,z in metres), or the folder of a recording that has one.")
  var anchors: String

  @Option("Floor plan; by default the anchors with a margin.", in: "x0,y0,x1,y1")
  var area: String?

  @OptionGroup var known: HeightArguments

  @Flag(help: "Estimate the height although it is known.")
  var solveHeight = false

  @Option(help: "What every anchor measures.")
  var measure = Measure.ranges

  @Option("Standard deviation of ranges and arrivals.", in: "metres")
  var noise = RangingDefaults.rangeSigma

  @Option(
    "Growth of --noise per metre of distance; both are added in quadrature.", in: "metres per metre"
  )
  var noisePerMetre = 0.0

  @Option("Standard deviation of angles.", in: "degrees")
  var angleNoise = 3.0

  @Option("An anchor receives nothing beyond this distance.", in: "metres")
  var maxRange: Double?

  @Option("Longest side of a cell of the map; by default about 10 000 cells.", in: "metres")
  var step: Double?

  @Option("Height of an additional anchor; by default the mean of the anchors.", in: "metres")
  var newAnchorHeight: Double?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "File for the map: .csv for the cells, .html for a page with figures.",
      valueName: "file"))
  var output: String?

  @Option("Walls to draw on the page: CSV with x0_m,y0_m,x1_m,y1_m.", value: "file")
  var walls: String?

  @Option("Picture of the floor plan to lay over the maps of the page: PNG or JPEG.", value: "file")
  var picture: String?

  @Option("What the picture shows; by default the whole map.", in: "x0,y0,x1,y1")
  var pictureArea: String?

  @Flag(help: "Print everything but the map as JSON.")
  var json = false

  @Flag(help: "Replace a file that already exists.")
  var force = false

  func validate() throws {
    if anchors.isEmpty { throw ValidationError("the name of the anchors file is empty") }
    try requireValid(settings)
    _ = try floorArea(area, "--area")
    _ = try floorArea(pictureArea, "--picture-area")
    if pictureArea != nil, picture == nil {
      throw ValidationError("--picture-area needs --picture FILE")
    }
    if walls != nil || picture != nil, output?.hasSuffix(".html") != true {
      throw ValidationError("--walls and --picture are drawn on a page: add -o FILE.html")
    }
    if let output, !output.hasSuffix(".csv"), !output.hasSuffix(".html") {
      throw ValidationError("--output must end in .csv or .html")
    }
  }

  func run() throws {
    try withAtomicFileWriter { try survey(through: $0) }
  }

  private func survey(through writer: AtomicFileWriter) throws {
    // Checked before anything is computed.
    if let output, !force { try OutputFile.requireNew([output]) }
    let layout = try AnchorLayoutSource(anchors)
    let shown = try floorArea(pictureArea, "--picture-area")
    let plan = try FloorPlan(
      walls: walls, picture: picture, area: shown.map { ($0.x, $0.y) })
    for note in layout.notes where !json { Console.message(note) }
    var facts = known.facts
    facts.complete(from: layout.facts)
    var settings = settings
    settings.area = try floorArea(area, "--area")
    (settings.height, settings.side) = (facts.heightM, facts.side)
    let survey: GeometrySurvey
    do throws(GeometrySurvey.Failure) {
      survey = try GeometrySurvey(layout.declared, settings)
    } catch {
      if error == .tooManyCells { throw ValidationError("--step is too small: \(error)") }
      throw RecordingError.badData(
        path: layout.path, line: nil, reason: "cannot be surveyed: \(error)")
    }
    let surveyed = SurveyedPlan(name: layout.name, measure: measure, survey: survey)
    if let output {
      let bytes =
        output.hasSuffix(".csv")
        ? survey.map
        : Array(try GeometryPage(survey, name: layout.name, plan: plan).rendered().utf8)
      try writer.write([OutputFile(path: output, bytes: bytes)])
    }
    Console.print(json ? try surveyed.json() : surveyed.text())
  }

  /// The settings of the options, without the area.
  private var settings: GeometrySurvey.Settings {
    var settings = GeometrySurvey.Settings()
    settings.measuring = ExpectedMeasurements(measure.kinds)
    settings.measuring.rangeSigma = noise
    settings.measuring.rangeSigmaPerMetre = noisePerMetre
    settings.measuring.azimuthSigma = Angle(degrees: angleNoise)
    settings.measuring.elevationSigma = Angle(degrees: angleNoise)
    settings.measuring.maximumRange = maxRange
    settings.height = known.height
    settings.solvesHeight = solveHeight
    settings.step = step
    settings.newAnchorHeight = newAnchorHeight
    return settings
  }

  private func floorArea(_ area: String?, _ option: String) throws -> FloorArea? {
    guard let area else { return nil }
    let parts = area.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }.filter { $0.magnitude <= 1e7 }
    guard parts.count == 4, numbers.count == 4, numbers[0] < numbers[2], numbers[1] < numbers[3]
    else {
      throw ValidationError(
        "\(option) must be the least x,y, then the greatest x,y in metres, not \"\(area)\"")
    }
    return FloorArea(x: numbers[0]...numbers[2], y: numbers[1]...numbers[3])
  }
}
