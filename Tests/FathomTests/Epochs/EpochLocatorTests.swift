import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct EpochLocatorTests {
  private typealias Room = LocatedRoom

  /// An epoch whose ranges agree is a fix of ``Trilateration``, to the bit.
  @Test func anEpochIsAFixOfItsRanges() throws {
    let seed: UInt64 = 7301
    var generator = SeededGenerator(seed: seed)
    var compared = 0
    for _ in 0..<repetitions(100, long: 3000) {
      let tag = Vector<3>([
        generator.uniform(in: 1...7), generator.uniform(in: 1...5), generator.uniform(in: 0...3),
      ])
      var room = try Room()
      let errors = Room.anchors.map { _ in 0.1 * generator.normal() }
      room.solve(errors: errors, from: tag)
      let ranges = errors.indices.map { Room.distance(to: $0, from: tag) + errors[$0] }
      let expected = try Trilateration.solve(
        ranges: ranges, anchors: Room.anchors.map(\.position))
      let epoch = try #require(room.epochs.first)
      guard expected.verdict != .inconsistent else { continue }
      compared += 1
      #expect(epoch.fix == expected, "seed \(seed)")
      #expect(epoch.ranges.map(\.distance) == ranges)
      #expect(epoch.ranges.map(\.ordinal) == [0, 1, 2, 3])
    }
    #expect(compared > 50)
  }

  @Test func epochsWithoutMeasurementsAreNone() throws {
    var room = try Room()
    room.solve(at: 0)
    #expect(room.epochs.isEmpty)
    room.solve(2)
    let epoch = try #require(room.epochs.first)
    #expect(epoch.fix.position == nil && epoch.used == 0 && epoch.count == 2)
    #expect(epoch.fix.verdict == .tooFew && !epoch.isUsed(0))
  }

  @Test func ignoresRangesOutsideTheWindow() throws {
    var room = try Room(window: 0.5)
    for anchor in 0..<4 {
      room.add(anchor, Room.distance(to: anchor), at: anchor == 0 ? 0 : 0.25)
    }
    // The range of anchor 0 is exactly as old as the window, then older.
    room.solve(at: 0.5)
    #expect(room.epochs.map(\.used) == [4])
    room.solve(at: 0.625)
    // Three ranges in space give a mirror pair or no position.
    #expect(room.epochs.last?.count == 3)
    room.solve(at: 9)
    #expect(room.epochs.count == 2)
  }

  /// A clock that steps back leaves ranges behind that are later than the epoch.
  @Test func ignoresRangesAfterTheEpoch() throws {
    var room = try Room()
    for anchor in 0..<4 { room.add(anchor, 1, at: 3600) }
    room.solve(at: 3600)
    room.solve(3, at: 0)
    #expect(room.epochs.map(\.count) == [4, 3])
    room.solve(at: 0.5)
    #expect(room.epochs.last?.ranges.map(\.anchor) == [0, 1, 2])
  }

  @Test func usesNewestRangeOfEachAnchor() throws {
    var room = try Room()
    room.add(0, 1)
    room.solve(at: 0.1)
    room.solve(at: 0.1)
    #expect(room.epochs.map(\.count) == [1, 1])
    room.solve(4, at: 0.1)
    let epoch = try #require(room.epochs.last)
    #expect((try #require(epoch.fix.position) - Room.tag).length < 1e-9)
    #expect(epoch.ranges.map(\.ordinal) == [1, 2, 3, 4])
  }

  /// As many ranges as unknowns show no wrong one, so that their errors are those of all ranges.
  @Test func uncheckedRangesHaveTheWholeNoise() throws {
    var errors = RangeErrorEstimate(sigma: 0.1, epochs: 100)
    errors.wholeSigma = 0.5
    func spread(of count: Int, sigma: Double?, given: Double = 0.1) throws -> Double {
      // The box excludes the mirror image beyond the wall of the first two anchors.
      var room = try Room(height: 1) {
        $0.errors = errors
        $0.options.rangeSigma = given
        $0.bounds = PositionBounds(lower: Vector([0, 0, 0]), upper: Vector([8, 6, 3]))
      }
      room.solve(count, sigma: sigma)
      let epoch = try #require(room.epochs.first)
      #expect(epoch.fix.verdict == .unique)
      let covariance = try #require(epoch.covariance)
      return (covariance[0, 0] + covariance[1, 1]).squareRoot()
    }
    let (own, unchecked) = (try spread(of: 2, sigma: 0.1), try spread(of: 2, sigma: nil))
    #expect(unchecked > 3 * own, "\(unchecked) \(own)")
    // Given standard deviations are those of all ranges.
    #expect(try spread(of: 2, sigma: nil, given: 0.2) == spread(of: 2, sigma: 0.2))
    #expect(try spread(of: 4, sigma: nil) == spread(of: 4, sigma: 0.1))
  }

  /// The covariance of contradicting ranges reaches the position that reconciles them.
  @Test func contradictingRangesHaveAWideCovariance() throws {
    var room = try Room(height: 1)
    room.solve(errors: [1.5, -0.5, 1.5, -0.5])
    let epoch = try #require(room.epochs.first)
    #expect(epoch.fix.verdict == .inconsistent)
    let error = try #require(epoch.fix.position) - Room.tag
    let covariance = try #require(epoch.covariance)
    let variance = covariance[0, 0] + covariance[1, 1]
    #expect(error.dot(error) < 9 * variance, "\(epoch)")
    #expect(variance > 0.25)
    // The position and its contributions are those of the solver.
    let ranges = (0..<4).map { Room.distance(to: $0) + ($0.isMultiple(of: 2) ? 1.5 : -0.5) }
    var fix = try Trilateration.solve(
      ranges: ranges, anchors: Room.anchors.map(\.position),
      options: room.locator.configuration.options)
    fix.covariance = epoch.fix.covariance
    #expect(epoch.fix == fix)
  }

  /// Of two images above and below the anchors the lower one is reported, with a covariance that
  /// reaches the other in z alone.
  @Test func mirrorImageIsAmbiguousOnlyInHeight() throws {
    let coplanar = Room.anchors.map {
      Anchor(position: Vector<3>([$0.position[0], $0.position[1], 2]))
    }
    var room = try Room(coplanar)
    room.solve()
    let epoch = try #require(room.epochs.first)
    #expect(epoch.isAmbiguous && epoch.fix.verdict == .two)
    #expect((try #require(epoch.fix.position) - Room.tag).length < 1e-9)
    let covariance = try #require(epoch.covariance)
    let rise = 2 * (2 - Room.tag[2])
    #expect(covariance[2, 2] > 0.5 * rise * rise)
    #expect(covariance[0, 0] < 0.1 && covariance[1, 1] < 0.1)
  }

  /// Two circles meet twice; the position follows the last one that was unambiguous.
  @Test func anAmbiguousPositionIsTheNearestToTheLastFix() throws {
    for side in [-1, 1] as [Double] {
      var room = try Room(height: 1)
      let tag = Vector<3>([3, side * 2, 1])
      room.solve(4, at: 0, from: tag)
      room.solve(2, at: 10, from: tag)
      #expect(room.epochs.map(\.isAmbiguous) == [false, true])
      for epoch in room.epochs {
        let position = try #require(epoch.fix.position)
        #expect((position - tag).length < 1e-6, "\(side)")
        // The contributions are those of this position.
        for residual in epoch.fix.residuals {
          #expect(try #require(residual).magnitude < 1e-6, "\(side)")
        }
      }
      #expect(room.epochs.map(\.used) == [4, 2] && room.epochs.map(\.count) == [4, 2])
      #expect(try #require(room.epochs[1].covariance)[1, 1] > 7)
    }
  }

  /// The counts are those of the reported position, not of the one that is likelier by itself.
  @Test func theNearestPositionHasItsOwnDiscountedRanges() throws {
    for (place, rejected) in [(Room.tag, 2), (Vector<3>([Room.tag[0], -Room.tag[1], 1]), 3)] {
      var room = try Room(height: 1)
      room.solve(at: 0, from: place)
      room.solve(errors: [0, 0, 3, 0], at: 10)
      #expect(room.epochs.map(\.isAmbiguous) == [false, true])
      let epoch = room.epochs[1]
      #expect((try #require(epoch.fix.position) - place).length < 0.5, "\(epoch)")
      #expect(epoch.fix.discounted.first == rejected)
      #expect(!epoch.isUsed(rejected) && epoch.ranges[rejected].ordinal == 4 + rejected)
    }
  }

  @Test func knownHeightResolvesMirrorImage() throws {
    var room = try Room(height: 1)
    room.solve(3)
    let epoch = try #require(room.epochs.first)
    #expect(epoch.fix.verdict == .unique)
    let position = try #require(epoch.fix.position)
    #expect((position - Room.tag).length < 1e-9)
    #expect(position[2] == 1)
    #expect(try #require(epoch.covariance)[2, 2] == 0)
  }

  @Test func correctsBiasAndScale() throws {
    var biased = Room.anchors
    for index in biased.indices {
      biased[index].bias = 0.3
      biased[index].scale = 1.02
    }
    var room = try Room(biased) { $0.bias = 0.05 }
    // measured = scale x (true + common bias) + bias.
    for anchor in 0..<4 { room.add(anchor, 1.02 * (Room.distance(to: anchor) + 0.05) + 0.3) }
    room.solve(at: 0)
    #expect((try #require(room.epochs.first?.fix.position) - Room.tag).length < 1e-9)
  }

  /// The errors of ranges and surveys add up to one standard deviation.
  @Test func addsRangeAndSurveyVariances() throws {
    func variance(sigma: Double?, surveyed: Double?) throws -> Double {
      var anchors = Room.anchors
      for index in anchors.indices { anchors[index].positionSigma = surveyed }
      var room = try Room(anchors)
      room.solve(sigma: sigma)
      return try #require(room.epochs.first?.covariance)[0, 0]
    }
    let base = try variance(sigma: nil, surveyed: nil)
    #expect(base > 0)
    // The default is 0.1 m.
    #expect(try variance(sigma: 0.1, surveyed: nil) == base)
    // 0.3² + 0.4² = 0.5².
    #expect(
      isClose(
        try variance(sigma: 0.3, surveyed: 0.4), try variance(sigma: 0.5, surveyed: nil),
        within: 1e-9))
    #expect(try variance(sigma: 0.3, surveyed: 0.4) > variance(sigma: 0.3, surveyed: nil))
  }

  /// A bias that is not corrected widens the covariance, and moves no position.
  @Test func covarianceIncludesTheRemainingBias() throws {
    func epoch(remaining: Double) throws -> EpochFix {
      var errors = RangeErrorEstimate(sigma: 0.1, epochs: 100)
      errors.bias = RangeErrorEstimate.Parameter(
        value: 0, sigma: 0.2, prediction: 0, decision: .insignificant, mean: 0,
        remaining: remaining)
      var room = try Room { $0.errors = errors }
      room.solve()
      return try #require(room.epochs.first)
    }
    let (without, with) = (try epoch(remaining: 0), try epoch(remaining: 0.04))
    #expect(with.fix.position == without.fix.position)
    let (least, most) = (try #require(without.covariance), try #require(with.covariance))
    #expect(most[2, 2] > least[2, 2])
  }
}

