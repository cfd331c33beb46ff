import Fathom
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct FixStageTests {
  private let anchors = roomAnchors.map(\.anchor)

  private func stage(
    _ anchors: [Anchor]? = nil, height: Double? = nil, window: Double = 1
  ) -> FixStage {
    FixStage(
      anchors: anchors ?? self.anchors, height: height, window: window, sigma: 0.1)
  }

  @Test func solvesEpochOfAllAnchors() {
    var fix = stage()
    for anchor in 0..<4 {
      fix.add(
        distance: roomDistance(to: anchor), sigma: nil, anchor: anchor, at: at(0.1 * Double(anchor))
      )
    }
    fix.emit(at: at(0.3))
    #expect(fix.positions.count == 1)
    #expect((fix.positions[0].position - roomTag).length < 1e-9)
    #expect(fix.positions.map(\.status) == [.fix])
    #expect(fix.positions.map(\.used) == [4] && fix.positions.map(\.rejected) == [0])
    #expect(fix.positions.map(\.time) == [at(0.3)])
    #expect(fix.decisions == [.used, .used, .used, .used])
    #expect(fix.undetermined == 0)
  }

  @Test func usesNewestRangeOfEachAnchor() {
    var fix = stage()
    fix.add(distance: 1, sigma: nil, anchor: 0, at: at(0))
    for anchor in 0..<4 {
      fix.add(
        distance: roomDistance(to: anchor), sigma: nil, anchor: anchor, at: at(0.1))
    }
    fix.emit(at: at(0.1))
    #expect((fix.positions[0].position - roomTag).length < 1e-9)
    #expect(fix.decisions == [.unused, .used, .used, .used, .used])
  }

  /// The counts are those of the reported position, not of the one that is likelier by itself.
  @Test func theNearestPositionHasItsOwnDiscountedRanges() {
    for (place, rejected) in [(roomTag, 2), (Vector<3>([roomTag[0], -roomTag[1], 1]), 3)] {
      var led = stage(height: 1)
      for anchor in 0..<4 {
        led.add(
          distance: (anchors[anchor].position - place).length, sigma: nil, anchor: anchor,
          at: at(0))
      }
      led.emit(at: at(0))
      for anchor in 0..<4 {
        led.add(
          distance: roomDistance(to: anchor) + (anchor == 2 ? 3 : 0), sigma: nil, anchor: anchor,
          at: at(10))
      }
      led.emit(at: at(10))
      #expect(led.positions.map(\.status) == [.fix, .ambiguous])
      #expect((led.positions[1].position - place).length < 0.5, "\(led.positions[1])")
      #expect(led.decisions.suffix(4).firstIndex(of: .unused).map { $0 - 4 } == rejected)
    }
  }

  @Test func rejectsOneWrongRangeOfFour() {
    var fix = stage(height: 1)
    for anchor in 0..<4 {
      fix.add(
        distance: roomDistance(to: anchor) + (anchor == 2 ? 1.5 : 0), sigma: nil, anchor: anchor,
        at: at(0))
    }
    fix.emit(at: at(0))
    #expect(fix.positions.map(\.status) == [.fix])
    #expect((fix.positions[0].position - roomTag).length < 0.05)
    #expect(fix.positions.map(\.used) == [3] && fix.positions.map(\.rejected) == [1])
    #expect(fix.decisions == [.used, .used, .unused, .used])
  }

  /// With that range 3 m too long, three circles also meet on the other side of A and B, where the
  /// fourth range is 3 m too short: ten times less likely, so neither is ruled out.
  @Test func positionsThatExcludeDifferentRangesAreAmbiguous() {
    var fix = stage(height: 1)
    for anchor in 0..<4 {
      fix.add(
        distance: roomDistance(to: anchor) + (anchor == 2 ? 3 : 0), sigma: nil, anchor: anchor,
        at: at(0))
    }
    fix.emit(at: at(0))
    #expect(fix.positions.map(\.status) == [.ambiguous])
    #expect((fix.positions[0].position - roomTag).length < 0.05)
    #expect(fix.positions[0].covariance[1, 1] > 5)
    #expect(fix.positions.map(\.used) == [3] && fix.positions.map(\.rejected) == [1])
  }

  @Test func contradictingRangesAreInconsistent() {
    var fix = stage(height: 1)
    for anchor in 0..<4 {
      fix.add(
        distance: roomDistance(to: anchor) + [0, 4, 9, 2][anchor], sigma: nil, anchor: anchor,
        at: at(0))
    }
    fix.emit(at: at(0))
    #expect(fix.positions.map(\.status) == [.inconsistent])
  }

  @Test func countsUndeterminedEpochs() {
    var fix = stage()
    fix.emit(at: at(0))
    #expect(fix.undetermined == 0, "an instant without ranges is not an epoch")
    for anchor in 0..<2 {
      fix.add(
        distance: roomDistance(to: anchor), sigma: nil, anchor: anchor, at: at(0))
    }
    fix.emit(at: at(0))
    #expect(fix.undetermined == 1)
    #expect(fix.positions.count == 0)
    #expect(!fix.decisions.contains(.used))
  }

  /// A range that is negative after bias correction does not contribute and is not counted as used.
  @Test func rangeNegativeAfterBiasCorrectionIsUnused() {
    var biased = anchors
    biased[3].bias = 20
    var fix = stage(biased, height: 1)
    for anchor in 0..<4 {
      fix.add(
        distance: roomDistance(to: anchor), sigma: nil, anchor: anchor, at: at(0))
    }
    fix.emit(at: at(0))
    #expect((fix.positions[0].position - roomTag).length < 1e-9)
    #expect(fix.positions.map(\.used) == [3] && fix.positions.map(\.rejected) == [1])
    #expect(fix.decisions == [.used, .used, .used, .unused])
  }

  @Test func underflowingVariancesLeaveEpochUndetermined() {
    var fix = stage()
    for anchor in 0..<4 {
      fix.add(
        distance: roomDistance(to: anchor), sigma: 1e-170, anchor: anchor, at: at(0))
    }
    fix.emit(at: at(0))
    #expect(fix.positions.count == 0 && fix.undetermined == 1)
  }
}
