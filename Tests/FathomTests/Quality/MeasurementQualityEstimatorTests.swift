import FathomEvaluation
import Testing

@testable import Fathom

/// The rule of the sample code, step by step, on a plain list.
private struct QualityByDefinition {
  var needed = 9
  var freshness = 2.0
  var list: [(time: Double, distance: Float)] = []

  mutating func update(distance: Float?, at now: Double) -> MeasurementQuality {
    if let distance {
      if let last = list.last {
        if distance != last.distance { list.append((now, distance)) }
      } else {
        list.append((now, distance))
      }
    }
    list.removeAll { $0.time < now - freshness }
    guard list.count >= needed, let last = list.last else { return .unknown }
    if last.distance <= 10 { return .close }
    if last.distance < 50 { return .good }
    return .unknown
  }
}

@Suite struct MeasurementQualityEstimatorTests {
  /// The qualities for `distances`, the first at `start`, then every `interval` seconds.
  private func verdicts(
    _ distances: [Float?], every interval: Double, from start: Double = 0,
    with estimator: inout MeasurementQualityEstimator
  ) -> [MeasurementQuality] {
    distances.enumerated().map { index, distance in
      estimator.update(distance: distance, at: start + Double(index) * interval)
    }
  }

  /// The quality after eight different distances and then `distance`, all within a second.
  private func verdict(onNinth distance: Float) -> MeasurementQuality {
    var estimator = MeasurementQualityEstimator()
    let distances: [Float] = [30, 31, 32, 33, 34, 35, 36, 37, distance]
    return verdicts(distances, every: 0.125, with: &estimator)[8]
  }

  @Test func requiresNineDistances() {
    var estimator = MeasurementQualityEstimator(configuration: .extendedDistance)
    let result = verdicts((0..<12).map { 20 + Float($0) }, every: 0.125, with: &estimator)
    #expect(result == Array(repeating: .unknown, count: 8) + Array(repeating: .good, count: 4))
  }

  @Test func lastDistanceDecidesAtTheBoundaries() {
    #expect(verdict(onNinth: 10) == .close)
    #expect(verdict(onNinth: Float(10).nextUp) == .good)
    #expect(verdict(onNinth: Float(50).nextDown) == .good)
    #expect(verdict(onNinth: 50) == .unknown)
    #expect(verdict(onNinth: 9) == .close)
  }

  @Test func unusualDistancesFollowTheComparisons() {
    #expect(verdict(onNinth: .nan) == .unknown)
    #expect(verdict(onNinth: .infinity) == .unknown)
    #expect(verdict(onNinth: -3) == .close)
    #expect(verdict(onNinth: -.infinity) == .close)
  }

  @Test func keepsElementsOfExactlyTwoSeconds() {
    var estimator = MeasurementQualityEstimator()
    let distances = (0..<9).map { Float($0) + 1 }
    // The first is 2.0 s old at 2.0 s, and older just after.
    #expect(verdicts(distances, every: 0.125, with: &estimator)[8] == .close)
    #expect(estimator.update(distance: nil, at: 2) == .close)
    #expect(estimator.update(distance: nil, at: 2.0.nextUp) == .unknown)
  }

  @Test func fourHertzIsEnough() {
    var estimator = MeasurementQualityEstimator()
    let distances = (0..<40).map { 20 + Float($0) / 8 }
    let result = verdicts(distances, every: 0.25, with: &estimator)
    #expect(result == Array(repeating: .unknown, count: 8) + Array(repeating: .good, count: 32))
  }

  @Test func slightlySlowerIsNeverEnough() {
    var estimator = MeasurementQualityEstimator()
    let distances = (0..<200).map { 20 + Float($0) / 8 }
    let result = verdicts(distances, every: 0.25 + 1.0 / 1024, with: &estimator)
    #expect(result.allSatisfy { $0 == .unknown })
  }

  @Test func constantDistanceIsNeverGood() {
    for interval in [1.0 / 128, 0.125, 1] {
      var estimator = MeasurementQualityEstimator()
      let result = verdicts(Array(repeating: 5, count: 1000), every: interval, with: &estimator)
      #expect(result.allSatisfy { $0 == .unknown })
    }
  }