/// Measurements that are no ranges.
@Suite struct EpochLocatorSensorTests {
  private typealias Room = LocatedRoom

  private func height(_ metres: Double, sigma: Double? = nil, at seconds: Double)
    -> TimedMeasurement
  {
    .height(HeightMeasurement(time: instant(seconds), height: metres, sigma: sigma))
  }

  /// The nearest height within half a second, before or after, is known with its standard deviation.
  @Test func usesTheNearestHeight() throws {
    var room = try Room()
    for (metres, seconds) in [(1.0, 0.0), (1.2, 0.4), (5, 2)] {
      let isUsed = room.locator.update(height(metres, sigma: 0.2, at: seconds))
      #expect(isUsed)
    }
    func expect(_ height: Double?, at seconds: Double) {
      let options = room.locator.options(at: instant(seconds))
      #expect(options.height == height, "\(seconds)")
      #expect((options.heightSigma == nil) == (height == nil))
    }
    expect(1, at: -0.5)
    expect(nil, at: -0.6)
    expect(1, at: 0.1)
    // Of two at the same distance the earlier one.
    expect(1, at: 0.2)
    expect(1.2, at: 0.3)
    expect(1.2, at: 0.9)
    expect(nil, at: 1.2)
    expect(5, at: 1.6)
    // Its whole error: 0.5 of 0.1² is persistent, 0.5 of 0.2² is white.
    let sigma = try #require(room.locator.options(at: instant(0)).heightSigma)
    #expect(isClose(sigma, (0.005 + 0.02).squareRoot(), within: 1e-12))
    // Those that no later epoch can use are forgotten.
    room.solve(at: 1.8)
    expect(nil, at: 0)
    expect(5, at: 1.8)
  }

