import ArgumentParser
import FathomRecordings
import Foundation

/// Runs a batch with a progress bar and a manifest, and ends it in order on a signal.
struct BatchRun: Sendable {
  /// The batch.
  let batch: RecordingBatch
  /// The number of threads; nil for one per core.
  let jobs: Int?
  private let lock: FolderLock?
  private let ledger: BatchLedger
  private let start = Date()

  /// Creates a run of `batch` over the recordings at `paths`, whose output folder is locked by
  /// `lock`.
  init(
    _ batch: RecordingBatch, of paths: [String], by naming: RecordingNaming = .folder, jobs: Int?,
    lock: FolderLock? = nil
  ) {
    self.lock = lock
    self.batch = batch
    self.jobs = jobs
    ledger = BatchLedger(paths, by: naming)
  }

  /// Runs the batch to its end and writes the manifest.
  ///
  /// On a signal, prints the state, writes the manifest and ends the program. Returns the outcome
  /// of each recording, in the order of the paths, and the exit code of an error of the manifest.
  func outcomes() async -> (outcomes: [RecordingOutcome], manifestCode: Int32?) {
    // A write beyond the limit on file sizes must fail alone; the signal would end the whole batch.
    signal(SIGXFSZ, SIG_IGN)
    let bytes = ledger.paths.map { batch.bytes(of: $0) }.reduce(0, +)
    let bar = ProgressBar(total: ledger.paths.count, bytes: bytes)
    let interruption = Interruption { exitCode in
      batch.writer.close()
      bar?.end()
      printFailures(counting: false)
      Console.message(interruptionMessage)
      writeManifest(interruption: exitCode)
      lock?.removeEmptyFolder()
    }
    await batch.run(ledger.paths, jobs: jobs, ledger: ledger) { bar?.advance(by: $0) }
    let manifestCode = interruption.end {
      bar?.end()
      // Before anything is printed, so that output that nobody reads cannot prevent it.
      return writeManifest()
    }
    return (ledger.outcomes, manifestCode)
  }

  /// Prints every failure, and their number if there are several recordings.
  func printFailures(counting: Bool = true) {
    let outcomes = ledger.outcomes
    let failures = outcomes.compactMap(\.failure)
    for failure in failures { FailureReport(failure).print() }
    if counting, !failures.isEmpty, outcomes.count > 1, !FailureReport.isJSON {
      Console.message("failed: \(failures.count) of \(outcomes.count.counted("recording"))")
    }
  }

  /// Writes the manifest if the output folder has results or existed before.
  ///
  /// `interruption` is the exit code of the signal that ended the batch; nil if it ran to its end.
  /// Returns the exit code of an error, which is printed; nil on success or without a folder.
  @discardableResult
  private func writeManifest(interruption: Int32? = nil) -> Int32? {
    lock?.removeEmptyFolder()
    guard FoundFile.isFolder(batch.output) else { return nil }
    let manifest = BatchManifest(
      of: batch, ledger, jobs: jobs, start: start.timeIntervalSince1970,
      seconds: Date().timeIntervalSince(start), interruption: interruption)
    do throws(RecordingError) {
      if try !manifest.write(in: batch.output) {
        Console.message(
          "\(BatchManifest.fileName): warning: the entries of earlier runs could not be read and"
            + " are not kept")
      }
      return nil
    } catch {
      FailureReport(error).print()
      return error.exitCode
    }
  }

  /// The numbers of completed and failed recordings, as a message after an interrupt.
  private var interruptionMessage: String {
    let outcomes = ledger.outcomes
    let done = outcomes.count { $0.summary != nil }
    let failed = outcomes.count { $0.failure != nil }
    let failures = failed > 0 ? ", \(failed) failed" : ""
    return "interrupted: \(done) of \(outcomes.count.counted("recording")) done\(failures);"
      + " continue with --resume"
  }
}
