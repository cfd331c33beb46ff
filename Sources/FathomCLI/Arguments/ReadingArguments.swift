import ArgumentParser
import FathomRecordings

/// The options for reading a recording whose content leaves its format, names or units open.
struct ReadingArguments: ParsableArguments {
  @Option(
    name: .customLong("anchors"),
    help: ArgumentHelp(
      "Anchors file or folder with one, instead of the folder's own.", valueName: "file"))
  var givenAnchors: String?

  /// The path of the anchors file that replaces the folder's own; nil without one.
  var anchors: String? {
    guard let givenAnchors, FoundFile.isFolderOrArchive(givenAnchors) else { return givenAnchors }
    return (try? FoundFile.first(of: RecordingFile.anchors, in: givenAnchors)) ?? givenAnchors
  }

  @OptionGroup var file: FormatArguments

  func validate() throws { _ = try options() }

  /// Returns the options of the reader; see ``FormatArguments/options(rate:)``.
  func options(rate: Double? = nil) throws -> RecordingOptions { try file.options(rate: rate) }
}

/// The options for reading a ranges file.
struct FormatArguments: ParsableArguments {
  @Option(help: "Format of the ranges; by default recognised by content.")
  var format: LogFormat?

  @Option(
    "Duration of a block, for device logs whose time is the number of the block; by default 0.2.",
    in: "seconds")
  var blockDuration: Double?

  @OptionGroup var columns: ColumnArguments

  func validate() throws { _ = try options() }

  /// Returns the options of the reader, with `rate` hertz for the epochs of a recording without
  /// times.
  ///
  /// Throws a usage error for a malformed `--columns`, or a number out of range.
  func options(rate: Double? = nil) throws -> RecordingOptions {
    var options = try columns.options()
    options.format = format
    options.blockDuration = blockDuration
    options.epochRate = rate
    try requireValid(options)
    return options
  }
}

/// The option for the rate of the epochs of a recording without times.
struct RateArgument: ParsableArguments {
  @Option("Rate of the epochs of a recording without times.", in: "hz")
  var rate: Double?

  func validate() throws {
    var options = RecordingOptions()
    options.epochRate = rate
    try requireValid(options)
  }
}

/// The options for the columns of a file.
struct ColumnArguments: ParsableArguments {
  @Option("Names of columns, as in time=Timestamp,distance=Dist[m].", value: "name=column,...")
  var columns: String?

  @Option(help: "Unit of distances.")
  var distanceUnit: DistanceUnit?

  @Option(
    help: "Unit of angles; rad90 is radians times 90, a defect of some apps.")
  var angleUnit: AngleUnit?

  @Option(help: "Unit of time stamps.")
  var timeUnit: TimeUnit?

  @Option("Decimal separator.", value: "character")
  var decimal: DecimalSeparator?

  @Option("Separator of fields; by default recognised from the header.", value: "character")
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
    options.decimalSeparator = decimal ?? .point
    options.delimiter = delimiter
    var last: String?
    for pair in columns?.split(separator: ",") ?? [] {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count < 2, let last {
        // A comma in the name of a column.
        options.columns[last, default: ""] += ",\(pair)"
        continue
      }
      guard parts.count == 2 else {
        throw ValidationError("--columns must be name=column, not \"\(pair)\"")
      }
      options.columns[parts[0]] = parts[1]
      last = parts[0]
    }
    return options
  }
}
