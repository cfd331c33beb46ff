import ArgumentParser
import FathomRecordings

/// `fathom convert`: turns any readable input into a recording, or a trajectory into another layout.
struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Turn a device log or another layout into a recording, or convert a trajectory.",
    discussion: """
      Examples:
        fathom convert capture.log -o capture          ranges.csv, and anchors.csv where known
        fathom convert ranges.csv --rate 10 -o rounds    a recording with times
        fathom convert groundtruth.tum --to csv -o truth    truth.csv
        fathom convert results/walk.positions.csv --to tum -o trajectories

      Without --to the input is a ranges file, a device log or a folder, and the output is a \
      recording. With --to it is a trajectory: positions.csv, truth.csv, JSON Lines, TUM, EuRoC or \
      KITTI, recognised by content. KITTI poses need --times.
      """)

  @Argument(help: "A log, a ranges file, a folder or a trajectory; - reads standard input.")
  var input: String

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Folder for the files; created if it does not exist.", valueName: "folder"))
  var output: String

  @Option(help: "Layout of a trajectory: csv gives truth.csv.")
  var to: TrajectoryFormat?

  @Option("Times of KITTI poses in seconds, one a line.", value: "file")
  var times: String?

  @Flag(help: "Replace files that already exist.")
  var force = false

  @Flag(help: "Print one JSON object with the files and what is in them.")
  var json = false

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Reading") var epochs: RateArgument

  func validate() throws {
    if input.isEmpty { throw ValidationError("the name of the input is empty") }
    if output.isEmpty || output == "-" {
      throw ValidationError("--output must name a folder: the results are several files")
    }
    if to == .jsonl {
      throw ValidationError("--to must be csv, tum, euroc or kitti; process writes JSON Lines")
    }
    if times != nil, to == nil { throw ValidationError("--times needs --to") }
  }

  func run() throws {
    let options = try reading.options(rate: epochs.rate)
    try reportingErrors {
      if let to {
        let read = try trajectory(to, options)
        try write(read.files, read.counts)
      } else {
        let read = try recording(options)
        try write(read.files, read.counts)
      }
    }
  }

  /// What is in the files, for `--json`.
  private struct Counts: Encodable {
    var ranges: Int?
    var timeDifferences: Int?
    var anchors: Int?
    var positions: Int?
    var tags: Int
    var rejected: Int
  }

  private func recording(
    _ options: RecordingOptions
  ) throws(RecordingError) -> (files: [RecordedFile], counts: Counts) {
    let recording = try RecordingReader.read(input, anchors: reading.anchors, options: options)
    try recording.requireUsableRows()
    for note in recording.notes { Console.message("\(input): note: \(note)") }
    Recording.report(recording.rejected, of: input)
    var files = RecordingWriter.files(of: recording)
    if input == "-", recording.hasSensors {
      Console.message(
        "standard input: note: only ranges and anchors are written; convert a file to keep heights,"
          + " odometry, inertial data, poses and truth")
    }
    // What a recording has besides belongs to it.
    for file in try RecordingTables.files(of: input)
    where file.name != "tdoa.csv" || !files.contains(where: { $0.name == "tdoa.csv" }) {
      files.removeAll { $0.name == file.name }
      files.append(RecordedFile(file.name, file.bytes))
    }
    let counts = Counts(
      ranges: recording.ranges.count + recording.tagRanges.count,
      timeDifferences: recording.timeDifferenceCount,
      anchors: recording.anchors.count, tags: recording.tagNames.count,
      rejected: recording.rejected.total)
    return (files, counts)
  }

  private func trajectory(
    _ format: TrajectoryFormat, _ options: RecordingOptions
  ) throws(RecordingError) -> (files: [RecordedFile], counts: Counts) {
    let read = try TrajectoryReader.read(input, options: options, times: times)
    Recording.report(read.rejected, of: input)
    let (files, omitted) = TrajectoryWriter.files(
      of: read, as: format, name: RecordingReader.name(of: input))
    if omitted > 0 {
      Console.message("\(input): note: \(omitted.counted("position")) without x, y and z left out")
    }
    let positions = read.tracks.values.map(\.count).reduce(0, +) - omitted
    return (
      files, Counts(positions: positions, tags: read.tracks.count, rejected: read.rejected.total)
    )
  }

  private func write(_ files: [RecordedFile], _ counts: Counts) throws {
    if !force {
      try OutputFile.requireNew(files.map { OutputFile.path(of: $0.name, in: output) })
    }
    let lock = try FolderLock(output, replaces: force)
    defer { lock?.removeEmptyFolder() }
    let written = try AtomicFileWriter().write(files, in: output)
    if json {
      Console.print(try WrittenFiles.json(written, counts))
    } else {
      for file in written { Console.print(file.path) }
    }
  }
}
