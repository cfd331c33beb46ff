import Fathom
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct ScenarioReaderTests {
  static let anchored = """
    name: hall
    seed: 18446744073709551615
    duration_s: 30
    height_m: 0.5
    anchors:
      - {id: A, x: 0, y: 1, z: 2, bias_m: -0.1, scale: 1.02}
      - {id: "7", x: 1e1, y: 0, z: 2}
    tags:
      - id: cart
        waypoints:
          speed_mps: 0.5
          acceleration_mps2: 0.25
          points:
            - {x: 1, y: 1}
            - {x: 3, y: 1, z: 0.7, stop_s: 2}
    polling: {mode: scan, rate_hz: 10, jitter_s: 0.01}
    noise:
      sigma_m: 0.1
    events:
      - {time_s: 5, event: suspended}
      - {time_s: 9, event: resumed}
    """

  static let phone = """
    name: walk
    seed: 1
    duration_s: 20
    phone:
      id: phone
      accessory: {id: lamp, x: 0, y: 0, z: 1}
      lissajous:
        centre: {x: 4, y: 0, z: 1.2}
        amplitude: {x: 3, y: 0, z: 0}
        period_s: {x: 20, y: 1, z: 1}
      facing: accessory
      field_of_view_rad: 0.7
      direction_sigma_rad: 0.04
    polling: {rate_hz: 8}
    noise: {sigma_m: 0.05}
    """

  @Test func readsEveryKey() throws {
    let scenario = try ScenarioReader.scenario(from: Self.anchored)
    #expect(scenario.name == "hall")
    #expect(scenario.seed == .max)
    #expect(scenario.duration == 30)
    #expect(scenario.truthRate == 10)
    #expect(scenario.polling == Scenario.Polling(mode: .scan, rate: 10, jitter: 0.01))
    #expect(
      scenario.noise
        == RangeNoise(
          sigma: 0.1, outlierShare: 0, outlierMean: 0, dropOutShare: 0, heldShare: 0,
          quantisation: 0))
    #expect(
      scenario.events == [
        Scenario.Event(time: 5, event: .suspended), Scenario.Event(time: 9, event: .resumed),
      ])
    let anchored = try #require(scenario.setting.anchored)
    #expect(anchored.height == 0.5)
    #expect(anchored.anchors.map(\.name) == ["A", "7"])
    #expect(
      anchored.anchors.map(\.anchor) == [
        Anchor(position: point(0, 1, 2), bias: -0.1, scale: 1.02),
        Anchor(position: point(10, 0, 2)),
      ])
    // The first point has the declared height.
    let path = WaypointPath(
      [
        Waypoint(position: point(1, 1, 0.5)), Waypoint(position: point(3, 1, 0.7), stop: 2),
      ], speed: 0.5, acceleration: 0.25)
    #expect(anchored.tags == [Scenario.Tag(name: "cart", trajectory: .waypoints(path))])
  }

  @Test func phoneNeedsNoAnchors() throws {
    let scenario = try ScenarioReader.scenario(from: Self.phone)
    #expect(scenario.polling == Scenario.Polling(mode: .roundRobin, rate: 8, jitter: 0))
    let path = LissajousPath(
      centre: point(4, 0, 1.2), amplitude: point(3, 0, 0), period: point(20, 1, 1))
    #expect(
      scenario.setting
        == .phone(
          Scenario.Phone(
            tag: Scenario.Tag(name: "phone", trajectory: .lissajous(path)), accessory: "lamp",
            accessoryPosition: point(0, 0, 1),
            attitude: PhoneAttitude(facing: .accessory, wobble: 0, wobblePeriod: 1),
            fieldOfView: 0.7, directionSigma: 0.04)))
  }

  /// Each case replaces a part of a valid scenario and expects exactly one error.
  @Test(
    arguments: [
      ("seed: 18446744073709551615", "seed: -1", 2, "seed must be a whole number of 0 or more"),
      ("seed: 18446744073709551615\n", "", 1, "seed is missing"),
      ("duration_s: 30", "duration_s: 0", 3, "duration_s must be from 0.000001 to 1000000, not 0"),
      ("duration_s: 30", "duration_s: .nan", 3, "duration_s must be a number"),
      (
        "duration_s: 30", "duration_s: nan", 3,
        "duration_s must be from 0.000001 to 1000000, not nan"
      ),
      ("duration_s: 30", "duration_s: 1:30", 3, "duration_s must be a number"),
      ("duration_s: 30", "duration_s: \"30\"", 3, "duration_s must be a number"),
      ("duration_s: 30", "duration_s: [30]", 3, "duration_s must be a number"),
      (
        "duration_s: 30", "duration_s: 999999", 3,
        "duration_s is too long: more than 10 million rows"
      ),
      (
        "name: hall", "name: a,b", 1,
        "name must have no comma, quote, control character, leading # or surrounding space"
      ),
      ("name: hall", "name: ''", 1, "name must not be empty"),
      ("name: hall", "- hall", 2, nil),
      ("id: A", "id: \"7\"", 7, "anchors[1].id is the name of another anchor: 7"),
      (
        "bias_m: -0.1", "bias: -0.1", 6,
        "anchors[0].bias is not known here (known: id, x, y, z, bias_m, scale, "
          + "antenna_delay_s)"
      ),
      ("scale: 1.02", "scale: 0", 6, "anchors[0].scale must be from 0.000001 to 1000000, not 0"),
      ("x: 1e1,", "", 7, "anchors[1].x is missing"),
      ("x: 1e1", "x: ten", 7, "anchors[1].x must be a number"),
      (
        "speed_mps: 0.5", "speed_mps: -0.5", 11,
        "tags[0].waypoints.speed_mps must be from 0.000001 to 1000000, not -0.5"
      ),
      (
        "  points:", "  laps: 2.5\n      points:", 13,
        "tags[0].waypoints.laps must be a whole number of 0 or more"
      ),
      (
        "  points:", "  laps: 0\n      points:", 13,
        "tags[0].waypoints.laps must be from 1 to 1000, not 0"
      ),
      (
        "stop_s: 2", "stop_s: -2", 15,
        "tags[0].waypoints.points[1].stop_s must be from 0 to 1000000, not -2"
      ),
      ("height_m: 0.5\n", "", 13, "tags[0].waypoints.points[0].z is missing"),
      ("mode: scan", "mode: scans", 16, "polling.mode must be one of round_robin, scan, tdoa"),
      (
        "rate_hz: 10", "rate_hz: -10", 16,
        "polling.rate_hz must be from 0.000001 to 1000000, not -10"
      ),
      (
        "jitter_s: 0.01", "jitter_s: 0.05", 16,
        "polling.jitter_s must be below half the interval, that is below 0.05, not 0.05"
      ),
      ("sigma_m: 0.1", "sigma_m: 0.1\n  outlier_share: 0.1", 18, "noise.outlier_mean_m is missing"),
      (
        "sigma_m: 0.1", "sigma_m: 0.1\n  held_share: 1.5", 19,
        "noise.held_share must be from 0 to 1, not 1.5"
      ),
      (
        "sigma_m: 0.1", "sigma: 0.1", 18,
        "noise.sigma is not known here (known: sigma_m, degrees_of_freedom, outlier_share, "
          + "outlier_mean_m, early_share, early_mean_m, drop_out_share, held_share, quantisation_m)"
      ),
      (
        "event: resumed", "event: resume", 21,
        "events[1].event must be one of started, stopped, suspended, resumed, removed, invalidated"
      ),
      ("time_s: 9", "time_s: 4", 21, "events[1].time_s must not be before the previous event"),
      (
        "time_s: 9", "time_s: 31", 21,
        "events[1].time_s must not be after the end of the recording (30.0 s)"
      ),
      ("events:", "phone: {}\nevents:", 5, "anchors cannot be combined with phone"),
      ("name: hall", "name: hall\nname: room", 1, "not YAML: duplicate key: \"name\""),
      ("noise:", "noise: {", 19, nil),
      ("noise:", "noise: \u{1}", 17, "not YAML: control characters are not allowed"),
    ] as [(String, String, Int, String?)])
  func errorsNameLineAndKey(
    _ piece: String, _ replacement: String, _ line: Int, _ reason: String?
  ) throws {
    let pieces = Self.anchored.split(
      separator: piece, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(pieces.count == 2)
    let text = pieces[0] + replacement + pieces[1]
    let error = try #require(throws: ScenarioError.self) {
      try ScenarioReader.scenario(from: String(text))
    }
    if let reason { #expect(error.reason == reason) }
    #expect(error.line == line, "\(error)")
  }

  @Test func rejectsInvalidMappings() {
    for (text, expected) in [
      ("", ScenarioError.missingKey(line: 1, key: "name")),
      ("- 1\n", .wrongType(line: 1, key: "the scenario", expected: "a mapping of keys")),
      (
        "anchors: []\nduration_s: 1\nseed: 1\n",
        .impossible(line: 1, key: "anchors", reason: "must not be empty")
      ),
      (
        "anchors: 3\nduration_s: 1\nseed: 1\n",
        .wrongType(line: 1, key: "anchors", expected: "a list")
      ),
      (
        "duration_s: 1\nanchors: [A]\nseed: 1\n",
        .wrongType(line: 2, key: "anchors[0]", expected: "a mapping of keys")
      ),
      (
        "duration_s: 1\nphone: {}\ntags: []\nseed: 1\n",
        .impossible(line: 3, key: "tags", reason: "cannot be combined with phone")
      ),
    ] {
      #expect(throws: expected) { try ScenarioReader.scenario(from: text) }
    }
  }

  @Test func errorDescriptionsBeginWithTheLine() {
    #expect(ScenarioError.missingKey(line: 4, key: "seed").description == "4: seed is missing")
  }
}

extension Scenario.Setting {
  /// The tags of an anchored scenario.
  var anchored: Scenario.Anchored? {
    if case .anchored(let anchored) = self { anchored } else { nil }
  }

  /// The phone of a phone scenario.
  var phone: Scenario.Phone? {
    if case .phone(let phone) = self { phone } else { nil }
  }
}
