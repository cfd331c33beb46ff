import ArgumentParser
import FathomRecordings
import FathomReports
import Foundation

/// Ends the program on an interrupt (Ctrl-C, code 130) or a request to terminate (code 143), but not
/// before what must not be cut in two is done.
struct Interruption {
  private let sources: [any DispatchSourceSignal]
  private let phase = Phase()
  private static let signals = [SIGINT, SIGTERM]

  /// Who ends the program: what it does by itself, or a signal; whichever comes first.
  private final class Phase: Sendable {
    private let end = Locked(End.open)
    private enum End { case open, regular, bySignal }

    /// Whether the end is that by a signal from now on.
    func beginEndBySignal() -> Bool {
      end.withLock { end in
        guard end == .open else { return false }
        end = .bySignal
        return true
      }
    }

    /// Whether the end is the regular one from now on.
    func beginRegularEnd() -> Bool {
      end.withLock { end in
        if end == .open { end = .regular }
        return end == .regular
      }
    }
  }

  /// From now on either signal calls `finish` with the exit code, from another thread, and then ends
  /// the program; a second one meanwhile changes nothing.
  init(finish: @escaping @Sendable (_ exitCode: Int32) -> Void) {
    let queue = DispatchQueue(label: "interruption", qos: .userInitiated)
    let phase = phase
    sources = Self.signals.map { number in
      // The signal must not end the program by itself; the source sees it all the same.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        guard phase.beginEndBySignal() else { return }
        // What shells report for a program that a signal ended.
        let exitCode = 128 + number
        finish(exitCode)
        _exit(exitCode)
      }
      source.activate()
      return source
    }
  }

  /// Gives the signals their usual effect back; where one has come already, the program ends here.
  func end() {
    // What was cut short looks like a failure of its own; nobody shall hear of that.
    while !phase.beginRegularEnd() { sleep(60) }
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }
}

/// Runs `write` with a writer that an interrupt closes; what it throws becomes a message and the exit code
/// that goes with it.
func withAtomicFileWriter(_ write: (AtomicFileWriter) throws -> Void) throws {
  let writer = AtomicFileWriter()
  let interruption = Interruption { _ in writer.close() }
  let result = Result { try write(writer) }
  interruption.end()
  do {
    try result.get()
  } catch let error as ReportError {
    Console.message("\(error)")
    throw ExitCode(error.exitCode)
  } catch let error as RecordingError {
    Console.message("\(error)")
    throw ExitCode(error.exitCode)
  }
}
