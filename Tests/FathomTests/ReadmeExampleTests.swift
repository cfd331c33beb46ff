import Fathom
import Foundation
import TestSupport
import Testing

/// The Swift examples of the README and of the articles Getting started and EpochLocator.
///
/// The documents show the code between the markers below, and the printed lines in the block after
/// it.
///
/// With `FATHOM_RECORD_SHOWN=1` the printed lines are written into the documents.
@Suite struct ReadmeExampleTests {
  private static let gettingStarted = "Sources/Fathom/Fathom.docc/Articles/GettingStarted.md"

  @Test func readmeShowsTrackExample() throws {
    let code = try ShownCode("README track", in: #filePath)
    #expect(code.lines.count >= 15)
    try ShownDocument.expect(code, printing: try readmeTrack(), in: "README.md")
  }

  @Test func articleShowsTrackExample() throws {
    try ShownDocument.expect(
      ShownCode("article track", in: #filePath), printing: try articleTrack(),
      in: Self.gettingStarted)
  }

  @Test func articleShowsPositionExample() throws {
    try ShownDocument.expect(
      ShownCode("article position", in: #filePath), printing: try articlePosition(),
      in: Self.gettingStarted)
  }

  @Test func articleShowsEpochExample() throws {
    try ShownDocument.expect(
      ShownCode("article epoch", in: #filePath), printing: try articleEpochs(),
      in: "Sources/Fathom/Fathom.docc/Articles/EpochLocator.md")
  }

  /// The track of the README ends at (2.88, 2.44) m.
  ///
  /// Its ranges have 0.05 m of noise, and one of them is 1.2 m too long.
  @Test func printsPositionNearTruth() throws {
    let lines = try readmeTrack()
    let last = try #require(lines.last)
    let numbers = last.split { !"-.0123456789".contains($0) }.compactMap { Double($0) }
    try #require(numbers.count == 4)
    let (x, sigmaX, y, sigmaY) = (numbers[0], numbers[1], numbers[2], numbers[3])
    #expect(abs(x - 2.88) <= 3 * sigmaX)
    #expect(abs(y - 2.44) <= 3 * sigmaY)
    // Noise of 0.05 m, of 0.10 m assumed: sigmas between 0.01 m and 0.2 m after 12 ranges.
    #expect((0.01...0.2).contains(sigmaX) && (0.01...0.2).contains(sigmaY))
    #expect(lines.filter { $0.contains("discounted") } == ["range 10 discounted"])
  }

  /// The example sets a known height.
  @Test func knownHeightStaysConstant() throws {
    var configuration = Tracker.Configuration()
    configuration.height = 1.0
    var tracker = try Tracker(
      anchors: [
        Anchor(position: Vector([0, 0, 2.4])), Anchor(position: Vector([8, 0, 2.1])),
        Anchor(position: Vector([8, 6, 2.4])), Anchor(position: Vector([0, 6, 2.1])),
      ], configuration: configuration)
    var time = Timestamp(nanoseconds: 0)
    for (index, distance) in [3.16, 6.38, 7.15, 4.63, 3.51, 6.14, 6.90, 4.60].enumerated() {
      time = Timestamp(nanoseconds: 100_000_000 * Int64(index))
      _ = tracker.update(distance: distance, anchor: index % 4, at: time)
    }
    let estimate = try #require(tracker.estimate(at: time))
    #expect(estimate.position[2] == 1)
    #expect(estimate.covariance[2, 2] == 0)
  }

  // MARK: Examples

  /// The output of the README's example.
  private func readmeTrack() throws -> [String] {
    var lines: [String] = []
    func print(_ line: String) { lines.append(line) }

    // MARK: Shown README track
    let anchors = [
      Anchor(position: Vector([0, 0, 2.4])), Anchor(position: Vector([8, 0, 2.1])),
      Anchor(position: Vector([8, 6, 2.4])), Anchor(position: Vector([0, 6, 2.1])),
    ]
    var configuration = Tracker.Configuration()
    configuration.height = 1.0  // of the tag, metres; nil if unknown
    var tracker = try Tracker(anchors: anchors, configuration: configuration)

    // Metres, ten ranges a second, anchors in turn. The tenth range was reflected by a wall.
    let distances = [
      3.16, 6.38, 7.15, 4.63, 3.51, 6.14, 6.90, 4.60, 3.79, 7.05, 6.44, 4.70,
    ]
    for (index, distance) in distances.enumerated() {
      let time = Timestamp(nanoseconds: 100_000_000 * Int64(index))
      let update = tracker.update(distance: distance, anchor: index % 4, at: time)
      if case .discounted = update.outcome { print("range \(index + 1) discounted") }
      guard index % 4 == 3, let estimate = tracker.estimate(at: time) else { continue }
      let sigma = (0..<2).map { estimate.covariance[$0, $0].squareRoot() }
      let (x, y) = (estimate.position[0], estimate.position[1])
      print(String(format: "x %.2f ± %.2f m, y %.2f ± %.2f m", x, sigma[0], y, sigma[1]))
    }
    // MARK: End

    return lines
  }

  /// The output of the article's track example.
  private func articleTrack() throws -> [String] {
    var lines: [String] = []
    func print(_ line: String) { lines.append(line) }

    // MARK: Shown article track
    let anchors = [
      Anchor(position: Vector([0, 0, 2.4])), Anchor(position: Vector([8, 0, 2.1])),
      Anchor(position: Vector([8, 6, 2.4])), Anchor(position: Vector([0, 6, 2.1])),
    ]
    var configuration = Tracker.Configuration()
    configuration.height = 1.0  // of the tag, metres
    var tracker = try Tracker(anchors: anchors, configuration: configuration)

    for (index, distance) in [3.16, 6.38, 7.15, 4.63, 3.51].enumerated() {
      let time = Timestamp(nanoseconds: 100_000_000 * Int64(index))
      let update = tracker.update(distance: distance, anchor: index % 4, at: time)
      print("range \(index + 1): \(update.outcome)")
    }
    let later = Timestamp(nanoseconds: 600_000_000)
    if let estimate = tracker.estimate(at: later) {
      let (x, y) = (estimate.position[0], estimate.position[1])
      print(String(format: "x %.2f m, y %.2f m, \(estimate.status)", x, y))
    }
    // MARK: End

    return lines
  }

  /// The output of the article's position example.
  private func articlePosition() throws -> [String] {
    var lines: [String] = []
    func print(_ line: String) { lines.append(line) }

    // MARK: Shown article position
    let anchors = [
      Vector([0, 0, 2.4]), Vector([8, 0, 2.1]), Vector([8, 6, 2.4]), Vector([0, 6, 2.1]),
    ]
    let fix = try Trilateration.solve(ranges: [3.16, 6.38, 7.15, 4.63], anchors: anchors)
    print("verdict: \(fix.verdict)")
    for position in [fix.position, fix.alternative].compactMap({ $0 }) {
      let (x, y, z) = (position[0], position[1], position[2])
      print(String(format: "x %.2f m, y %.2f m, z %.2f m", x, y, z))
    }
    // MARK: End

    return lines
  }

  /// The output of the example of the article EpochLocator.
  private func articleEpochs() throws -> [String] {
    var lines: [String] = []
    func print(_ line: String) { lines.append(line) }

    // MARK: Shown article epoch
    let anchors = [
      Anchor(position: Vector([0, 0, 2.4])), Anchor(position: Vector([8, 0, 2.1])),
      Anchor(position: Vector([8, 6, 2.4])), Anchor(position: Vector([0, 6, 2.1])),
    ]
    var configuration = EpochLocator.Configuration()
    configuration.options.height = 1.0  // of the tag, metres; nil if unknown
    configuration.window = 0.35  // seconds: a round of four ranges
    var locator = try EpochLocator(anchors: anchors, configuration: configuration)

    // Metres, ten ranges a second, anchors in turn. The seventh range was reflected by a wall.
    let distances = [3.16, 6.38, 7.15, 4.63, 3.51, 6.14, 8.10, 4.60]
    for (index, distance) in distances.enumerated() {
      let time = Timestamp(nanoseconds: 100_000_000 * Int64(index))
      let range = RangeMeasurement(time: time, anchor: index % 4, distance: distance)
      locator.update(.range(range))
      guard index % 4 == 3, let epoch = locator.solve(at: time), let position = epoch.fix.position
      else { continue }
      print(String(format: "x %.2f m, y %.2f m", position[0], position[1]))
      for (place, range) in epoch.ranges.enumerated() where !epoch.isUsed(place) {
        print("without range \(range.ordinal + 1)")
      }
    }
    // MARK: End

    return lines
  }
}
