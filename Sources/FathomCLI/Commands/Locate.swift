import ArgumentParser
import Fathom
import FathomRecordings

/// `fathom locate`: positions from measurements given by hand, or from the epochs of a file.
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

      Prints the position with its standard deviations, its mirror image where there is one, and \
      the verdict: unique, two, continuum, inconsistent or too_few. With --ranges or --differences \
      there is one position per epoch: a round in which no anchor, or pair of them, comes twice; \
      with --json one line each. With --poses the ranges are those of a receiver on its way, and \
      every accessory in them is located as one that stands still.
      """)

  @Option(help: ArgumentHelp("Anchors file: id,x,y,z in metres.", valueName: "file"))
  var anchors: String?

  @OptionGroup(title: "Measurements") var measurements: MeasurementArguments

  @OptionGroup(title: "What else is known") var position: PositionArguments

  @Flag(help: "Print everything as JSON.")
  var json = false

  func validate() throws {
    if measurements.poses == nil, anchors == nil {
      throw ValidationError("Missing expected argument '--anchors <file>'")
    }
    if measurements.poses != nil, anchors != nil {
      throw ValidationError("--poses and --anchors exclude each other: the poses are the anchors")
    }
  }

  func run() throws {
    do {
      let options = position
      if let poses = measurements.poses, let ranges = measurements.ranges {
        let accessories = LocatedAccessories(poses: poses, ranges: ranges, measurements, options)
        show(try accessories.positions())
      } else if let anchors {
        let source = LocatedEpochs(anchors: anchors, measurements, options)
        show(try source.positions())
      }
    } catch let error as RecordingError {
      Console.message("\(error)")
      throw ExitCode(error.exitCode)
    }
  }

  private func show(_ positions: [LocatedPosition]) {
    for (place, position) in positions.enumerated() {
      if !json, place > 0 { Console.print("") }
      Console.print(json ? position.json() : position.text())
    }
  }
}
