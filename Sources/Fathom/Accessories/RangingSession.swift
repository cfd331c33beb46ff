/// An event in the course of a ranging session [NI reference, Qorvo guide].
public enum SessionEvent: String, Sendable, Hashable, CaseIterable {
  /// The accessory started ranging.
  case started
  /// The accessory stopped ranging.
  case stopped
  /// The system suspended ranging, or the app left the foreground.
  case suspended
  /// The suspension ended; ranging starts again.
  case resumed
  /// The peer timed out or left.
  case removed
  /// The session ended permanently; a new one is needed.
  case invalidated
}

/// The reason why a peer was removed from a session [NI reference].
public enum RemovalReason: String, Sendable, Hashable, CaseIterable {
  /// The peer stopped responding.
  case timeout
  /// The peer left.
  case peerEnded
}

/// The reason why a session was invalidated [NI reference].
public enum InvalidationReason: String, Sendable, Hashable, CaseIterable {
  /// The user denied permission.
  case userDidNotAllow
  /// The augmented-reality configuration is invalid.
  case invalidARConfiguration
  /// The peer's device is incompatible.
  case incompatiblePeer
  /// Too many sessions are active.
  case sessionLimitReached
  /// Too many extended-distance sessions are active.
  case extendedDistanceSessionLimitReached
  /// The configuration is invalid.
  case invalidConfiguration
  /// The session exceeded the run time that the system allows.
  case resourceUsageTimeout
  /// The session failed.
  case sessionFailed

  /// Whether a new session may be started without the user.
  ///
  /// False for reasons that would invalidate a new session as well [EDM sample].
  public var allowsNewSession: Bool {
    switch self {
    case .userDidNotAllow, .invalidARConfiguration, .incompatiblePeer, .sessionLimitReached,
      .extendedDistanceSessionLimitReached:
      false
    case .invalidConfiguration, .resourceUsageTimeout, .sessionFailed: true
    }
  }
}

/// The action that restores updates.
public enum SessionRetry: Sendable, Hashable {
  /// No action: the session is running, or it is suspended; wait for it to resume.
  case notNeeded
  /// Configure the session and run it again: it does not resume by itself after a suspension.
  case runAgain
  /// Send the accessory `stop`, then `initialize`.
  case stopThenInitialize
  /// Start a new session with a new token: the old one cannot run again.
  case newSession
  /// No action is allowed, for the given reason.
  case refused(Refusal)

  /// The reason why no retry is allowed.
  public enum Refusal: Sendable, Hashable {
    /// The accessory stopped ranging normally.
    case stopped
    /// The peer left the session.
    case peerEnded
    /// The peer timed out and its device is disconnected.
    case notConnected
    /// The peer was removed for an unknown reason; only a time-out allows a retry.
    case reasonUnknown
    /// The session was invalidated for a reason that a new session cannot resolve.
    case invalidated(InvalidationReason)
  }
}

/// The state of a ranging session with one peer, derived from its events [Qorvo guide].
///
/// Reports which measurements belong together, whether more are expected, and how to restore
/// updates after an interruption. Pass events and measurements in order of time; the type uses no
/// clock.
///
/// - Measurements after an interruption form a new **segment**. A smoother restarts there; a filter
///   keeps its state while its covariance grows with the gap.
/// - A suspended or stopped accessory gives no updates. A stop during a suspension is part of the
///   suspension, since the app tells the accessory to stop.
/// - After an invalidation, only ``SessionEvent/started`` begins a new session.
/// - A measurement proves that ranging continues, even if a log lost the events.
public struct RangingSession: Sendable, Equatable {
  /// A phase of a session.
  public enum Phase: Sendable, Hashable, CaseIterable {
    /// No event has occurred yet.
    case notStarted
    /// Ranging: updates are expected.
    case ranging
    /// Suspended by the system.
    case suspended
    /// The suspension ended; the session must be run again.
    case awaitingRun
    /// Stopped by the accessory.
    case stopped
    /// The peer was removed.
    case removed
    /// Ended permanently.
    case invalidated
  }

