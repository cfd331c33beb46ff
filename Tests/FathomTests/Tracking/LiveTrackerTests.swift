import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import Fathom

@Suite struct LiveTrackerTests {
  private static let names = ["A", "B", "C", "D", "E", "F"]
  private static let anchors = Dictionary(
    uniqueKeysWithValues: zip(names, SimulatedWalk.room))

  /// Ranges of a tag that walks along x at 1 m/s, 8 m high at most, all anchors at 10 Hz.
  private static func walk(
    _ tag: String, seconds: Double, offset: Double = 0
  ) -> [LiveRange<String, String>] {
    var ranges: [LiveRange<String, String>] = []
    for step in 0..<Int(10 * seconds) {
      let time = Double(step) / 10
      let place = Vector<3>(x: 1 + time, y: 3 + offset, z: 1.2)
      for (index, name) in names.enumerated() {
        let anchor = SimulatedWalk.room[index].position
        let noise = 0.02 * Double.sin(Double(7 * step + 3 * index))
        ranges.append(
          LiveRange(
            tag: tag, anchor: name, distance: (place - anchor).length + noise, sigma: 0.05,
            at: Timestamp(nanoseconds: Int64(step) * 100_000_000 + Int64(index))))
      }
    }
    return ranges
  }

  @Test func severalTagsAreTrackedApart() throws {
    var tracker = try LiveTracker<String, String>(anchors: Self.anchors)
    for (one, other) in zip(Self.walk("one", seconds: 4), Self.walk("two", seconds: 4, offset: 2)) {
      tracker.update(one)
      tracker.update(other)
    }
    #expect(tracker.tags == ["one", "two"])
    let one = try #require(tracker.estimate(of: "one"))
    let two = try #require(tracker.estimate(of: "two"))
    #expect((one.position - Vector(x: 4.9, y: 3, z: 1.2)).length < 0.2)
    #expect((two.position - Vector(x: 4.9, y: 5, z: 1.2)).length < 0.2)
    #expect((one.velocity - Vector(x: 1, y: 0, z: 0)).length < 0.4)
    tracker.remove(tag: "one")
    #expect(tracker.estimate(of: "one") == nil)
    tracker.reset()
    #expect(tracker.tags.isEmpty && tracker.anchors.count == 6)
  }

  /// Independent of the order in which a dictionary lists anchors, up to rounding.
  @Test func equalsATrackerByIndex() throws {
    var live = try LiveTracker<String, String>(anchors: Self.anchors, horizon: 0)
    var plain = try Tracker(anchors: SimulatedWalk.room)
    for range in Self.walk("tag", seconds: 3) {
      live.update(range)
      let index = try #require(Self.names.firstIndex(of: range.anchor))
      _ = plain.update(
        distance: range.distance, sigma: range.sigma, anchor: index, at: range.time)
    }
    let time = Timestamp(nanoseconds: 3_000_000_000)
    let (a, b) = (
      try #require(live.estimate(of: "tag", at: time)), try #require(plain.estimate(at: time))
    )
    #expect((a.position - b.position).length < 1e-9)
  }

  @Test func anchorsAreAddedMovedAndRemovedWhileRangesCome() throws {
    var tracker = try LiveTracker<String, String>(
      anchors: Self.anchors.filter { $0.key != "F" })
    let ranges = Self.walk("tag", seconds: 6)
    for range in ranges.prefix(180) {
      let update = tracker.update(range)
      #expect((update.outcome == .invalid) == (range.anchor == "F"))
    }
    let before = try #require(tracker.estimate(of: "tag"))
    try tracker.set(SimulatedWalk.room[5], for: "F")
    let after = try #require(tracker.estimate(of: "tag"))
    // The track goes on.
    #expect(after.time == before.time)
    #expect((after.position - before.position).length < 0.1)
    for range in ranges[180..<240] {
      let update = tracker.update(range)
      #expect(update.outcome != .invalid)
    }
    // An anchor that is declared 1 m away from its place pulls the track; moved back, it does not.
    var moved = SimulatedWalk.room[0]
    moved.position.x += 1
    try tracker.set(moved, for: "A")
    try tracker.set(SimulatedWalk.room[0], for: "A")
    tracker.remove(anchor: "B")
    #expect(tracker.anchors.keys.sorted() == ["A", "C", "D", "E", "F"])
    for range in ranges[240...] {
      let update = tracker.update(range)
      #expect((update.outcome == .invalid) == (range.anchor == "B"))
    }
    let last = try #require(tracker.estimate(of: "tag"))
    #expect((last.position - Vector(x: 6.9, y: 3, z: 1.2)).length < 0.2)
  }

