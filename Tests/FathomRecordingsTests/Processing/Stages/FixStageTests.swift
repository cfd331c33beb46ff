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

  @Test func ignoresRangesOutsideTheWindow() {
    var fix = stage(window: 0.5)
    for anchor in 0..<4 {
      fix.add(
        distance: roomDistance(to: anchor), sigma: nil, anchor: anchor,
        at: at(anchor == 0 ? 0 : 0.25))
    }
    // The range of anchor 0 is exactly as old as the window, then older.
    fix.emit(at: at(0.5))
    #expect(fix.positions.map(\.used) == [4])
    fix.emit(at: at(0.625))
    // Three ranges in space give a mirror pair or no position.
    #expect(fix.positions.last?.used == 3 || fix.undetermined == 1)
    fix.emit(at: at(9))
    #expect(fix.positions.count + fix.undetermined == 2)
  }

  /// As many ranges as unknowns show no wrong one, so that their errors are those of all ranges.
  @Test func uncheckedRangesHaveTheWholeNoise() throws {
    var errors = RangeErrorEstimate(sigma: 0.1, epochs: 100)
    errors.wholeSigma = 0.5
    func spread(of count: Int, sigma: Double?, told: Double = 0.1) throws -> Double {
      // The box excludes the mirror image beyond the wall of the first two anchors.
      var fix = FixStage(
        anchors: anchors, height: 1,
        bounds: PositionBounds(lower: Vector([0, 0, 0]), upper: Vector([8, 6, 3])), window: 1,
        sigma: told, errors: errors)
      for anchor in 0..<count {
        fix.add(distance: roomDistance(to: anchor), sigma: sigma, anchor: anchor, at: at(0))
      }
      fix.emit(at: at(0))
      let row = try #require(fix.positions.first)
      #expect(row.status == .fix)
      return (row.covariance[0, 0] + row.covariance[1, 1]).squareRoot()
    }
    let (own, unchecked) = (try spread(of: 2, sigma: 0.1), try spread(of: 2, sigma: nil))
    #expect(unchecked > 3 * own, "\(unchecked) \(own)")
    // Told standard deviations are those of all ranges.
    #expect(try spread(of: 2, sigma: nil, told: 0.2) == spread(of: 2, sigma: 0.2))
    #expect(try spread(of: 4, sigma: nil) == spread(of: 4, sigma: 0.1))
  }

  /// The covariance of contradicting ranges reaches the position that reconciles them.
  @Test func contradictingRangesHaveAWideCovariance() throws {
    var fix = stage(height: 1)
    for anchor in 0..<4 {
      fix.add(
        distance: roomDistance(to: anchor) + (anchor.isMultiple(of: 2) ? 1.5 : -0.5), sigma: nil,
        anchor: anchor, at: at(0))
    }
    fix.emit(at: at(0))
    let row = try #require(fix.positions.first)
    #expect(row.status == .inconsistent)
    let error = row.position - roomTag
    let variance = row.covariance[0, 0] + row.covariance[1, 1]
    #expect(error.dot(error) < 9 * variance, "\(row)")
    #expect(variance > 0.25)
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

  /// Of two images above and below the anchors the lower one is reported, with a covariance that
  /// reaches the other in z alone.
  @Test func mirrorImageIsAmbiguousOnlyInHeight() {
    let coplanar = anchors.map {
      Anchor(position: Vector<3>([$0.position[0], $0.position[1], 2]))
    }
    var fix = stage(coplanar)
    for anchor in 0..<4 {
      let distance = (coplanar[anchor].position - roomTag).length
      fix.add(distance: distance, sigma: nil, anchor: anchor, at: at(0))
    }
    fix.emit(at: at(0))
    #expect(fix.positions.map(\.status) == [.ambiguous])
    #expect((fix.positions[0].position - roomTag).length < 1e-9)
    let covariance = fix.positions[0].covariance
    let rise = 2 * (2 - roomTag[2])
    #expect(covariance[2, 2] > 0.5 * rise * rise)
    #expect(covariance[0, 0] < 0.1 && covariance[1, 1] < 0.1)
  }

  /// Two circles meet twice; the position follows the last one that was unambiguous.
  @Test func anAmbiguousPositionIsTheNearestToTheLastFix() {
    for side in [-1, 1] as [Double] {
      var fix = stage(height: 1)
      let tag = Vector<3>([3, side * 2, 1])
      func add(_ count: Int, at seconds: Double) {
        for anchor in 0..<count {
          fix.add(
            distance: (anchors[anchor].position - tag).length, sigma: nil, anchor: anchor,
            at: at(seconds))
        }
        fix.emit(at: at(seconds))
      }
      add(4, at: 0)
      add(2, at: 10)
      #expect(fix.positions.map(\.status) == [.fix, .ambiguous])
      #expect(fix.positions.allSatisfy { ($0.position - tag).length < 1e-6 }, "\(side)")
      #expect(fix.positions.map(\.used) == [4, 2] && fix.positions.map(\.rejected) == [0, 0])
      #expect(fix.positions[1].covariance[1, 1] > 7)
    }
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

  @Test func knownHeightResolvesMirrorImage() {
    var fix = stage(height: 1)
    for anchor in 0..<3 {
      fix.add(
        distance: roomDistance(to: anchor), sigma: nil, anchor: anchor, at: at(0))
    }
    fix.emit(at: at(0))
    #expect(fix.positions.map(\.status) == [.fix])
    #expect((fix.positions[0].position - roomTag).length < 1e-9)
    #expect(fix.positions[0].position[2] == 1)
    #expect(fix.positions[0].covariance[2, 2] == 0)
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

  @Test func correctsBiasAndScale() {
    var biased = anchors
    for index in biased.indices {
      biased[index].bias = 0.3
      biased[index].scale = 1.02
    }
    var fix = stage(biased)
    for anchor in 0..<4 {
      fix.add(
        distance: 1.02 * roomDistance(to: anchor) + 0.3, sigma: nil, anchor: anchor, at: at(0))
    }
    fix.emit(at: at(0))
    #expect((fix.positions[0].position - roomTag).length < 1e-9)
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

  /// The errors of ranges and surveys add up to one standard deviation.
  @Test func addsRangeAndSurveyVariances() {
    func variance(sigma: Double?, surveyed: Double?) -> Double {
      var surveyedAnchors = anchors
      for index in surveyedAnchors.indices { surveyedAnchors[index].positionSigma = surveyed }
      var fix = stage(surveyedAnchors)
      for anchor in 0..<4 {
        fix.add(
          distance: roomDistance(to: anchor), sigma: sigma, anchor: anchor, at: at(0))
      }
      fix.emit(at: at(0))
      return fix.positions[0].covariance[0, 0]
    }
    let base = variance(sigma: nil, surveyed: nil)
    #expect(base > 0)
    // The default is 0.1 m.
    #expect(variance(sigma: 0.1, surveyed: nil) == base)
    // 0.3² + 0.4² = 0.5².
    #expect(
      isClose(
        variance(sigma: 0.3, surveyed: 0.4), variance(sigma: 0.5, surveyed: nil), within: 1e-9))
    #expect(variance(sigma: 0.3, surveyed: 0.4) > variance(sigma: 0.3, surveyed: nil))
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
