import Fathom
import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomEvaluation

/// Tests the effects of a scenario on its measurements, one at a time.
@Suite struct MeasurementRunTests {
  /// Simulates a tag at (3, 4, 0) and one at (6, 8, 0) with anchors at the origin and at (0, 8, 0).
  ///
  /// `changes` are lines that replace the one with the same key, or are added.
  private func simulated(_ changes: String...) throws -> SimulatedRecording {
    var lines = [
      "name: two", "seed: 5", "duration_s: 500",
      "anchors: [{id: A, x: 0, y: 0, z: 0}, {id: B, x: 0, y: 8, z: 0}]",
      "tags: [{id: one, still: {x: 3, y: 4, z: 0}}, {id: two, still: {x: 6, y: 8, z: 0}}]",
      "polling: {rate_hz: 20}", "noise: {sigma_m: 0}",
    ]
    for change in changes {
      let key = change.prefix { $0 != ":" }
      lines.removeAll { $0.hasPrefix("\(key):") }
      lines.append(change)
    }
    let scenario = try ScenarioReader.scenario(from: lines.joined(separator: "\n"))
    return RangeSimulator(scenario).recording()
  }

  private func ranges(_ changes: String...) throws -> RangeColumns {
    var all = changes
    let first = all.isEmpty ? "seed: 5" : all.removeFirst()
    let second = all.isEmpty ? "duration_s: 500" : all.removeFirst()
    return try simulated(first, second).recording.ranges
  }

  // MARK: Links

  @Test func linksMayHaveErrorsOfTheirOwn() throws {
    let ranges = try ranges(
      "links: [{tag: two, anchor: A, bias_m: 0.5, scale: 1.1}, "
        + "{tag: one, anchor: B, sigma_m: 0.2}]")
    // In turn: one-A 5 m, one-B 5 m, two-A 10 m, two-B 6 m.
    #expect(ranges.distance[0] == 5 && ranges.distance[3] == 6)
    #expect(ranges.distance[2] == 11.5)
    // n = 2500: standard error of sigma 0.0028.
    let errors = stride(from: 1, to: ranges.count, by: 4).map { ranges.distance[$0] - 5 }
    let variance = errors.map { $0 * $0 }.reduce(0, +) / Double(errors.count)
    #expect(isClose(variance.squareRoot(), 0.2, within: 0.014))
  }

  @Test func antennaDelaysLengthenRanges() throws {
    // c (2 ns + 4 ns) / 2 = 0.899377374 m for one-B, c 2 ns / 2 = 0.2998 m for one-A.
    let ranges = try ranges(
      "anchors: [{id: A, x: 0, y: 0, z: 0}, {id: B, x: 0, y: 8, z: 0, antenna_delay_s: 4e-9}]",
      "tags: [{id: one, still: {x: 3, y: 4, z: 0}, antenna_delay_s: 2e-9}]")
    #expect(ranges.distance[0] == 5.299_8 && ranges.distance[1] == 5.899_4)
  }

  // MARK: Sources of their own

  /// Adding a source of randomness keeps all other random numbers of a scenario.
  @Test func randomSourcesAreIndependent() throws {
    let noise = "sigma_m: 0.1, outlier_share: 0.05, outlier_mean_m: 1, drop_out_share: 0.1"
    let plain = try ranges("noise: {\(noise)}")
    // A wall that no line crosses, a radio that receives everything, nearly normal tails.
    let walled = try ranges(
      "noise: {\(noise)}", "walls: [{from: {x: 50, y: 0}, to: {x: 51, y: 0}}]")
    #expect(walled.distance == plain.distance && walled.time == plain.time)
    #expect(walled[.nonLineOfSight]?.allSatisfy { $0 == 0 } == true)
    let received = try ranges(
      "noise: {\(noise)}", "radio: {sensitivity_dbm: -200, fading_sigma_db: 2}")
    #expect(received.distance == plain.distance && received[.rssi]?.count == plain.count)
    let stamped = try ranges("noise: {\(noise)}", "clock: {offset_s: 1, jitter_s: 0.001}")
    #expect(stamped.distance == plain.distance && stamped.time != plain.time)
    let early = try ranges("noise: {\(noise), early_share: 0.2, early_mean_m: 0.5}")
    #expect(early.time == plain.time)
    let changed = zip(early.distance, plain.distance).filter { $0 != $1 }
    #expect(changed.allSatisfy { $0 < $1 })
    // n = 9000, standard error 0.0042 of the share, 0.012 m of the mean.
    #expect(isClose(Double(changed.count) / Double(plain.count), 0.2, within: 0.021))
    let mean = changed.map { $1 - $0 }.reduce(0, +) / Double(changed.count)
    #expect(isClose(mean, 0.5, within: 0.06))
  }