  /// The repeat is compared with the old element before its removal, and is lost.
  ///
  /// The next distance starts a new list. A threshold of one shows that the list was empty.
  @Test func repeatAfterAPauseEmptiesTheList() {
    var estimator = MeasurementQualityEstimator(
      configuration: .init(sampleThreshold: 1, comparison: .atLeast))
    #expect(estimator.update(distance: 5, at: 0) == .close)
    #expect(estimator.update(distance: 5, at: 2) == .close)
    #expect(estimator.update(distance: 5, at: 2.5) == .unknown)
    #expect(estimator.update(distance: 5, at: 2.625) == .close)
  }

  @Test func acceptsAlternatingValues() {
    var estimator = MeasurementQualityEstimator()
    let result = verdicts(
      (0..<20).map { $0 % 2 == 0 ? 4 : 5 }, every: 0.125, with: &estimator)
    #expect(result[7] == .unknown)
    #expect(result[8...].allSatisfy { $0 == .close })
  }

  @Test func qualityExpiresWithAConstantDistance() {
    var estimator = MeasurementQualityEstimator()
    // Twelve different distances, 0 ... 1.375 s; then repeats of the last. Nine are fresh until the
    // fourth (0.375 s) is older than 2 s.
    let good = (0..<12).map { 20 + Float($0) }
    #expect(verdicts(good, every: 0.125, with: &estimator).last == .good)
    #expect(estimator.update(distance: 31, at: 2.375) == .good)
    #expect(estimator.update(distance: 31, at: 2.5) == .unknown)
  }

  @Test func qualityExpiresWithoutDistances() {
    var estimator = MeasurementQualityEstimator()
    // Ten at 8 Hz, 0 ... 1.125 s.
    _ = verdicts((0..<10).map { 20 + Float($0) }, every: 0.125, with: &estimator)
    for step in 10...17 {
      #expect(estimator.update(distance: nil, at: Double(step) * 0.125) == .good)
    }
    #expect(estimator.update(distance: nil, at: 2.25) == .unknown)
  }

  @Test func appendsEveryNaN() {
    var estimator = MeasurementQualityEstimator()
    let distances: [Float?] = Array(repeating: .nan, count: 8) + [20]
    #expect(verdicts(distances, every: 0.125, with: &estimator).last == .good)
  }

  @Test func appendsInfinityOnceAndEquatesSignedZeros() {
    for pair in [[Float.infinity, .infinity], [0, -0.0]] {
      var estimator = MeasurementQualityEstimator()
      // Seven different distances and the pair: eight if the second of the pair is dropped.
      let distances = (0..<7).map { 20 + Float($0) } + pair + [9]
      let result = verdicts(distances, every: 0.125, with: &estimator)
      #expect(result[8] == .unknown)
      #expect(result[9] == .close)
    }
  }

  @Test func futureElementsStayUntilTheClockCatchesUp() {
    var estimator = MeasurementQualityEstimator()
    // Eight at 100 s, then the clock is at 10 s: they stay, and a ninth after them decides.
    for index in 0..<8 { _ = estimator.update(distance: 20 + Float(index), at: 100) }
    #expect(estimator.update(distance: 5, at: 10) == .close)
    // The ninth expires; the eight future elements remain, and their last is the last element.
    #expect(estimator.update(distance: nil, at: 12.5) == .unknown)
    #expect(estimator.update(distance: 27, at: 13) == .unknown)  // equals the last: dropped
    #expect(estimator.update(distance: 28, at: 13) == .good)
    #expect(estimator.update(distance: nil, at: 101) == .unknown)
    #expect(estimator.update(distance: 29, at: 102) == .good)
    #expect(estimator.update(distance: nil, at: 102.5) == .unknown)
  }

  @Test func timeOfNaNRemovesNothing() {
    var estimator = MeasurementQualityEstimator()
    _ = verdicts((0..<9).map { 20 + Float($0) }, every: 0.125, with: &estimator)
    #expect(estimator.update(distance: nil, at: .nan) == .good)
    #expect(estimator.update(distance: 5, at: .nan) == .close)
    #expect(estimator.update(distance: nil, at: 1e9) == .unknown)
    // The element with a time of NaN never expires: eight more make nine.
    for index in 0..<8 {
      let expected: MeasurementQuality = index < 7 ? .unknown : .close
      #expect(estimator.update(distance: Float(index) / 2, at: 1e9) == expected)
    }
  }

  @Test func resetRemovesAllDistances() {
    var estimator = MeasurementQualityEstimator()
    _ = verdicts((0..<9).map { 20 + Float($0) }, every: 0.125, with: &estimator)
    estimator.reset()
    let result = verdicts((0..<9).map { 20 + Float($0) }, every: 0.125, with: &estimator)
    #expect(result == Array(repeating: .unknown, count: 8) + [.good])
  }

