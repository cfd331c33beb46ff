import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Measurements of all kinds in one stream: every form of the tracker gives the same answer.
@Suite struct TimedMeasurementTests {
  /// Ranges, differences, heights, inertial data and an interruption of a flight.
  private static func flight(
    using generator: inout SeededGenerator
  ) -> (measurements: [TimedMeasurement], configuration: TrackerConfiguration) {
    let flight = SimulatedFlight(to: 20, using: &generator)
    var configuration = SimulatedFlight.configuration()
    configuration.heights = HeightErrors()
    configuration.usesDifferences = true
    var measurements = flight.readings.map { TimedMeasurement.inertial($0) }
    for (index, range) in flight.ranges.enumerated() {
      measurements.append(.range(range.measurement))
      if index % 3 == 0 {
        let height = range.truth[2] + 0.1 * generator.normal()
        measurements.append(.height(HeightMeasurement(time: range.time, height: height)))
      }
      if index % 4 == 0 {
        let anchors = SimulatedFlight.anchors
        let (one, other) = (index % anchors.count, (index + 3) % anchors.count)
        let difference =
          (range.truth - anchors[one].position).length
          - (range.truth - anchors[other].position).length
        measurements.append(
          .difference(
            TimedDifference(
              time: range.time, first: one, second: other,
              difference: difference + 0.1 * generator.normal())))
      }
    }
    return (measurements.sorted(by: TimedMeasurement.precedes), configuration)
  }

  @Test func oneStreamEqualsTheKindsByThemselves() throws {
    var generator = SeededGenerator(seed: 4601)
    let (measurements, configuration) = Self.flight(using: &generator)
    var stream = try Tracker(
      anchors: SimulatedFlight.anchors, configuration: configuration)
    var kinds = stream
    for measurement in measurements {
      let found = stream.update(measurement)
      let expected =
        switch measurement {
        case .range(let range): kinds.update(range)
        case .difference(let difference): kinds.update(difference)
        case .height(let height): kinds.update(height)
        case .inertial(let reading): kinds.update(reading)
        default: TrackUpdate(outcome: .invalid)
        }
      #expect(found == expected)
    }
    let end = instant(20)
    #expect(stream.estimate(at: end) != nil)
    #expect(stream.estimate(at: end) == kinds.estimate(at: end))
  }

  /// Measurements that arrive in any order within the horizon give the estimate of those in order,
  /// also by identifiers.
  @Test func orderOfArrivalDoesNotMatter() throws {
    var generator = SeededGenerator(seed: 4602)
    let (measurements, configuration) = Self.flight(using: &generator)
    let anchors = SimulatedFlight.anchors
    var ordered = try Tracker(anchors: anchors, configuration: configuration)
    for measurement in measurements { ordered.update(measurement) }
    let arriving = measurements.map { ($0.time.advanced(bySeconds: 0.3 * generator.uniform()), $0) }
      .sorted { $0.0 < $1.0 }.map(\.1)
    var reordering = try ReorderingTracker(
      anchors: anchors, configuration: configuration, horizon: 0.4)
    var live = try LiveTracker<String, Int>(
      anchors: Dictionary(uniqueKeysWithValues: anchors.enumerated().map { ($0, $1) }),
      configuration: configuration, horizon: 0.4)
    for measurement in arriving {
      let found = reordering.update(measurement)
      #expect(found.outcome != .late)
      switch measurement {
      case .range(let range):
        live.update(
          LiveRange(
            tag: "tag", anchor: range.anchor, distance: range.distance, sigma: range.sigma,
            at: range.time))
      case .difference(let difference):
        live.update(
          difference: difference.difference, between: difference.first, and: difference.second,
          of: "tag", at: difference.time)
      default: live.update(measurement, of: "tag")
      }
    }
    let end = instant(20)
    let expected = try #require(ordered.estimate(at: end))
    #expect(reordering.estimate(at: end) == expected)
    // The identifiers of anchors are in an order of their own, which rounds differently.
    let found = try #require(live.estimate(of: "tag", at: end))
    #expect((found.position - expected.position).length < 1e-3)
  }

  @Test func smootherTakesMeasurementsInAnyOrder() throws {
    var generator = SeededGenerator(seed: 4603)
    let (measurements, configuration) = Self.flight(using: &generator)
    let smoother = try TrackSmoother(
      anchors: SimulatedFlight.anchors, configuration: configuration)
    let ordered = try #require(smoother.smoothed(measurements))
    let shuffled = try #require(smoother.smoothed(measurements.shuffled(using: &generator)))
    let middle = instant(10)
    let expected = try #require(ordered.estimate(at: middle, configuration: configuration))
    let found = try #require(shuffled.estimate(at: middle, configuration: configuration))
    #expect((found.position - expected.position).length < 1e-6)
  }

  /// A measurement of anchors without their identifiers, or of unknown ones, is refused.
  @Test func measurementsOfUnknownAnchorsAreInvalid() throws {
    var live = try LiveTracker<String, String>(
      anchors: ["A": Anchor(position: .zero)])
    let range = RangeMeasurement(time: instant(0), anchor: 0, distance: 1)
    #expect(live.update(.range(range), of: "tag").outcome == .invalid)
    let unknown = live.update(difference: 1, between: "A", and: "B", of: "tag", at: instant(0))
    #expect(unknown.outcome == .invalid)
    #expect(live.tags == [])
  }

  /// Of one instant, what predicts comes first, and an interruption last.
  @Test func measurementsOfOneInstantHaveAnOrder() {
    let time = instant(1)
    let kinds: [TimedMeasurement] = [
      .inertial(InertialMeasurement(time: time, acceleration: .zero, rotation: .zero)),
      .odometry(OdometryIncrement(begin: instant(0), end: time, forward: 1, turn: .zero)),
      .height(HeightMeasurement(time: time, height: 1)),
      .difference(TimedDifference(time: time, first: 0, second: 1, difference: 0)),
      .range(RangeMeasurement(time: time, anchor: 0, distance: 1)),
      .direction(
        DirectionMeasurement(
          time: time, anchor: 0, azimuth: .zero, attitude: .identity, sigma: .zero)),
      .interruption(time),
    ]
    #expect(kinds.reversed().sorted(by: TimedMeasurement.precedes) == kinds)
  }
}
