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
