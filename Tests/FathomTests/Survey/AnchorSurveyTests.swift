import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Surveys of a hall of 20 x 15 m with eight anchors, from walks and from ranges between anchors.
@Suite(.releaseOnly) struct AnchorSurveyTests {
  /// A hall with noise of 0.10 m, and 5 % of the ranges too long.
  private struct Hall {
    var random: SeededGenerator
    var anchors: [Vector<3>]

    init(seed: UInt64, heights: [Double] = [2.5, 2.0, 2.8, 2.2, 3.0, 1.0, 2.6, 1.4]) {
      random = SeededGenerator(seed: seed)
      let plan: [(Double, Double)] = [
        (0, 0), (20, 0), (20, 15), (0, 15), (10, 0), (20, 7.5), (10, 15), (0, 7.5),
      ]
      anchors = zip(plan, heights).map { Vector([$0.0, $0.1, $1]) }
    }

    mutating func noise() -> Double {
      0.1 * (0..<12).reduce(-6.0) { sum, _ in sum + Double(random.next() >> 11) / 0x1p53 }
    }

    /// A walk with ten rounds of ranges a second, at 1.2 m or up and down about it.
    mutating func walk(seconds: Int = 180, isFlat: Bool) -> [RangeMeasurement] {
      var ranges: [RangeMeasurement] = []
      for step in 0..<(80 * seconds) {
        let time = 0.0125 * Double(step)
        let position: Vector<3> = Vector([
          10 + 8 * .sin(0.11 * time + 0.3), 7.5 + 5.5 * .sin(0.17 * time + 1),
          1.2 + (isFlat ? 0 : 0.4 * .sin(0.3 * time)),
        ])
        var distance = (position - anchors[step % 8]).length + noise()
        if random.next() % 20 == 0 { distance += Double(random.next() % 1000) / 600 }
        ranges.append(
          RangeMeasurement(
            time: Timestamp(nanoseconds: Int64(step) * 12_500_000), anchor: step % 8,
            distance: distance))
      }
      return ranges
    }

    mutating func between() -> [AnchorSurvey.AnchorRange] {
      var ranges: [AnchorSurvey.AnchorRange] = []
      for first in 0..<8 {
        for second in first + 1..<8 {
          let distance = (anchors[first] - anchors[second]).length
          ranges.append(.init(first, second, distance: distance + noise()))
        }
      }
      return ranges
    }

    func sites(known: Int, heightsKnown: Bool) -> [AnchorSurvey.Site] {
      anchors.enumerated().map { index, place in
        index < known
          ? .known(Anchor(position: place)) : .unknown(height: heightsKnown ? place[2] : nil)
      }
    }
  }

  private func configuration(height: Double?, side: AnchorSide? = nil) -> Tracker.Configuration {
    var configuration = Tracker.Configuration()
    configuration.height = height
    configuration.side = side
    return configuration
  }

