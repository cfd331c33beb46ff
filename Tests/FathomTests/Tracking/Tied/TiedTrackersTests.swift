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
  /// Two trackers with a known state and no prediction error at one instant.
  private func twoTracks(apart metres: Double, variances: (Double, Double)) throws -> TiedTrackers {
    var configuration = TrackerConfiguration()
    configuration.modes.processNoiseRatio = 1
    configuration.calibratesCovariance = false
    configuration.errors.correlatedShare = 0
    configuration.errors.commonModeSigma = 0
    configuration.errors.degreesOfFreedom = .infinity
    var first = try Tracker(
      anchors: TiedRoom.corners.map { Anchor(position: $0) }, configuration: configuration)
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

  /// On a line: variances 0.04 and 0.01, range variance 0.01, so that S = 0.06. A range that is 0.3 m too long
  /// moves the tags apart by 0.3 x 0.04/0.06 = 0.2 and 0.3 x 0.01/0.06 = 0.05. The variances become
  /// 0.04 - 0.04²/0.06 = 0.013333 and 0.01 - 0.01²/0.06 = 0.008333.
  @Test func oneRangeMovesBothTracks() throws {
    var tied = try twoTracks(apart: 3, variances: (0.04, 0.01))
    let time = Timestamp(nanoseconds: 0)
    let update = tied.update(TagRange(time: time, between: 0, and: 1, distance: 3.3, sigma: 0.1))
    #expect(update.outcome == .used)
    let first = try #require(tied.estimate(of: 0, at: time))
    let second = try #require(tied.estimate(of: 1, at: time))
    #expect((first.position[0] - 1.8).magnitude < 1e-4)
    #expect((second.position[0] - 5.05).magnitude < 1e-4)
    #expect((first.covariance[0, 0] - 0.04 * (1 - 0.04 / 0.06)).magnitude < 1e-5)
    #expect((second.covariance[0, 0] - 0.01 * (1 - 0.01 / 0.06)).magnitude < 1e-5)
  }

  /// Many ranges between two tags determine their difference, not their sum: the variance of the mean of two
  /// equal tracks stays 0.04 / 2. A filter without correlations would reduce it further and further.
  @Test func manyRangesDoNotCountTwice() throws {
    var tied = try twoTracks(apart: 3, variances: (0.04, 0.04))
    for step in 0..<200 {
      let time = Timestamp(nanoseconds: Int64(step))
      tied.update(
        TagRange(
          time: time, between: 0, and: 1, distance: 3 + 1e-6 * Double(step % 2), sigma: 0.1))
    }
    let estimate = try #require(tied.estimate(of: 0, at: Timestamp(nanoseconds: 200)))
    #expect(estimate.covariance[0, 0] > 0.0199 && estimate.covariance[0, 0] < 0.0206)
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

  /// The mean normalised square of the errors of each tag per degree of freedom, of positions that are not
  /// ambiguous, and the share of the time with such positions.
  private func consistency(
    tags: Int, seeds: Range<Int>
  ) throws -> [(filter: Double, share: Double, smooth: Double)] {
    var sums = [(square: Double, count: Double)](repeating: (0, 0), count: tags)
    var smooth = sums
    for seed in seeds {
      var room = TiedRoom(seed: UInt64(1000 + seed))
      var tied = TiedTrackers(Array(try TiedRoom.trackers.trackers.prefix(tags)))
      var ranges = [[RangeMeasurement]](repeating: [], count: tags)
      var between: [TagRange] = []
      for step in 0..<600 {
        for tag in 0..<tags {
          for anchor in tag == 0 ? [0, 1, 2, 3] : [tag % 4] {
            ranges[tag].append(room.range(tag, anchor: anchor, step))
            tied.update(ranges[tag][ranges[tag].count - 1], of: tag)
          }
        }
        for one in 0..<tags {
          for other in 0..<one {
            between.append(room.range(between: one, and: other, step))
            tied.update(between[between.count - 1])
          }
        }
        for tag in 0..<tags {
          guard let estimate = tied.estimate(of: tag, at: room.time(step)),
            estimate.status == .tracking
          else { continue }
          sums[tag].square += square(estimate, room.place(tag, 0.1 * Double(step)))
          sums[tag].count += 1
        }
      }
      let smoother = try TrackSmoother(
        anchors: TiedRoom.corners.map { Anchor(position: $0) },
        configuration: TiedRoom.configuration)
      let found = try #require(
        TiedSmoother.smoothed(
          ranges.map { TiedSmoother.Tag(smoother, ranges: $0) }, between: between))
      for tag in 0..<tags {
        for estimate in found.tracks[tag]?.estimates ?? [] where estimate.status == .tracking {
          smooth[tag].square += square(estimate, room.place(tag, estimate.time.seconds))
          smooth[tag].count += 1
        }
      }
    }
    return (0..<tags).map {
      (
        sums[$0].square / sums[$0].count / 2, sums[$0].count / Double(600 * seeds.count),
        smooth[$0].square / smooth[$0].count / 2
      )
    }
  }

  private func square(_ estimate: TrackEstimate, _ place: Vector<3>) -> Double {
    let (x, y) = (estimate.position[0] - place[0], estimate.position[1] - place[1])
    let c = estimate.covariance
    let determinant = c[0, 0] * c[1, 1] - c[0, 1] * c[0, 1]
    return (c[1, 1] * x * x - 2 * c[0, 1] * x * y + c[0, 0] * y * y) / determinant
  }

  @Test(.releaseOnly) func tagWithOneAnchorIsLocated() throws {
    let found = try consistency(tags: 2, seeds: 0..<30)
    print("tied pair:", found)
    for tag in found {
      #expect((0.3...2).contains(tag.filter))
      #expect((0.3...2).contains(tag.smooth))
    }
    #expect(found[0].share > 0.98)
    #expect(found[1].share > 0.3)
  }

  @Test(.releaseOnly) func loopsOfThreeTagsAreConsistent() throws {
    let found = try consistency(tags: 3, seeds: 0..<15)
    print("tied loop:", found)
    for tag in found {
      #expect((0.3...2).contains(tag.filter))
      #expect((0.3...2).contains(tag.smooth))
    }
  }
}
