import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// Anchors whose ranges are wrong all the time are named and left out, by all methods alike.
@Suite struct RecordingDiagnosisTests {
  /// Returns ranges of a tag that stands still; those of anchor D are 20 m too long.
  private static func recording(seed: UInt64) -> Recording {
    var state = seed
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (Double(state >> 11) + 0.5) / Double(1 << 53)
    }
    let ranges = (0..<60).flatMap { step in
      roomAnchors.indices.map { anchor in
        // The sum of twelve uniform numbers has variance 1.
        let noise = (0..<12).reduce(-6) { sum, _ in sum + uniform() }
        return MadeRange(
          seconds: 0.1 * Double(step), anchor: roomAnchors[anchor].name,
          distance: roomDistance(to: anchor) + 0.05 * noise + (anchor == 3 ? 20 : 0))
      }
    }
    var recording = Recording.made(anchors: roomAnchors, ranges: ranges)
    recording.facts.heightM = roomTag[2]
    return recording
  }

  private static func processed(
    _ method: PositionMethod, seed: UInt64, keeping kept: [String]? = nil
  ) -> ProcessedRecording {
    var settings = ProcessingSettings()
    settings.method = method
    settings.keptAnchors = kept
    return recording(seed: seed).processed(with: settings)
  }

  @Test(arguments: PositionMethod.allCases, 1...3 as ClosedRange<UInt64>)
  func aBadAnchorIsNamedAndLeftOut(_ method: PositionMethod, _ seed: UInt64) throws {
    let found = Self.processed(method, seed: seed)
    let diagnosis = try #require(found.summary.diagnoses?.first, "seed \(seed)")
    #expect(diagnosis.code == .anchorOffset && diagnosis.anchors == ["D"], "seed \(seed)")
    #expect(abs((diagnosis.evidence["offset_m"] ?? 0) - 20) < 0.2, "seed \(seed)")
    #expect(found.summary.warnings.first?.contains("--keep D") == true)
    let last = try #require(found.positions.position.last)
    #expect((last - roomTag).length < 0.15, "seed \(seed): \(last)")
    for (anchor, decision) in zip(found.distances.anchor, found.distances.decision)
    where anchor == "D" {
      #expect(decision == .unused)
    }
    // The link that delivers best has the worst score, because none of its ranges agrees with the track.
    let links = found.summary.links
    let scores = links.map { $0.score ?? -1 }
    #expect(links.last?.anchor == "D" && links.last?.consistent == 0, "seed \(seed)")
    #expect(
      scores.last == 0 && scores.dropLast().allSatisfy { $0 > 0.7 }, "seed \(seed): \(scores)")
    #expect(found.distances.decision.count == 240)
    #expect(found.distances.decision.contains(.used))
  }

  @Test(arguments: PositionMethod.allCases)
  func anAnchorCanBeKept(_ method: PositionMethod) {
    let found = Self.processed(method, seed: 1, keeping: ["D", "X"])
    #expect(found.summary.diagnoses?.first?.code == .anchorOffset)
    #expect(found.summary.warnings.contains { $0.contains("they are used, as requested") })
    #expect(found.summary.warnings.contains { $0.contains("there is no anchor of this name") })
    let left = Self.processed(method, seed: 1)
    #expect(found.positions.position != left.positions.position)
  }

  @Test(arguments: PositionMethod.allCases)
  func theBenchmarkLeavesOutTheSame(_ method: PositionMethod) {
    var settings = ProcessingSettings()
    settings.method = method
    var pass = PositionPass(Self.recording(seed: 1), settings: settings)
    pass.run(0..<pass.count)
    // As text, since positions that are not known are NaN.
    let positions = Self.processed(method, seed: 1).positions.position
    #expect("\(pass.finished().position)" == "\(positions)")
  }

  /// Returns ranges of a tag that walks a circle in the plane of the tag, four at an instant.
  ///
  /// In each round, `change` can move the tag and the anchor.
  private static func walk(
    _ names: [String] = ["A", "B", "C", "D"],
    change: (_ round: Int, _ anchor: Int, _ tag: inout Vector<3>, _ site: inout Vector<3>) -> Void =
      { _, _, _, _ in }
  ) -> [MadeRange] {
    (0..<400).map { place in
      let (round, anchor) = (place / 4, place % 4)
      let seconds = 0.1 * Double(round)
      var tag = Self.truth(at: seconds)
      var site = roomAnchors[anchor].anchor.position
      change(round, anchor, &tag, &site)
      let noise = 0.04 * sin(12.9898 * Double(place)) * cos(78.233 * Double(place))
      return MadeRange(
        seconds: seconds, anchor: names[anchor], distance: (site - tag).length + noise)
    }
  }

  private static func truth(at seconds: Double) -> Vector<3> {
    Vector([
      roomTag[0] + cos(0.6 * seconds), roomTag[1] + sin(0.6 * seconds), roomTag[2],
    ])
  }

  private static func processed(
    _ method: PositionMethod, _ ranges: [MadeRange]
  ) -> ProcessedRecording {
    var settings = ProcessingSettings()
    settings.method = method
    var recording = Recording.made(anchors: roomAnchors, ranges: ranges)
    recording.facts.heightM = roomTag[2]
    return recording.processed(with: settings)
  }

  @Test(arguments: PositionMethod.allCases)
  func rangesThatCannotBeAreNamedAndLeftOut(_ method: PositionMethod) throws {
    var ranges = Self.walk()
    // Three of four ranges of some instants, so that they outvote the true one.
    let wrong = [80, 81, 82, 200, 201, 203, 301, 302, 303]
    for place in wrong { ranges[place].distance += 338_203 }
    let found = Self.processed(method, ranges)
    let diagnosis = try #require(found.summary.diagnoses?.first)
    #expect(found.summary.diagnoses?.map(\.code) == [.rangeImpossible])
    #expect(diagnosis.evidence["longest_m"].map { $0 > 338_203 } == true)
    #expect(found.summary.warnings.contains { $0.contains("they are not used") })
    for place in wrong { #expect(found.distances.decision[place] == .unused) }
    for (time, position) in zip(found.positions.time, found.positions.position)
    where !position[0].isNaN {
      #expect((position - Self.truth(at: time.seconds)).length < 0.5, "\(time.seconds) s")
    }
  }

  @Test(arguments: PositionMethod.allCases)
  func positionsOfAWrongLayoutAreInconsistent(_ method: PositionMethod) {
    let found = Self.processed(method, Self.walk(["B", "A", "C", "D"]))
    #expect(found.summary.diagnoses?.map(\.code) == [.anchorsExchanged])
    #expect(found.summary.warnings.contains { $0.contains("positions are inconsistent") })
    #expect(!found.positions.status.contains { $0 == .fix || $0 == .tracking })
    #expect(found.positions.status.contains(.inconsistent))
    let right = Self.processed(method, Self.walk())
    #expect(right.summary.diagnoses?.isEmpty != false)
    #expect(!right.positions.status.contains(.inconsistent))
  }

  @Test(arguments: PositionMethod.allCases)
  func anAnchorThatWasMovedIsNamedFromThenOn(_ method: PositionMethod) throws {
    let found = Self.processed(
      method,
      Self.walk { round, anchor, _, site in
        if anchor == 3, round >= 50 { site = site + Vector([2, -2, 0]) }
      })
    let diagnosis = try #require(found.summary.diagnoses?.first)
    #expect(diagnosis.code == .anchorMisplaced && diagnosis.anchors == ["D"])
    #expect(diagnosis.message.hasPrefix("from about"))
    for (time, status) in zip(found.positions.time, found.positions.status) {
      let isCertain = status == .fix || status == .tracking
      #expect(!isCertain || time.seconds < 5, "\(time.seconds) s: \(status)")
      #expect(method == .fix || isCertain || time.seconds >= 4.9 || time.seconds < 1)
    }
  }

  @Test(arguments: PositionMethod.allCases)
  func tagsUnderOneNameAreNamed(_ method: PositionMethod) {
    let found = Self.processed(
      method,
      Self.walk { round, _, tag, _ in if round % 2 == 1 { tag = tag + Vector([-2, 1.5, 0]) } })
    #expect(found.summary.diagnoses?.map(\.code).contains(.tagsMixed) == true)
    #expect(!found.positions.status.contains { $0 == .fix || $0 == .tracking })
  }

  @Test(arguments: PositionMethod.allCases)
  func rangesThatRepeatTheirValuesAreNamedAndNotUsed(_ method: PositionMethod) {
    var ranges = Self.walk()
    for place in 200..<400 { ranges[place].distance = ranges[196 + place % 4].distance }
    let found = Self.processed(method, ranges)
    #expect(found.summary.diagnoses?.map(\.code) == [.linkStuck])
    #expect(found.summary.warnings.contains { $0.contains("repeated values are not used") })
    for (time, status) in zip(found.positions.time, found.positions.status) where time.seconds > 6 {
      #expect(status != .fix && status != .tracking, "\(time.seconds) s")
    }
    #expect(found.distances.decision[240...].allSatisfy { $0 == .unused })
  }

  /// The sign of time differences of a real radio is that of the likelihood; prints both gains.
  @Test(.needsReference("datasets/crazyflie_tdoa3"), .releaseOnly)
  func theSignOfDifferencesIsThatOfTheLikelihood() throws {
    let path = Reference.url("datasets/crazyflie_tdoa3").path(percentEncoded: false)
    let recording = try RecordingReader.read(path)
    let differences = try #require(recording.sensors.differences.values.first)
    let opposite = differences.map {
      TimedDifference(
        time: $0.time, first: $0.first, second: $0.second, difference: -$0.difference)
    }
    let gains = [differences, opposite].map {
      TrackerCalibration.gainOfOppositeSigns(
        Tracker.Configuration(), of: $0, anchors: recording.anchors)
    }
    print("log-likelihood of the opposite sign, as measured and exchanged: \(gains)")
    #expect(try #require(gains[0]).sum < -50 && #require(gains[1]).sum > 50)
  }

  @Test func aRecordingWithoutAnchorsIsDiagnosed() {
    let ranges = (0..<40).map { step in
      MadeRange(seconds: Double(step / 4), anchor: "phone", distance: 2 + 0.01 * Double(step))
    }
    let found = Recording.made(ranges: ranges).processed()
    #expect(found.summary.diagnoses?.map(\.code) == [.timesRepeat])
  }
}
