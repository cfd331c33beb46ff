import Fathom
import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomEvaluation

/// Tests the sections of a scenario that `ScenarioReaderTests` omits: layouts, trajectories, links,
/// walls, radio, clock, delivery and differences.
@Suite struct ScenarioReaderPartsTests {
  private static let full = """
    name: all
    seed: 3
    duration_s: 10
    height_m: 1
    anchors:
      ring: {centre: {x: 1, y: 2}, radius_m: 5, count: 3, z: [2, 3], prefix: R, bias_m: 0.1}
    tags:
      - {id: still, still: {x: 1, y: 1}}
      - id: walk
        antenna_delay_s: 1e-9
        random_walk: {low: {x: 0, y: 0}, high: {x: 4, y: 3}, speed_mps: 0.5, correlation_s: 2}
      - id: drift
        white_noise_acceleration:
          position_m: {x: 0, y: 1}
          density: {x: 0.1, y: 0.2, z: 0}
          step_s: 0.1
    links:
      - {tag: walk, anchor: R2, sigma_m: 0.3}
    polling: {mode: scan, rate_hz: 10}
    noise: {sigma_m: 0.1, degrees_of_freedom: 3, early_share: 0.1, early_mean_m: 0.2}
    walls:
      - {from: {x: 0, y: 0}, to: {x: 1, y: 0}, top_m: 2, delay_m: 0.1, drop_out_share: 0.5}
    radio: {sensitivity_dbm: -93}
    clock: {offset_s: 0.1, drift_ppm: 20}
    delivery: {late_share: 0.1, longest_delay_s: 0.5}
    """