  /// The current phase.
  public private(set) var phase: Phase = .notStarted
  /// The segment of the latest measurement, counted from 0; nil before the first measurement.
  public private(set) var segment: Int?
  /// The action that restores updates.
  public private(set) var retry: SessionRetry = .notNeeded
  /// The convergence of camera assistance; reset by every interruption.
  public private(set) var convergence = Convergence()
  /// Whether the next measurement begins a segment.
  private var isInterrupted = false

  /// Creates a session before its first event.
  public init() {}

  /// Whether updates are expected.
  public var expectsUpdates: Bool { phase == .ranging }

  /// Records a measurement and returns its segment, counted from 0.
  @discardableResult
  public mutating func recordMeasurement() -> Int {
    let current = segment.map { isInterrupted ? $0 + 1 : $0 } ?? 0
    phase = .ranging
    retry = .notNeeded
    segment = current
    isInterrupted = false
    return current
  }

  /// Processes a convergence status of camera assistance.
  public mutating func updateConvergence(_ status: Convergence.Status) {
    convergence.update(status)
  }

  /// Processes an event without a reason.
  ///
  /// ``SessionEvent/removed`` and ``SessionEvent/invalidated`` act as
  /// ``applyRemoval(reason:isConnected:)`` and ``applyInvalidation(reason:)`` for unknown reasons.
  public mutating func apply(_ event: SessionEvent) {
    switch event {
    case .started: interrupt(.ranging, retry: .notNeeded)
    case .stopped: stop()
    case .suspended: suspend(.suspended, retry: .notNeeded)
    case .resumed: suspend(.awaitingRun, retry: .runAgain)
    case .removed: applyRemoval(reason: nil, isConnected: true)
    case .invalidated: applyInvalidation(reason: nil)
    }
  }

  /// Processes the removal of the peer.
  ///
  /// A retry is allowed only after a time-out and while the device is connected.
  ///
  /// - Parameters:
  ///   - reason: The reason; nil if unknown.
  ///   - isConnected: Whether the device is still connected.
  public mutating func applyRemoval(reason: RemovalReason?, isConnected: Bool) {
    if phase == .invalidated { return }
    switch reason {
    case .timeout where isConnected: interrupt(.removed, retry: .stopThenInitialize)
    case .timeout: interrupt(.removed, retry: .refused(.notConnected))
    case .peerEnded: interrupt(.removed, retry: .refused(.peerEnded))
    case nil: interrupt(.removed, retry: .refused(.reasonUnknown))
    }
  }

  /// Processes the invalidation of the session.
  ///
  /// - Parameter reason: The reason; nil if unknown, which allows a new session.
  public mutating func applyInvalidation(reason: InvalidationReason?) {
    if let reason, !reason.allowsNewSession {
      interrupt(.invalidated, retry: .refused(.invalidated(reason)))
    } else {
      interrupt(.invalidated, retry: .newSession)
    }
  }

  private mutating func stop() {
    switch phase {
    case .notStarted, .ranging, .stopped: interrupt(.stopped, retry: .refused(.stopped))
    // The message answers a command that the app sent for the earlier event, which says more.
    case .suspended, .awaitingRun, .removed, .invalidated: break
    }
  }

  /// Begins or ends a suspension; has no effect on a stopped, removed or invalidated session.
  private mutating func suspend(_ next: Phase, retry: SessionRetry) {
    switch phase {
    case .notStarted, .ranging, .suspended, .awaitingRun: interrupt(next, retry: retry)
    case .stopped, .removed, .invalidated: break
    }
  }

  private mutating func interrupt(_ next: Phase, retry: SessionRetry) {
    phase = next
    self.retry = retry
    convergence = Convergence()
    isInterrupted = true
  }
}
