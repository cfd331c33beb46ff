import TestSupport
import Testing

@testable import Fathom

/// Epochs of time differences, and those of a list of measurements.
@Suite struct EpochDifferencesTests {
  private typealias Room = LocatedRoom

  /// The exact difference of the distances to two anchors.
  private func difference(_ first: Int, _ second: Int, at seconds: Double) -> TimedDifference {
    TimedDifference(
      time: instant(seconds), first: first, second: second,
      difference: Room.distance(to: first) - Room.distance(to: second))
  }

  private func epochs(
    of measurements: [TimedMeasurement], _ change: (inout EpochLocator.Configuration) -> Void
  ) throws -> [EpochFix] {
    var room = try Room(height: 1, window: 0, change)
    var epochs: [EpochFix] = []
    room.locator.forEachEpoch(of: measurements) { epochs.append($0) }
    return epochs
  }

  /// The differences of a transmission are a fix of ``TimeDifferences``, to the bit.
  @Test func anEpochIsAFixOfItsDifferences() throws {
    let transmission = (1..<4).map { difference(0, $0, at: 2) }
    let epochs = try epochs(of: transmission.map(TimedMeasurement.difference)) { _ in }
    var options = PositionOptions()
    options.height = 1
    let expected = try TimeDifferences.solve(
      differences: transmission.map {
        TimeDifference(first: $0.first, second: $0.second, difference: $0.difference)
      }, anchors: Room.anchors.map(\.position), options: options)
    #expect(epochs.map(\.fix) == [expected.fix])
    #expect(epochs.map(\.differences) == [transmission] && epochs.map(\.time) == [instant(2)])
    #expect(epochs.map(\.used) == [3] && epochs.map(\.count) == [3])
    #expect((try #require(expected.fix.position) - Room.tag).length < 1e-6)
  }

  /// Transmissions with one difference each have epochs of four times as many as there are unknowns:
  /// with 20 ms between them 0.16 s, which holds nine instants of three pairs.
  @Test func theWindowHoldsWhatAPositionNeeds() throws {
    let single = (0..<30).map { difference(0, 1 + $0 % 3, at: 0.02 * Double($0)) }
    let measurements = single.map(TimedMeasurement.difference)
    let automatic = try epochs(of: measurements) { _ in }
    #expect(automatic.count == 30)
    // The newest of each pair.
    #expect(automatic.map(\.count) == [1, 2] + Array(repeating: 3, count: 28))
    #expect((try #require(automatic.last?.fix.position) - Room.tag).length < 1e-6)
    #expect(try epochs(of: measurements) { $0.differenceWindow = 0.025 }.last?.count == 2)
    #expect(try epochs(of: measurements) { $0.window = 0.025 }.last?.count == 2)
    #expect(try epochs(of: measurements) { $0.differenceWindow = 0 }.last?.count == 1)
    // Full transmissions need no window.
    let full = [0.0, 0.1].flatMap { time in (1..<3).map { difference(0, $0, at: time) } }
    #expect(try epochs(of: full.map(TimedMeasurement.difference)) { _ in }.map(\.count) == [2, 2])
  }

  /// A list is solved at every instant with a range, as update by update.
  @Test func aListIsSolvedAtEveryInstantWithARange() throws {
    var measurements: [TimedMeasurement] = []
    for step in 0..<8 {
      measurements.append(
        .range(
          RangeMeasurement(
            time: instant(0.1 * Double(step / 2)), anchor: step % 4,
            distance: Room.distance(to: step % 4))))
    }
    measurements.append(.difference(difference(0, 1, at: 0.2)))
    measurements.append(.interruption(instant(0.25)))
    measurements.sort(by: TimedMeasurement.precedes)
    let found = try epochs(of: measurements) { $0.window = 0.15 }
    #expect(found.map(\.time) == [0, 0.1, 0.2, 0.3].map { instant($0) })
    #expect(found.map(\.count) == [2, 4, 4, 4])
    var room = try Room(height: 1, window: 0.15)
    for step in 0..<4 {
      for case .range(let range) in measurements where range.time == instant(0.1 * Double(step)) {
        room.locator.update(.range(range))
      }
      room.solve(at: 0.1 * Double(step))
    }
    #expect(room.epochs == found)
    #expect(try epochs(of: []) { _ in }.isEmpty)
  }

  /// Heights count for the epochs before them.
  @Test func aListKnowsLaterHeights() throws {
    var locator = try EpochLocator(anchors: Room.anchors)
    var measurements = (0..<3).map { anchor in
      TimedMeasurement.range(
        RangeMeasurement(time: instant(0), anchor: anchor, distance: Room.distance(to: anchor)))
    }
    measurements.append(
      .height(HeightMeasurement(time: instant(0.3), height: 1, sigma: 0.01)))
    var heights: [Double] = []
    locator.forEachEpoch(of: measurements) { heights.append($0.fix.position?[2] ?? .nan) }
    #expect(heights.count == 1 && (heights[0] - 1).magnitude < 0.01)
  }
}
