import Fathom
import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomEvaluation

/// Every scenario of `Datasets/Scenarios` can be simulated, can be read back, and has the
/// difficulty that it is made for.
@Suite struct ScenarioLibraryTests {
  private static let folder = Reference.packageRoot.appending(path: "Datasets/Scenarios")

  /// Names of the scenarios and the hashes of their files.
  ///
  /// The FNV-1a hash of all files is the same on every machine, in debug and in release. A change
  /// of a scenario or of the simulator that changes a hash must be intended. The failing test
  /// prints the new hash.
  private static let hashes = [
    "barometer-floors": "202c7f506d0f4b91",
    "bias-common": "bcec1879a943a92d",
    "cart-slip": "1ef4f157d80b121",
    "clock-drift": "f9570e503c62e5b6",
    "coplanar-mirror-3d": "ed9fb08316bbdc78",
    "corridor-geometry": "2f89db483b856f93",
    "drone-imu": "91a050063501a052",
    "fast-turns": "d4364e3946592134",
    "heavy-tails": "78b16a0180a18b33",
    "held-values": "9e0c8029fe0b9207",
    "late-delivery": "d3327bc7968638e2",
    "linear-gaussian": "27cea6397cbd5b67",
    "long-gap": "2a7c0577b8cfb6c1",
    "long-range-loss": "ff7ac78526df02f1",
    "many-tags": "86de2ce9022e147a",
    "nlos-walls": "c50b35fc240ecadf",
    "phone-cone": "5595328028e5bdb4",
    "phone-in-hall": "e6c73127b66dce52",
    "random-anchors": "f2252b3c58a6e813",
    "scale-error": "30b69868116f61dd",
    "still-tag": "485ba2da7b7c8e33",
    "tdoa-hall": "611dfe452cd0f60a",
    "two-anchors-mirror": "5e840ffb3dc1faf9",
    "two-tags": "4085d51d069ae139",
    "walking-phone": "61f2b236c228e04c",
  ]

