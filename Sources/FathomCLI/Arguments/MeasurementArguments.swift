import ArgumentParser
import Fathom

/// The options of `locate` for measurements and their errors.
struct MeasurementArguments: ParsableArguments {
  @Option(
    name: .customLong("range"), parsing: .singleValue,
    help: ArgumentHelp("A measured distance; one per anchor.", valueName: "id=metres"))
  var range: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Distance to the first anchor minus distance to the second.", valueName: "id:id=metres"))
  var difference: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Direction from an anchor to the tag: counter-clockwise from the x axis, and upwards.",
      valueName: "id=degrees[,degrees]"))
  var bearing: [String] = []

  @Option("A file like ranges.csv: one position per epoch.", value: "file")
  var ranges: String?

  @Option("A file like tdoa.csv: one position per epoch.", value: "file")
  var differences: String?

  @Option(
    "Trajectory of the receiver that measured --ranges: CSV, JSON Lines, TUM or EuRoC.",
    value: "file")
  var poses: String?

  @Option("Longest duration of an epoch of --ranges or --differences.", value: "seconds")
  var window = 1.0

  @Flag(help: "The ranges share an unknown offset, such as a clock offset.")
  var commonOffset = false

  @Option(
    "Additional standard deviation of a difference, beside --range-sigma of its two arrivals.",
    in: "metres")
  var differenceSigma = 0.0

  @Option("Standard deviation of both angles of a bearing.", in: "degrees")
  var bearingSigma = 3.0

  @Option("Standard deviation of --poses along each axis.", in: "metres")
  var poseSigma = 0.0

  func validate() throws {
    try require(window, "--window", in: 0...1e6)
    try require(differenceSigma, "--difference-sigma", in: 0...1e6)
    try require(bearingSigma, "--bearing-sigma", in: 1e-6...180)
    try require(poseSigma, "--pose-sigma", in: 0...1e6)
    let hasRanges = !range.isEmpty || !bearing.isEmpty
    let given = [
      (hasRanges, range.isEmpty && hasRanges ? "--bearing" : "--range"),
      (!difference.isEmpty, "--difference"), (ranges != nil, "--ranges"),
      (differences != nil, "--differences"),
    ].filter(\.0).map(\.1)
    if given.isEmpty {
      throw ValidationError(
        "no measurement is given: use --range, --difference or --bearing, or --ranges or"
          + " --differences with a file")
    }
    if given.count > 1 { throw ValidationError("\(given[0]) and \(given[1]) cannot be combined") }
    if poses != nil, ranges == nil { throw ValidationError("--poses needs --ranges") }
    if commonOffset {
      if !bearing.isEmpty {
        throw ValidationError("--common-offset and --bearing cannot be combined")
      }
      if poses != nil { throw ValidationError("--common-offset and --poses cannot be combined") }
      if range.isEmpty, ranges == nil {
        throw ValidationError("--common-offset needs --range or --ranges")
      }
    }
    for (option, texts) in [("--range", range), ("--bearing", bearing)] {
      var names: Set<String> = []
      for text in texts {
        let name =
          try option == "--range" ? distance(text).name : angles(text).name
        guard names.insert(name).inserted else {
          throw ValidationError("\(option): anchor \"\(name)\" is given twice")
        }
      }
    }
    for text in difference { _ = try pair(text) }
  }

  /// Parses `ID=METRES`.
  ///
  /// The name may contain equals signs.
  func distance(_ text: String) throws -> (name: String, metres: Double) {
    guard let (name, value) = Self.parts(text), let metres = Double(value) else {
      throw ValidationError("--range must be id=metres, not \"\(text)\"")
    }
    return (name, metres)
  }

  /// Parses `ID:ID=METRES`.
  ///
  /// The names are returned unsplit: they may contain colons, and only the list of anchors decides
  /// where the first name ends.
  func pair(_ text: String) throws -> (names: String, metres: Double) {
    guard let (names, value) = Self.parts(text), let metres = Double(value),
      names.dropFirst().dropLast().contains(":")
    else { throw ValidationError("--difference must be id:id=metres, not \"\(text)\"") }
    return (names, metres)
  }

  /// Parses `ID=AZIMUTH[,ELEVATION]` in degrees.
  ///
  /// An elevation must be within ±90°.
  func angles(_ text: String) throws -> (name: String, azimuth: Angle, elevation: Angle?) {
    if let (name, value) = Self.parts(text) {
      let numbers = value.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
      if let azimuth = numbers[0], azimuth.isFinite {
        if numbers.count == 1 { return (name, Angle(degrees: azimuth), nil) }
        if numbers.count == 2, let elevation = numbers[1], elevation.magnitude <= 90 {
          return (name, Angle(degrees: azimuth), Angle(degrees: elevation))
        }
      }
    }
    throw ValidationError(
      "--bearing must be id=azimuth or id=azimuth,elevation in degrees, not \"\(text)\"")
  }

  /// Splits `text` at its last equals sign; returns nil without one and for an empty name.
  private static func parts(_ text: String) -> (name: String, value: Substring)? {
    guard let sign = text.lastIndex(of: "="), sign > text.startIndex else { return nil }
    return (String(text[..<sign]), text[text.index(after: sign)...])
  }
}