  @Test func invalidAnchorsChangeNothing() throws {
    var tracker = try LiveTracker<String, String>(anchors: Self.anchors)
    #expect(throws: ConfigurationError.self) {
      try tracker.set(Anchor(position: Vector(x: .nan, y: 0, z: 0)), for: "A")
    }
    #expect(tracker.anchors == Self.anchors)
  }

  @Test func sequencesGiveEstimatesZonesAndDistances() async throws {
    let ranges = Self.walk("tag", seconds: 6)
    let stream = AsyncStream<LiveRange<String, String>> { continuation in
      for range in ranges { continuation.yield(range) }
      continuation.finish()
    }
    let tracker = try LiveTracker<String, String>(anchors: Self.anchors)
    let zone = try #require(
      PositionZone(
        name: "door",
        corners: [[3, 1], [5, 1], [5, 5], [3, 5]].map { Vector(x: $0[0], y: $0[1]) }))
    var events: [PositionZoneEvent.Kind] = []
    for await (tag, event) in stream.tracked(by: tracker).zoneEvents(in: PositionZones([zone])) {
      #expect(tag == "tag")
      events.append(event.kind)
    }
    #expect(events == [.entered, .left])

    let again = AsyncStream<LiveRange<String, String>> { continuation in
      for range in ranges { continuation.yield(range) }
      continuation.finish()
    }
    var count = 0
    for await found in again.smoothed(by: { MovingMedian() }) {
      #expect(found.distance.distance > 0)
      count += 1
    }
    #expect(count == ranges.count)
  }

  @Test func keptValuesSurviveCoding() throws {
    func coded<Value: Codable & Equatable>(_ value: Value) throws {
      let data = try JSONEncoder().encode([value])
      #expect(try JSONDecoder().decode([Value].self, from: data) == [value])
    }
    var configuration = TrackerConfiguration()
    configuration.headingSigma = .zero
    configuration.bounds = PositionBounds(
      lower: Vector(x: 0, y: 0, z: 0), upper: Vector(x: 1, y: 2, z: 3))
    try coded(configuration)
    try coded(SimulatedWalk.room[0])
    try coded(Timestamp(nanoseconds: .max))
    var tracker = try LiveTracker<String, String>(anchors: Self.anchors)
    for range in Self.walk("tag", seconds: 3) { tracker.update(range) }
    try coded(try #require(tracker.estimate(of: "tag")))
    let zone = try #require(
      PositionZone(name: "desk", corners: [Vector([0, 0]), Vector([1, 0]), Vector([1, 2])]))
    try coded(zone)
    var calibration = TrackerCalibration(configuration: configuration)
    calibration.bias = 0.12
    calibration.errors = RangeErrorEstimate(sigma: 0.1, epochs: 40)
    calibration.odometry = OdometryAgreement(turnFactor: -1, gain: 3, isUsed: true)
    try coded(calibration)
    for (text, kind) in [
      (#"{"name":"a","corners":[[0,0],[1,1]]}"#, 0),
      (#"{"levels":[-80,-90],"biases":[0,0],"slope":0}"#, 1),
    ] {
      #expect(throws: DecodingError.self) {
        if kind == 0 {
          _ = try JSONDecoder().decode(PositionZone.self, from: Data(text.utf8))
        } else {
          _ = try JSONDecoder().decode(RSSIBiasCurve.self, from: Data(text.utf8))
        }
      }
    }
    try coded(
      try JSONDecoder().decode(
        RSSIBiasCurve.self, from: Data(#"{"levels":[-90,-80],"biases":[0.1,0],"slope":0}"#.utf8)))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Vector<3>.self, from: Data("[1,2]".utf8))
    }
  }

  /// The covariance of position and velocity is that of the estimate in its position, positive definite,
  /// and grows with the time since the last range.
  @Test func stateHasTheFullCovariance() throws {
    var generator = SeededGenerator(seed: 6001)
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
    for height in [nil, 1.2] {
      var configuration = TrackerConfiguration.withHeight(height)
      configuration.errors.persistentSigma = 0.05
      var tracker = try Tracker(anchors: walk.anchors, configuration: configuration)
      #expect(tracker.state(at: instant(0)) == nil)
      for range in walk.ranges(to: 10, using: &generator) { tracker.update(range) }
      let estimate = try #require(tracker.estimate(at: tracker.time))
      let state = try #require(tracker.state(at: tracker.time))
      for row in 0..<3 {
        #expect(state.mean[row] == estimate.position[row])
        #expect(state.mean[3 + row] == estimate.velocity[row])
        for column in 0..<3 {
          #expect(
            isClose(state.covariance[row, column], estimate.covariance[row, column], within: 1e-9))
        }
      }
      let later = try #require(tracker.state(at: tracker.time.advanced(bySeconds: 1)))
      #expect(later.covariance.trace > state.covariance.trace)
      if height == nil {
        #expect(Cholesky(state.covariance) != nil && Cholesky(later.covariance) != nil)
      } else {
        #expect(state.covariance[2, 2] == 0 && state.covariance[5, 5] == 0)
      }
    }
  }

  @Test func clocksAndVectorsConvert() {
    let origin = ContinuousClock.now
    #expect(Timestamp(origin + .milliseconds(1500), since: origin).nanoseconds == 1_500_000_000)
    #expect(Timestamp(.seconds(-2) - .nanoseconds(3)).nanoseconds == -2_000_000_003)
    #expect(Timestamp(.seconds(Int64.max)).nanoseconds == .max)
    #expect(Timestamp(nanoseconds: 7).duration == .nanoseconds(7))
    let vector = Vector<3>(simd: SIMD3<Float>(1, 2, 3))
    #expect(vector.simd == SIMD3<Double>(1, 2, 3) && vector.z == 3)
  }
}
