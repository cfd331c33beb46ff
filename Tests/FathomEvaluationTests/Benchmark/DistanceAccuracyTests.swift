import Fathom
import FathomRecordings
import Testing

@testable import FathomEvaluation

@Suite struct DistanceAccuracyTests {
  /// One link with ten ranges a second.
  ///
  /// The true distance varies by 2 m with a period of 10 s.
  private func triangleWaveCase(count: Int = 600) -> BenchmarkCase {
    var recording = Recording(name: "swing")
    recording.tagNames = ["t"]
    recording.anchorNames = ["a"]
    recording.ranges[.trueDistance] = []
    for index in 0..<count {
      let distance = Self.distance(at: 0.1 * Double(index))
      recording.ranges.time.append(Timestamp(nanoseconds: 100_000_000 * Int64(index)))
      recording.ranges.tag.append(0)
      recording.ranges.anchor.append(0)
      recording.ranges.distance.append(distance)
      recording.ranges[.trueDistance]?.append(distance)
    }
    return BenchmarkCase(recording, truth: nil)
  }

  private static func distance(at seconds: Double) -> Double {
    // A triangle wave: its rate is ±0.8 m/s.
    let phase = (seconds / 10).truncatingRemainder(dividingBy: 1)
    return 5 + 2 * (phase < 0.5 ? 4 * phase - 1 : 3 - 4 * phase)
  }

  private func smoothed(
    _ subject: BenchmarkCase, _ value: (Int, Double) -> Double?
  ) -> [SmoothedDistance?] {
    subject.recording.ranges.time.enumerated().map { index, time in
      value(index, time.seconds).map {
        SmoothedDistance(distance: $0, sigma: 0.1, lag: 0, time: time)
      }
    }
  }

  @Test func exactDistancesHaveZeroErrorLagAndJitter() throws {
    let subject = triangleWaveCase()
    let accuracy = DistanceAccuracy(
      of: smoothed(subject) { index, _ in subject.trueDistances[index] }, on: subject)
    #expect(accuracy.errors.count == 600)
    #expect(accuracy.errors.allSatisfy { $0 == 0 })
    #expect(try #require(accuracy.lag).magnitude < 1e-12)
    #expect(accuracy.jitter == 0)
    #expect(accuracy.normalizedSquare == 0)
  }

  @Test func estimatesLagInPresenceOfBias() throws {
    let subject = triangleWaveCase()
    let late = smoothed(subject) { _, time in 0.3 + Self.distance(at: max(0, time - 0.2)) }
    let accuracy = DistanceAccuracy(of: late, on: subject)
    // At the turning points a shifted triangle wave is not a multiple of the rate: 2 of 50 samples.
    #expect(abs(try #require(accuracy.lag) - 0.2) < 0.01)
  }

  @Test func jitterOfWhiteNoiseEqualsItsStandardDeviation() throws {
    let subject = triangleWaveCase(count: 5000)
    var generator = SeededGenerator(seed: 7)
    let noise = (0..<5000).map { _ in 0.1 * generator.normal() }
    let noisy = smoothed(subject) { index, _ in subject.trueDistances[index] + noise[index] }
    let accuracy = DistanceAccuracy(of: noisy, on: subject)
    // Standard error of either about 1.5 %.
    #expect(abs(try #require(accuracy.jitter) - 0.1) < 0.005)
    #expect(abs(try #require(accuracy.normalizedSquare) - 1) < 0.1)
  }

  @Test func lagIsNilForConstantDistance() {
    var recording = triangleWaveCase().recording
    for index in recording.ranges.distance.indices {
      recording.ranges.distance[index] = 3
      recording.ranges[.trueDistance]?[index] = 3
    }
    let subject = BenchmarkCase(recording, truth: nil)
    let accuracy = DistanceAccuracy(of: smoothed(subject) { _, _ in 3.1 }, on: subject)
    #expect(accuracy.lag == nil)
    #expect(accuracy.jitter == 0)
  }

  @Test func ignoresEntriesWithoutDistanceOrTruth() {
    var recording = triangleWaveCase().recording
    recording.ranges[.trueDistance]?[5] = .nan
    let subject = BenchmarkCase(recording, truth: nil)
    let some = smoothed(subject) { index, _ in index % 2 == 0 ? 5 : nil }
    #expect(DistanceAccuracy(of: some, on: subject).errors.count == 300)
    let odd = smoothed(subject) { index, _ in index % 2 == 1 ? 5 : nil }
    #expect(DistanceAccuracy(of: odd, on: subject).errors.count == 299)
  }
}

@Suite struct BenchmarkCaseTests {
  private func recording(anchors: [Anchor]) -> Recording {
    var recording = Recording(name: "r")
    recording.tagNames = ["phone"]
    recording.anchorNames = ["beacon"]
    recording.anchors = anchors
    recording.ranges.time = [
      Timestamp(nanoseconds: 500_000_000), Timestamp(nanoseconds: 5_000_000_000),
    ]
    recording.ranges.tag = [0, 0]
    recording.ranges.anchor = [0, 0]
    recording.ranges.distance = [1, 1]
    recording.ranges.line = [2, 3]
    return recording
  }

  private let track = PositionTrack(
    times: [Timestamp(nanoseconds: 0), Timestamp(nanoseconds: 1_000_000_000)],
    positions: [Vector([0, 0, 0]), Vector([6, 8, 0])])

  @Test func computesTrueDistancesToAnchors() {
    let subject = BenchmarkCase(
      recording(anchors: [Anchor(position: Vector([0, 0, 12]))]), truth: Truth(tracks: ["": track]))
    // At half time the tag is at (3, 4, 0): 5 m across and 12 m up are 13 m. The second range is
    // after the end of truth.
    #expect(subject.trueDistances[0] == 13)
    #expect(subject.trueDistances[1].isNaN)
  }

  @Test func computesTrueDistancesBetweenDevices() {
    let still = PositionTrack(
      times: track.times, positions: [Vector([3, 4, 7]), Vector([3, 4, 7])])
    let both = BenchmarkCase(
      recording(anchors: []), truth: Truth(tracks: ["phone": track, "beacon": still]))
    #expect(both.trueDistances[0] == 7)
    // With truth for the accessory only, the truth is given in the device frame.
    let relative = BenchmarkCase(recording(anchors: []), truth: Truth(tracks: ["beacon": track]))
    #expect(relative.trueDistances[0] == 5)
    #expect(BenchmarkCase(recording(anchors: []), truth: Truth()).trueDistances[0].isNaN)
  }

  @Test func prefersTrueDistancesOfTheRecording() {
    var own = recording(anchors: [Anchor(position: Vector([0, 0, 12]))])
    own.ranges[.trueDistance] = [42, .nan]
    let subject = BenchmarkCase(own, truth: Truth(tracks: ["": track]))
    #expect(subject.trueDistances[0] == 42)
    #expect(subject.trueDistances[1].isNaN)
  }
}