  @Test func studentTReplacesNormalNoise() throws {
    // P(|t| > 3) for two degrees is 1 - 3/sqrt 11 = 0.0955; normal 0.0027. n = 10 000: 0.0029.
    let ranges = try ranges("noise: {sigma_m: 0.01, degrees_of_freedom: 2}")
    let far = (0..<ranges.count).count { index in
      let truth = [5.0, 5, 10, 6][index % 4]
      return (ranges.distance[index] - truth).magnitude > 0.03
    }
    #expect(isClose(Double(far) / Double(ranges.count), 0.095_5, within: 0.015))
  }

  // MARK: Walls and radio

  @Test func wallsDelayLoseAndLabelRanges() throws {
    // The walls are between both tags and anchor A, not B.
    let wall =
      "{from: {x: -1, y: 1}, to: {x: 2, y: 1}, delay_m: 0.3, excess_mean_m: 0.5, "
      + "drop_out_share: 0.4}"
    let ranges = try ranges("walls: [\(wall)]")
    let blocked = (0..<ranges.count).filter { ranges.anchor[$0] == 0 }
    #expect(blocked.allSatisfy { ranges[.nonLineOfSight]?[$0] == 1 })
    #expect(
      (0..<ranges.count).allSatisfy {
        ranges.anchor[$0] == 0
          || (ranges[.nonLineOfSight]?[$0] == 0 && [5, 6].contains(ranges.distance[$0]))
      })
    // 5000 measurements: standard errors 0.0069 of the share, 0.009 m of the mean.
    #expect(isClose(Double(blocked.count) / 5000, 0.6, within: 0.035))
    let excess = blocked.map { ranges.distance[$0] - (ranges.tag[$0] == 0 ? 5 : 10) }
    #expect(excess.allSatisfy { $0 >= 0.3 - 1e-9 })
    #expect(isClose(excess.reduce(0, +) / Double(excess.count), 0.8, within: 0.046))
    // Two walls add up: delay 0.6, mean excess 1.0, reception 0.36.
    let twice = try self.ranges(
      "walls: [\(wall), \(wall.replacingOccurrences(of: "y: 1", with: "y: 0.5"))]")
    let both = (0..<twice.count).filter { twice.anchor[$0] == 0 }
    #expect(isClose(Double(both.count) / 5000, 0.36, within: 0.034))
    let more = both.map { twice.distance[$0] - (twice.tag[$0] == 0 ? 5 : 10) }
    #expect(isClose(more.reduce(0, +) / Double(more.count), 1.6, within: 0.12))
  }

  @Test func receptionDependsOnPower() throws {
    // At 5 m: -62.9922 - 13.9794 = -76.9716 dBm. With walls of 10 dB, half is received at that
    // sensitivity.
    let ranges = try simulated(
      "radio: {sensitivity_dbm: -86.9716, slope_db: 0.2}",
      "walls: [{from: {x: -1, y: 1}, to: {x: 2, y: 1}, loss_db: 10}]",
      "tags: [{id: one, still: {x: 3, y: 4, z: 0}}]"
    ).recording.ranges
    let counts = (0...1).map { anchor in ranges.anchor.count { $0 == Int32(anchor) } }
    #expect(counts[1] == 5000)
    // Standard error 35.
    #expect(isClose(Double(counts[0]), 2500, within: 180))
    #expect(Set(try #require(ranges[.rssi])) == [-76.97, -86.97])
  }

  // MARK: Clock and order

  @Test func timeStampsFollowTheClock() throws {
    let plain = try ranges()
    let shifted = try ranges("clock: {offset_s: 2, drift_ppm: 1000}")
    let deviations = zip(plain.time, shifted.time).map {
      ($1.seconds - (1.001 * $0.seconds + 2)).magnitude
    }
    #expect((deviations.max() ?? 1) < 5.1e-7)
    // n = 10 000 at 10 ms: standard error of sigma 0.07 ms.
    let jittered = try ranges("clock: {jitter_s: 0.01}")
    let errors = zip(plain.time, jittered.time).map { $1.seconds - $0.seconds }
    let variance = errors.map { $0 * $0 }.reduce(0, +) / Double(errors.count)
    #expect(isClose(variance.squareRoot(), 0.01, within: 0.000_36))
  }

  @Test func lateRowsKeepTimeAndDistance() throws {
    let plain = try ranges("noise: {sigma_m: 0.1}")
    let late = try ranges(
      "noise: {sigma_m: 0.1}", "delivery: {late_share: 0.25, longest_delay_s: 3}")
    #expect(late.line == plain.line)
    let order = try #require(late.orderByTime())
    #expect(order.map { late.time[$0] } == plain.time)
    #expect(order.map { late.distance[$0] } == plain.distance)
    // A row is overtaken if it waits for longer than the 50 ms to the next; n = 10 000.
    var newest = Timestamp(nanoseconds: .min)
    var overtaken = 0
    var longest = 0.0
    for time in late.time {
      if time < newest { overtaken += 1 }
      if newest.nanoseconds > .min { longest = max(longest, newest.seconds(since: time)) }
      newest = max(newest, time)
    }
    #expect(longest > 2.5 && longest <= 3)
    #expect(isClose(Double(overtaken) / 10_000, 0.25, within: 0.03))
  }

  @Test func eventTimesFollowTheClock() throws {
    let recording = try simulated(
      "events: [{time_s: 100, event: suspended}, {time_s: 200, event: resumed}]",
      "clock: {offset_s: -5}"
    ).recording
    #expect(recording.events.map(\.time.seconds) == [95, 95, 195, 195])
    #expect(recording.ranges.time.allSatisfy { $0.seconds < 95 || $0.seconds > 195 })
  }

  // MARK: Differences

  @Test func differencesShareTheReferenceNoise() throws {
    let simulated = try simulated(
      "anchors: [{id: A, x: 0, y: 0, z: 0}, {id: B, x: 0, y: 8, z: 0}, {id: C, x: 3, y: 0, z: 0}]",
      "polling: {mode: tdoa, rate_hz: 20, reference: B}", "noise: {sigma_m: 0.1}")
    let differences = try #require(simulated.differences)
    #expect(simulated.recording.ranges.count == 0)
    // Tags in turn, with two differences each relative to B: one has 5, 5 and 4 m; two 10, 6 and
    // sqrt 73 = 8.5440.
    #expect(differences.count == 20_000)
    #expect(differences[0..<4].map(\.tag) == [0, 0, 1, 1])
    #expect(differences[0..<4].map(\.anchorA) == [0, 2, 0, 2])
    #expect(differences.allSatisfy { $0.anchorB == 1 })
    var (first, second, product) = (0.0, 0.0, 0.0)
    for index in stride(from: 0, to: 20_000, by: 2) {
      if differences[index].time != differences[index + 1].time { Issue.record("\(index)") }
      let expected = differences[index].tag == 0 ? (0.0, -1.0) : (4.0, 2.544_0)
      let errors = (
        differences[index].difference - expected.0, differences[index + 1].difference - expected.1
      )
      first += errors.0 * errors.0
      second += errors.1 * errors.1
      product += errors.0 * errors.1
    }
    // Variance 2 x 0.01, covariance 0.01; n = 10 000: standard error of a variance 1.4 %, of the
    // covariance 2.2e-4.
    #expect(isClose(first / 10_000, 0.02, within: 0.001_4))
    #expect(isClose(second / 10_000, 0.02, within: 0.001_4))
    #expect(isClose(product / 10_000, 0.01, within: 0.001_1))
  }

  @Test func missingReferenceYieldsNoDifference() throws {
    // Both are received with 0.7 x 0.7: n = 10 000 instants, standard error 0.005.
    let differences = try #require(
      try simulated(
        "polling: {mode: tdoa, rate_hz: 20}", "noise: {sigma_m: 0, drop_out_share: 0.3}"
      ).differences)
    #expect(isClose(Double(differences.count) / 10_000, 0.49, within: 0.025))
    // The first anchor is the reference; a difference may be negative or zero.
    #expect(differences.allSatisfy { $0.difference == ($0.tag == 0 ? 0 : -4) })
  }

  // MARK: Seeds

  @Test func randomTrajectoriesFollowTheSeed() throws {
    let text = """
      name: swarm
      seed: 3
      duration_s: 20
      anchors: [{id: A, x: 0, y: 0, z: 0}]
      tags:
        - id: bee
          count: 3
          random_walk: {low: {x: 0, y: 0, z: 0}, high: {x: 9, y: 9, z: 3}, speed_mps: 1, correlation_s: 1}
        - {id: hive, still: {x: 1, y: 1, z: 1}}
      polling: {rate_hz: 10}
      noise: {sigma_m: 0}
      """
    var scenario = try ScenarioReader.scenario(from: text)
    let tags = try #require(scenario.setting.anchored).tags
    #expect(tags.map(\.name) == ["bee1", "bee2", "bee3", "hive"])
    #expect(tags[0].trajectory != tags[1].trajectory)
    let before = scenario
    scenario.seed = 4
    let others = try #require(scenario.setting.anchored).tags
    #expect(others[0].trajectory != tags[0].trajectory)
    #expect(others[3] == tags[3])
    // The result equals that of a file with this seed, also after changing the seed back.
    let read = try ScenarioReader.scenario(
      from: text.replacingOccurrences(of: "seed: 3", with: "seed: 4"))
    #expect(read == scenario)
    scenario.seed = 3
    #expect(scenario == before)
  }
}
