import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Two or three tags that walk through a room, of which all but the first hear one anchor only.
struct TiedRoom {
  static let corners: [Vector<3>] = [
    Vector([0, 0, 2.5]), Vector([8, 0, 2.5]), Vector([8, 6, 2.5]), Vector([0, 6, 2.5]),
  ]
  static let sigma = 0.1
  var phase: Double
  var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    phase = generator.uniform(in: 0...6)
  }

  static var configuration: TrackerConfiguration {
    var result = TrackerConfiguration()
    result.height = 1.2
    result.bounds = PositionBounds(lower: Vector([0, 0, 0]), upper: Vector([8, 6, 2.5]))
    // The errors of the simulated ranges: independent.
    result.errors.sigma = sigma
    result.errors.correlatedShare = 0
    result.errors.commonModeSigma = 0
    return result
  }

  static var trackers: TiedTrackers {
    get throws {
      let tracker = try Tracker(
        anchors: corners.map { Anchor(position: $0) }, configuration: configuration)
      return TiedTrackers([tracker, tracker, tracker])
    }
  }

  /// Returns the place of a tag at a time.
  func place(_ tag: Int, _ time: Double) -> Vector<3> {
    let (a, b) = [(0.3, 0.3), (0.2, 0.37), (0.23, 0.31)][tag]
    let (p, q) = [(1.0, 1.0), (2.0, -1.0), (-1.0, 2.0)][tag]
    return Vector([
      4 + 2.6 * Double.cos(a * time + p * phase),
      3 + 1.9 * Double.sin(b * time + q * phase), 1.2,
    ])
  }

  mutating func range(_ tag: Int, anchor: Int, _ step: Int) -> RangeMeasurement {
    RangeMeasurement(
      time: time(step), anchor: anchor,
      distance: (place(tag, 0.1 * Double(step)) - Self.corners[anchor]).length
        + Self.sigma * generator.normal())
  }

  mutating func range(between one: Int, and other: Int, _ step: Int) -> TagRange {
    let (first, second) = (place(one, 0.1 * Double(step)), place(other, 0.1 * Double(step)))
    return TagRange(
      time: time(step), between: one, and: other,
      distance: max(0.01, (first - second).length + Self.sigma * generator.normal()))
  }

  func time(_ step: Int) -> Timestamp { Timestamp(nanoseconds: Int64(step) * 100_000_000) }
}

@Suite struct TiedTrackersTests {
  /// Two trackers with a known state, enough anchors of their own, and no prediction error at one instant.
  private func twoTracks(apart metres: Double, variances: (Double, Double)) throws -> TiedTrackers {
    var configuration = TrackerConfiguration()
    configuration.modes.processNoiseRatio = 1
    configuration.calibratesCovariance = false
    configuration.errors.correlatedShare = 0
    configuration.errors.commonModeSigma = 0
    configuration.errors.degreesOfFreedom = .infinity
    var first = try Tracker(
      anchors: TiedRoom.corners.map { Anchor(position: $0) }, configuration: configuration)
    for anchor in 0..<4 {
      first.latest[anchor] = Tracker.Latest(distance: 1, time: Timestamp(nanoseconds: 0))
    }
    var second = first
    func state(_ x: Double, _ variance: Double) -> Gaussian<6> {
      Gaussian(
        mean: Vector([x, 2, 1, 0, 0, 0]),
        covariance: .diagonal(Vector([variance, 1e-8, 1e-8, 0.01, 0.01, 0.01])))
    }
    first.start(at: Timestamp(nanoseconds: 0), state(2, variances.0), alternative: nil)
    second.start(at: Timestamp(nanoseconds: 0), state(2 + metres, variances.1), alternative: nil)
    return TiedTrackers([first, second])
  }

  /// On a line: variances 0.04 and 0.01, range variance 0.01, so that S = 0.06.
  ///
  /// A range that is 0.3 m too long
  /// moves the less known tag by 0.3 x 0.04/0.06 = 0.2, to the variance 0.04 - 0.04²/0.06 = 0.013333; the
  /// other one is an anchor and stays.
  @Test func oneRangeMovesTheLessKnownTrack() throws {
    var tied = try twoTracks(apart: 3, variances: (0.04, 0.01))
    let time = Timestamp(nanoseconds: 0)
    let before = tied.estimate(of: 1, at: time)
    let update = tied.update(TagRange(time: time, between: 0, and: 1, distance: 3.3, sigma: 0.1))
    #expect(update.outcome == .used)
    let first = try #require(tied.estimate(of: 0, at: time))
    #expect((first.position[0] - 1.8).magnitude < 1e-4)
    #expect((first.covariance[0, 0] - 0.04 * (1 - 0.04 / 0.06)).magnitude < 1e-5)
    #expect(tied.estimate(of: 1, at: time) == before)
  }

