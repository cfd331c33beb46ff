import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import Fathom

/// A robot that measures ranges and azimuths to landmarks, each epoch solved separately.
///
/// The recording is UTIAS MRCLAM 9 [Leung et al. 2011]. Its azimuths are counter-clockwise from the
/// heading. The assumed errors are the defaults of ``Sighting``, 0.10 m and 3°, not those of the
/// recording.
@Suite struct SightingDatasetTests {
  private struct Epoch {
    var truth: Vector<3>
    var heading: Angle
    var seen: [(anchor: Vector<3>, range: Double, azimuth: Angle)] = []
  }

  private static func rows(_ name: String) throws -> [[Double]] {
    let text = try String(
      contentsOf: Reference.url("datasets/mrclam9/\(name)"), encoding: .utf8)
    return text.split(separator: "\n").dropFirst().map { line in
      line.split(separator: ",").map { Double($0) ?? .nan }
    }
  }

  private static func epochs() throws -> [Epoch] {
    var anchors: [Double: Vector<3>] = [:]
    for row in try rows("anchors.csv") { anchors[row[0]] = Vector([row[1], row[2], row[3]]) }
    var epochs: [Double: Epoch] = [:]
    for row in try rows("truth.csv") {
      epochs[row[0]] = Epoch(
        truth: Vector([row[1], row[2], row[3]]), heading: Angle(radians: row[4]))
    }
    for row in try rows("ranges.csv") {
      guard let anchor = anchors[row[2]] else { continue }
      epochs[row[0]]?.seen.append((anchor, row[3], Angle(radians: row[4])))
    }
    return epochs.sorted { $0.key < $1.key }.map(\.value)
  }

  private struct Score {
    var count = 0
    var squares = 0.0
    var normalized = 0.0
    var rootMeanSquare: Double { (squares / Double(count)).squareRoot() }
    var consistency: Double { normalized / Double(2 * count) }

    mutating func add(_ fix: PositionFix<3>, _ truth: Vector<3>) {
      guard let position = fix.position, let covariance = fix.covariance else { return }
      let error = Vector<2>([position[0] - truth[0], position[1] - truth[1]])
      let spread = Matrix<2, 2>([
        [covariance[0, 0], covariance[0, 1]], [covariance[1, 0], covariance[1, 1]],
      ])
      guard let root = Cholesky(spread) else { return }
      count += 1
      squares += error.dot(error)
      normalized += error.dot(root.solve(error))
    }
  }

  /// Solves every epoch by ranges alone, with angles and the true heading, and with angles and an
  /// unknown heading.
  ///
  /// Measured: 0.778 m for ranges alone, with a NEES per degree of freedom of 26; 0.142 m and 1.79
  /// with angles and the true heading; 0.341 m and 2.22 with angles and an unknown heading.
  @Test(.needsReference("datasets/mrclam9"), .releaseOnly)
  func anglesWithKnownHeadingReduceErrors() throws {
    var (ranges, known, unknown) = (Score(), Score(), Score())
    let epochs = try Self.epochs()
    #expect(epochs.count == 1816)
    for epoch in epochs {
      var plain = Trilateration.Options()
      plain.height = 0
      let fix = try Trilateration.solve(
        ranges: epoch.seen.map(\.range), anchors: epoch.seen.map(\.anchor), options: plain)
      ranges.add(fix, epoch.truth)

      func sightings(_ heading: Angle) -> [Sighting] {
        epoch.seen.map {
          Sighting.seen(
            from: Sighting.upright(facing: heading), of: $0.anchor, range: $0.range,
            azimuth: -$0.azimuth)
        }
      }
      var options = RangesAndAngles.Options()
      options.height = 0
      known.add(
        try RangesAndAngles.solve(sightings(epoch.heading), options: options).fix, epoch.truth)
      options.headingSigma = .halfTurn
      unknown.add(try RangesAndAngles.solve(sightings(.zero), options: options).fix, epoch.truth)
    }
    for (name, score) in [("ranges", ranges), ("heading known", known), ("unknown", unknown)] {
      print(
        "mrclam9, \(name): \(score.count) epochs, RMSE \(score.rootMeanSquare) m,"
          + " NEES \(score.consistency)")
    }
    #expect(known.count == epochs.count && unknown.count == epochs.count)
    #expect(known.rootMeanSquare < 0.15)
    #expect(known.rootMeanSquare < 0.25 * ranges.rootMeanSquare)
    #expect(known.consistency > 0.5 && known.consistency < 2)
    #expect(unknown.rootMeanSquare < 0.36)
  }
}
