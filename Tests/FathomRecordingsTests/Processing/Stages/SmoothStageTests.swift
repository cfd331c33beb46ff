import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct SmoothStageTests {
  private func stage(persistentSigma: Double = 0) -> SmoothStage {
    var configuration = Tracker.Configuration()
    configuration.errors.persistentSigma = persistentSigma
    return SmoothStage(
      anchors: roomAnchors.map(\.anchor),
      calibration: TrackerCalibration(configuration: configuration))
  }

  /// Returns a stage with ten seconds of ranges and a requested position after each.
  private func calibration(_ smooth: SmoothStage) throws -> RecordingSummary.Calibration {
    try #require(smooth.findings(of: "T", anchorNames: roomAnchors.map(\.name)).calibration)
  }

  private func filled(persistentSigma: Double = 0) -> SmoothStage {
    var smooth = stage(persistentSigma: persistentSigma)
    for step in 0..<200 {
      let time = at(Double(step) * 0.05)
      smooth.add(
        distance: roomDistance(to: step % 4, step: step), sigma: nil, anchor: step % 4, at: time)
      smooth.emit(at: time)
    }
    return smooth
  }

  @Test func outputsNoPositionsBeforeTheEnd() throws {
    var smooth = filled()
    #expect(smooth.positions.isEmpty)
    #expect(smooth.decisions == [DistanceColumns.Decision](repeating: .unused, count: 200))
    smooth.finish()
    #expect(smooth.decisions == [DistanceColumns.Decision](repeating: .used, count: 200))
    let positions = smooth.removePositions()
    #expect(positions.count == 200 && smooth.positions.isEmpty)
    // The first range has a position too, because later ranges determine it.
    #expect(
      positions.allSatisfy { $0.status == .tracking && ($0.position - roomTag).length < 1e-3 })
    #expect(positions.allSatisfy { $0.used == 1 && $0.rejected == 0 })
    for pair in zip(positions, positions.dropFirst()) { #expect(pair.0.time < pair.1.time) }
  }

  @Test func reportsDecisionOfEachRange() throws {
    var smooth = filled()
    // A repeated range, one far too long, one far too short, one of an unknown anchor, one normal.
    smooth.add(distance: roomDistance(to: 3, step: 199), sigma: nil, anchor: 3, at: at(9.95))
    smooth.add(distance: roomDistance(to: 0) + 9, sigma: nil, anchor: 0, at: at(10))
    smooth.add(distance: roomDistance(to: 1) - 2, sigma: nil, anchor: 1, at: at(10))
    smooth.add(distance: 5, sigma: nil, anchor: 4, at: at(10))
    smooth.add(distance: roomDistance(to: 2), sigma: nil, anchor: 2, at: at(10))
    smooth.emit(at: at(10))
    smooth.finish()
    #expect(
      smooth.decisions.suffix(5) == [.duplicate, .nonLineOfSight, .discounted, .unused, .used])
    // A discounted range counts with little weight; one of an unknown anchor does not count. The
    // repeated range belongs to the previous instant.
    let last = try #require(smooth.positions.last)
    #expect(last.used == 3 && last.rejected == 1)
    #expect((last.position - roomTag).length < 0.05)
  }

  @Test func outputsPositionsBetweenRanges() throws {
    var smooth = stage()
    smooth.emit(at: at(-1))
    for step in 0..<200 {
      smooth.add(
        distance: roomDistance(to: step % 4, step: step), sigma: nil, anchor: step % 4,
        at: at(Double(step) * 0.05))
    }
    for seconds in [5.01, 9.95, 12] { smooth.emit(at: at(seconds)) }
    smooth.finish()
    let positions = smooth.positions
    // There is no position before the first or after the last range.
    #expect(positions.map(\.status) == [.starting, .tracking, .tracking, .starting])
    #expect(positions[0].position.array.allSatisfy { $0.isNaN })
    #expect(positions[3].covariance.array.joined().allSatisfy { $0.isNaN })
    #expect((positions[1].position - roomTag).length < 1e-3)
    #expect(positions.map(\.used) == [0, 101, 99, 0])
  }

  @Test func interruptionResetsVelocity() throws {
    // The tag moves three metres during the interruption.
    let other = Vector<3>([6, 2, 1])
    var smooth = filled()
    smooth.interrupt(at: at(9.97))
    for step in 0..<200 {
      let (anchor, time) = (step % 4, at(10 + Double(step) * 0.05))
      let length = (roomAnchors[anchor].anchor.position - other).length
      smooth.add(distance: length + 1e-9 * Double(step), sigma: nil, anchor: anchor, at: time)
      smooth.emit(at: time)
    }
    smooth.finish()
    let positions = smooth.positions
    #expect((positions[190].position - roomTag).length < 0.05)
    #expect((positions[210].position - other).length < 0.05)
    #expect(smooth.decisions.allSatisfy { $0 == .used })
  }

  @Test func outputsNoPositionWithoutTrack() throws {
    var smooth = stage()
    for step in 0..<50 {
      let time = at(Double(step) * 0.05)
      smooth.add(distance: roomDistance(to: 0, step: step), sigma: nil, anchor: 0, at: time)
      smooth.emit(at: time)
    }
    smooth.finish()
    #expect(smooth.positions.count == 50)
    #expect(smooth.positions.allSatisfy { $0.status == .starting && $0.used == 0 })
    #expect(smooth.decisions.allSatisfy { $0 == .unused })
    let found = try calibration(smooth)
    #expect(found.offsetsM == nil && found.biasM == nil && found.covarianceFactor == 1)
  }

  @Test func calibrationUsesAnchorNames() throws {
    var smooth = filled()
    smooth.finish()
    let plain = try calibration(smooth)
    #expect(plain.tag == "T" && plain.offsetsM == nil)
    #expect(plain.rangeSigmaM == 0.1 && plain.accelerationDensity == 0.5)
    smooth = filled(persistentSigma: 0.05)
    smooth.finish()
    let offset = try calibration(smooth)
    let offsets = try #require(offset.offsetsM)
    #expect(Set(offsets.keys) == ["A", "B", "C", "D"])
  }

  /// Anchor C is 0.2 m from its surveyed position along x; only its position is estimated.
  @Test func estimatesAnchorPosition() throws {
    var anchors = roomAnchors.map(\.anchor)
    let truth = anchors[2].position
    anchors[2].position[0] -= 0.2
    anchors[2].positionSigma = 0.3
    var smooth = SmoothStage(
      anchors: anchors,
      calibration: TrackerCalibration(configuration: Tracker.Configuration()))
    for step in 0..<800 {
      let angle = Double(step) * 0.01
      let tag = roomTag + Vector([1.5 * cos(angle), 1.5 * sin(angle), 0])
      let stands = step % 4 == 2 ? truth : anchors[step % 4].position
      smooth.add(
        distance: (tag - stands).length, sigma: nil, anchor: step % 4, at: at(Double(step) * 0.05))
    }
    smooth.finish()
    let found = try #require(
      calibration(smooth).anchorPositions)
    #expect(Array(found.keys) == ["C"])
    let place = try #require(found["C"])
    let error = (place.positionM[0] - truth[0]).magnitude
    #expect(error < 0.05 && error < 2 * place.sigmaM[0], "\(place) for \(truth)")
    #expect(place.sigmaM.allSatisfy { $0 > 0 && $0 < 0.31 }, "\(place)")
  }
}
