import ArgumentParser
import FathomRecordings
import FathomReports
import Foundation

/// Ends the program in order on an interrupt (Ctrl-C, exit code 130) or a request to terminate
/// (exit code 143): a closure completes first.
struct Interruption {
  private let sources: [any DispatchSourceSignal]
  private let phase = Phase()
  private static let signals = [SIGINT, SIGTERM]

  /// Decides what ends the program: its regular end or a signal, whichever begins first.
  private final class Phase: Sendable {
    private let end = Locked(End.open)
    private enum End { case open, regular, bySignal }

    /// Begins the end by a signal; returns false if either end has begun already.
    func beginEndBySignal() -> Bool {
      end.withLock { end in
        guard end == .open else { return false }
        end = .bySignal
        return true
      }
    }

    /// Begins the regular end; returns false if the end by a signal has begun already.
    func beginRegularEnd() -> Bool {
      end.withLock { end in
        if end == .open { end = .regular }
        return end == .regular
      }
    }
  }

  /// Installs the handler: the first signal calls `finish` with the exit code, on another thread,
  /// and then ends the program.
  ///
  /// Further signals have no effect.
  init(finish: @escaping @Sendable (_ exitCode: Int32) -> Void) {
    let queue = DispatchQueue(label: "interruption", qos: .userInitiated)
    let phase = phase
    sources = Self.signals.map { number in
      // Ignored, the signal does not end the program, and the source still receives it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        guard phase.beginEndBySignal() else { return }
        // The exit code that shells report for a program ended by a signal.
        let exitCode = 128 + number
        finish(exitCode)
        _exit(exitCode)
      }
      source.activate()
      return source
    }
  }

  /// Restores the default action of the signals.
  ///
  /// If one has come already, the program ends here.
  ///
  /// If one has come already, the program ends here. Signals that come during `last`, which is
  /// still to be done, have no effect.
  func end<Result>(after last: () -> Result = { () }) -> Result {
    // Work that the signal cut short looks like a failure; waiting here keeps it from being
    // reported.
    while !phase.beginRegularEnd() { sleep(60) }
    let result = last()
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
    return result
  }
}

/// Runs `body`; prints an error about a recording that it throws, and throws the exit code of the error.
func reportingErrors<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as RecordingError {
    throw FailureReport(error).print()
  }
}

/// Runs `write` with a writer that an interrupt closes.
///
/// Prints an error that it throws, and throws the exit code of the error.
func withAtomicFileWriter(_ write: (AtomicFileWriter) throws -> Void) throws {
  let writer = AtomicFileWriter()
  let interruption = Interruption { _ in writer.close() }
  let result = Result { try write(writer) }
  interruption.end()
  do {
    try reportingErrors(result.get)
  } catch let error as ReportError {
    throw FailureReport(error).print()
  }
}