  private static let names: [String] = {
    let entries = try? FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false))
    return (entries ?? []).filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
  }()

  private func text(_ name: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: "\(name).yaml"), encoding: .utf8)
  }

  /// All recordings, each simulated once.
  private static let recordings: [String: SimulatedRecording] = {
    var recordings: [String: SimulatedRecording] = [:]
    for name in names {
      let file = folder.appending(path: "\(name).yaml")
      guard let text = try? String(contentsOf: file, encoding: .utf8),
        let scenario = try? ScenarioReader.scenario(from: text)
      else { continue }
      recordings[name] = RangeSimulator(scenario).recording()
    }
    return recordings
  }()

  private func simulated(_ name: String) throws -> SimulatedRecording {
    try #require(Self.recordings[name])
  }

  private func ranges(_ name: String) throws -> RangeColumns {
    try simulated(name).recording.ranges
  }

  @Test func libraryMatchesItsCatalogue() throws {
    let catalogue = try String(
      contentsOf: Reference.packageRoot.appending(path: "Datasets/README.md"), encoding: .utf8)
    #expect(Self.names.count >= 12)
    for name in Self.names { #expect(catalogue.contains("(Scenarios/\(name).yaml)"), "\(name)") }
    #expect(Set(Self.names) == Set(Self.hashes.keys))
  }

  @Test(arguments: names)
  func scenarioBeginsWithItsDifficulty(_ name: String) throws {
    let text = try text(name)
    #expect(text.hasPrefix("# Difficulty: "))
    #expect(text.contains("\n# A good "))
    #expect(try ScenarioReader.scenario(from: text).name == name)
  }

  @Test(arguments: names)
  func filesAreIdenticalOnEveryMachine(_ name: String) throws {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for file in SimulatedRecordingWriter.files(of: try simulated(name)) {
      for byte in file.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    #expect(String(hash, radix: 16) == Self.hashes[name], "\(name)")
  }

  /// Reading the files gives the simulated recording.
  @Test(arguments: names)
  func filesRoundTrip(_ name: String) throws {
    let simulated = try simulated(name)
    let folder = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID())")
      .path(percentEncoded: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try SimulatedRecordingWriter.write(simulated, to: folder)
    let truth = try #require(try TruthReader.read(folder: folder))
    #expect(truth.rejected.isEmpty)
    #expect(truth.tracks.values.map(\.count).reduce(0, +) == simulated.truth.count)
    guard simulated.differences == nil else { return }
    let read = try RecordingReader.read(folder)
    #expect(read.rejected.isEmpty)
    #expect(read.rowsRead == simulated.recording.rowsRead)
    #expect(read.ranges.time == simulated.recording.ranges.time)
    #expect(read.ranges.distance == simulated.recording.ranges.distance)
    #expect(read.ranges.line == simulated.recording.ranges.line)
    #expect(read.ranges[.rssi] == simulated.recording.ranges[.rssi])
    #expect(read.ranges[.nonLineOfSight] == simulated.recording.ranges[.nonLineOfSight])
    #expect(read.tagRanges.time == simulated.recording.tagRanges.time)
    #expect(read.tagRanges.other == simulated.recording.tagRanges.other)
    #expect(read.tagRanges.distance == simulated.recording.tagRanges.distance)
    #expect(read.anchors == simulated.recording.anchors)
    #expect(read.facts == simulated.recording.facts)
    #expect(read.events == simulated.recording.events)
  }

  // MARK: Difficulties

  /// Returns the errors of the ranges, measured minus true distance, and the true distances.
  private func errors(_ name: String) throws -> [(error: Double, distance: Double, anchor: Int)] {
    let scenario = try ScenarioReader.scenario(from: text(name))
    let anchored = try #require(scenario.setting.anchored)
    let ranges = try ranges(name)
    return (0..<ranges.count).map { index in
      let anchor = Int(ranges.anchor[index])
      let motion = anchored.tags[Int(ranges.tag[index])].trajectory.motion(
        at: ranges.time[index].seconds)
      let distance = (anchored.anchors[anchor].anchor.position - motion.position).length
      return (ranges.distance[index] - distance, distance, anchor)
    }
  }

  /// The rows of a sensor's file, as numbers without time and tag.
  private func readings(_ scenario: String, _ file: String) throws -> [[Double]] {
    let file = try #require(try simulated(scenario).sensors.first { $0.name == file })
    return String(decoding: file.bytes, as: UTF8.self).split(separator: "\n").dropFirst().map {
      $0.split(separator: ",").dropFirst(2).compactMap { Double($0) }
    }
  }

  @Test func inertialSensorFeelsGravity() throws {
    let rows = try readings("drone-imu", "imu.csv")
    #expect(rows.count == 6001)
    // The drone stands for four seconds.
    let still = rows[10..<390].map { row in
      (row[0] * row[0] + row[1] * row[1] + row[2] * row[2]).squareRoot()
    }
    let mean = still.reduce(0, +) / Double(still.count)
    #expect(isClose(mean, 9.80665, within: 0.2))
    let flying = rows[500...].map { row in
      (row[0] * row[0] + row[1] * row[1] + row[2] * row[2]).squareRoot()
    }
    #expect(try #require(flying.max()) > 10.5)
  }

  @Test func guestHearsOneAnchorAndTheGuide() throws {
    let recording = try simulated("two-tags").recording
    let guest = Int32(try #require(recording.tagNames.firstIndex(of: "guest")))
    let heard = recording.ranges.tag.indices.filter { recording.ranges.tag[$0] == guest }
    #expect(Set(heard.map { recording.ranges.anchor[$0] }).count == 1)
    #expect(recording.tagRanges.count > 500)
  }

  @Test func barometerIsWrongByAnOffset() throws {
    let scenario = try ScenarioReader.scenario(from: text("barometer-floors"))
    let lift = try #require(scenario.setting.anchored).tags[0].trajectory
    let errors = try readings("barometer-floors", "heights.csv").enumerated().map { index, row in
      row[0] - lift.motion(at: Double(index) / 5).position[2]
    }
    let mean = errors.reduce(0, +) / Double(errors.count)
    #expect(errors.count == 451 && mean.magnitude > 0.2 && mean.magnitude < 3)
  }

  @Test func wheelsSlip() throws {
    let scenario = try ScenarioReader.scenario(from: text("cart-slip"))
    let cart = try #require(scenario.setting.anchored).tags[0].trajectory
    let ratios = try readings("cart-slip", "odometry.csv").enumerated().compactMap {
      index, row -> Double? in
      guard index > 0 else { return nil }
      let (before, now) = (
        cart.motion(at: Double(index - 1) / 10), cart.motion(at: Double(index) / 10)
      )
      let moved = (now.position - before.position).length
      return moved > 0.08 ? row[0] / moved : nil
    }
    let slipping = ratios.count { $0 > 1.6 }
    #expect(slipping > 10 && slipping < ratios.count / 4)
  }

  @Test func biasIsCommonToAllLinks() throws {
    // c (1 ns + 1 ns) / 2 = 0.2998 m; A3 has an additional 0.08 m. 600 ranges each: 0.0024 m.
    let errors = try errors("bias-common")
    for anchor in 0..<8 {
      let own = errors.filter { $0.anchor == anchor }.map(\.error)
      let mean = own.reduce(0, +) / Double(own.count)
      #expect(isClose(mean, anchor == 2 ? 0.379_8 : 0.299_8, within: 0.012))
    }
  }

  @Test func scaleGrowsWithDistance() throws {
    let errors = try errors("scale-error")
    let far = errors.filter { $0.distance > 40 }.map(\.error)
    let near = errors.filter { $0.distance < 20 }.map(\.error)
    #expect(far.count > 100 && near.count > 100)
    #expect(far.reduce(0, +) / Double(far.count) > 0.6)
    #expect(near.reduce(0, +) / Double(near.count) < 0.3)
  }

  @Test func tailsAreHeavyInBothDirections() throws {
    let errors = try errors("heavy-tails").map(\.error)
    let count = Double(errors.count)
    // Normal noise of 0.05 m exceeds 0.25 m in one of two million.
    #expect(Double(errors.count { $0 > 0.25 }) / count > 0.04)
    #expect(Double(errors.count { $0 < -0.25 }) / count > 0.02)
  }

  @Test func wallsObstructMoreThanAQuarter() throws {
    let ranges = try ranges("nlos-walls")
    let labels = try #require(ranges[.nonLineOfSight])
    let share = labels.reduce(0, +) / Double(ranges.count)
    #expect((0.25...0.45).contains(share), "\(share)")
    let errors = try errors("nlos-walls")
    let blocked = zip(errors, labels).filter { $1 == 1 }.map(\.0.error)
    #expect(blocked.reduce(0, +) / Double(blocked.count) > 0.45)
  }

  @Test func tagMovesDuringLongGaps() throws {
    let simulated = try simulated("long-gap")
    let times = simulated.recording.ranges.time
    let gaps = zip(times, times.dropFirst()).map { $1.seconds(since: $0) }.sorted()
    #expect(gaps[gaps.count - 1] > 25 && gaps[gaps.count - 2] > 12)
    let place = { (time: Double) in simulated.truth.first { $0.time.seconds >= time }?.position }
    let (before, after) = (try #require(place(75)), try #require(place(100)))
    #expect((after - before).length > 2)
  }

  @Test func aThirdOfTheValuesIsHeld() throws {
    let ranges = try ranges("held-values")
    var last: [Int32: Double] = [:]
    var held = 0
    for index in 0..<ranges.count {
      let before = last.updateValue(ranges.distance[index], forKey: ranges.anchor[index])
      if before == ranges.distance[index] { held += 1 }
    }
    #expect((0.29...0.38).contains(Double(held) / Double(ranges.count)))
  }

  @Test func anchorsAreCoplanarAndTagApproachesTheirPlane() throws {
    let simulated = try simulated("coplanar-mirror-3d")
    #expect(Set(simulated.recording.anchors.map { $0.position[2] }) == [3])
    let gaps = simulated.truth.map { 3 - $0.position[2] }
    #expect(gaps.allSatisfy { $0 > 0 } && gaps.contains { $0 < 0.15 })
  }

  @Test func corridorIsNarrow() throws {
    let recording = try simulated("corridor-geometry").recording
    let across = recording.anchors.map { $0.position[1] }
    #expect((across.max() ?? 0) - (across.min() ?? 0) < 2.5)
    // Distant anchors lose more ranges; beyond 30 m almost all are lost.
    let errors = try errors("corridor-geometry")
    #expect(errors.count { $0.distance > 30 } < errors.count / 100)
  }

  @Test func aFifthOfTheRowsIsLate() throws {
    let times = try ranges("late-delivery").time
    var newest = times[0]
    var late = 0
    for time in times {
      if time < newest { late += 1 }
      newest = max(newest, time)
    }
    #expect((0.16...0.24).contains(Double(late) / Double(times.count)))
  }

  @Test func clockDriftsAndStepsBack() throws {
    let times = try ranges("clock-drift").time
    // The last of 12 000 instants is at 119.995 s: 0.15 + 0.06 s ahead, ±8 ms.
    #expect(isClose((times.last?.seconds ?? 0) - 119.995, 0.21, within: 0.04))
    #expect(zip(times, times.dropFirst()).count { $1 < $0 } > times.count / 20)
  }

  @Test func turnsAreFast() throws {
    let scenario = try ScenarioReader.scenario(from: text("fast-turns"))
    let trajectory = try #require(scenario.setting.anchored).tags[0].trajectory
    var (even, hard) = (0, 0)
    for index in 0..<9000 {
      let time = Double(index) * 0.01
      let change =
        trajectory.motion(at: time + 1e-4).velocity - trajectory.motion(at: time).velocity
      if change.length < 1e-7 { even += 1 } else if change.length > 5e-4 { hard += 1 }
    }
    // Mostly constant velocity, otherwise strong acceleration.
    #expect(even > 5000 && hard > 500)
  }

  @Test func tagIsStill() throws {
    #expect(Set(try simulated("still-tag").truth.map { $0.position.array }).count == 1)
  }

  @Test func manyTagsShareTheSchedule() throws {
    let recording = try simulated("many-tags").recording
    #expect(recording.tagNames.count == 40)
    let ranges = recording.ranges
    let own = (0..<ranges.count).filter { ranges.tag[$0] == 7 && ranges.anchor[$0] == 1 }
    #expect((30...38).contains(own.count))
  }

  @Test func differencesComeFromAllAnchors() throws {
    let differences = try #require(try simulated("tdoa-hall").differences)
    #expect(Set(differences.map(\.anchorA)) == [1, 2, 3, 4, 5, 6, 7])
    #expect(Set(differences.map(\.tag)) == [0, 1])
    #expect(differences.contains { $0.difference < 0 })
  }

  @Test func distantRangesAreLost() throws {
    let ranges = try ranges("long-range-loss")
    let far = ranges.time.count { (65...85).contains($0.seconds) }
    let near = ranges.time.count { $0.seconds < 20 }
    #expect(near > 280 && far < 60 && far > 5)
    let power = try #require(ranges[.rssi])
    #expect(power.allSatisfy { (-110 ... -50).contains($0) })
  }

  @Test func accessoryLeavesTheCone() throws {
    let ranges = try ranges("phone-cone")
    let seen = try #require(ranges.direction).x.count { !$0.isNaN }
    #expect((0.25...0.6).contains(Double(seen) / Double(ranges.count)))
  }

  @Test func setOfAnchorsInRangeChanges() throws {
    let ranges = try ranges("random-anchors")
    var sets: [Timestamp: Set<Int32>] = [:]
    for index in 0..<ranges.count {
      sets[ranges.time[index], default: []].insert(ranges.anchor[index])
    }
    #expect(Set(sets.values).count > 300)
    #expect(sets.values.contains { $0.count <= 4 })
    #expect(sets.values.reduce(0) { $0 + $1.count } < 10 * sets.count)
  }

  @Test func tagCrossesTheLineThroughTwoAnchors() throws {
    let simulated = try simulated("two-anchors-mirror")
    #expect(simulated.recording.anchors.count == 2)
    let sides = simulated.truth.map { $0.position[1] > 0 }
    #expect(zip(sides, sides.dropFirst()).count { $0 != $1 } == 2)
  }

  @Test func rangesAreLinearInThePosition() throws {
    let simulated = try simulated("linear-gaussian")
    // y² / (2 R) with R = 1000 km.
    let bend = simulated.truth.map { $0.position.dot($0.position) / 2e6 }.max() ?? 1
    #expect(bend < 0.005)
  }
}
