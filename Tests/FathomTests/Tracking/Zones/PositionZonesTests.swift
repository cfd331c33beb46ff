import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct PositionZonesTests {
  private func seconds(_ value: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64((value * 1e9).rounded()))
  }

  private func square(_ name: String, at x: Double, heights: ClosedRange<Double>? = nil) throws
    -> PositionZone
  {
    try #require(
      PositionZone(
        name: name,
        corners: [Vector([x, 0]), Vector([x + 4, 0]), Vector([x + 4, 4]), Vector([x, 4])],
        heights: heights))
  }

  private func place(_ x: Double, _ z: Double = 1) -> Vector<3> { Vector([x, 2, z]) }

  @Test func entersAndLeavesBeyondTheMarginAfterTheDwell() throws {
    var zones = PositionZones(
      [try square("a", at: 0), try square("b", at: 3)], margin: 0.25, dwell: 0.5, confidence: 0)
    func events(_ x: Double, _ time: Double) -> [String] {
      zones.update(place(x), at: seconds(time)).map { "\($0.kind) \($0.zone)" }
    }
    #expect(events(-1, 0) == [])
    #expect(events(0.2, 1) == [] && events(0.2, 3) == [])  // within the margin
    #expect(events(0.3, 4) == [] && events(0.3, 4.4) == [])  // not long enough
    #expect(events(0.1, 4.45) == [] && events(0.3, 4.5) == [])  // begun anew
    #expect(events(0.3, 4.9) == [] && events(0.4, 5) == ["entered 0"])
    #expect(zones.isInside(0) && !zones.isInside(1))
    #expect(events(3.5, 6) == [] && events(3.5, 6.5) == ["entered 1"])
    #expect(events(4.2, 7) == [] && events(4.2, 9) == [] && zones.isInside(0))
    #expect(events(5, 10) == [] && events(5, 10.5) == ["left 0"])
    // Directly from one to the other: left before entered.
    #expect(events(1, 11) == [] && events(1, 12) == ["left 1", "entered 0"])
  }

  @Test func leavesZonesWithoutPositions() throws {
    var zones = PositionZones(
      [try square("a", at: 0)], margin: 0, dwell: 0, confidence: 0, forgetAfter: 3)
    func events(_ position: Vector<3>?, _ time: Double) -> [String] {
      zones.update(position, at: seconds(time)).map { "\($0.kind)" }
    }
    #expect(events(place(1), 0) == ["entered"])
    #expect(events(nil, 2) == [] && events(Vector([.nan, 1, 1]), 3) == [])
    #expect(events(nil, 3.1) == ["forgotten"] && !zones.isInside(0))
    #expect(events(nil, 9) == [])
    #expect(events(place(1), 10) == ["entered"])
    // After a long gap, the tag starts from outside.
    #expect(events(place(1), 20) == ["forgotten", "entered"])
    // An earlier position is rejected; a large step back is a clock that was set.
    #expect(events(place(-5), 18) == [] && zones.isInside(0))
    #expect(events(place(-5), 1) == ["forgotten"])
    #expect(events(place(1), 1) == ["entered"])
    zones.reset()
    #expect(!zones.isInside(0))
  }

  @Test func positionsWithoutHeightKeepZonesWithHeights() throws {
    var zones = PositionZones(
      [try square("low", at: 0, heights: 0...2), try square("all", at: 0)], margin: 0, dwell: 1,
      confidence: 0)
    #expect(zones.update(place(1, .nan), at: seconds(0)).isEmpty)
    #expect(zones.update(place(1, 1), at: seconds(0.5)).isEmpty)
    #expect(zones.update(place(1, .nan), at: seconds(1)).map(\.zone) == [1])
    #expect(zones.update(place(1, 1), at: seconds(1.5)).map(\.zone) == [0])
    #expect(zones.update(place(1, 3), at: seconds(2)).isEmpty)
    #expect(zones.update(place(1, 3), at: seconds(3)).map(\.kind) == [.left])
  }

  /// Of the tags that enter or leave, at least the stated share has truly done so.
  @Test(arguments: [0.5, 0.8, 0.95])
  func eventsHaveTheStatedConfidence(_ confidence: Double) throws {
    var generator = SeededGenerator(seed: 7)
    let corners: [Vector<2>] = [
      Vector([0, 0]), Vector([6, 0]), Vector([6, 5]), Vector([3, 2]), Vector([0, 5]),
    ]
    let zone = try #require(PositionZone(name: "z", corners: corners))
    let exact = PositionSpread(nil, radii: 1)
    var (entered, inside, left, outside) = (0, 0, 0, 0)
    for _ in 0..<20_000 {
      let (a, c) = (generator.uniform(in: 0.02...0.8), generator.uniform(in: 0.02...0.8))
      let b = generator.uniform(in: -0.8...0.8)
      let covariance = Matrix<3, 3>([
        [a * a, a * b, 0], [a * b, b * b + c * c, 0], [0, 0, 0.1],
      ])
      let position = Vector<3>([
        generator.uniform(in: -1...7), generator.uniform(in: -1...6), 1,
      ])
      let (u, v) = (generator.normal(), generator.normal())
      let truth = position + Vector([a * u, b * u + c * v, 0])
      let isInside = zone.side(of: truth, spread: exact, margin: 0) == .inside
      var zones = PositionZones([zone], margin: 0, dwell: 0, confidence: confidence)
      if zones.update(position, covariance: covariance, at: seconds(0)).isEmpty {
        // Outside, coming from the inside.
        _ = zones.update(Vector([1.5, 1, 1]), at: seconds(1))
        let events = zones.update(position, covariance: covariance, at: seconds(2))
        if events.isEmpty { continue }
        left += 1
        outside += isInside ? 0 : 1
      } else {
        entered += 1
        inside += isInside ? 1 : 0
      }
    }
    #expect(entered > 500 && left > 500, "seed 7: \(entered) \(left)")
    #expect(Double(inside) >= confidence * Double(entered), "seed 7: \(inside) of \(entered)")
    #expect(Double(outside) >= confidence * Double(left), "seed 7: \(outside) of \(left)")
  }

  /// A tag on the boundary, with a consistent covariance: at most one event in an hour at 10 Hz.
  @Test func standingOnABoundaryDoesNotFlicker() throws {
    var generator = SeededGenerator(seed: 19)
    for sigma in [0.02, 0.1, 0.5] {
      var zones = PositionZones([try square("a", at: 0)])
      var count = 0
      for step in 0..<36_000 {
        let error = Vector<3>([sigma * generator.normal(), sigma * generator.normal(), 0])
        count +=
          zones.update(
            place(0) + error, covariance: sigma * sigma * Matrix<3, 3>.identity,
            at: seconds(0.1 * Double(step))
          ).count
      }
      #expect(count <= 1, "seed 19, sigma \(sigma)")
    }
  }

  @Test func acceptsTrackEstimates() throws {
    var zones = PositionZones([try square("a", at: 0)], dwell: 0)
    let estimate = TrackEstimate(
      time: seconds(4), position: place(2), velocity: .zero,
      covariance: 0.01 * Matrix<3, 3>.identity, status: .tracking)
    #expect(
      zones.update(estimate) == [PositionZoneEvent(zone: 0, kind: .entered, time: seconds(4))])
  }
}
