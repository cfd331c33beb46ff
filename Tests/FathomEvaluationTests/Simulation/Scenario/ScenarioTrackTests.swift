import Fathom
import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomEvaluation

/// Tracks the scenarios with default settings and verifies that errors match the reported
/// covariances.
///
/// Errors are within three reported standard deviations on every axis for 99 % of the time, except
/// where a position is marked as ambiguous.
@Suite(.releaseOnly) struct ScenarioTrackTests {
  private static let folder = Reference.packageRoot.appending(path: "Datasets/Scenarios")

  /// Scenarios with positions, and with truth on the clock of the ranges.
  private static let names = [
    "bias-common", "corridor-geometry", "heavy-tails", "held-values", "late-delivery", "long-gap",
    "long-range-loss", "many-tags", "nlos-walls", "random-anchors", "scale-error", "still-tag",
  ]

  @Test(arguments: names)
  func filteredErrorsMatchTheirCovariance(_ name: String) throws {
    let found = try Self.share(within: 3, of: name, method: .filter)
    #expect(found.count > 500 && found.share >= 0.99, "\(name): \(found)")
  }

  /// With forty tags, each link is measured once in 1.6 s, so turns between ranges are detected
  /// late in both directions.
  @Test(arguments: names)
  func smoothedErrorsMatchTheirCovariance(_ name: String) throws {
    let found = try Self.share(within: 3, of: name, method: .smooth)
    #expect(
      found.count > 500 && found.share >= (name == "many-tags" ? 0.985 : 0.99), "\(name): \(found)")
  }

  /// With turns of 6 m/s², which a filter detects with delay, 97.5 % are within three standard
  /// deviations.
  @Test func errorsInFastTurnsNearlyMatchTheirCovariance() throws {
    let filtered = try Self.share(within: 3, of: "fast-turns", method: .filter)
    #expect(filtered.share >= 0.97, "\(filtered)")
    let smoothed = try Self.share(within: 3, of: "fast-turns", method: .smooth)
    #expect(smoothed.share >= 0.99, "\(smoothed)")
  }

  @Test(arguments: ["coplanar-mirror-3d", "two-anchors-mirror"])
  func mirrorImagesAreMarkedAmbiguous(_ name: String) throws {
    for method in [PositionMethod.filter, .smooth] {
      let positions = try Self.processed(name, method).positions
      for index in positions.status.indices
      where positions.status[index] != .ambiguous && positions.status[index] != .starting {
        // On the plane, 3 m up, both images are one place.
        let away = positions.position[index][2] - 3
        #expect(
          name == "coplanar-mirror-3d" && away * away < 4 * positions.covariance[index][2, 2],
          "\(name), \(method), at \(positions.time[index].seconds)")
      }
      #expect(positions.status.contains(.ambiguous), "\(name)")
    }
  }

  // MARK: Harness

  private static func simulated(
    _ name: String
  ) throws -> (setting: Scenario.Anchored, recording: Recording) {
    let file = folder.appending(path: "\(name).yaml")
    let scenario = try ScenarioReader.scenario(from: String(contentsOf: file, encoding: .utf8))
    return (
      try #require(scenario.setting.anchored), RangeSimulator(scenario).recording().recording
    )
  }

  private static func processed(
    _ name: String, _ method: PositionMethod
  ) throws -> ProcessedRecording {
    var settings = ProcessingSettings()
    settings.method = method
    return try simulated(name).recording.processed(with: settings)
  }

  /// Returns the share of positions whose error is within `factor` standard deviations on every
  /// axis.
  private static func share(
    within factor: Double, of name: String, method: PositionMethod
  ) throws -> (share: Double, count: Int) {
    let (setting, recording) = try simulated(name)
    let positions = try processed(name, method).positions
    var (inside, count) = (0, 0)
    for index in 0..<positions.count where positions.position[index].isFinite {
      let tag = try #require(recording.tagNames.firstIndex(of: positions.tag[index]))
      let truth = setting.tags[tag].trajectory.motion(at: positions.time[index].seconds).position
      let error = positions.position[index] - truth
      let covariance = positions.covariance[index]
      count += 1
      let isInside = (0..<3).allSatisfy { axis in
        let variance = covariance[axis, axis]
        return variance == 0 || error[axis] * error[axis] <= factor * factor * variance
      }
      if isInside { inside += 1 }
    }
    return (Double(inside) / Double(count), count)
  }
}
