import Testing

@testable import Fathom

@Suite struct RangingSessionTests {
  /// A ranging session with one measurement and convergence.
  static func running() -> RangingSession {
    var session = RangingSession()
    session.apply(.started)
    session.recordMeasurement()
    session.updateConvergence(.converged)
    return session
  }

  @Test func hasOneSegmentWithoutEvents() {
    var session = RangingSession()
    #expect(session.segment == nil)
    #expect(!session.expectsUpdates)
    for _ in 0..<3 { #expect(session.recordMeasurement() == 0) }
    #expect(session.segment == 0)
    #expect(session.expectsUpdates)
  }

  @Test func startBeforeTheFirstMeasurementAddsNoSegment() {
    var session = RangingSession()
    session.apply(.started)
    #expect(session.expectsUpdates)
    #expect(session.segment == nil)
    #expect(session.recordMeasurement() == 0)
  }

  @Test(arguments: SessionEvent.allCases)
  func interruptionsBeginANewSegment(_ event: SessionEvent) {
    var session = Self.running()
    #expect(session.recordMeasurement() == 0)
    session.apply(event)
    #expect(session.segment == 0)
    #expect(session.recordMeasurement() == 1)
    #expect(session.recordMeasurement() == 1)
    #expect(session.expectsUpdates)
    #expect(session.retry == .notNeeded)
  }

  @Test func consecutiveEventsAreOneInterruption() {
    var session = Self.running()
    for event in [SessionEvent.suspended, .stopped, .resumed, .started] { session.apply(event) }
    #expect(session.recordMeasurement() == 1)
  }

  @Test(arguments: SessionEvent.allCases)
  func interruptionsResetConvergence(_ event: SessionEvent) {
    var session = Self.running()
    #expect(session.convergence.isReached)
    session.apply(event)
    #expect(!session.convergence.isReached)
    session.recordMeasurement()
    #expect(!session.convergence.isReached)
    session.updateConvergence(.converged)
    #expect(session.convergence.isReached)
  }

  @Test func requiresRunAgainAfterASuspension() {
    var session = Self.running()
    session.apply(.suspended)
    #expect(session.phase == .suspended)
    #expect(!session.expectsUpdates)
    #expect(session.retry == .notNeeded)
    // The app tells the accessory to stop: part of the suspension.
    session.apply(.stopped)
    #expect(session.phase == .suspended)
    session.apply(.resumed)
    #expect(session.phase == .awaitingRun)
    #expect(!session.expectsUpdates)
    #expect(session.retry == .runAgain)
    // The accessory's message may arrive late.
    session.apply(.stopped)
    #expect(session.retry == .runAgain)
    session.apply(.started)
    #expect(session.expectsUpdates)
    #expect(session.retry == .notNeeded)
  }

  @Test func refusesRetryAfterANormalStop() {
    var session = Self.running()
    session.apply(.stopped)
    #expect(session.phase == .stopped)
    #expect(!session.expectsUpdates)
    #expect(session.retry == .refused(.stopped))
    // Returning to the foreground restores nothing.
    session.apply(.suspended)
    session.apply(.resumed)
    #expect(session.phase == .stopped)
    #expect(session.retry == .refused(.stopped))
  }

  @Test(
    arguments: [
      (RemovalReason.timeout, true, SessionRetry.stopThenInitialize),
      (.timeout, false, .refused(.notConnected)),
      (.peerEnded, true, .refused(.peerEnded)),
      (.peerEnded, false, .refused(.peerEnded)),
      (nil, true, .refused(.reasonUnknown)),
      (nil, false, .refused(.reasonUnknown)),
    ] as [(RemovalReason?, Bool, SessionRetry)])
  func onlyATimeOutAllowsARetry(
    _ reason: RemovalReason?, _ isConnected: Bool, _ expected: SessionRetry
  ) {
    var session = Self.running()
    session.applyRemoval(reason: reason, isConnected: isConnected)
    #expect(session.phase == .removed)
    #expect(!session.expectsUpdates)
    #expect(session.retry == expected)
    // The retry begins with a stop, which the accessory reports; the reason stays.
    session.apply(.stopped)
    session.apply(.suspended)
    session.apply(.resumed)
    #expect(session.phase == .removed)
    #expect(session.retry == expected)
    #expect(session.recordMeasurement() == 1)
  }

  @Test func refusesRetryAfterAnUnexplainedRemoval() {
    var session = Self.running()
    session.apply(.removed)
    #expect(session.retry == .refused(.reasonUnknown))
  }

  @Test func fiveReasonsForbidANewSession() {
    let forbidding: Set<InvalidationReason> = [
      .userDidNotAllow, .invalidARConfiguration, .incompatiblePeer, .sessionLimitReached,
      .extendedDistanceSessionLimitReached,
    ]
    for reason in InvalidationReason.allCases {
      var session = Self.running()
      session.applyInvalidation(reason: reason)
      #expect(session.phase == .invalidated)
      #expect(!session.expectsUpdates)
      let isForbidden = forbidding.contains(reason)
      #expect(reason.allowsNewSession == !isForbidden)
      #expect(session.retry == (isForbidden ? .refused(.invalidated(reason)) : .newSession))
    }
    var session = Self.running()
    session.apply(.invalidated)
    #expect(session.retry == .newSession)
  }

  @Test(arguments: [SessionEvent.stopped, .suspended, .resumed, .removed])
  func invalidatedSessionsIgnoreFurtherEvents(_ event: SessionEvent) {
    var session = Self.running()
    session.applyInvalidation(reason: .userDidNotAllow)
    session.apply(event)
    #expect(session.phase == .invalidated)
    #expect(session.retry == .refused(.invalidated(.userDidNotAllow)))
    session.apply(.started)
    #expect(session.phase == .ranging)
    #expect(session.recordMeasurement() == 1)
  }
}