  @Test func convertsTimestampsToSeconds() {
    var first = MeasurementQualityEstimator()
    var second = MeasurementQualityEstimator()
    for index in 0..<100 {
      let time = Timestamp(nanoseconds: Int64(index) * 210_000_000)
      let distance = Float(index % 7)
      #expect(
        first.update(distance: distance, at: time)
          == second.update(distance: distance, at: time.seconds))
    }
  }

  /// The estimator keeps only relevant elements, the definition keeps all; the results never
  /// differ.
  @Test(
    arguments: [1, 2, 3, 5, 9], [UInt64](1...6))
  func agreesWithTheDefinitionOnIrregularTimes(_ needed: Int, _ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var estimator = MeasurementQualityEstimator(
      configuration: .init(sampleThreshold: needed, comparison: .atLeast))
    var definition = QualityByDefinition(needed: needed)
    let distances: [Float?] = [
      nil, 3, 4, 4, 10, Float(10).nextUp, 30, 31, 31, 49, 50, 60, 0, -0.0, -1, .nan, .infinity,
    ]
    // Mean interval such that about `needed` are fresh; every few seconds a step back, rarely a
    // large one, and occasionally a time of NaN.
    let mean = 2 / (Double(needed) + 1)
    var now = 1000.0
    var counts: [MeasurementQuality: Int] = [:]
    var mismatches = 0
    for _ in 0..<20_000 {
      let draw = generator.uniform()
      if draw < 0.5 {
        now += (generator.exponential(mean: mean) * 8).rounded() / 8
      } else if draw < 0.95 {
        now += generator.exponential(mean: mean)
      } else if draw < 0.99 {
        now -= generator.uniform(in: 0...3)
      } else if draw < 0.995 {
        now -= generator.uniform(in: 0...60)
      } else {
        now += generator.uniform(in: 0...60)
      }
      let odd = generator.uniform()
      let time = odd < 0.0005 ? Double.nan : odd < 0.001 ? -Double.infinity : now
      let distance = distances[Int(generator.next() % UInt64(distances.count))]
      let expected = definition.update(distance: distance, at: time)
      if estimator.update(distance: distance, at: time) != expected { mismatches += 1 }
      counts[expected, default: 0] += 1
      // Elements that never expire would make everything fresh in the end: reset occasionally.
      if generator.uniform() < 0.001 {
        estimator.reset()
        definition.list = []
      }
    }
    #expect(mismatches == 0, "seed \(seed)")
    for verdict in MeasurementQuality.allCases { #expect(counts[verdict, default: 0] > 500) }
  }

  /// A clock that rises or stands still, with pauses and an occasional single step back from which
  /// it recovers: the ring, the layers and the transition must all agree.
  @Test(arguments: [1, 2, 9], [UInt64](1...4))
  func agreesWithTheDefinitionOnASteadyClock(_ needed: Int, _ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var estimator = MeasurementQualityEstimator(
      configuration: .init(sampleThreshold: needed, comparison: .atLeast))
    var definition = QualityByDefinition(needed: needed)
    var now = 0.0
    var mismatches = 0
    for _ in 0..<20_000 {
      let draw = generator.uniform()
      if draw < 0.001 {
        now -= generator.uniform(in: 0...3)
      } else if draw < 0.01 {
        now += generator.uniform(in: 1...5)
      } else if draw < 0.8 {
        now += generator.uniform(in: 0...3) / Double(needed)
      }
      let distance = generator.uniform() < 0.1 ? nil : Float(generator.next() % 12) * 5
      let expected = definition.update(distance: distance, at: now)
      if estimator.update(distance: distance, at: now) != expected { mismatches += 1 }
    }
    #expect(mismatches == 0, "seed \(seed)")
  }

  /// Every call steps back, so that every element is kept; then the clock catches up.
  @Test func agreesWithTheDefinitionOnAClockThatRunsBackwards() {
    var generator = SeededGenerator(seed: 99)
    var estimator = MeasurementQualityEstimator()
    var definition = QualityByDefinition()
    var now = 0.0
    for step in 0..<4000 {
      now += step % 400 < 200 ? -0.5 * generator.uniform() : 0.5 * generator.uniform()
      let distance = Float(generator.uniform(in: 1...60))
      #expect(
        estimator.update(distance: distance, at: now)
          == definition.update(distance: distance, at: now))
    }
  }
}