  /// Many ranges within a moment determine the difference of two tags, not their sum: the variance of either
  /// of two equal tracks stays above 0.04 / 2.
  @Test func manyRangesDoNotCountTwice() throws {
    var tied = try twoTracks(apart: 3, variances: (0.04, 0.04))
    for step in 0..<200 {
      tied.update(
        TagRange(
          time: Timestamp(nanoseconds: Int64(step)), between: 0, and: 1,
          distance: 3 + 1e-6 * Double(step % 2), sigma: 0.1))
    }
    for tag in 0...1 {
      let estimate = try #require(tied.estimate(of: tag, at: Timestamp(nanoseconds: 200)))
      #expect(estimate.covariance[0, 0] > 0.02)
    }
  }

  /// Tags that both depend on others would only confirm each other.
  @Test func dependentTagsGiveEachOtherNothing() throws {
    var tied = try twoTracks(apart: 3, variances: (0.04, 0.01))
    let time = Timestamp(nanoseconds: 2_000_000_000)
    let range = TagRange(time: time, between: 0, and: 1, distance: 3.3)
    #expect(tied.update(range).outcome == .discounted(weight: 0))
  }

  @Test func unusableRangesChangeNothing() throws {
    var tied = try twoTracks(apart: 3, variances: (0.04, 0.01))
    let time = Timestamp(nanoseconds: 1_000_000)
    let before = [tied.estimate(of: 0, at: time), tied.estimate(of: 1, at: time)]
    let ranges = [
      TagRange(time: time, between: 0, and: 0, distance: 1),
      TagRange(time: time, between: 0, and: 7, distance: 1),
      TagRange(time: time, between: -1, and: 1, distance: 1),
      TagRange(time: time, between: 0, and: 1, distance: .nan),
      TagRange(time: time, between: 0, and: 1, distance: -1),
      TagRange(time: time, between: 0, and: 1, distance: .infinity),
      TagRange(time: time, between: 0, and: 1, distance: 1, sigma: 0),
      TagRange(time: time, between: 0, and: 1, distance: 1, sigma: .nan),
    ]
    for range in ranges { #expect(tied.update(range).outcome == .invalid) }
    let early = TagRange(
      time: Timestamp(nanoseconds: -5_000_000_000), between: 0, and: 1, distance: 3)
    #expect(tied.update(early).outcome == .late)
    #expect([tied.estimate(of: 0, at: time), tied.estimate(of: 1, at: time)] == before)
    #expect(
      tied.update(RangeMeasurement(time: time, anchor: 0, distance: 3), of: 9).outcome == .invalid)
  }

