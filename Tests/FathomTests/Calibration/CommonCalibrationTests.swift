import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// What many tags have in common, and the settings that tags take from each other.
@Suite(.releaseOnly) struct CommonCalibrationTests {
  private static let anchors = [0.0, 20].flatMap { x in
    [0.0, 15].flatMap { y in [0.4, 3].map { Anchor(position: Vector([x, y, $0])) } }
  }

  /// A tag in circles, which turns faster the higher its number, with ranges in rounds of eight at
  /// 5 Hz, too long by the given offsets.
  private func walk(_ tag: Int, of count: Int, offsets: [Double] = []) -> CleanWalk {
    var generator = SeededGenerator(seed: 3000 + UInt64(tag))
    var walk = CleanWalk(anchors: Self.anchors, noise: 0.1)
    let turn = 0.05 * Double.pow(20, Double(tag) / Double(count - 1))
    for index in 0..<3200 {
      let seconds = 0.2 * Double(index / 8) + 0.001 * Double(index % 8)
      let phase = turn * seconds + Double(tag)
      walk.append(
        Vector([10 + 4 * .cos(phase), 7.5 + 4 * .sin(phase), 1.2]), index % 8, at: seconds,
        error: offsets.isEmpty ? 0 : offsets[index % 8], &generator)
    }
    return walk
  }

  private func common(_ walks: [CleanWalk]) -> CommonCalibration {
    CommonCalibration(
      tags: walks.count, anchors: Self.anchors, from: Tracker.Configuration(),
      isSigmaKnown: false, searchesForCommonErrors: true
    ) { walks[$0].ranges }
  }

  @Test func aSingleTagIsCalibratedByItself() {
    let walk = walk(3, of: 8)
    let found = TrackerCalibration.calibrated(on: walk.ranges, anchors: Self.anchors)
    #expect(common([walk]).calibration(on: walk.ranges) == found)
  }

  /// Tags whose motion differs by a factor of 400 in acceleration.
  @Test func tagsTakeTheSettingsOfOthersThatMoveAlike() throws {
    let walks = (0..<40).map { walk($0, of: 40) }
    let common = common(walks)
    var configurations: [Tracker.Configuration] = []
    var (taken, own) = (0.0, 0.0)
    for (tag, walk) in walks.enumerated() {
      let found = common.calibration(on: walk.ranges)
      if !configurations.contains(found.configuration) {
        configurations.append(found.configuration)
      }
      guard tag % 4 == 0 else { continue }
      let single = TrackerCalibration.calibrated(on: walk.ranges, anchors: Self.anchors)
      let error = try walk.error(anchors: found.corrected(Self.anchors), found.configuration)
      let least = try walk.error(anchors: single.corrected(Self.anchors), single.configuration)
      #expect(error.filter < 1.6 * least.filter, "tag \(tag): \(error), \(least)")
      taken += error.filter
      own += least.filter
    }
    #expect((1...2).contains(configurations.count))
    #expect(taken < 1.25 * own, "\(taken / own)")
  }

  /// An anchor that all tags range too long is corrected for all, with more evidence than one of them
  /// has.
  @Test func tagsShareTheErrorsOfAnchors() {
    let offsets = [0.5, 0, 0, 0, 0, 0, 0, 0]
    let walks = (0..<20).map { walk($0, of: 20, offsets: offsets) }
    let common = common(walks)
    let found = common.calibration(on: walks[0].ranges)
    #expect(found.offsets.count == 8, "\(String(describing: found.errors))")
    if let first = found.offsets.first, let least = found.offsets.dropFirst().max() {
      #expect(first - least > 0.15, "\(found.offsets)")
    }
    #expect(common.calibration(on: walks[7].ranges).offsets == found.offsets)
  }

  @Test func tagsWithoutATrackTakeTheMedian() {
    let walks = (0..<20).map { walk($0, of: 20) }
    let found = common(walks).calibration(on: [])
    #expect(found.count == 0 && found.configuration.errors.sigma < 0.2)
  }
}
