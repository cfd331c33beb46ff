import ArgumentParser
import Fathom

/// The options of `locate` that say what was measured.
struct MeasurementArguments: ParsableArguments {
  @Option(
    name: .customLong("range"), parsing: .singleValue,
    help: ArgumentHelp("A measured distance; give one per anchor.", valueName: "id=metres"))
  var range: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "By how much farther the first anchor is than the second.", valueName: "id:id=metres"))
  var difference: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Where an anchor sees the tag: counter-clockwise from the x axis, and upwards.",
      valueName: "id=degrees[,degrees]"))
  var bearing: [String] = []

  @Option(
    help: ArgumentHelp("A file of ranges, laid out like ranges.csv.", valueName: "file"))
  var ranges: String?

  @Option(
    help: ArgumentHelp("A file of differences, laid out like tdoa.csv.", valueName: "file"))
  var differences: String?

  @Option(
    help: ArgumentHelp(
      "The way of the receiver that measured --ranges: poses.csv, JSON Lines, TUM or EuRoC.",
      valueName: "file"))
  var poses: String?

  @Option(
    help: ArgumentHelp(
      "The longest that an epoch of --ranges or --differences lasts.", valueName: "seconds"))
  var window = 1.0

  @Flag(help: "The ranges share an unknown offset, such as that of a clock.")
  var commonOffset = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Standard deviation that every difference has besides --range-sigma of its two arrivals.",
      valueName: "metres"))
  var differenceSigma = 0.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Standard deviation of bearings.", valueName: "degrees"))
  var bearingSigma = 3.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Standard deviation of --poses along each axis.", valueName: "metres"))
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
        "at least one --range, --difference or --bearing is needed, or --ranges or --differences"
          + " with a file")
    }
    if given.count > 1 { throw ValidationError("\(given[0]) and \(given[1]) exclude each other") }
    if poses != nil, ranges == nil { throw ValidationError("--poses needs --ranges") }
    if commonOffset {
      if !bearing.isEmpty {
        throw ValidationError("--common-offset and --bearing exclude each other")
      }
      if poses != nil { throw ValidationError("--common-offset and --poses exclude each other") }
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
          throw ValidationError("\(option) names \"\(name)\" twice")
        }
      }
    }
    for text in difference { _ = try pair(text) }
  }

  /// `ID=METRES`; the name may hold an equals sign itself.
  func distance(_ text: String) throws -> (name: String, metres: Double) {
    guard let (name, value) = Self.parts(text), let metres = Double(value) else {
      throw ValidationError("--range wants id=metres, not \"\(text)\"")
    }
    return (name, metres)
  }

  /// `ID:ID=METRES`; the names may hold colons, so that both are still one.
  func pair(_ text: String) throws -> (names: String, metres: Double) {
    guard let (names, value) = Self.parts(text), let metres = Double(value),
      names.dropFirst().dropLast().contains(":")
    else { throw ValidationError("--difference wants id:id=metres, not \"\(text)\"") }
    return (names, metres)
  }

  /// `ID=AZIMUTH[,ELEVATION]`, degrees.
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
      "--bearing wants id=azimuth or id=azimuth,elevation in degrees, not \"\(text)\"")
  }

  /// The name before the last equals sign, and what follows it.
  private static func parts(_ text: String) -> (name: String, value: Substring)? {
    guard let sign = text.lastIndex(of: "="), sign > text.startIndex else { return nil }
    return (String(text[..<sign]), text[text.index(after: sign)...])
  }
}
