import ArgumentParser
import FathomRecordings

/// The options for reading a recording whose header leaves names, units or separators open.
struct ReadingArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Anchors file, instead of the folder's own.", valueName: "file"))
  var anchors: String?

  @Option(
    help: ArgumentHelp(
      "Names of columns, as in time=Timestamp,distance=Dist[m].", valueName: "name=column,..."))
  var columns: String?

  @Option(help: "Unit of distances.")
  var distanceUnit: DistanceUnit?

  @Option(
    help: "Unit of angles; rad90 is radians times 90, a defect of some apps.")
  var angleUnit: AngleUnit?

  @Option(help: "Unit of time stamps.")
  var timeUnit: TimeUnit?

  @Option(help: ArgumentHelp("Decimal separator.", valueName: "character"))
  var decimal: DecimalSeparator = .point

  @Option(
    help: ArgumentHelp(
      "Separator of fields; by default recognised from the header.", valueName: "character"))
  var delimiter: Delimiter?

  func validate() throws { _ = try options() }

  /// Returns the options of the reader.
  ///
  /// Throws a usage error for a malformed `--columns`.
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
        throw ValidationError("--columns must be name=column, not \"\(pair)\"")
      }
      options.columns[parts[0]] = parts[1]
    }
    return options
  }
}
