import Fathom
import Testing

@testable import FathomRecordings

@Suite struct EpochWindowTests {
  private func window(_ ranges: [MadeRange], isOnGrid: Bool = false) -> Double {
    let recording = Recording.made(anchors: roomAnchors, ranges: ranges)
    return EpochWindow.seconds(
      for: recording, timeline: Timeline(recording), isOnGrid: isOnGrid)
  }

  /// Returns ranges to the named anchors at one instant every 0.2 s.
  private func scans(_ anchors: [String], tag: String = "T") -> [MadeRange] {
    (0..<20).flatMap { step in
      anchors.map { MadeRange(seconds: Double(step) * 0.2, tag: tag, anchor: $0, distance: 3) }
    }
  }

  @Test func pollingRoundFormsEpoch() {
    // Four anchors 0.025 s apart: each link has one range per 0.1 s, and 1.25 x 0.1 = 0.125.
    let ranges = polledRanges(from: Vector([3, 2, 1]), rounds: 10)
    #expect(window(ranges) == 0.125)
    #expect(window(Array(ranges.reversed())) == 0.125)
    #expect(window(ranges, isOnGrid: true) == 0.125)
  }

  @Test func scanFormsEpoch() {
    #expect(window(scans(["A", "B", "C", "D"])) == 0)
    #expect(window(scans(["A", "B", "C"])) == 0)
    // All anchors of the tag.
    #expect(window(scans(["A", "B"])) == 0)
    #expect(window(scans(["A"])) == 0)
  }

  /// Instants of a grid fall between scans, so that a window of zero would be empty.
  @Test func scanCountsUntilNextOnGrid() {
    #expect(window(scans(["A", "B", "C", "D"]), isOnGrid: true) == 0.25)
  }

  @Test func alternatingPairsAreNotScans() {
    // A and B together, then C and D 0.1 s later: links repeat after 0.2 s.
    let ranges = (0..<20).flatMap { step in
      (step % 2 == 0 ? ["A", "B"] : ["C", "D"]).map {
        MadeRange(seconds: Double(step) * 0.1, anchor: $0, distance: 3)
      }
    }
    #expect(abs(window(ranges) - 0.25) < 1e-12)
  }

  /// Scans of four anchors each in turn: all eight form one epoch.
  @Test func alternatingScansFormOneEpoch() {
    let ranges = (0..<40).flatMap { step in
      (step % 2 == 0 ? ["A", "B", "C", "D"] : ["E", "F", "G", "H"]).map {
        MadeRange(seconds: Double(step) * 0.01, anchor: $0, distance: 3)
      }
    }
    #expect(abs(window(ranges) - 0.025) < 1e-12)
  }

  /// Each scan sees three anchors of many: no link is regular, so that scans are independent.
  @Test func scansOfVisibleAnchorsAreIndependent() {
    let names = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M"]
    var state: UInt64 = 7
    let ranges = (0..<400).flatMap { step in
      var left = names
      return (0..<3).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let name = left.remove(at: Int(state >> 33) % left.count)
        return MadeRange(seconds: Double(step), anchor: name, distance: 3)
      }
    }
    #expect(window(ranges) == 0)
  }

  /// Lost scans do not make the others part of a round.
  @Test func scansWithLossesFormEpochs() {
    let ranges = scans(["A", "B", "C", "D"]).enumerated().filter { $0.offset % 5 != 3 }
    #expect(window(ranges.map(\.element)) == 0)
  }

  /// Three rows of one anchor at one instant are not three anchors.
  @Test func repeatedRowsAreNotScans() {
    let ranges = polledRanges(from: Vector([3, 2, 1]), rounds: 10)
    #expect(window(ranges.flatMap { [$0, $0, $0] }) == 0.125)
  }

  @Test func measuresTagsSeparately() {
    let one = polledRanges(from: Vector([3, 2, 1]), rounds: 10)
    let other = one.map {
      MadeRange(seconds: $0.seconds, tag: "U", anchor: $0.anchor, distance: 2)
    }
    // Each instant has two ranges, but of two tags.
    #expect(window(zip(one, other).flatMap { [$0, $1] }) == 0.125)
  }

  @Test func windowIsZeroWithoutIntervals() {
    #expect(window([]) == 0)
    #expect(window([MadeRange(seconds: 1, anchor: "A", distance: 2)]) == 0)
  }
}