  /// An epoch with a height is the fix with that height.
  @Test func anEpochWithAHeightIsThatFix() throws {
    var room = try Room()
    room.locator.update(height(1.05, at: 0))
    room.solve(3)
    let epoch = try #require(room.epochs.first)
    var options = PositionOptions()
    options.height = 1.05
    options.heightSigma = HeightErrors().sigma(
      of: HeightMeasurement(time: instant(0), height: 1.05))
    let expected = try Trilateration.solve(
      ranges: (0..<3).map { Room.distance(to: $0) },
      anchors: Room.anchors.prefix(3).map(\.position),
      options: options)
    #expect(epoch.fix == expected)
    #expect((try #require(epoch.fix.position) - Room.tag).length < 0.2)
  }

  /// A height of another floor is not used.
  @Test func aHeightThatContradictsTheRangesIsNotUsed() throws {
    var room = try Room()
    room.locator.update(height(9, at: 0))
    room.solve()
    let expected = try Trilateration.solve(
      ranges: (0..<4).map { Room.distance(to: $0) }, anchors: Room.anchors.map(\.position))
    #expect(room.epochs.first?.fix == expected)
  }

  @Test func refusesWhatEpochsCannotUse() throws {
    var room = try Room(height: 1)
    let time = instant(0)
    let useless: [TimedMeasurement] = [
      height(1, at: 0), .range(RangeMeasurement(time: time, anchor: 4, distance: 1)),
      .range(RangeMeasurement(time: time, anchor: 0, distance: .nan)),
      .range(RangeMeasurement(time: time, anchor: 0, distance: 0)),
      .range(RangeMeasurement(time: time, anchor: 0, distance: 1, sigma: 0)),
      .difference(TimedDifference(time: time, first: 0, second: 0, difference: 1)),
      .direction(
        DirectionMeasurement(
          time: time, anchor: 0, azimuth: .zero, attitude: .identity, sigma: Angle(degrees: 3))),
      .odometry(OdometryIncrement(begin: time, end: instant(1), forward: 1, turn: .zero)),
      .inertial(InertialMeasurement(time: time, acceleration: .zero, rotation: .zero)),
      .interruption(time),
    ]
    for measurement in useless {
      let isUsed = room.locator.update(measurement)
      #expect(!isUsed, "\(measurement)")
    }
    room.solve(at: 0)
    #expect(room.epochs.isEmpty)
    // Ranges that are not valid count.
    room.solve()
    #expect(room.epochs.first?.ranges.map(\.ordinal) == [4, 5, 6, 7])
  }

