/// An event that a tracker or a stage processes in order of time.
package protocol ReplayedEvent: Sendable {
  var time: Timestamp { get }
  /// Whether `first` is processed before `second`, whichever of them arrived first.
  static func precedes(_ first: Self, _ second: Self) -> Bool
}

/// What processes events one after the other, and can be copied at any of them.
package protocol ReplayingState: Sendable {
  associatedtype Event: ReplayedEvent
  associatedtype Outcome
  mutating func process(_ event: Event) -> Outcome
}

/// The newest events in order, and the state before them, so that late ones can be sorted in.
///
/// An event that arrives after newer ones, but within the horizon, is inserted at its place. The state
/// after all events is then computed again from ``settled``, the one that has processed what is older than
/// the horizon. Settled events stay until ``removeFirst(_:)``, for a state that processes all again.
package struct EventReplay<State: ReplayingState>: Sendable {
  package typealias Event = State.Event

  /// The time by which an event may be late, in seconds.
  @usableFromInline package let horizon: Double
  /// Greatest number of events that a late one makes the state process again.
  @usableFromInline let mostUnsettled: Int
  /// The state after the settled events; nil where none may be late.
  @usableFromInline package var settled: State?
  /// The events in order, the settled ones first.
  @usableFromInline package internal(set) var events: [Event] = []
  @usableFromInline package internal(set) var settledCount = 0
  /// The time before which nothing is inserted: that of the last settled event, or of an interruption.
  @usableFromInline package internal(set) var floor = Timestamp(nanoseconds: .min)
  /// The time of the newest event.
  @usableFromInline package internal(set) var newest: Timestamp?

  /// Creates the replay of no events after `state`; nil if none may be late.
  @inlinable package init(of state: State?, horizon: Double, mostUnsettled: Int = .max) {
    settled = state
    self.horizon = horizon
    self.mostUnsettled = mostUnsettled
  }

  /// Whether an event at `time` is the newest, or comes after the settled ones and within the horizon.
  @inlinable
  package func accepts(_ time: Timestamp) -> Bool {
    guard let newest, time < newest else { return true }
    return settled != nil && time >= floor && newest.seconds(since: time) <= horizon
  }

  /// Inserts an event at its place.
  ///
  /// - Returns: The place; nil for an event that comes too late.
  @inlinable
  package mutating func insert(_ event: Event) -> Int? {
    guard accepts(event.time) else { return nil }
    var place = events.count
    while place > settledCount, State.Event.precedes(event, events[place - 1]) { place -= 1 }
    events.insert(event, at: place)
    newest = newest.map { max($0, event.time) } ?? event.time
    return place
  }

  /// Computes the state after all events from the settled one.
  ///
  /// - Parameter body: gets the place of each event that is processed again, the event, and its outcome.
  /// - Returns: The state; nil where none may be late.
  @inlinable
  package mutating func replayed(_ body: (Int, inout Event, State.Outcome) -> Void) -> State? {
    guard var state = settled else { return nil }
    for place in settledCount..<events.count {
      let outcome = state.process(events[place])
      body(place, &events[place], outcome)
    }
    return state
  }

  /// Lets ``settled`` process the events that are older than the horizon.
  ///
  /// - Returns: How many there are.
  @discardableResult
  @inlinable
  package mutating func settle() -> Int {
    guard let newest else { return 0 }
    let before = settledCount
    while settledCount < events.count,
      settled == nil || events.count - settledCount > mostUnsettled
        || newest.seconds(since: events[settledCount].time) > horizon
    {
      _ = settled?.process(events[settledCount])
      floor = max(floor, events[settledCount].time)
      settledCount += 1
    }
    return settledCount - before
  }

  /// Forgets the first `count` events, all of them settled.
  @inlinable
  package mutating func removeFirst(_ count: Int) {
    events.removeFirst(count)
    settledCount -= count
  }

  /// Forgets the events before an interruption at `time`, that of the newest event if nil, after which
  /// `state` continues.
  @inlinable
  package mutating func interrupt(at time: Timestamp? = nil, continuingFrom state: State) {
    events.removeAll(keepingCapacity: true)
    settledCount = 0
    if let time = time ?? newest { floor = max(floor, time) }
    if settled != nil { settled = state }
  }
}
