import ArgumentParser
import FathomRecordings
import Foundation

/// Processes one recording and writes its positions to standard output.
///
/// The results are written to a temporary folder first, so that a failure gives no output.
struct StandardOutputRun {
  private var batch: RecordingBatch
  private let recordings: [String]
  private let jobs: Int?

  /// Creates the run of `batch` over `recordings`, of which there is one.
  init(_ batch: RecordingBatch, of recordings: [String], _ jobs: Int?) {
    self.batch = batch
    self.recordings = recordings
    self.jobs = jobs
  }

  /// Processes and prints; throws the exit code of a failure, which is printed.
  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID())")
      .path(percentEncoded: false)
    var batch = batch
    batch.output = folder
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let writer = batch.writer
    let interruption = Interruption { _ in
      writer.close()
      try? FileManager.default.removeItem(atPath: folder)
    }
    let outcomes = await batch.run(recordings, jobs: jobs)
    interruption.end()
    for outcome in outcomes {
      if let failure = outcome.failure {
        throw FailureReport(failure).print()
      }
    }
    BatchSummary.printMessages(outcomes)
    let ending = batch.formats.contains(.jsonl) ? "jsonl" : "csv"
    for path in recordings {
      try Console.copy(
        OutputFile.path(of: "\(RecordingReader.name(of: path)).positions.\(ending)", in: folder))
    }
  }
}
