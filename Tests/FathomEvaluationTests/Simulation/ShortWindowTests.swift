import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomEvaluation
@testable import FathomRecordings

/// Windows of six seconds of the simulated recordings, without a height or a side: no track claims to
/// be where the ranges do not put it.
@Suite(.releaseOnly) struct ShortWindowTests {
  private static let datasets = Reference.packageRoot.appending(path: "Datasets")
  private static let windows = repetitions(100, long: 200)
  private static let seconds = 6.0

  @Test(arguments: ["robot-2d", "drone-3d"])
  func noTrackIsFarFromTheTruthAndSaysNothing(_ name: String) throws {
    let folder = Self.datasets.appending(path: name).path
    let recording = try RecordingReader.read(folder)
    let tag = try #require(recording.tagNames.first)
    let truth = try #require(try TruthReader.read(folder: folder)?.track(of: tag))
    let ranges = try #require(recording.rangesByTag().first)
    let (first, last) = (try #require(ranges.first).time, try #require(ranges.last).time)
    let free = last.seconds(since: first) - Self.seconds
    var generator = SeededGenerator(seed: 6601)
    var (wrong, estimates, ambiguous) = ([String](), 0, 0)
    for window in 0..<Self.windows {
      let start = first.advanced(bySeconds: generator.uniform(in: 0...free))
      let end = start.advanced(bySeconds: Self.seconds)
      let part = ranges.filter { $0.time >= start && $0.time < end }
      let calibration = TrackerCalibration.calibrated(on: part, anchors: recording.anchors)
      let anchors = calibration.corrected(recording.anchors)
      var tracker = try Tracker(anchors: anchors, configuration: calibration.configuration)
      var found = part.compactMap { range in
        _ = tracker.update(range)
        return tracker.estimate(at: range.time)
      }
      let smoother = try TrackSmoother(anchors: anchors, configuration: calibration.configuration)
      found += smoother.smoothed(part)?.estimates ?? []
      estimates += found.count
      ambiguous += found.count { $0.status == .ambiguous }
      let far = found.count { estimate in
        guard estimate.status == .tracking,
          let place = truth.position(at: estimate.time, longestGap: 1)
        else { return false }
        let error = estimate.position - place
        guard let root = Cholesky(estimate.covariance) else { return true }
        return error.dot(root.solve(error)) > 25
      }
      if far > 0 { wrong.append("window \(window) from \(start.seconds) s: \(far)") }
    }
    print(
      "\(name): \(wrong.count) of \(Self.windows) windows, \(ambiguous) of \(estimates) ambiguous")
    // A start with several late ranges among few can be wrong for a round.
    #expect(wrong.count <= Self.windows / 100, "seed 6601: \(wrong)")
    #expect(estimates > 100 * Self.windows)
  }
}
