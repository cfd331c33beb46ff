import ArgumentParser
import FathomRecordings

/// The options that say how to read recordings whose header does not.
struct ReadingArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Anchors file, instead of the folder's own.", valueName: "file"))
  var anchors: String?

  @Option(
    help: ArgumentHelp(
      "Names of columns, as in time=Timestamp,distance=Dist[m].", valueName: "name=column,..."))
  var columns: String?

  @Option(help: "Unit of distances: m, cm, mm.")
  var distanceUnit: DistanceUnit?

  @Option(
    help: "Unit of angles: rad, deg, rad90 (radians times 90, a defect of some apps).")
  var angleUnit: AngleUnit?

  @Option(help: "Unit of time stamps: s, ms, us, ns.")
  var timeUnit: TimeUnit?

  @Option(help: ArgumentHelp("Decimal separator: . or ,", valueName: "character"))
  var decimal: DecimalSeparator = .point

  @Option(
    help: ArgumentHelp(
      "What separates fields; found from the header where left out.", valueName: "character"))
  var delimiter: Delimiter?

  /// The options for the reader.
  func options() throws -> RecordingOptions {
    var options = RecordingOptions()
    options.distanceUnit = distanceUnit
    options.angleUnit = angleUnit
    options.timeUnit = timeUnit
    options.decimalSeparator = decimal
    options.delimiter = delimiter
    for pair in columns?.split(separator: ",") ?? [] {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw ValidationError("--columns wants name=column, not \"\(pair)\"")
      }
      options.columns[parts[0]] = parts[1]
    }
    return options
  }
}

extension DistanceUnit: ExpressibleByArgument {}
extension AngleUnit: ExpressibleByArgument {}
extension TimeUnit: ExpressibleByArgument {}
extension DecimalSeparator: ExpressibleByArgument {}
extension Delimiter: ExpressibleByArgument {}
extension PositionMethod: ExpressibleByArgument {}
extension SmoothingMethod: ExpressibleByArgument {}
