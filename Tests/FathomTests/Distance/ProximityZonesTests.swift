import FathomEvaluation
import Testing

@testable import Fathom

@Suite struct ProximityZonesTests {
  private func seconds(_ value: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64((value * 1e9).rounded()))
  }

  @Test(arguments: [
    (1.0, ProximityZone.inner), (1.5.nextDown, .inner), (1.5, .outer), (3.0.nextDown, .outer),
    (3.0, nil), (8.0, nil),
  ])
  func appliesPlainRadiiWithoutHysteresisAndDwell(_ distance: Double, _ zone: ProximityZone?) {
    var zones = ProximityZones(hysteresis: 0, dwell: 0)
    for (index, previous) in [distance, 0.5, distance, 9, distance].enumerated() {
      _ = zones.update(distance: previous, at: seconds(Double(index)))
    }
    #expect(zones.current == zone)
    #expect(zones.isInside(.inner) == (zone == .inner))
    #expect(zones.isInside(.outer) == (zone != nil))
  }

  @Test func entersZonesInwardsAndLeavesOutwards() {
    var zones = ProximityZones(hysteresis: 0.25, dwell: 0)
    func events(_ distance: Double, _ time: Double) -> [ProximityEvent] {
      Array(zones.update(distance: distance, at: seconds(time)))
    }
    let (outer, inner) = (ProximityZone.outer, ProximityZone.inner)
    #expect(events(5, 0) == [])
    #expect(
      events(1, 1) == [
        ProximityEvent(zone: outer, kind: .entered, time: seconds(1)),
        ProximityEvent(zone: inner, kind: .entered, time: seconds(1)),
      ])
    // Up to the exit radii of 1.75 m and 3.25 m the zones stay occupied.
    #expect(events(1.75.nextDown, 2) == [])
    #expect(events(1.75, 3) == [ProximityEvent(zone: inner, kind: .left, time: seconds(3))])
    #expect(events(3.25.nextDown, 4) == [])
    #expect(events(3.25, 5) == [ProximityEvent(zone: outer, kind: .left, time: seconds(5))])
    // From outside, the entry radius applies again.
    #expect(events(3, 6) == [])
    #expect(events(1, 7).count == 2)
    #expect(
      events(9, 8) == [
        ProximityEvent(zone: inner, kind: .left, time: seconds(8)),
        ProximityEvent(zone: outer, kind: .left, time: seconds(8)),
      ])
  }

  @Test func crossesBoundaryAfterDwellTime() {
    var zones = ProximityZones(hysteresis: 0, dwell: 0.5)
    #expect(zones.update(distance: 2, at: seconds(0)).isEmpty)
    #expect(zones.update(distance: 2, at: seconds(0.499_999_999)).isEmpty)
    #expect(
      Array(zones.update(distance: 2, at: seconds(0.5)))
        == [ProximityEvent(zone: .outer, kind: .entered, time: seconds(0.5))])
    // An excursion that ends in time restarts the dwell time; an absent distance does not end it.
    #expect(zones.update(distance: 4, at: seconds(0.6)).isEmpty)
    #expect(zones.update(distance: 2, at: seconds(1)).isEmpty)
    #expect(zones.update(distance: 4, at: seconds(1.1)).isEmpty)
    #expect(zones.update(distance: nil, at: seconds(1.3)).isEmpty)
    #expect(zones.update(distance: 4, at: seconds(1.5)).isEmpty)
    #expect(
      Array(zones.update(distance: 4, at: seconds(1.6)))
        == [ProximityEvent(zone: .outer, kind: .left, time: seconds(1.6))])
  }

  @Test(arguments: [2.7, 2.85, 3, 3.1, 3.15, 3.2, 3.3, 3.45, 1.4, 1.5, 1.65, 1.8])
  func doesNotFlickerOnBoundary(_ distance: Double) {
    var generator = SeededGenerator(seed: 91)
    var zones = ProximityZones()
    var counts: [ProximityZone: Int] = [:]
    // Ten minutes of raw ranges at 10 Hz with 0.10 m of noise.
    for tenths in 0..<6000 {
      let time = Timestamp(nanoseconds: Int64(tenths) * 100_000_000)
      let measured = distance + 0.1 * generator.normal()
      for event in zones.update(distance: measured, at: time) {
        counts[event.zone, default: 0] += 1
      }
    }
    #expect(counts[.outer, default: 0] <= 1)
    #expect(counts[.inner, default: 0] <= 1)
    // Well inside the outer radius the zone is entered; well outside it is not.
    if distance < 2.9 { #expect(counts[.outer] == 1) }
    if distance > 3.4 { #expect(counts[.outer] == nil) }
  }

  @Test(arguments: [nil, Double.nan, .infinity, -1, 0])
  func forgetsZonesAfterAbsentDistances(_ absent: Double?) {
    var zones = ProximityZones(dwell: 0, forgetAfter: 2)
    _ = zones.update(distance: 1, at: seconds(10))
    #expect(zones.update(distance: absent, at: seconds(11)).isEmpty)
    #expect(zones.update(distance: absent, at: seconds(12)).isEmpty)
    #expect(zones.current == .inner)
    let time = Timestamp(nanoseconds: 12_000_000_001)
    #expect(
      Array(zones.update(distance: absent, at: time)) == [
        ProximityEvent(zone: .inner, kind: .forgotten, time: time),
        ProximityEvent(zone: .outer, kind: .forgotten, time: time),
      ])
    #expect(zones.current == nil)
    #expect(zones.update(distance: absent, at: seconds(20)).isEmpty)
  }

  @Test func startsOutsideAfterLongGap() {
    var zones = ProximityZones(dwell: 0, forgetAfter: 2)
    _ = zones.update(distance: 1, at: seconds(0))
    #expect(
      zones.update(distance: 2, at: seconds(5)).map(\.kind) == [.forgotten, .forgotten, .entered])
    #expect(zones.current == .outer)
    // A dwell time does not continue over the gap either.
    var slow = ProximityZones(dwell: 1, forgetAfter: 2)
    _ = slow.update(distance: 1, at: seconds(0))
    #expect(slow.update(distance: 1, at: seconds(5)).isEmpty)
    #expect(slow.update(distance: 1, at: seconds(6)).count == 2)
  }

  @Test func rejectsLateDistancesAndForgetsAfterClockReset() {
    var zones = ProximityZones(dwell: 0, forgetAfter: 2)
    _ = zones.update(distance: 1, at: seconds(10))
    #expect(zones.update(distance: 9, at: seconds(9)).isEmpty)
    #expect(zones.current == .inner)
    #expect(zones.update(distance: 9, at: seconds(7)).map(\.kind) == [.forgotten, .forgotten])
    #expect(zones.update(distance: 1, at: seconds(7.1)).map(\.kind) == [.entered, .entered])
  }

  @Test func acceptsSmoothedDistanceOfZero() {
    var zones = ProximityZones(dwell: 0)
    let time = seconds(0)
    #expect(zones.update(distance: 0, at: time).isEmpty)
    let smoothed = SmoothedDistance(distance: 0, lag: 0, time: time)
    #expect(zones.update(smoothed: smoothed, at: time).count == 2)
    #expect(zones.update(smoothed: nil, at: seconds(3)).map(\.kind) == [.forgotten, .forgotten])
  }

  /// For any number of zones: zones are nested, events alternate with their opposites, and entries
  /// and exits obey the radii.
  @Test func zonesStayNested() {
    var generator = SeededGenerator(seed: 92)
    let radii = [0.3, 4, 2, 1.5, 3, 2.1]
    for dwell in [0, 0.25] {
      var zones = ProximityZones(radii.map(ProximityZone.init), hysteresis: 0.5, dwell: dwell)
      #expect(zones.zones.map(\.radius) == radii.sorted(by: >))
      var inside: Set<ProximityZone> = []
      var time = seconds(0)
      var events = 0
      var distance = 2.0
      for _ in 0..<5000 {
        time = time.advanced(bySeconds: generator.exponential(mean: 0.1))
        distance = min(max(distance + 0.4 * generator.normal(), 0.1), 6)
        let given = generator.uniform() < 0.1 ? nil : distance
        for event in zones.update(distance: given, at: time) {
          events += 1
          if event.kind == .entered {
            #expect(inside.insert(event.zone).inserted)
            #expect(distance < event.zone.radius)
          } else {
            #expect(inside.remove(event.zone) != nil)
            if event.kind == .left { #expect(distance >= event.zone.radius + 0.5) }
          }
        }
        for zone in zones.zones { #expect(zones.isInside(zone) == inside.contains(zone)) }
        #expect(inside.min { $0.radius < $1.radius } == zones.current)
        let isNested = zones.zones.prefix(inside.count).allSatisfy(inside.contains)
        #expect(isNested)
      }
      #expect(events > 300)
    }
  }

  @Test func resetCausesNoEvents() {
    var zones = ProximityZones(dwell: 0)
    _ = zones.update(distance: 1, at: seconds(0))
    zones.reset()
    #expect(zones.current == nil)
    #expect(zones.update(distance: nil, at: seconds(100)).isEmpty)
  }

  /// The fast path for unchanged zones gives the result of the general path.
  @Test(arguments: [UInt64](1...6))
  func changesMatchNonemptyEvents(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let sets: [[ProximityZone]] = [
      [.outer, .inner], [], [.outer], [1, 2, 2.25, 1e200].map { ProximityZone(radius: $0) },
    ]
    for zones in sets {
      let hysteresis = [0, 0.3, 1][Int(random.next() % 3)]
      let dwell = [0, 0.2, 0.5][Int(random.next() % 3)]
      var long = ProximityZones(zones, hysteresis: hysteresis, dwell: dwell, forgetAfter: 2)
      var short = long
      var time = 0.0
      var distance = 2.0
      for step in 0..<3000 {
        // Mostly forward in time, sometimes far, sometimes back, sometimes far back.
        let kind = random.next() % 200
        time += kind == 0 ? 5 : kind == 1 ? -5 : kind < 6 ? -0.05 : kind < 20 ? 0 : 0.1
        // Also exactly on the boundaries.
        distance += 0.25 * (random.uniform() < 0.5 ? 1 : -1) * Double(random.next() % 2)
        distance = max(0, min(5, distance))
        var smoothed: Double? = distance
        switch random.next() % 100 {
        case 0: smoothed = nil
        case 1: smoothed = .nan
        case 2: smoothed = .infinity
        case 3: smoothed = -distance
        case 4: smoothed = 1e39
        case 5: smoothed = 0
        default: break
        }
        let now = seconds(time)
        let expected = long.update(
          smoothed: smoothed.map { SmoothedDistance(distance: $0, lag: 0, time: now) }, at: now)
        let found = short.changes(smoothed: smoothed, at: now)
        #expect(found.map(Array.init) ?? [] == Array(expected), "seed \(seed), step \(step)")
        #expect(found?.isEmpty != true)
        #expect(short.depth == long.depth, "seed \(seed), step \(step)")
        if random.next() % 500 == 0 {
          long.reset()
          short.reset()
        }
      }
    }
  }
}
