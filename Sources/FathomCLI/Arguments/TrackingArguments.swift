import ArgumentParser
import Fathom
import FathomRecordings

/// The options of `process` and `stream` for positions and smoothed distances.
struct TrackingArguments: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Positions on a grid of this rate instead of at every instant with ranges; also the rate of the \
      epochs of ranges without times.
      """, valueName: "hz"))
  var rate: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Known height of the tags; overrides recording.json.", valueName: "metres"))
  var height: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Standard deviation of the height, which is then estimated as well.", valueName: "metres"))
  var heightSigma: Double?

  @Option(
    help: ArgumentHelp(
      "Side of the anchors on which the tags are: selects between mirror images.",
      valueName: "side"))
  var side: AnchorSide?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A box that contains the tags: selects between mirror images.", valueName: "x,y,z,x,y,z"))
  var bounds: String?

  @Option(
    help: ArgumentHelp(
      "Zones on the floor plan (JSON); overrides recording.json.", valueName: "file"))
  var zones: String?

  @Option(help: ArgumentHelp("How distances are smoothed.", valueName: "method"))
  var smoothing = SmoothingMethod.kalmanVelocity

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Standard deviation of ranges without their own; for tracks the least value assumed, for fix by \
      default found from the recording.
      """,
      valueName: "metres"))
  var rangeSigma: Double?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      An anchor whose ranges are used even if they are wrong all the time; by default they are not. \
      Can be repeated.
      """,
      valueName: "id"))
  var keep: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Frame of directions and poses.csv: phone (x right, y up) or robot (x forward, z up); by \
      default that of recording.json, otherwise phone.
      """,
      valueName: "frame"))
  var deviceFrame: DeviceFrame?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Density of the tags' acceleration, (m/s²)/√Hz: 0.5 for walking, 2 for flying.",
      valueName: "number"))
  var acceleration: Double?

  func validate() throws {
    try require(rate, "--rate", in: ProcessingSettings.Bounds.rateHz)
    try require(height, "--height", in: -1e7...1e7)
    try require(heightSigma, "--height-sigma", in: 1e-6...1e6)
    _ = try bounds.map(TagBox.init)
    try require(rangeSigma, "--range-sigma", in: ProcessingSettings.Bounds.rangeSigmaM)
    try require(acceleration, "--acceleration", in: ProcessingSettings.Bounds.accelerationDensity)
  }

  /// Returns the settings of the options.
  ///
  /// Prints an error and throws its exit code if the zones cannot be read.
  func settings() throws -> ProcessingSettings {
    var settings = ProcessingSettings()
    settings.rateHz = rate
    settings.heightM = height
    settings.heightSigmaM = heightSigma
    settings.side = side
    settings.boundsM = try bounds.map { try TagBox($0).corners }
    settings.smoothing = smoothing
    if let rangeSigma { settings.rangeSigmaM = rangeSigma }
    settings.keptAnchors = keep.isEmpty ? nil : keep
    settings.deviceFrame = deviceFrame
    if let acceleration { settings.accelerationDensity = acceleration }
    guard let zones else { return settings }
    do throws(RecordingError) {
      settings.zones = try ZonesReader.read(zones)
    } catch {
      Console.message("\(error)")
      throw ExitCode(error.exitCode)
    }
    return settings
  }
}

/// The value of `--bounds`: two corners of a box.
struct TagBox {
  /// The least and the greatest coordinates, in metres.
  let corners: [[Double]]

  /// Parses `text`; throws a usage error.
  init(_ text: String) throws {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0) ?? .nan
    }
    // With two coordinates per corner, the box covers all heights.
    let half = numbers.count / 2
    corners = [Array(numbers.prefix(half)), Array(numbers.dropFirst(half))]
    guard TagBounds.box(corners) != nil,
      numbers.allSatisfy({ $0.magnitude <= RecordingLimits.farthest })
    else {
      throw ValidationError(
        "--bounds must be the least x,y,z, then the greatest x,y,z in metres (or x,y,x,y), not"
          + " \"\(text)\"")
    }
  }
}
