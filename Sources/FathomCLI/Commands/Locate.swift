import ArgumentParser
import Fathom
import FathomRecordings

/// `fathom locate`: computes positions from measurements on the command line or from the epochs of
/// a file.
struct Locate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate",
    abstract: "Compute positions from ranges, time differences or bearings.",
    discussion: """
      Examples:
        fathom locate --anchors anchors.csv --range A=3.2 --range B=4.1 --height 1
        fathom locate --anchors anchors.csv --difference A:B=1.25 --difference C:B=-0.4 --height 1
        fathom locate --anchors anchors.csv --range A=3.2 --bearing A=45,-10
        fathom locate --anchors anchors.csv --ranges ranges.csv --json
        fathom locate --poses poses.csv --ranges ranges.csv

      Prints the position with its standard deviations, its mirror image if there is one, and \
      the verdict: unique, two, continuum, inconsistent or too_few. --ranges and --differences \
      give one position per epoch: a round in which each anchor, or pair of anchors, occurs at \
      most once. --json prints one object per line. With --poses the ranges are those of a moving \
      receiver, and every accessory in them is located; accessories must be stationary.
      """)

  @Option(
    "Anchors file (id,x,y,z or id,x,y in metres), or a folder with anchors.csv.", value: "file")
  var anchors: String?

  @OptionGroup(title: "Measurements") var measurements: MeasurementArguments

  @OptionGroup(title: "Prior knowledge and weighting") var position: PositionArguments

  @Flag(help: "Print one JSON object per position.")
  var json = false

  @OptionGroup(title: "Reading of --ranges") var reading: FormatArguments

  @OptionGroup(title: "Reading of --ranges") var epochs: RateArgument

  func validate() throws {
    if measurements.poses == nil, anchors == nil, measurements.ranges == nil {
      throw ValidationError("Missing expected argument '--anchors <file>'")
    }
    if measurements.poses != nil, anchors != nil {
      throw ValidationError(
        "--poses and --anchors cannot be combined: poses take the place of anchors")
    }
  }

  func run() throws {
    try reportingErrors {
      let options = position
      let recordingOptions = try reading.options(rate: epochs.rate)
      if let poses = measurements.poses, let ranges = measurements.ranges {
        let accessories = LocatedAccessories(
          poses: poses, ranges: ranges, measurements, options, reading: recordingOptions)
        show(try accessories.positions())
      } else {
        var source = LocatedEpochs(
          anchors: anchors, measurements, options, reading: recordingOptions)
        show(try source.positions())
      }
    }
  }

  private func show(_ positions: [LocatedPosition]) {
    for (place, position) in positions.enumerated() {
      if !json, place > 0 { Console.print("") }
      Console.print(json ? position.json() : position.text())
    }
  }
}
