import Fathom
import Foundation
import TestSupport
import Testing

/// The example of the README: the code between the markers below is the code there, and prints what
/// the README says it prints.
@Suite struct ReadmeExampleTests {
  @Test func theReadmeHasThisCodeAndItsOutput() throws {
    let readme = try String(
      contentsOf: Reference.packageRoot.appending(path: "README.md"), encoding: .utf8)
    let code = try example()
    #expect(code.count { $0 == "\n" } >= 15)
    #expect(readme.contains("```swift\nimport Fathom\nimport Foundation\n\n" + code + "```\n"))

    let lines = printed()
    #expect(lines.count >= 4)
    #expect(readme.contains("```\n" + lines.joined(separator: "\n") + "\n```\n"), "\(lines)")
  }

  /// The track in the example ends at (2.88, 2.44) m, from which its ranges were made with 0.05 m of
  /// noise, and one of them 1.2 m too long.
  @Test func theNumbersAreThoseOfTheTrack() throws {
    let lines = printed()
    let last = try #require(lines.last)
    let numbers = last.split { !"-.0123456789".contains($0) }.compactMap { Double($0) }
    try #require(numbers.count == 4)
    let (x, sigmaX, y, sigmaY) = (numbers[0], numbers[1], numbers[2], numbers[3])
    #expect(abs(x - 2.88) <= 3 * sigmaX)
    #expect(abs(y - 2.44) <= 3 * sigmaY)
    // Noise of 0.05 m, of 0.10 m assumed: between a hundredth and two tenths after 12 ranges.
    #expect((0.01...0.2).contains(sigmaX) && (0.01...0.2).contains(sigmaY))
    #expect(lines.filter { $0.contains("discounted") } == ["range 10 discounted"])
  }

  /// The example takes the height for known.
  @Test func aKnownHeightStaysKnown() throws {
    var configuration = Tracker.Configuration()
    configuration.height = 1.0
    var tracker = Tracker(
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

  /// What the example prints.
  private func printed() -> [String] {
    var lines: [String] = []
    func print(_ line: String) { lines.append(line) }

    // MARK: Example
    let anchors = [
      Anchor(position: Vector([0, 0, 2.4])), Anchor(position: Vector([8, 0, 2.1])),
      Anchor(position: Vector([8, 6, 2.4])), Anchor(position: Vector([0, 6, 2.1])),
    ]
    var configuration = Tracker.Configuration()
    configuration.height = 1.0  // the tag's, metres; nil where it is not known
    var tracker = Tracker(anchors: anchors, configuration: configuration)

    // Metres, ten ranges a second, the anchors in turn; the tenth came in late, off a wall.
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

  /// The lines between the markers of this file, without their common indentation.
  private func example() throws -> String {
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let begin = try #require(lines.firstIndex { $0 == "    // MARK: Example" })
    let end = try #require(lines.firstIndex { $0 == "    // MARK: End" })
    return lines[(begin + 1)..<end].map { line in
      (line.hasPrefix("    ") ? line.dropFirst(4) : line) + "\n"
    }.joined()
  }
}
