import Fathom
import Foundation
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
  private static func walk(
    _ names: [String] = ["A", "B", "C", "D"],
    distance: (Int, Double) -> Double = { _, exact in exact }
  ) -> Recording {
    let ranges = (0..<400).map { place in
      let seconds = 0.1 * Double(place / 4)
      let tag = Vector<3>([
        roomTag[0] + cos(0.6 * seconds), roomTag[1] + sin(0.6 * seconds), roomTag[2],
      ])
      let anchor = place % 4
      let noise = 0.03 * sin(12.9898 * Double(place)) * cos(78.233 * Double(place))
      let exact = (roomAnchors[anchor].anchor.position - tag).length
      return MadeRange(
        seconds: seconds, anchor: names[anchor], distance: distance(place, exact) + noise)
    }
    var recording = Recording.made(anchors: roomAnchors, ranges: ranges)
    recording.facts.heightM = roomTag[2]
    return recording
  }

  @Test(arguments: PositionMethod.allCases)
  func rangesThatCannotBeAreNamedAndLeftOut(_ method: PositionMethod) throws {
    var settings = ProcessingSettings()
    settings.method = method
    // Three of four ranges of some instants, so that they outvote the true one.
    let wrong = Set([80, 81, 82, 200, 201, 203, 301, 302, 303])
    let found = Self.walk { place, exact in wrong.contains(place) ? 338_203 + exact : exact }
      .processed(with: settings)
    let diagnosis = try #require(found.summary.diagnoses?.first)
    #expect(found.summary.diagnoses?.map(\.code) == [.rangeImpossible])
    #expect(diagnosis.evidence["longest_m"].map { $0 > 338_203 } == true)
    #expect(found.summary.warnings.contains { $0.contains("they are not used") })
    #expect(found.distances.decision.count { $0 == .unused } == wrong.count)
    for (time, position) in zip(found.positions.time, found.positions.position)
    where !position[0].isNaN {
      let angle = 0.6 * time.seconds
      let truth = Vector<3>([roomTag[0] + cos(angle), roomTag[1] + sin(angle), roomTag[2]])
      #expect((position - truth).length < 0.5, "\(time.seconds) s")
    }
  }

  @Test(arguments: PositionMethod.allCases)
  func positionsOfAWrongLayoutAreInconsistent(_ method: PositionMethod) {
    var settings = ProcessingSettings()
    settings.method = method
    let found = Self.walk(["B", "A", "C", "D"]).processed(with: settings)
    #expect(found.summary.diagnoses?.map(\.code) == [.anchorsExchanged])
    #expect(found.summary.warnings.contains { $0.contains("positions are inconsistent") })
    #expect(!found.positions.status.contains { $0 == .fix || $0 == .tracking })
    #expect(found.positions.status.contains(.inconsistent))
    let right = Self.walk().processed(with: settings)
    #expect(right.summary.diagnoses?.isEmpty != false)
    #expect(!right.positions.status.contains(.inconsistent))
  }

  @Test func aRecordingWithoutAnchorsIsDiagnosed() {
    let ranges = (0..<40).map { step in
      MadeRange(seconds: Double(step / 4), anchor: "phone", distance: 2 + 0.01 * Double(step))
    }
    let found = Recording.made(ranges: ranges).processed()
    #expect(found.summary.diagnoses?.map(\.code) == [.timesRepeat])
  }
}
