/// What interrupts or frames a ranging session [NI reference, Qorvo guide].
public enum SessionEvent: String, Sendable, Hashable, CaseIterable {
  /// The accessory started ranging.
  case started
  /// The accessory stopped ranging.
  case stopped
  /// The system paused ranging, or the app left the foreground.
  case suspended
  /// The suspension ended; ranging begins anew.
  case resumed
  /// The peer timed out or left.
  case removed
  /// The session ended for good; a new one is needed.
  case invalidated
}
