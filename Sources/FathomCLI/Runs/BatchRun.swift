import ArgumentParser
import FathomRecordings
import Foundation

/// A batch on the command line: with a progress bar, a manifest, and an orderly end on a signal.
struct BatchRun: Sendable {
  /// The batch.
  let batch: RecordingBatch
  /// How many recordings are worked on at once; nil: as many as there are cores.
  let jobs: Int?
  private let ledger: BatchLedger
  private let start = Date()

  /// A batch of the recordings at `paths`.
  init(_ batch: RecordingBatch, of paths: [String], jobs: Int?) {
    self.batch = batch
    self.jobs = jobs
    ledger = BatchLedger(paths)
  }

  /// Runs it to its end, or to that of the program where a signal comes.
  ///
  /// - Returns: What became of each recording.
  func outcomes() async -> [RecordingOutcome] {
    // A file beyond the limit on their size fails by itself; the signal would end the whole batch.
    signal(SIGXFSZ, SIG_IGN)
    let bytes = ledger.paths.map { batch.bytes(of: $0) }.reduce(0, +)
    let bar = ProgressBar(total: ledger.paths.count, bytes: bytes)
    let interruption = Interruption { exitCode in
      batch.writer.close()
      bar?.clear()
      tellFailures(counting: false)
      Console.message(remainder)
      writeManifest(interruption: exitCode)
    }
    await batch.run(ledger.paths, jobs: jobs, ledger: ledger) { bar?.advance(by: $0) }
    interruption.end()
    bar?.clear()
    return ledger.outcomes
  }

  /// Names every failure, and counts them where there were several recordings.
  func tellFailures(counting: Bool = true) {
    let outcomes = ledger.outcomes
    let failures = outcomes.compactMap(\.failure)
    for failure in failures { Console.message("\(failure)") }
    if counting, !failures.isEmpty, outcomes.count > 1 {
      Console.message("failed: \(failures.count) of \(outcomes.count.counted("recording"))")
    }
  }

  /// Writes the manifest where the folder of the results is there; one is not made for it alone.
  ///
  /// - Parameter interruption: the exit code of the signal that ended the batch; nil where it came to its
  ///   end.
  /// - Returns: The exit code of what went wrong, which was told; nil where nothing did.
  @discardableResult
  func writeManifest(interruption: Int32? = nil) -> Int32? {
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: batch.output, isDirectory: &isFolder),
      isFolder.boolValue
    else { return nil }
    let manifest = BatchManifest(
      of: batch, ledger, jobs: jobs, start: start.timeIntervalSince1970,
      seconds: Date().timeIntervalSince(start), interruption: interruption)
    do throws(RecordingError) {
      try OutputFile.write([manifest.file(in: batch.output)])
      return nil
    } catch {
      Console.message("\(error)")
      return error.exitCode
    }
  }

  /// What is there and what is left, after an interrupt.
  private var remainder: String {
    let outcomes = ledger.outcomes
    let done = outcomes.count { $0.summary != nil }
    let failed = outcomes.count { $0.failure != nil }
    let failures = failed > 0 ? ", \(failed) failed" : ""
    return "interrupted: \(done) of \(outcomes.count.counted("recording")) done\(failures);"
      + " continue with --resume"
  }
}