  /// One range and its direction determine a position.
  @Test func usesDirections() throws {
    var room = try Room()
    let attitude = Sighting.upright(facing: Angle(degrees: 20))
    let offset = attitude.transposed() * (Room.anchors[1].position - Room.tag)
    let direction = try #require(Direction(offset))
    room.add(1, offset.length)
    let isUsed = room.locator.update(
      .direction(
        DirectionMeasurement(
          time: instant(0), anchor: 1, azimuth: direction.azimuth, elevation: direction.elevation,
          attitude: attitude, sigma: Angle(degrees: 3))))
    #expect(isUsed)
    room.solve(at: 0)
    let epoch = try #require(room.epochs.first)
    #expect(epoch.fix.verdict == .unique && epoch.used == 1)
    #expect((try #require(epoch.fix.position) - Room.tag).length < 1e-5)
    // The direction belongs to its range and goes with it.
    room.add(1, offset.length, at: 0.1)
    room.solve(at: 0.1)
    #expect(room.epochs.last?.fix.verdict == .tooFew)
  }

  @Test func settingsAreChecked() {
    func error(_ change: (inout EpochLocator.Configuration) -> Void) -> ConfigurationError? {
      var configuration = EpochLocator.Configuration()
      change(&configuration)
      do {
        _ = try EpochLocator(anchors: Room.anchors, configuration: configuration)
        return nil
      } catch { return error }
    }
    #expect(error { _ in } == nil)
    #expect(error { $0.window = -1 } != nil)
    #expect(error { $0.differenceWindow = .nan } != nil)
    #expect(error { $0.bias = .infinity } != nil)
    #expect(error { $0.heights.sigma = 0 } != nil)
    #expect(error { $0.options.height = .nan } != nil)
    #expect(error { $0.options.headingSigma = .zero } != nil)
    #expect(error { $0.errors = RangeErrorEstimate(sigma: 0, epochs: 1) } != nil)
    #expect(error { $0.options.heightSigma = 1 } == .heightSigmaWithoutHeight)
    #expect(
      error { $0.bounds = PositionBounds(lower: Vector([0, 0, 1]), upper: .zero) } == .emptyBounds)
    #expect(
      error { $0.options.rangeSigma = 0 }
        == .outOfRange(name: "options.rangeSigma", value: 0, allowed: 1e-6...1e9))
  }
}
