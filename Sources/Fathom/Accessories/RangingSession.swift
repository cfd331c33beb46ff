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

/// Why a peer was removed from a session [NI reference].
public enum RemovalReason: String, Sendable, Hashable, CaseIterable {
  /// The peer did not answer for some time.
  case timeout
  /// The peer left.
  case peerEnded
}

/// Why a session was invalidated [NI reference].
public enum InvalidationReason: String, Sendable, Hashable, CaseIterable {
  /// The user did not allow it.
  case userDidNotAllow
  /// The configuration of augmented reality does not fit.
  case invalidARConfiguration
  /// The peer's device does not fit.
  case incompatiblePeer
  /// Too many sessions are active.
  case sessionLimitReached
  /// Too many sessions with extended distance are active.
  case extendedDistanceSessionLimitReached
  /// The configuration does not fit.
  case invalidConfiguration
  /// The session ran longer than the system allows.
  case resourceUsageTimeout
  /// The session failed.
  case sessionFailed

  /// Whether a new session may be started without the user: no for what a new session cannot mend
  /// [EDM sample].
  public var allowsNewSession: Bool {
    switch self {
    case .userDidNotAllow, .invalidARConfiguration, .incompatiblePeer, .sessionLimitReached,
      .extendedDistanceSessionLimitReached:
      false
    case .invalidConfiguration, .resourceUsageTimeout, .sessionFailed: true
    }
  }
}

/// What may be done to get updates again.
public enum SessionRetry: Sendable, Hashable {
  /// Nothing: the session runs, or is suspended and has to be waited for.
  case notNeeded
  /// Configure the session and run it again: it does not resume by itself after a suspension.
  case runAgain
  /// Tell the accessory to stop, then to initialise.
  case stopThenInitialize
  /// Start a new session with a new token: the old one cannot be run again.
  case newSession
  /// Nothing, for the given reason.
  case refused(Refusal)

  /// Why no retry is allowed.
  public enum Refusal: Sendable, Hashable {
    /// The accessory stopped ranging in order.
    case stopped
    /// The peer left the session.
    case peerEnded
    /// The peer timed out and its device is not connected any more.
    case notConnected
    /// The peer was removed, and nobody said why; only a time-out allows a retry.
    case reasonUnknown
    /// The session ended for a reason that a new one cannot mend.
    case invalidated(InvalidationReason)
  }
}

/// The course of a ranging session with one peer, as its events tell it [Qorvo guide].
///
/// Says which measurements belong together, whether more are to be expected, and what may be done
/// after an interruption. Events and measurements go in, in order of time; nothing is timed here.
///
/// - Measurements after an interruption are a new **segment**: a smoother starts anew there, a filter
///   keeps its state while its covariance grows with the gap.
/// - Suspended and stopped, an accessory gives no updates. Stopping while suspended is part of the
///   suspension, since the app tells the accessory to stop.
/// - An invalidated session is dead; only ``SessionEvent/started`` begins another.
/// - A measurement is evidence that ranging goes on: events that a log lost do not stop it.
public struct RangingSession: Sendable, Equatable {
  /// What the session is doing.
  public enum Phase: Sendable, Hashable, CaseIterable {
    /// Nothing happened yet.
    case notStarted
    /// Ranging: updates are to be expected.
    case ranging
    /// Suspended by the system.
    case suspended
    /// The suspension ended; the session waits to be run again.
    case awaitingRun
    /// Stopped by the accessory.
    case stopped
    /// The peer was removed.
    case removed
    /// Ended for good.
    case invalidated
  }

  /// What the session is doing.
  public private(set) var phase: Phase = .notStarted
  /// The segment of the latest measurement, from 0; nil before the first measurement.
  public private(set) var segment: Int?
  /// What may be done to get updates again.
  public private(set) var retry: SessionRetry = .notNeeded
  /// Whether camera assistance has converged; starts again with every segment.
  public private(set) var convergence = Convergence()
  /// Whether the next measurement begins a segment.
  private var isInterrupted = false

  /// A session of which nothing is known yet.
  public init() {}

  /// Whether updates are to be expected.
  public var expectsUpdates: Bool { phase == .ranging }

  /// Takes in a measurement and returns the segment to which it belongs, from 0.
  @discardableResult
  public mutating func recordMeasurement() -> Int {
    let current = segment.map { isInterrupted ? $0 + 1 : $0 } ?? 0
    phase = .ranging
    retry = .notNeeded
    segment = current
    isInterrupted = false
    return current
  }

  /// Takes in a report of camera assistance.
  public mutating func updateConvergence(_ report: Convergence.Report) {
    convergence.update(report)
  }

  /// Takes in an event without a reason.
  ///
  /// ``SessionEvent/removed`` and ``SessionEvent/invalidated`` are
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

  /// Takes in that the peer was removed.
  ///
  /// Only a time-out allows a retry, and only while the device is still connected.
  ///
  /// - Parameters:
  ///   - reason: why, or nil where it is not known.
  ///   - isConnected: whether the device is still connected.
  public mutating func applyRemoval(reason: RemovalReason?, isConnected: Bool) {
    if phase == .invalidated { return }
    switch reason {
    case .timeout where isConnected: interrupt(.removed, retry: .stopThenInitialize)
    case .timeout: interrupt(.removed, retry: .refused(.notConnected))
    case .peerEnded: interrupt(.removed, retry: .refused(.peerEnded))
    case nil: interrupt(.removed, retry: .refused(.reasonUnknown))
    }
  }

  /// Takes in that the session ended for good.
  ///
  /// - Parameter reason: why, or nil where it is not known, which allows a new session.
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
    // The message answers what the app sent because of the earlier event, which says more.
    case .suspended, .awaitingRun, .removed, .invalidated: break
    }
  }

  /// The beginning or the end of a suspension; what has ended is not brought back by either.
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
