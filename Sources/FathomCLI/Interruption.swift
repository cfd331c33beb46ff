import ArgumentParser
import FathomRecordings
import FathomReports
import Foundation

/// Ends the program with code 130 on an interrupt (Ctrl-C), but not before what must not be cut in two
/// is done.
struct Interruption {
  private let source: any DispatchSourceSignal

  /// From now on an interrupt calls `finish`, from another thread, and then ends the program.
  init(finish: @escaping @Sendable () -> Void) {
    // The signal must not end the program by itself; the source sees it all the same.
    signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global(qos: .userInitiated))
    source.setEventHandler {
      finish()
      _exit(130)
    }
    source.activate()
  }

  /// Gives interrupts their usual effect back.
  func end() {
    source.cancel()
    signal(SIGINT, SIG_DFL)
  }
}

/// Runs `write` with a gate that an interrupt closes; what it throws becomes a message and the exit code
/// that goes with it.
func withOutputGate(_ write: (OutputGate) throws -> Void) throws {
  let gate = OutputGate()
  let interruption = Interruption { gate.close() }
  defer { interruption.end() }
  do {
    try write(gate)
  } catch let error as ReportError {
    Console.message("\(error)")
    throw ExitCode(error.exitCode)
  } catch let error as RecordingError {
    Console.message("\(error)")
    throw ExitCode(error.exitCode)
  }
}