  @Test func bothTagsMayReportARange() throws {
    var tied = try twoTracks(apart: 3, variances: (0.04, 0.01))
    let time = Timestamp(nanoseconds: 0)
    #expect(tied.update(TagRange(time: time, between: 0, and: 1, distance: 3.1)).outcome == .used)
    #expect(
      tied.update(TagRange(time: time, between: 1, and: 0, distance: 3.1)).outcome == .duplicate)
  }

  @Test func rangesBetweenUnknownTagsWait() throws {
    var tied = try TiedRoom.trackers
    var room = TiedRoom(seed: 5)
    for step in 0..<100 {
      #expect(tied.update(room.range(between: 0, and: 1, step)).outcome == .starting)
    }
    #expect(tied.estimate(of: 0, at: room.time(100)) == nil)
  }

  /// Without ranges between tags every track is that of a tracker alone, to the bit.
  @Test func untiedTracksAreThoseOfTrackers() throws {
    var room = TiedRoom(seed: 6)
    var tied = try TiedRoom.trackers
    var alone = tied.trackers
    for step in 0..<200 {
      for tag in 0..<3 {
        for anchor in 0..<(tag == 0 ? 4 : 3) {
          let range = room.range(tag, anchor: anchor, step)
          #expect(tied.update(range, of: tag) == alone[tag].update(range))
        }
        let (one, other) = (
          tied.estimate(of: tag, at: room.time(step)), alone[tag].estimate(at: room.time(step))
        )
        #expect(one == other)
      }
    }
  }

  /// Errors of a tag in many runs.
  private struct Errors {
    var squares = 0.0
    var count = 0.0
    var silent = 0.0
    var ambiguous = 0.0

    /// The mean normalised square per degree of freedom.
    var nees: Double { squares / count / 2 }

    mutating func add(_ estimate: TrackEstimate, _ place: Vector<3>) throws {
      let square = try #require(estimate.normalizedSquare(of: place))
      squares += square
      count += 1
      if estimate.status == .ambiguous { ambiguous += 1 } else if square > 25 { silent += 1 }
    }
  }

  /// The errors of each of `tags` tags, of which the first hears four anchors and every other one.
  private func errors(tags: Int, seeds: Int) throws -> [(filter: Errors, smooth: Errors)] {
    var errors = [(filter: Errors, smooth: Errors)](repeating: (Errors(), Errors()), count: tags)
    for seed in 0..<seeds {
      var room = TiedRoom(seed: UInt64(1000 + seed))
      var tied = TiedTrackers(Array(try TiedRoom.trackers.trackers.prefix(tags)))
      var alone = tied.trackers[0]
      var ranges = [[RangeMeasurement]](repeating: [], count: tags)
      var between: [TagRange] = []
      for step in 0..<600 {
        for tag in 0..<tags {
          for anchor in tag == 0 ? [0, 1, 2, 3] : [tag % 4] {
            let range = room.range(tag, anchor: anchor, step)
            ranges[tag].append(range)
            tied.update(range, of: tag)
            if tag == 0 { _ = alone.update(range) }
          }
        }
        for one in 0..<tags {
          for other in 0..<one {
            between.append(room.range(between: one, and: other, step))
            tied.update(between[between.count - 1])
          }
        }
        let time = room.time(step)
        for tag in 0..<tags {
          guard let estimate = tied.estimate(of: tag, at: time) else { continue }
          try errors[tag].filter.add(estimate, room.place(tag, time.seconds))
        }
        // The tag that needs no other is not changed by them.
        #expect(tied.estimate(of: 0, at: time) == alone.estimate(at: time))
      }
      let smoother = try TrackSmoother(
        anchors: TiedRoom.corners.map { Anchor(position: $0) },
        configuration: TiedRoom.configuration)
      let found = try #require(
        TiedSmoother.smoothed(
          ranges.map { TiedSmoother.Tag(smoother, ranges: $0) }, between: between))
      for tag in 0..<tags {
        let track = try #require(found.tracks[tag])
        for estimate in track.estimates {
          try errors[tag].smooth.add(estimate, room.place(tag, estimate.time.seconds))
        }
      }
    }
    return errors
  }

  /// A tag with one anchor, located by a tag with four: errors and covariances agree, and hardly any error is
  /// silent, in the filter and in the smoother.
  @Test(.releaseOnly) func tagWithOneAnchorIsLocated() throws {
    let guest = try errors(tags: 2, seeds: 30)[1]
    #expect((0.5...2).contains(guest.filter.nees), "\(guest.filter)")
    #expect((0.4...2).contains(guest.smooth.nees), "\(guest.smooth)")
    #expect(guest.filter.silent < 0.01 * guest.filter.count, "\(guest.filter)")
    #expect(guest.smooth.silent < 0.01 * guest.smooth.count, "\(guest.smooth)")
    #expect(guest.filter.ambiguous < 0.5 * guest.filter.count, "\(guest.filter)")
    #expect(guest.smooth.ambiguous < 0.3 * guest.smooth.count, "\(guest.smooth)")
  }

  @Test(.releaseOnly) func loopsOfThreeTagsAreConsistent() throws {
    for tag in try errors(tags: 3, seeds: 10).dropFirst() {
      #expect((0.3...2).contains(tag.filter.nees), "\(tag.filter)")
      #expect((0.3...2).contains(tag.smooth.nees), "\(tag.smooth)")
    }
  }
}
