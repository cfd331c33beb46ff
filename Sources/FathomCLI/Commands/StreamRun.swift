import Fathom
import FathomLive
import FathomRecordings
import Foundation

/// Runs `fathom stream`: opens what it needs, and writes what comes.
struct StreamRun {
  private let command: StreamCommand
  private let settings: ProcessingSettings
  private let options: RecordingOptions

  /// Creates the run of `command`.
  init(_ command: StreamCommand, settings: ProcessingSettings, options: RecordingOptions) {
    (self.command, self.settings, self.options) = (command, settings, options)
  }

  /// Runs the stream to its end or to an interrupt.
  func run() throws(RecordingError) {
    let source = try LiveSource(command.source, speed: command.speed)
    var replay: LiveReplay?
    let site: LiveSite
    if case .replay(let path, _) = source {
      let opened = try LiveReplay(path, anchors: command.anchors, options: options)
      (replay, site) = (opened, opened.site)
      for note in opened.notes { Console.message("\(source.name): note: \(note)") }
    } else {
      let beside = try Self.anchors(beside: source)
      site = try LiveSite(
        command.anchors ?? beside, name: source.name, options: options)
      for note in site.notes { Console.message("\(source.name): note: \(note)") }
    }
    var pipeline = try LivePipeline(at: site, try pipelineOptions(source))
    if let folder = command.record {
      pipeline.record(to: try LiveRecorder(folder, overwrites: command.force))
    }
    let page = try openPage()
    let outputs = try Outputs(command)
    let stream = try LiveStream(
      source, baud: command.baud, replay: replay, through: pipeline, page: page,
      output: outputs.write
    ) { Console.message("\(source.name): \($0)") }
    // The last results and the summary are written before the program ends.
    let command = command
    let interruption = Interruption { _ in
      stream.stop(within: 5)
      Self.printSummary(of: stream, command)
    }
    let result = Result { () throws(RecordingError) in try stream.run() }
    if command.keepPage, case .success = result { Self.keepPage() }
    interruption.end()
    Self.printSummary(of: stream, command)
    try result.get()
    if let failure = outputs.failure { throw failure }
  }

  /// Prints the summary for `--json`.
  private static func printSummary(of stream: LiveStream, _ command: StreamCommand) {
    guard command.json, let summary = stream.summary,
      let text = try? Console.json(["summary": summary], keys: .convertToSnakeCase)
    else { return }
    Console.message(text)
  }

  /// Returns the page, served; nil without it.
  private func openPage() throws(RecordingError) -> LivePage? {
    guard let port = command.page else { return nil }
    let page = LivePage()
    let server = try PageServer(page, address: command.pageAddress, port: port)
    try server.start()
    Console.message("page: \(server.location)")
    return page
  }

  /// Waits for an interrupt, which ends the program.
  private static func keepPage() -> Never {
    Console.message("the stream has ended; the page is served until an interrupt")
    while true { sleep(60) }
  }

  private func pipelineOptions(
    _ source: LiveSource
  ) throws(RecordingError) -> LivePipeline.Options {
    var options = LivePipeline.Options()
    options.reading = self.options
    options.settings = settings
    options.horizon = command.reorder
    options.lag = command.lag
    options.forgetsAfter = command.forget
    options.format = command.results
    options.keepsLinks = command.page != nil
    options.startsMidLine = source.startsMidLine
    if command.distances != nil { options.tables.insert(.distances) }
    if command.events != nil { options.tables.insert(.events) }
    switch command.calibration {
    case "running": options.calibration = .running
    case "none": options.calibration = .none
    default:
      options.calibration = .recording(
        try ReferenceCalibration(
          command.calibration, anchors: command.anchors, options: self.options, settings: settings))
    }
    return options
  }

  /// Returns the anchors file beside a file that grows; nil without one.
  private static func anchors(beside source: LiveSource) throws(RecordingError) -> String? {
    guard case .file(let path) = source else { return nil }
    let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    let found = try FoundFile.first(of: RecordingFile.anchors, in: folder)
    return found == path ? nil : found
  }
}

/// The places to which the rows of a stream are written.
private final class Outputs {
  private let distances: FileHandle?
  private let events: FileHandle?
  private let hasDistancesHere: Bool
  private let hasEventsHere: Bool
  /// The first error in writing a file.
  private(set) var failure: RecordingError?
  private let paths: (distances: String, events: String)

  init(_ command: StreamCommand) throws(RecordingError) {
    func open(_ path: String?) throws(RecordingError) -> FileHandle? {
      guard let path, path != "-" else { return nil }
      if !command.force, let path = OutputFile.conflict(among: [path]) {
        var info = stat()
        // A pipe is not replaced.
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFIFO else {
          throw .cannotWrite(path: path, reason: "already exists (use --force to replace it)")
        }
      }
      return try LiveRecorder.open(path)
    }
    distances = try open(command.distances)
    events = try open(command.events)
    hasDistancesHere = command.distances == "-"
    hasEventsHere = command.events == "-"
    paths = (command.distances ?? "", command.events ?? "")
  }

  /// Writes rows; returns false if standard output or a file cannot be written any more.
  func write(_ text: LiveText) -> Bool {
    var here = text.positions
    if hasDistancesHere { here = text.distances + here }
    if hasEventsHere { here += text.events }
    if !here.isEmpty { Console.write(here) }
    append(text.distances, to: distances, paths.distances)
    append(text.events, to: events, paths.events)
    return failure == nil && !Console.hasLostOutput
  }

  private func append(_ bytes: [UInt8], to file: FileHandle?, _ path: String) {
    guard let file, !bytes.isEmpty else { return }
    do {
      try file.write(contentsOf: Data(bytes))
    } catch {
      failure = failure ?? .writingFailed(path: path, reason: "\(error.localizedDescription)")
    }
  }
}
