import ArgumentParser
import Fathom
import FathomLive
import FathomRecordings
import Foundation

/// `fathom stream`: positions from lines as they arrive.
struct StreamCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stream",
    abstract: "Compute positions from ranges as they arrive.",
    discussion: """
      Examples:
        fathom stream Datasets/robot-2d --speed inf | head -4
        fathom stream udp://:4810 --anchors anchors.csv --record today
        fathom stream walk --speed 50 --page 8080    at http://127.0.0.1:8080/

      SOURCE is - (standard input, the default), a file that may grow, a pipe, a serial port such as \
      /dev/ttyACM0, udp://[HOST]:PORT, tcp://HOST:PORT, or a recording: a folder, or with --speed a \
      file. Lines are CSV or those of a device, as process reads them, or JSON objects, which also \
      carry heights, odometry, inertial data, poses and time differences. A position is written as \
      soon as it is known: one row per tag and instant. A row replaces the one before with the \
      same tag and time. A header is recognised whenever it comes, and holds for the rows below it; \
      lines before it are rejected. After 2 s in which all lines are rejected, a message states the \
      reason.

      Trackers are calibrated on the ranges so far, whenever their number has doubled. With \
      --calibration RECORDING the positions equal those of process --method filter with the \
      calibration of that recording.

      A serial port or connection that fails is opened again. If positions are read too slowly, a \
      source that cannot wait loses its oldest lines, which are counted. An interrupt ends the \
      stream with a summary.
      """)

  @Argument(help: "Where lines come from; by default standard input.")
  var source = "-"

  @Option(
    """
    Anchors file, or a folder with anchors.csv and recording.json; by default those of a \
    recording, or anchors.csv beside a file.
    """, value: "path")
  var anchors: String?

  @Option("Speed of a serial port.", in: "bits/s")
  var baud = 115_200

  @Option("Speed of a recording: 1 is its own, inf as fast as possible.", in: "factor")
  var speed: Double?

  @Option(
    "By how much ranges may be late and are still sorted in; later ones are not used.",
    in: "seconds")
  var reorder = 0.5

  @Option(
    """
    Silence after which a tag is forgotten, so that memory is bounded; inf for never. Of more than \
    16384 tags, those that were silent longest are forgotten.
    """, in: "seconds")
  var forget = 3600.0

  @Option(
    """
    Positions wait this long, up to a quarter more, and are smoothed with the ranges that come \
    meanwhile.
    """, in: "seconds")
  var lag: Double?

  @Option(
    "running (on the ranges so far), none, or a recording of the same anchors.", value: "source")
  var calibration = "running"

  @Option("Format of the output: csv, jsonl or influx, InfluxDB line protocol.", value: "format")
  var results = LiveFormat.csv

  @Option(
    "Additional columns of positions: geodetic, alternative; see process.", value: "columns,...")
  var with: ExtraColumnList?

  @Option(
    """
    File or pipe for smoothed distances; - is standard output, which needs --results jsonl or influx.
    """, value: "file")
  var distances: String?

  @Option(
    "File or pipe for entries into zones and exits; - is standard output, as for --distances.",
    value: "file")
  var events: String?

  @Option("Folder in which the stream is kept as a recording.", value: "folder")
  var record: String?

  @Option("Port on which a browser of this machine sees the stream live.", value: "port")
  var page: UInt16?

  @Option(
    """
    Address of the page; another than this machine's own lets others see it who have the printed \
    address with its token.
    """, value: "address")
  var pageAddress = "127.0.0.1"

  @Flag(help: "Serve the page after the end of the stream, until an interrupt.")
  var keepPage = false

  @Flag(help: "Replace files that already exist.")
  var force = false

  @Flag(help: "Print the summary also as one JSON object, the last line of standard error.")
  var json = false

  @OptionGroup(title: "Tracks") var tracking: TrackingArguments

  @OptionGroup(title: "Reading") var format: FormatArguments

  func validate() throws {
    if source.isEmpty { throw ValidationError("the source's name is empty") }
    if let speed, !(speed > 0) { throw ValidationError("--speed must be above 0, or inf") }
    try require(reorder, "--reorder", in: 0...60)
    if !(forget >= 1) { throw ValidationError("--forget must be at least 1, or inf") }
    try require(lag, "--lag", in: FixedLagTrackSmoother.lags)
    if page == 0 { throw ValidationError("--page must be from 1 to 65535") }
    if keepPage, page == nil { throw ValidationError("--keep-page needs --page") }
    for (option, path) in [("--distances", distances), ("--events", events)] {
      if path == "-", results == .csv {
        throw ValidationError(
          "\(option) - needs --results jsonl or influx: rows of different tables cannot share a CSV"
            + " file")
      }
    }
  }

  func run() throws {
    let (settings, options) = (try settings(), try readingOptions())
    try reportingErrors { try StreamRun(self, settings: settings, options: options).run() }
  }

  private func settings() throws -> ProcessingSettings {
    var settings = tracking.settings()
    settings.method = .filter
    settings.extraColumns = with?.columns
    settings.zones = try tracking.device.readZones()
    return settings
  }

  private func readingOptions() throws -> RecordingOptions {
    try format.options(rate: tracking.rate)
  }
}

extension ResultFormat: ExpressibleByArgument {}
extension LiveFormat: ExpressibleByArgument {}