  @Test func readsEveryKey() throws {
    let scenario = try ScenarioReader.scenario(from: Self.full)
    let anchored = try #require(scenario.setting.anchored)
    #expect(anchored.anchors.map(\.name) == ["R1", "R2", "R3"])
    #expect(anchored.anchors.map(\.anchor.bias) == [0.1, 0.1, 0.1])
    #expect(anchored.anchors[0].anchor.position == point(6, 2, 2))
    #expect(anchored.anchors.map { $0.anchor.position[2] } == [2, 3, 2])
    #expect(anchored.tags[0].trajectory == .still(point(1, 1, 1)))
    #expect(anchored.tags.map(\.antennaDelay) == [0, 1e-9, 0])
    guard case .randomWalk(let walk) = anchored.tags[1].trajectory,
      case .randomAcceleration(let drift) = anchored.tags[2].trajectory
    else {
      Issue.record("unexpected trajectories")
      return
    }
    #expect(walk.pace.low == point(0, 0, 1) && walk.pace.high == point(4, 3, 1))
    #expect(walk.pace.speed == 0.5 && walk.pace.correlationTime == 2 && walk.end >= 10)
    #expect(drift.law.position == point(0, 1, 1) && drift.law.density == point(0.1, 0.2, 0))
    #expect(drift.law.step == 0.1 && drift.law.positionSigma == .zero)
    #expect(
      anchored.links == [
        Scenario.LinkOverride(tag: 1, anchor: 1, bias: nil, scale: nil, sigma: 0.3)
      ])
    #expect(scenario.noise.degreesOfFreedom == 3)
    #expect(scenario.noise.earlyShare == 0.1 && scenario.noise.earlyMean == 0.2)
    #expect(
      scenario.walls == [
        Wall(
          start: Vector([0, 0]), end: Vector([1, 0]), bottom: -.infinity, top: 2, delay: 0.1,
          excessMean: 0, dropOutShare: 0.5, loss: 0)
      ])
    #expect(
      scenario.radio
        == LinkBudget(
          transmitPower: -14.3, frequency: 6_489.6e6, exponent: 2, fadingSigma: 0,
          sensitivity: -93, slope: 1))
    #expect(scenario.clock == RecordingClock(offset: 0.1, drift: 20e-6, jitter: 0))
    #expect(scenario.delivery == Delivery(lateShare: 0.1, longestDelay: 0.5))
  }

  @Test func absentSectionsHaveNoEffect() throws {
    let scenario = try ScenarioReader.scenario(from: ScenarioReaderTests.anchored)
    #expect(scenario.walls.isEmpty && scenario.radio == nil)
    #expect(scenario.clock == .exact && scenario.delivery == .immediate)
    #expect(scenario.noise.degreesOfFreedom == nil && scenario.noise.earlyShare == 0)
  }

  /// Each case replaces a part of the scenario above and expects exactly one error.
  @Test(
    arguments: [
      (
        "name: all", "name: a/b", 1,
        "name must be usable as a folder name: no slash, no leading dot"
      ),
      (
        "name: all", "name: ..", 1, "name must be usable as a folder name: no slash, no leading dot"
      ),
      (
        "ring: {", "circle: {", 6,
        "anchors.circle is not known here (known: rectangle, ring, corridor, random, file)"
      ),
      ("count: 3", "count: 0", 6, "anchors.ring.count must be from 1 to 10000, not 0"),
      ("count: 3, ", "", 6, "anchors.ring.count is missing"),
      ("count: 3", "count: 3, per_side: 2", 6, nil),
      (
        "radius_m: 5", "radius_m: -5", 6,
        "anchors.ring.radius_m must be from 0.000001 to 1000000, not -5"
      ),
      (
        "centre: {x: 1, y: 2}", "centre: [1, 2]", 6, "anchors.ring.centre must be a mapping of keys"
      ),
      ("z: [2, 3]", "z: []", 6, "anchors.ring.z must not be empty"),
      ("z: [2, 3]", "z: [2, high]", 6, "anchors.ring.z[1] must be a number"),
      (
        "z: [2, 3]", "z: [2, 3e9]", 6, "anchors.ring.z[1] must be from -1000000 to 1000000, not 3e9"
      ),
      ("z: [2, 3], ", "", 6, "anchors.ring.z is missing"),
      (
        "prefix: R", "prefix: 'R,'", 6,
        "anchors.ring.prefix must have no comma, quote, control character, leading # or surrounding space"
      ),
      ("  ring:", "  file: x.csv\n  ring:", 6, "anchors.file cannot be combined with ring"),
      (
        "  ring: {centre: {x: 1, y: 2}, radius_m: 5, count: 3, z: [2, 3], prefix: R, bias_m: 0.1}",
        "  {}", 6, "anchors.(one of rectangle, ring, corridor, random, file) is missing"
      ),
      (
        "  ring: {centre: {x: 1, y: 2}, radius_m: 5, count: 3,",
        "  random: {centre: {x: 1, y: 2}, length_m: 2, width_m: 2, count: 3, seed: 1, separation_m: 5,",
        6, "anchors.random.separation_m is too large to place all anchors"
      ),
      (
        "  ring: {centre: {x: 1, y: 2}, radius_m: 5, count: 3,",
        "  rectangle: {centre: {x: 1, y: 2}, length_m: 2, width_m: 2, per_side: 1,", 6,
        "anchors.rectangle.per_side must be from 2 to 2500, not 1"
      ),
      (
        "still: {x: 1, y: 1}", "", 8,
        "tags[0].(one of waypoints, lissajous, still, random_walk, white_noise_acceleration, file) is missing"
      ),
      (
        "still: {x: 1, y: 1}", "still: {x: 1, y: 1}, lissajous: {}", 8,
        "tags[0].still cannot be combined with lissajous"
      ),
      (
        "still: {x: 1, y: 1}", "count: 2, still: {x: 1, y: 1}", 8,
        "tags[0].count requires a random trajectory: all tags would be at the same position"
      ),
      (
        "antenna_delay_s: 1e-9", "antenna_delay_s: 1", 10,
        "tags[1].antenna_delay_s must be from -0.000001 to 0.000001, not 1"
      ),
      (
        "high: {x: 4, y: 3}", "high: {x: -4, y: 3}", 11,
        "tags[1].random_walk.high must equal low or exceed it by at least 0.001 on every axis"
      ),
      (
        "correlation_s: 2", "correlation_s: 2, start: {x: 9, y: 1}", 11,
        "tags[1].random_walk.start must lie between low and high"
      ),
      (
        "correlation_s: 2", "correlation_s: 0.000002", 11,
        "tags[1].random_walk.correlation_s gives too many steps: all trajectories together more than 4000000"
      ),
      (
        "speed_mps: 0.5, correlation_s: 2}",
        "speed_mps: 0.5, correlation_s: 0.09}\n    count: 10000", 11,
        "tags[1].random_walk.correlation_s gives too many steps: all trajectories together more than 4000000"
      ),
      (
        "density: {x: 0.1,", "density: {x: -0.1,", 15,
        "tags[2].white_noise_acceleration.density.x must be from 0 to 1000000, not -0.1"
      ),
      (
        "step_s: 0.1", "step_s: 0", 16,
        "tags[2].white_noise_acceleration.step_s must be from 0.000001 to 1000000, not 0"
      ),
      ("step_s: 0.1", "step_s: 0.000001\n          speed: 1", 17, nil),
      ("anchor: R2", "anchor: R9", 18, "links[0].anchor is not in this scenario: R9"),
      ("tag: walk, anchor", "tag: run, anchor", 18, "links[0].tag is not in this scenario: run"),
      (
        "sigma_m: 0.3}", "sigma_m: 0.3}\n  - {tag: walk, anchor: R2, scale: 2}", 19,
        "links[1].anchor repeats a link that is listed above"
      ),
      ("sigma_m: 0.3", "scale: 0", 18, "links[0].scale must be from 0.000001 to 1000000, not 0"),
      ("mode: scan", "mode: scan, reference: R1", 19, "polling.reference requires mode: tdoa"),
      (
        "mode: scan", "mode: tdoa, reference: X", 19,
        "polling.reference is not the name of an anchor: X"
      ),
      ("mode: scan", "mode: tdoa", 20, nil),
      (
        "degrees_of_freedom: 3", "degrees_of_freedom: 0", 20,
        "noise.degrees_of_freedom must be from 0.5 to 1000000, not 0"
      ),
      (", early_mean_m: 0.2", "", 20, "noise.early_mean_m is missing"),
      (
        "early_share: 0.1", "early_share: 1.1", 20, "noise.early_share must be from 0 to 1, not 1.1"
      ),
      ("to: {x: 1, y: 0}", "to: {x: 0, y: 0}", 22, "walls[0].to must differ from from"),
      ("top_m: 2", "top_m: 2, bottom_m: 3", 22, "walls[0].top_m must be above bottom_m (3.0)"),
      ("delay_m: 0.1", "delay_m: -0.1", 22, "walls[0].delay_m must be from 0 to 1000000, not -0.1"),
      (
        "drop_out_share: 0.5", "drop_out_share: 5", 22,
        "walls[0].drop_out_share must be from 0 to 1, not 5"
      ),
      ("top_m: 2", "thickness_m: 2", 22, nil),
      ("sensitivity_dbm: -93", "exponent: 2", 23, "radio.sensitivity_dbm is missing"),
      (
        "sensitivity_dbm: -93", "sensitivity_dbm: -1000", 23,
        "radio.sensitivity_dbm must be from -300 to 300, not -1000"
      ),
      (
        "sensitivity_dbm: -93", "sensitivity_dbm: -93, slope_db: 0", 23,
        "radio.slope_db must be from 0.01 to 100, not 0"
      ),
      (
        "sensitivity_dbm: -93", "sensitivity_dbm: -93, frequency_hz: 6.5", 23,
        "radio.frequency_hz must be from 1000000 to 1000000000000, not 6.5"
      ),
      (
        "drift_ppm: 20", "drift_ppm: 1e6", 24,
        "clock.drift_ppm must be from -100000 to 100000, not 1e6"
      ),
      ("drift_ppm: 20", "jitter_s: -1", 24, "clock.jitter_s must be from 0 to 1000000, not -1"),
      ("late_share: 0.1, ", "", 25, "delivery.late_share is missing"),
      (
        "longest_delay_s: 0.5", "longest_delay_s: -1", 25,
        "delivery.longest_delay_s must be from 0 to 1000000, not -1"
      ),
    ] as [(String, String, Int, String?)])
  func errorsNameLineAndKey(
    _ piece: String, _ replacement: String, _ line: Int, _ reason: String?
  ) throws {
    if piece == "mode: scan", replacement == "mode: tdoa" {
      // Differences exclude held values, which belong to distances, and events.
      try expect(
        Self.full.replacingOccurrences(of: piece, with: replacement)
          .replacingOccurrences(of: "sigma_m: 0.1,", with: "sigma_m: 0.1, held_share: 0.1,"),
        20, "noise.held_share cannot be combined with mode: tdoa")
      try expect(
        Self.full.replacingOccurrences(of: piece, with: replacement)
          + "\nevents: [{time_s: 1, event: suspended}]",
        26, "events cannot be combined with mode: tdoa")
      return
    }
    try #require(Self.full.contains(piece))
    try expect(Self.full.replacingOccurrences(of: piece, with: replacement), line, reason)
  }

  private func expect(_ text: String, _ line: Int, _ reason: String?) throws {
    let error = try #require(throws: ScenarioError.self) {
      try ScenarioReader.scenario(from: text)
    }
    if let reason { #expect(error.reason == reason) }
    #expect(error.line == line, "\(error)")
  }

  @Test func differencesRequireTwoAnchorsAndNoPhone() throws {
    let phone = ScenarioReaderTests.phone.replacingOccurrences(
      of: "polling: {", with: "polling: {mode: tdoa, ")
    try expect(phone, 14, "polling.mode tdoa requires at least two anchors")
    try expect(
      Self.full.replacingOccurrences(of: "mode: scan", with: "mode: tdoa")
        .replacingOccurrences(of: "count: 3", with: "count: 1")
        .replacingOccurrences(of: "R2", with: "R1"),
      19, "polling.mode tdoa requires at least two anchors")
  }

  // MARK: Files

  /// Reads the scenario `text` in a folder with the given files.
  private func scenario(_ text: String, with files: [String: String]) throws -> Scenario {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "fathom-\(UUID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, content) in files {
      try Data(content.utf8).write(to: folder.appending(path: name))
    }
    do {
      return try ScenarioReader.scenario(
        from: text, directory: folder.path(percentEncoded: false))
    } catch {
      // Folder names are random.
      throw ScenarioError.impossible(
        line: error.line, key: "",
        reason: error.reason.replacingOccurrences(
          of: folder.path(percentEncoded: false), with: ""))
    }
  }

  private static let filed = """
    name: filed
    seed: 1
    duration_s: 5
    anchors: {file: anchors.csv}
    tags: [{id: cart, file: {path: track.csv, tag: b, interpolation: linear}}]
    polling: {rate_hz: 10}
    noise: {sigma_m: 0}
    """
  private static let anchors = "id,x,y,z,bias_m,scale\nleft,0,0,2,0.5,\nright,4,0,2,,1.1\n"
  private static let track = "time_s,x,y,z,tag\n7,1,0,0,b\n7,9,9,9,a\n9,3,0,0,b\n"

  @Test func readsAnchorsAndTrajectoriesFromFiles() throws {
    let scenario = try scenario(
      Self.filed, with: ["anchors.csv": Self.anchors, "track.csv": Self.track])
    let anchored = try #require(scenario.setting.anchored)
    #expect(anchored.anchors.map(\.name) == ["left", "right"])
    #expect(
      anchored.anchors.map(\.anchor) == [
        Anchor(position: point(0, 0, 2), bias: 0.5), Anchor(position: point(4, 0, 2), scale: 1.1),
      ])
    #expect(anchored.tags[0].trajectory.motion(at: 0.5).position == point(1.5, 0, 0))
  }

  @Test(
    arguments: [
      ("anchors.csv", "id,x\n", 4, " cannot be read: anchors.csv:1: "),
      ("anchors.csv", "id,x,y\nA,1,2\n", 4, " has anchors without z: anchors.csv"),
      ("anchors.csv", "id,x,y,z\nA,1,2,?\n", 4, " cannot be read: anchors.csv:2: z is not"),
      ("anchors.csv", "id,x,y,z\n", 4, " has no anchors: anchors.csv"),
      ("anchors.csv", nil, 4, " cannot be read: anchors.csv: No such file"),
      ("track.csv", nil, 5, " cannot be read: track.csv: No such file"),
      ("track.csv", "time_s,x,y,z\n", 5, " tag is not in the file: b"),
      (
        "track.csv", "time_s,x,y,z,tag\n1,1,1,,b\n", 5, " cannot be read: track.csv:2: z is missing"
      ),
    ] as [(String, String?, Int, String)])
  func reportsErrorsOfReferencedFiles(
    _ file: String, _ content: String?, _ line: Int, _ reason: String
  ) throws {
    var files = ["anchors.csv": Self.anchors, "track.csv": Self.track]
    files[file] = content
    let error = try #require(throws: ScenarioError.self) { try scenario(Self.filed, with: files) }
    #expect(error.line == line)
    #expect(error.reason.contains(reason.trimmingCharacters(in: .whitespaces)), "\(error)")
  }

  @Test func requiresATagNameForFilesOfSeveralTags() throws {
    let text = Self.filed.replacingOccurrences(of: "tag: b, ", with: "")
    let files = ["anchors.csv": Self.anchors, "track.csv": Self.track]
    let error = try #require(throws: ScenarioError.self) { try scenario(text, with: files) }
    #expect(error.reason.hasSuffix("has several tags (\"a\", \"b\"): name one with the key tag"))
    let only = Self.track.replacingOccurrences(of: "7,9,9,9,a\n", with: "")
    _ = try scenario(text, with: ["anchors.csv": Self.anchors, "track.csv": only])
  }
}
