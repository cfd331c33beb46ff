import Fathom
import FathomRecordings

/// One pass through the schedule of a scenario, which fills a recording.
struct MeasurementRun {
  private let scenario: Scenario
  private let links: [SimulatedLink]
  private let hasDirections: Bool
  private var generator: SeededGenerator
  private var disturbances: DisturbanceSource
  private var clock: SeededGenerator
  private var delivery: SeededGenerator

  private var events: ArraySlice<Scenario.Event>
  private var last: [Double?]
  private var isSilent = false
  private var line = 1
  /// When each measurement reaches the file; empty when delivery is immediate.
  private var arrivals: [Timestamp] = []

  init(_ scenario: Scenario) {
    self.scenario = scenario
    links = SimulatedLink.links(of: scenario)
    if case .phone = scenario.setting { hasDirections = true } else { hasDirections = false }
    generator = RandomStream.common.generator(scenario.seed)
    disturbances = DisturbanceSource(
      noise: scenario.noise, walls: scenario.walls, radio: scenario.radio, seed: scenario.seed)
    clock = RandomStream.clock.generator(scenario.seed)
    delivery = RandomStream.delivery.generator(scenario.seed)
    events = scenario.events[...]
    last = Array(repeating: nil, count: links.count)
  }

  /// Simulates every scheduled measurement.
  ///
  /// `simulated` must hold its tags and anchors and the columns to fill.
  mutating func fill(_ simulated: inout SimulatedRecording) {
    for poll in 0..<RangeSimulator.wholeIntervals(scenario.duration, scenario.polling.rate) {
      let jitter = scenario.polling.jitter * generator.uniform(in: -1...1)
      let time = RangeSimulator.instant((Double(poll) + 0.5) / scenario.polling.rate + jitter)
      announce(until: time.seconds, in: &simulated.recording)
      let stamp = stamp(time)
      switch scenario.polling.mode {
      case .roundRobin: measure([poll % links.count], at: time, stamp, into: &simulated.recording)
      case .scan: measure(links.indices, at: time, stamp, into: &simulated.recording)
      case .differences:
        let tags = simulated.recording.tagNames.count
        receive(tag: poll % tags, of: tags, at: time, stamp, into: &simulated)
      }
    }
    announce(until: scenario.duration, in: &simulated.recording)
    guard !arrivals.isEmpty else { return }
    if let differences = simulated.differences {
      simulated.differences = Delivery.order(of: arrivals).map { differences[$0] }
    } else {
      Delivery.reorder(&simulated.recording, arrivals: arrivals)
    }
  }

  // MARK: Measurements

  private mutating func measure(
    _ turn: some Sequence<Int>, at time: Timestamp, _ stamp: Timestamp,
    into recording: inout Recording
  ) {
    for index in turn {
      let draw = LinkDraw(using: &generator, withDirection: hasDirections)
      // Drawn during interruptions too, so that an interruption leaves later random numbers
      // unchanged.
      let reading = links[index].reading(at: time, draw, from: &disturbances, last: &last[index])
      guard !isSilent, let reading else { continue }
      line += 1
      if let other = links[index].otherTag {
        recording.tagRanges.append(
          at: stamp, from: Int32(links[index].tag), to: Int32(other), distance: reading.distance,
          sigma: .nan, line: line)
        continue
      }
      recording.ranges.append(reading, at: stamp, links[index], line: line)
      noteArrival(of: stamp)
    }
  }

  /// All anchors receive one tag; every anchor but the reference yields a difference.
  private mutating func receive(
    tag: Int, of tags: Int, at time: Timestamp, _ stamp: Timestamp,
    into simulated: inout SimulatedRecording
  ) {
    let anchors = links.count / tags
    let received = (0..<anchors).map { anchor -> Double? in
      let link = tag * anchors + anchor
      let draw = LinkDraw(using: &generator, withDirection: false)
      return links[link].reading(
        at: time, draw, from: &disturbances, isArrival: true, last: &last[link])?.distance
    }
    guard let reference = received[scenario.polling.reference] else { return }
    for (anchor, arrival) in received.enumerated() where anchor != scenario.polling.reference {
      guard let arrival else { continue }
      simulated.differences?.append(
        SimulatedRecording.Difference(
          time: stamp, tag: tag, anchorA: anchor, anchorB: scenario.polling.reference,
          difference: (arrival - reference).rounded(decimals: 4)))
      noteArrival(of: stamp)
    }
  }

  private mutating func noteArrival(of stamp: Timestamp) {
    guard scenario.delivery != .immediate else { return }
    arrivals.append(
      scenario.delivery.arrival(
        of: stamp, lateness: delivery.uniform(), delay: delivery.uniform()))
  }

  private mutating func stamp(_ time: Timestamp) -> Timestamp {
    guard scenario.clock != .exact else { return time }
    return RangeSimulator.instant(
      scenario.clock.reading(at: time.seconds, deviate: clock.normal()))
  }

  // MARK: Events

  private mutating func announce(until time: Double, in recording: inout Recording) {
    while let event = events.first, event.time <= time {
      events.removeFirst()
      isSilent = !event.event.allowsRanging
      // No value is repeated across an interruption.
      last = Array(repeating: nil, count: links.count)
      let stamp =
        scenario.clock == .exact ? event.time : scenario.clock.reading(at: event.time)
      for tag in recording.tagNames.indices {
        line += 1
        recording.events.append(
          RecordedEvent(
            time: RangeSimulator.instant(stamp), tag: Int32(tag), anchor: nil, event: event.event,
            line: line))
      }
    }
  }
}

extension RangeColumns {
  /// Appends the `reading` of `link` at `time` to the columns that exist.
  fileprivate mutating func append(
    _ reading: SimulatedLink.Reading, at time: Timestamp, _ link: SimulatedLink, line: Int
  ) {
    self.time.append(time)
    tag.append(Int32(link.tag))
    anchor.append(Int32(link.anchor))
    distance.append(reading.distance)
    self.line.append(line)
    for (axis, quantity) in [RangeQuantity.directionX, .directionY, .directionZ].enumerated() {
      self[quantity]?.append(reading.direction?[axis] ?? .nan)
    }
    self[.rssi]?.append((reading.power ?? .nan).rounded(decimals: 2))
    self[.nonLineOfSight]?.append(reading.isBlocked ? 1 : 0)
  }
}