  /// Three known anchors and a walk of three minutes: the others to 5 cm.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func findsAnchorsFromAWalk(_ seed: UInt64) throws {
    var hall = Hall(seed: seed)
    let survey = AnchorSurvey(
      hall.sites(known: 3, heightsKnown: true), configuration: configuration(height: 1.2))
    let result = try survey.result(tracks: [hall.walk(isFlat: true)])
    #expect(result.gauge == .known)
    for (index, found) in result.anchors.enumerated() {
      #expect(found.verdict == (index < 3 ? .known : .found), "seed \(seed), anchor \(index)")
      let error = try #require(found.position) - hall.anchors[index]
      #expect(error.length < 0.05, "seed \(seed), anchor \(index)")
      guard index >= 3, let covariance = found.covariance else { continue }
      #expect(covariance[0, 0] > 0 && covariance[0, 0].squareRoot() < 0.03)
      #expect(error[0] * error[0] < 16 * covariance[0, 0], "seed \(seed), anchor \(index)")
    }
  }

  /// Two tags give more than one, and unknown heights come from a tag that moves up and down.
  @Test func findsHeights() throws {
    var hall = Hall(seed: 4)
    let survey = AnchorSurvey(
      hall.sites(known: 4, heightsKnown: false), configuration: configuration(height: nil))
    let result = try survey.result(
      tracks: [hall.walk(isFlat: false), hall.walk(seconds: 60, isFlat: false)])
    for (found, truth) in zip(result.anchors, hall.anchors) {
      let error = try #require(found.position) - truth
      #expect((error[0] * error[0] + error[1] * error[1]).squareRoot() < 0.05)
      #expect(error[2].magnitude < 0.3)
    }
  }

  /// A tag that stays at one height sees two images of an anchor, of which the side selects one.
  @Test func mirrorImagesAreNamed() throws {
    var hall = Hall(seed: 5)
    let sites = hall.sites(known: 3, heightsKnown: false)
    let walk = hall.walk(isFlat: true)
    let open = try AnchorSurvey(sites, configuration: configuration(height: 1.2))
      .result(tracks: [walk])
    // Anchor 4 hangs 1.8 m above the tag.
    #expect(open.anchors[4].verdict == .ambiguous && open.anchors[4].anchor == nil)
    let heights = [open.anchors[4].position?[2], open.anchors[4].alternative?[2]].compactMap { $0 }
    #expect(heights.contains { ($0 - 3).magnitude < 0.2 })
    #expect(heights.contains { ($0 + 0.6).magnitude < 0.2 })
    let sided = try AnchorSurvey(sites, configuration: configuration(height: 1.2, side: .below))
      .result(tracks: [walk])
    #expect(sided.anchors[4].verdict == .found)
    #expect(((sided.anchors[4].position?[2] ?? 0) - 3).magnitude < 0.2)
  }

  /// Ranges between anchors alone, and with a walk: the shape, in a frame that is stated.
  @Test(arguments: [6, 7, 8] as [UInt64])
  func findsTheShape(_ seed: UInt64) throws {
    var hall = Hall(seed: seed)
    let survey = AnchorSurvey(
      hall.sites(known: 0, heightsKnown: true), configuration: configuration(height: 1.2))
    let between = hall.between()
    // The hall's own frame is that of its first, second and third anchor.
    for (tracks, bound) in [([], 0.3), ([hall.walk(isFlat: true)], 0.06)] {
      let result = try survey.result(tracks: tracks, anchorRanges: between)
      #expect(result.gauge == .shape(origin: 0, axis: 1, side: 2))
      for (found, truth) in zip(result.anchors, hall.anchors) {
        let error = (try #require(found.position) - truth).length
        #expect(error < bound, "seed \(seed)")
        #expect(found.verdict == .found)
      }
    }
  }

  /// A bias of all ranges is found from the known anchors, and does not move the others.
  @Test func biasIsTakenOff() throws {
    var hall = Hall(seed: 11)
    let survey = AnchorSurvey(
      hall.sites(known: 5, heightsKnown: true), configuration: configuration(height: 1.2))
    let walk = hall.walk(isFlat: true).map { range in
      var range = range
      range.distance += 0.15
      return range
    }
    let result = try survey.result(tracks: [walk])
    #expect((result.bias - 0.15).magnitude < 0.04, "\(result.bias)")
    for (found, truth) in zip(result.anchors, hall.anchors) {
      #expect((try #require(found.position) - truth).length < 0.07)
    }
  }

  @Test func thinDataAreNotSolved() throws {
    var hall = Hall(seed: 9)
    let walk = hall.walk(seconds: 20, isFlat: true)
    let two = AnchorSurvey(
      hall.sites(known: 2, heightsKnown: true), configuration: configuration(height: 1.2))
    let result = try two.result(tracks: [walk])
    #expect(result.anchors[2...].allSatisfy { $0.verdict != .found && $0.anchor == nil })
    let none = AnchorSurvey(
      hall.sites(known: 0, heightsKnown: true), configuration: configuration(height: 1.2))
    #expect(throws: SurveyError.nothingKnown) { try none.result(tracks: [walk]) }
    #expect(throws: SurveyError.shapeUndetermined(pairs: 7, needed: 13)) {
      try none.result(tracks: [walk], anchorRanges: Array(hall.between().prefix(7)))
    }
    #expect(throws: SurveyError.nothingKnown) { try AnchorSurvey([]).result(tracks: []) }
  }

  /// Numbers that no device means end nothing.
  @Test func hostileRangesAreHarmless() throws {
    let hall = Hall(seed: 10)
    let survey = AnchorSurvey(hall.sites(known: 3, heightsKnown: true))
    let numbers = [Double.nan, .infinity, -1, 0, 1e300, 1e-300, 5]
    var ranges: [RangeMeasurement] = []
    for step in 0..<300 {
      ranges.append(
        RangeMeasurement(
          time: Timestamp(nanoseconds: Int64(step / 2) * 100_000_000), anchor: step % 11 - 1,
          distance: numbers[step % 7]))
    }
    let between = (0..<20).map {
      AnchorSurvey.AnchorRange($0 - 2, $0 % 9, distance: numbers[$0 % 7])
    }
    let result = try survey.result(tracks: [ranges, []], anchorRanges: between)
    #expect(result.anchors.allSatisfy { $0.position?.isFinite != false })
  }
}
