import Fathom
import FathomRecordings
import TestSupport
import Testing

@testable import FathomEvaluation

/// The single filters of the library, as the benchmark runs them.
@Suite struct FilterFamilyTests {
  /// Four anchors around a tag on a circle of 3 m at 0.4 m/s.
  ///
  /// The anchors are measured in turn every 50 ms with independent errors of 0.1 m, the standard
  /// deviation that the filters assume.
  private static func circle(seed: UInt64) -> (recording: Recording, places: [Vector<3>]) {
    var generator = SeededGenerator(seed: seed)
    var recording = Recording(name: "circle")
    recording.tagNames = ["t"]
    recording.anchorNames = ["a", "b", "c", "d"]
    recording.anchors = [
      Vector<3>([-5, -4, 2]), Vector([5, -4, 2.5]), Vector([5, 4, 2]), Vector([-5, 4, 2.5]),
    ].map { Anchor(position: $0) }
    recording.facts.heightM = 1
    var places: [Vector<3>] = []
    for step in 0..<1200 {
      let time = 0.05 * Double(step)
      let angle = 0.4 / 3 * time
      let place = Vector<3>([
        3 * ElementaryFunctions.cosine(angle), 3 * ElementaryFunctions.sine(angle), 1,
      ])
      let anchor = step % 4
      recording.ranges.time.append(Timestamp(nanoseconds: Int64(step) * 50_000_000))
      recording.ranges.tag.append(0)
      recording.ranges.anchor.append(Int32(anchor))
      recording.ranges.distance.append(
        (recording.anchors[anchor].position - place).length + 0.1 * generator.normal())
      recording.ranges.line.append(step + 2)
      places.append(place)
    }
    recording.rowsRead = 1200
    return (recording, places)
  }

  private static func positions(
    _ name: String, of recording: Recording
  ) throws -> (PositionColumns, [DistanceColumns.Decision]) {
    let method = try #require(try MethodRegistry.methods(named: [name]).first)
    let pass = try #require(method.pass(over: recording))
    pass.run(0..<pass.count)
    guard case .positions(let positions, let decisions, _) = pass.output() else {
      throw NoPositions()
    }
    return (positions, decisions)
  }

  private struct NoPositions: Error {}

  /// Errors relative to truth from the third second on: root mean square, m, and NEES per degree of
  /// freedom.
  private static func errors(_ name: String, seed: UInt64) throws -> (rms: Double, nees: Double) {
    let (recording, places) = circle(seed: seed)
    let (positions, _) = try positions(name, of: recording)
    var (squares, normalised, count) = (0.0, 0.0, 0)
    for index in 0..<positions.count where positions.time[index].seconds >= 3 {
      let place = places[Int((positions.time[index].seconds / 0.05).rounded())]
      let error = positions.position[index] - place
      let covariance = positions.covariance[index]
      let (a, b, c) = (covariance[0, 0], covariance[0, 1], covariance[1, 1])
      squares += error[0] * error[0] + error[1] * error[1]
      normalised +=
        (c * error[0] * error[0] - 2 * b * error[0] * error[1] + a * error[1] * error[1])
        / (a * c - b * b)
      count += 1
    }
    #expect(count > 1100, "\(name), seed \(seed)")
    return ((squares / Double(count)).squareRoot(), normalised / Double(2 * count))
  }

  private static let forward = FilterFamily.methods.map(\.name)
    .filter { !$0.hasSuffix("smoother") && $0 != "fixed-lag" }
  private static let backward = FilterFamily.methods.map(\.name)
    .filter { $0.hasSuffix("smoother") || $0 == "fixed-lag" }

  @Test(.releaseOnly, arguments: forward)
  func filtersTrackACircle(_ name: String) throws {
    let (rms, nees) = try Self.errors(name, seed: 1901)
    #expect(rms < 0.12, "\(name), seed 1901")
    #expect((0.3...2).contains(nees), "\(name), seed 1901: \(nees)")
  }

  /// Smoothers use later measurements and are therefore more accurate than the extended Kalman
  /// filter.
  @Test(.releaseOnly, arguments: backward)
  func smoothersAreMoreAccurateThanTheFilter(_ name: String) throws {
    let (rms, nees) = try Self.errors(name, seed: 1902)
    let filter = try Self.errors("extended", seed: 1902).rms
    #expect(rms < 0.8 * filter, "\(name), seed 1902: \(rms) of \(filter)")
    #expect((0.3...2).contains(nees), "\(name), seed 1902: \(nees)")
  }

  /// The forms of the extended filter are algebraically equivalent.
  @Test(arguments: ["information", "square-root", "factored"])
  func equivalentFilterFormsAgree(_ name: String) throws {
    let (recording, _) = Self.circle(seed: 1903)
    let (plain, decisions) = try Self.positions("extended", of: recording)
    let (other, others) = try Self.positions(name, of: recording)
    #expect(plain.time == other.time)
    #expect(decisions == others)
    for index in 0..<min(plain.count, other.count) {
      let distance = (plain.position[index] - other.position[index]).length
      #expect(distance < 1e-7, "\(name), seed 1903, \(index)")
    }
  }

  /// At the last time there are no later measurements.
  @Test(arguments: ["extended-smoother", "fixed-lag"])
  func smoothersMatchTheFilterAtTheLastTime(_ name: String) throws {
    let (recording, _) = Self.circle(seed: 1904)
    let (filtered, _) = try Self.positions("extended", of: recording)
    let (smoothed, _) = try Self.positions(name, of: recording)
    #expect(filtered.time == smoothed.time)
    let (last, end) = (try #require(filtered.position.last), try #require(smoothed.position.last))
    #expect((last - end).length < 1e-12, "\(name), seed 1904")
    // With a lag of twenty measurement times, the estimates nearly equal those of the full
    // smoother.
    if name == "fixed-lag" {
      let (whole, _) = try Self.positions("extended-smoother", of: recording)
      for index in 0..<min(whole.count, smoothed.count) {
        let distance = (whole.position[index] - smoothed.position[index]).length
        #expect(distance < 0.1, "seed 1904, \(index)")
      }
    }
  }

  /// Positions are absent until ranges determine one.
  @Test func undeterminedStatesYieldNoPosition() throws {
    var (recording, _) = Self.circle(seed: 1905)
    let (whole, decisions) = try Self.positions("extended", of: recording)
    #expect(decisions.prefix(3).allSatisfy { $0 == .starting })
    #expect(decisions.dropFirst(10).allSatisfy { $0 == .used })
    #expect(whole.count > 1190)
    // One anchor alone.
    for index in recording.ranges.anchor.indices { recording.ranges.anchor[index] = 0 }
    let (none, left) = try Self.positions("extended", of: recording)
    #expect(none.count == 0)
    #expect(left.allSatisfy { $0 == .starting })
    // Invalid distances.
    for index in recording.ranges.distance.indices {
      recording.ranges.distance[index] = [.nan, 0, -1, .infinity][index % 4]
    }
    #expect(try Self.positions("extended", of: recording).1.allSatisfy { $0 == .unused })
  }
}
