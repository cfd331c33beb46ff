import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomEvaluation
@testable import FathomRecordings

/// Poses in simulated recordings, and the results of processing them.
@Suite struct PoseSimulationTests {
  private func scenario(_ name: String) throws -> Scenario {
    let file = Reference.packageRoot.appending(path: "Datasets/Scenarios/\(name).yaml")
    return try ScenarioReader.scenario(from: try String(contentsOf: file, encoding: .utf8))
  }

  private func settings(_ method: PositionMethod) -> ProcessingSettings {
    var settings = ProcessingSettings()
    settings.method = method
    return settings
  }

  @Test func posesAreThoseOfTheirFile() throws {
    let simulated = RangeSimulator(try scenario("walking-phone")).recording()
    let files = SimulatedRecordingWriter.files(of: simulated)
    let file = try #require(files.first { $0.name == "poses.csv" })
    let read = try PosesReader.read(ByteSource(path: "poses.csv", stored: file.bytes))
    #expect(read.rejected.isEmpty)
    let poses = try #require(simulated.poses)
    #expect(read.poses.map(\.time) == poses.map(\.time))
    #expect(read.poses.map(\.position) == poses.map(\.position))
    // Attitudes are normalised anew, from six decimals.
    for (one, other) in zip(read.poses, poses) {
      let (one, other) = (try #require(one.attitude), try #require(other.attitude))
      #expect((one.w * other.w + one.x * other.x + one.y * other.y + one.z * other.z) > 1 - 1e-11)
    }
    #expect(read.poses.count == 201)
    // Upright, and facing the accessory: its direction in the frame is that of the axis -z.
    for (index, pose) in read.poses.enumerated() where index % 50 == 0 {
      let truth = try #require(simulated.truth.first { $0.time == pose.time })
      let offset = truth.position - pose.position
      let heading = try #require(pose.heading)
      let level = (offset[0] * offset[0] + offset[1] * offset[1]).squareRoot()
      #expect((heading[0] * offset[0] + heading[1] * offset[1]) / level > 0.9999)
    }
    #expect(throws: ScenarioError.self) {
      try ScenarioReader.scenario(
        from: try String(
          contentsOf: Reference.packageRoot.appending(path: "Datasets/Scenarios/many-tags.yaml"),
          encoding: .utf8) + "\nposes: {}\n")
    }
  }

  @Test(.releaseOnly) func accessoriesAreLocatedInTheFrameOfThePoses() throws {
    var squares = 0.0
    let seeds: Range<UInt64> = 0..<UInt64(repetitions(10, long: 50))
    for seed in seeds {
      var scenario = try scenario("walking-phone")
      scenario.seed = seed
      let simulated = RangeSimulator(scenario).recording()
      let result = simulated.recording.processed(with: settings(.filter))
      #expect(
        result.positions.count == simulated.recording.ranges.count, "one row per range")
      #expect(Set(result.positions.tag) == ["keys"])
      let truth = try #require(simulated.truth.last).position
      let last = result.positions.count - 1
      let error = result.positions.position[last] - truth
      let root = try #require(Cholesky(result.positions.covariance[last]))
      let scaled = root.forward(error)
      squares += scaled.dot(scaled) / 3
      let accessory = try #require(result.summary.accessories?.first)
      #expect(accessory.accessory == "keys" && accessory.tag == "phone")
      #expect(!accessory.missing.contains("sideways_movement"), "seed \(seed)")
      // On the first, straight part both images are reported.
      let straight = result.positions.time.firstIndex { $0.seconds > 5 } ?? 0
      #expect(result.positions.status[straight] == .ambiguous, "seed \(seed)")
      #expect(result.positions.alternatives[straight] != nil)
      #expect(
        result.summary.notes.contains(
          "positions are those of accessories in the frame of poses.csv"))
      let smooth = simulated.recording.processed(with: settings(.smooth))
      #expect(smooth.positions.position[last] == result.positions.position[last])
      // A fix has no motion: nothing but a note.
      let fix = simulated.recording.processed(with: settings(.fix))
      #expect(fix.positions.count == 0 && fix.summary.accessories == nil)
    }
    let nees = squares / Double(seeds.count)
    print("walking-phone: NEES per coordinate \(nees)")
    #expect((0.3...2).contains(nees))
  }

  /// Root mean square of the error, and mean normalised squared error per coordinate.
  private func figures(
    _ result: ProcessedRecording, _ truth: [SimulatedRecording.TruthSample]
  ) throws -> (rmse: Double, nees: Double) {
    var (square, normalized, count) = (0.0, 0.0, 0.0)
    let track = EstimatedTrack(times: truth.map(\.time), positions: truth.map(\.position))
    for index in 0..<result.positions.count where result.positions.status[index] != .starting {
      let time = result.positions.time[index]
      guard time.seconds > 20, let after = track.times.firstIndex(where: { $0 >= time }), after > 0
      else { continue }
      let (begin, end) = (track.times[after - 1], track.times[after])
      let share = time.seconds(since: begin) / end.seconds(since: begin)
      let place =
        track.positions[after - 1] + share * (track.positions[after] - track.positions[after - 1])
      let error = result.positions.position[index] - place
      guard let root = Cholesky(result.positions.covariance[index]) else { continue }
      let scaled = root.forward(error)
      square += error.dot(error)
      normalized += scaled.dot(scaled) / 3
      count += 1
    }
    try #require(count > 100)
    return ((square / count).squareRoot(), normalized / count)
  }

  @Test(.releaseOnly, arguments: [PositionMethod.filter, .smooth])
  func posesImproveTracksAmongAnchors(_ method: PositionMethod) throws {
    var (with, without, nees) = (0.0, 0.0, 0.0)
    let seeds: Range<UInt64> = 0..<UInt64(repetitions(8, long: 30))
    for seed in seeds {
      var scenario = try scenario("phone-in-hall")
      scenario.seed = seed
      let simulated = RangeSimulator(scenario).recording()
      let settings = settings(method)
      let result = simulated.recording.processed(with: settings)
      var plain = simulated.recording
      plain.adopt(poses: [])
      plain.attitudes = nil
      let base = plain.processed(with: settings)
      let figures = try figures(result, simulated.truth)
      with += figures.rmse * figures.rmse
      without += pow(try self.figures(base, simulated.truth).rmse, 2)
      nees += figures.nees / Double(seeds.count)
      #expect(result.summary.calibration?.first?.odometry?.isUsed == true, "seed \(seed)")
      guard method == .filter else { continue }
      let frame = try #require(result.summary.poseFrame)
      let sigma = try #require(frame.headingSigmaRad)
      let heading = try #require(frame.headingRad)
      // The heading that takes the last displacements of the poses to those of the truth.
      let pose = try #require(simulated.poses?.last)
      let place = try #require(simulated.truth.last).position
      let earlier = try #require(simulated.poses?.dropLast(100).last)
      let before = try #require(simulated.truth.first { $0.time == earlier.time }).position
      let (shown, real) = (pose.position - earlier.position, place - before)
      let angle = atan2(real[1], real[0]) - atan2(shown[1], shown[0])
      let error = atan2(sin(heading - angle), cos(heading - angle))
      #expect(error.magnitude < 5 * sigma + 0.1, "seed \(seed): \(error) \(sigma)")
    }
    print(
      "\(method): rmse \((with / Double(seeds.count)).squareRoot()) m with poses,"
        + " \((without / Double(seeds.count)).squareRoot()) m without; NEES \(nees)")
    #expect(with < 0.8 * without)
    #expect((0.4...2).contains(nees))
  }
}
