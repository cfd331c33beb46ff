import Fathom
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct RangeSimulatorTests {
  /// A scenario of two tags at rest among two anchors, with its text modified by `change`.
  private func scenario(
    _ text: String = still, replacing piece: String = "", with replacement: String = ""
  ) throws -> Scenario {
    guard !piece.isEmpty else { return try ScenarioReader.scenario(from: text) }
    let pieces = text.split(separator: piece, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(pieces.count == 2)
    return try ScenarioReader.scenario(from: String(pieces[0] + replacement + pieces[1]))
  }

  private static let still = """
    name: still
    seed: 9
    duration_s: 600
    truth_rate_hz: 2
    anchors:
      - {id: A, x: 0, y: 0, z: 0, bias_m: 0.2, scale: 1.01}
      - {id: B, x: 0, y: 8, z: 0}
    tags:
      - {id: one, waypoints: {speed_mps: 1, acceleration_mps2: 1, points: [{x: 6, y: 8, z: 0}]}}
      - {id: two, waypoints: {speed_mps: 1, acceleration_mps2: 1, points: [{x: 3, y: 4, z: 0}]}}
    polling: {rate_hz: 20, jitter_s: 0.02}
    noise: {sigma_m: 0.05}
    """

  @Test func sameSeedYieldsSameFiles() throws {
    let scenario = try scenario()
    let files = SimulatedRecordingWriter.files(of: RangeSimulator(scenario).recording())
    #expect(files == SimulatedRecordingWriter.files(of: RangeSimulator(scenario).recording()))
    var other = scenario
    other.seed = 10
    #expect(files[0] != SimulatedRecordingWriter.files(of: RangeSimulator(other).recording())[0])
  }

  @Test func roundRobinCyclesThroughAllLinks() throws {
    let recording = RangeSimulator(try scenario()).recording().recording
    #expect(recording.ranges.count == 12_000)
    #expect(recording.rowsRead == 12_000)
    #expect(recording.ranges.tag[0..<6] == [0, 0, 1, 1, 0, 0])
    #expect(recording.ranges.anchor[0..<6] == [0, 1, 0, 1, 0, 1])
    #expect(recording.ranges.line == Array(2...12_001))
    // Instants are in the middle of their intervals of 50 ms, ±20 ms, with a resolution of a
    // microsecond.
    for (index, time) in recording.ranges.time.enumerated() {
      let deviation = time.seconds - (Double(index) + 0.5) / 20
      #expect(deviation.magnitude <= 0.020_001)
      #expect(time.nanoseconds % 1000 == 0)
    }
  }

  @Test func scanMeasuresAllLinksAtOnce() throws {
    let scenario = try scenario(replacing: "{rate_hz: 20", with: "{mode: scan, rate_hz: 20")
    let ranges = RangeSimulator(scenario).recording().recording.ranges
    #expect(ranges.count == 48_000)
    for first in stride(from: 0, to: ranges.count, by: 4) {
      #expect(Set(ranges.time[first..<first + 4]).count == 1)
    }
    #expect(Set(ranges.time).count == 12_000)
    #expect(ranges.tag[0..<4] == [0, 0, 1, 1])
    #expect(ranges.anchor[0..<4] == [0, 1, 0, 1])
  }

  @Test func residualsHaveBiasScaleAndSigmaOfTheLink() throws {
    let ranges = RangeSimulator(try scenario()).recording().recording.ranges
    // Per link n = 3000 at sigma 0.05: standard error of the mean 0.00091 m, of sigma 0.00065 m.
    // 10 m x 1.01 + 0.2 = 10.3; 6; 5 m x 1.01 + 0.2 = 5.25; 5.
    for (tag, anchor, expected) in [(0, 0, 10.3), (0, 1, 6.0), (1, 0, 5.25), (1, 1, 5.0)] {
      let distances = (0..<ranges.count)
        .filter { ranges.tag[$0] == Int32(tag) && ranges.anchor[$0] == Int32(anchor) }
        .map { ranges.distance[$0] }
      let mean = distances.reduce(0, +) / Double(distances.count)
      let variance = distances.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / 2999
      #expect(distances.count == 3000)
      #expect(isClose(mean, expected, within: 0.004_6))
      #expect(isClose(variance.squareRoot(), 0.05, within: 0.003_3))
    }
  }

  @Test func recordingOmitsBiasAndScale() throws {
    let recording = RangeSimulator(try scenario()).recording().recording
    #expect(
      recording.anchors == [
        Anchor(position: point(0, 0, 0)), Anchor(position: point(0, 8, 0)),
      ])
    #expect(recording.anchorNames == ["A", "B"])
    #expect(recording.tagNames == ["one", "two"])
    #expect(recording.facts.heightM == nil)
    #expect(recording.ranges[.directionX] == nil)
  }

  @Test func truthCoversEveryTagAndInstant() throws {
    let truth = RangeSimulator(try scenario()).recording().truth
    #expect(truth.count == 2 * 1201)
    #expect(truth.first?.time == Timestamp(nanoseconds: 0))
    #expect(truth.last?.time == Timestamp(nanoseconds: 600_000_000_000))
    #expect(truth[0].name == "one" && truth[0].position == point(6, 8, 0))
    #expect(truth[1].name == "two" && truth[1].position == point(3, 4, 0))
  }

  @Test func rangesMatchTheirWrittenTime() throws {
    // Without noise a range is the distance at the time in its row, rounded to 0.1 mm.
    let moving = try scenario(
      Self.still.replacing("sigma_m: 0.05", with: "sigma_m: 0"),
      replacing: "points: [{x: 6, y: 8, z: 0}]",
      with: "points: [{x: 6, y: 8, z: 0}, {x: -40, y: 3, z: 2}]")
    let anchored = try #require(moving.setting.anchored)
    let ranges = RangeSimulator(moving).recording().recording.ranges
    for index in 0..<ranges.count where ranges.anchor[index] == 1 {
      let tag = anchored.tags[Int(ranges.tag[index])].trajectory
      let offset = tag.motion(at: ranges.time[index].seconds).position - point(0, 8, 0)
      #expect(isClose(ranges.distance[index], offset.length, within: 0.000_05 + 1e-12))
    }
  }

  @Test func noRangesDuringInterruptions() throws {
    let simulated = RangeSimulator(
      try scenario(
        Self.still.replacing("sigma_m: 0.05", with: "sigma_m: 0.05, held_share: 1")
          + "\nevents: [{time_s: 100, event: suspended}, {time_s: 250.5, event: resumed}, "
          + "{time_s: 600, event: stopped}]\n")
    ).recording()
    let ranges = simulated.recording.ranges
    #expect(ranges.time.allSatisfy { $0.seconds < 100 || $0.seconds >= 250.5 })
    // 2000 ranges in 5 s x 20 Hz before the interruption, and 6990 after it.
    #expect(ranges.count == 2000 + 6990)
    // Both tags have events, and lines count ranges and events alike.
    let events = simulated.recording.events
    #expect(
      events.map(\.event) == [.suspended, .suspended, .resumed, .resumed, .stopped, .stopped])
    #expect(events.map(\.tag) == [0, 1, 0, 1, 0, 1])
    #expect(events.map(\.line) == [2002, 2003, 2004, 2005, 8996, 8997])
    #expect(Set(ranges.line).union(events.map(\.line)) == Set(2...8997))
    #expect(simulated.recording.rowsRead == 8996)
    // Every value is held, but not across the interruption.
    let link = (0..<ranges.count).filter { ranges.tag[$0] == 0 && ranges.anchor[$0] == 0 }
    #expect(Set(link.map { ranges.distance[$0] }).count == 2)
  }

  // MARK: Phones

  @Test func directionsAreMeasuredOnlyInsideTheCone() throws {
    // The phone sways by 1.2 rad to both sides of the accessory; the cone has 0.7 rad.
    let text = ScenarioReaderTests.phone
      .replacing(
        "facing: accessory", with: "facing: accessory\n  wobble_rad: 1.2\n  wobble_period_s: 9")
    let scenario = try scenario(text)
    let phone = try #require(scenario.setting.phone)
    let recording = RangeSimulator(scenario).recording().recording
    let direction = try #require(recording.ranges.direction)
    #expect(recording.anchors.isEmpty && recording.anchorNames == ["lamp"])
    #expect(direction.x.count == recording.ranges.count)
    var seen = 0
    for index in 0..<recording.ranges.count {
      let time = recording.ranges.time[index].seconds
      let place = phone.attitude.devicePosition(
        of: phone.accessoryPosition, from: phone.tag.trajectory.motion(at: time), at: time)
      // tan 0.7 = 0.8422883804630794: inside the cone the lateral part is below that times the
      // distance ahead.
      let sideways = (place[0] * place[0] + place[1] * place[1]).squareRoot()
      let inside = place[2] < 0 && sideways <= 0.842_288_380_463_079_4 * -place[2]
      #expect(direction.x[index].isNaN == !inside)
      #expect(direction.z[index].isNaN == !inside)
      if inside { seen += 1 }
    }
    #expect(seen > 30 && seen < 140)
  }

  @Test func directionErrorsHaveGivenSigma() throws {
    let text = ScenarioReaderTests.phone.replacing("duration_s: 20", with: "duration_s: 2000")
    let scenario = try scenario(text)
    let phone = try #require(scenario.setting.phone)
    let ranges = RangeSimulator(scenario).recording().recording.ranges
    let direction = try #require(ranges.direction)
    var squares = 0.0
    for index in 0..<ranges.count {
      let seen = point(direction.x[index], direction.y[index], direction.z[index])
      #expect(isClose(seen.length, 1, within: 2e-6))
      let time = ranges.time[index].seconds
      let place = phone.attitude.devicePosition(
        of: phone.accessoryPosition, from: phone.tag.trajectory.motion(at: time), at: time)
      let error = seen - (1 / place.length) * place
      squares += error.dot(error)
    }
    // Two axes across the direction, 16 000 directions: standard error of sigma 0.04 / 357 =
    // 0.00011. The chord and the normalisation add terms of sigma³, 0.0001.
    #expect(ranges.count == 16_000)
    #expect(isClose((squares / (2 * 16_000)).squareRoot(), 0.04, within: 0.000_7))
  }

  @Test func phoneTruthIsTheAccessoryInTheDeviceFrame() throws {
    // Facing the accessory: straight ahead at the horizontal distance, 0.2 m below.
    let simulated = RangeSimulator(try scenario(ScenarioReaderTests.phone)).recording()
    #expect(simulated.truth.count == 201)
    for sample in simulated.truth {
      #expect(sample.name == "lamp")
      #expect(isClose(sample.position[0], 0, within: 1e-9))
      #expect(isClose(sample.position[1], -0.2, within: 1e-9))
    }
    // After 5 s of 20 the sine is 1: x = 4 + 3.
    #expect(isClose(simulated.truth[50].position[2], -7, within: 1e-9))
  }
}

extension String {
  /// Returns this text with its only occurrence of `piece` replaced.
  fileprivate func replacing(_ piece: String, with replacement: String) -> String {
    split(separator: piece, maxSplits: 1, omittingEmptySubsequences: false)
      .joined(separator: replacement)
  }
}
