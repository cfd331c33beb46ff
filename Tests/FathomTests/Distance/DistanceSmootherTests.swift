import Fathom
import FathomEvaluation
import TestSupport
import Testing

/// Checks the common guarantees of all distance smoothers.
@Suite struct DistanceSmootherTests {
  /// A smoother with one setting.
  struct Method: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let make: @Sendable (Double) -> any DistanceSmoother

    init(_ description: String, _ make: @escaping @Sendable (Double) -> any DistanceSmoother) {
      testDescription = description
      self.make = make
    }

    func fresh(restartAfter: Double = 2) -> any DistanceSmoother { make(restartAfter) }
  }

  static let methods = [
    Method("exponential") { ExponentialSmoother(restartAfter: $0) },
    Method("median of 5") { MovingMedian(restartAfter: $0) },
    Method("median of 4") { MovingMedian(window: 4, restartAfter: $0) },
    Method("median average") { MedianAverageFilter(restartAfter: $0) },
    Method("half of 7") { MedianAverageFilter(window: 7, shareKept: 0.5, restartAfter: $0) },
    Method("mean of 6") { MedianAverageFilter(window: 6, shareKept: 1, restartAfter: $0) },
    Method("Hampel") { HampelFilter(restartAfter: $0) },
    Method("plain Hampel") { HampelFilter(window: 9, rangeSigma: 0, restartAfter: $0) },
    Method("alpha-beta from noise") { AlphaBetaSmoother(restartAfter: $0) },
    Method("alpha-beta, given") {
      AlphaBetaSmoother(gains: .fixed(alpha: 0.5, beta: 0.2, interval: 0.1), restartAfter: $0)
    },
    Method("one euro") { OneEuroFilter(restartAfter: $0) },
    Method("constant position") {
      ScalarKalmanSmoother(motion: .constantPosition(rateDensity: 0.5), restartAfter: $0)
    },
    Method("constant velocity") { ScalarKalmanSmoother(restartAfter: $0) },
  ]

  struct Sample {
    var distance: Double
    var time: Timestamp
  }

  /// Noisy distances of about 5 m at irregular times from `time` on.
  ///
  /// Some are 3 m too long; every fifth has the time stamp of its predecessor.
  static func samples(
    count: Int, seed: UInt64, from time: Timestamp = Timestamp(nanoseconds: 1_700_000_000 << 30)
  ) -> [Sample] {
    var generator = SeededGenerator(seed: seed)
    var time = time
    return (0..<count).map { index in
      if index > 0, index % 5 != 4 {
        time = time.advanced(bySeconds: generator.exponential(mean: 0.1) + 1e-3)
      }
      let outlier = generator.uniform() < 0.05 ? generator.uniform(in: 0...3) : 0
      return Sample(distance: generator.uniform(in: 4.8...5.2) + outlier, time: time)
    }
  }

  @Test(arguments: methods)
  func preservesConstantDistanceBitwise(_ method: Method) throws {
    var smoother = method.fresh()
    for sample in Self.samples(count: 200, seed: 1) {
      let smoothed = try required(smoother.update(0.1 + 2.0 / 3, at: sample.time))
      #expect(smoothed.distance == 0.1 + 2.0 / 3)
      #expect(smoothed.time == sample.time)
      #expect((smoothed.rate ?? 0) == 0)
    }
  }

  @Test(arguments: methods)
  func ignoresAbsentDistances(_ method: Method) {
    var plain = method.fresh()
    var disturbed = method.fresh()
    let absent: [Double?] = [
      nil, .nan, .infinity, -.infinity, -1, 0, Double(Float.greatestFiniteMagnitude),
    ]
    for (index, sample) in Self.samples(count: 100, seed: 2).enumerated() {
      let time = sample.time
      #expect(disturbed.update(absent[index % absent.count], at: time) == nil)
      #expect(
        disturbed.update(sample.distance, at: time) == plain.update(sample.distance, at: time))
      #expect(disturbed.update(nil, at: time.advanced(bySeconds: 100)) == nil)
    }
  }

  @Test(arguments: methods)
  func restartsAfterGap(_ method: Method) {
    for restart in [2.0, 0.5] {
      var used = method.fresh(restartAfter: restart)
      var fresh = method.fresh(restartAfter: restart)
      let before = Self.samples(count: 40, seed: 3)
      for sample in before { _ = used.update(sample.distance, at: sample.time) }
      var time = before[39].time.advanced(bySeconds: restart)
      time.nanoseconds += 1
      for sample in Self.samples(count: 40, seed: 4, from: time) {
        #expect(
          used.update(sample.distance, at: sample.time)
            == fresh.update(sample.distance, at: sample.time))
      }
    }
  }

  @Test(arguments: methods)
  func bridgesGapEqualToLimit(_ method: Method) throws {
    var smoother = method.fresh(restartAfter: 2)
    for tenths in 0...9 {
      _ = smoother.update(3, at: Timestamp(nanoseconds: Int64(tenths) * 100_000_000))
    }
    // Without a past the first distance passes unchanged; with a past it does not.
    let smoothed = try required(smoother.update(13, at: Timestamp(nanoseconds: 2_900_000_000)))
    #expect(smoothed.distance < 13)
  }

  @Test(arguments: methods)
  func rejectsLateDistances(_ method: Method) {
    var plain = method.fresh()
    var disturbed = method.fresh()
    for sample in Self.samples(count: 100, seed: 5) {
      let (distance, time) = (sample.distance, sample.time)
      #expect(plain.update(distance, at: time) == disturbed.update(distance, at: time))
      let late = Timestamp(nanoseconds: time.nanoseconds - 1)
      #expect(disturbed.update(distance + 1, at: late) == nil)
      #expect(disturbed.update(distance + 1, at: time.advanced(bySeconds: -2)) == nil)
    }
  }

  @Test(arguments: methods)
  func restartsAfterClockReset(_ method: Method) {
    var used = method.fresh()
    var fresh = method.fresh()
    let samples = Self.samples(count: 40, seed: 6)
    for sample in samples { _ = used.update(sample.distance, at: sample.time) }
    let time = samples[39].time.advanced(bySeconds: -2.000_001)
    for sample in Self.samples(count: 40, seed: 7, from: time) {
      #expect(
        used.update(sample.distance, at: sample.time)
          == fresh.update(sample.distance, at: sample.time))
    }
  }

  @Test(arguments: methods)
  func resetEqualsNewSmoother(_ method: Method) {
    var used = method.fresh()
    var fresh = method.fresh()
    for sample in Self.samples(count: 30, seed: 8) {
      _ = used.update(sample.distance, at: sample.time)
    }
    used.reset()
    for sample in Self.samples(count: 30, seed: 9) {
      #expect(
        used.update(sample.distance, at: sample.time)
          == fresh.update(sample.distance, at: sample.time))
    }
  }

  @Test(arguments: methods)
  func orderWithinInstantDoesNotAffectLaterOutput(_ method: Method) throws {
    func after(_ distances: [Double]) throws -> SmoothedDistance {
      var smoother = method.fresh()
      for (distance, tenths) in zip(distances, [1, 2, 2]) {
        _ = smoother.update(distance, at: Timestamp(nanoseconds: Int64(tenths) * 100_000_000))
      }
      return try required(smoother.update(5.2, at: Timestamp(nanoseconds: 300_000_000)))
    }
    let one = try after([5, 5.1, 5.3])
    let other = try after([5, 5.3, 5.1])
    #expect((one.distance - other.distance).magnitude < 1e-12)
    #expect(((one.rate ?? 0) - (other.rate ?? 0)).magnitude < 1e-11)
    #expect((one.lag - other.lag).magnitude < 1e-15)
  }

  @Test(arguments: methods)
  func isEquivariantToOffsets(_ method: Method) throws {
    var near = method.fresh()
    var far = method.fresh()
    for sample in Self.samples(count: 300, seed: 10) {
      let first = try required(near.update(sample.distance, at: sample.time))
      let second = try required(far.update(sample.distance + 64, at: sample.time))
      #expect((second.distance - first.distance - 64).magnitude < 1e-10)
      #expect(((second.rate ?? 0) - (first.rate ?? 0)).magnitude < 1e-8)
      #expect((second.lag - first.lag).magnitude < 1e-10)
      #expect(second.sigma == first.sigma)
    }
  }

  @Test(arguments: methods)
  func dependsOnTimeDifferencesOnly(_ method: Method) throws {
    var now = method.fresh()
    var atOrigin = method.fresh()
    let samples = Self.samples(count: 100, seed: 11)
    for sample in samples {
      let time = Timestamp(nanoseconds: sample.time.nanoseconds - samples[0].time.nanoseconds)
      var first = try required(now.update(sample.distance, at: sample.time))
      first.time = time
      #expect(atOrigin.update(sample.distance, at: time) == first)
    }
  }

  /// The definition of the lag: at a constant rate, the output is the distance at its effective
  /// time.
  @Test(arguments: methods)
  func outputIsDistanceAtEffectiveTimeForConstantRate(_ method: Method) throws {
    var smoother = method.fresh()
    let samples = Self.samples(count: 200, seed: 12)
    for sample in samples {
      let elapsed = sample.time.seconds(since: samples[0].time)
      let smoothed = try required(smoother.update(3 + 0.75 * elapsed, at: sample.time))
      #expect((smoothed.distance - (3 + 0.75 * (elapsed - smoothed.lag))).magnitude < 1e-10)
      #expect(smoothed.lag > -1 && smoothed.lag < 1)
    }
  }

  @Test(arguments: methods)
  func outputIsAlwaysFinite(_ method: Method) {
    let distances = [.leastNonzeroMagnitude, 1e-300, 1e-9, 0.1, 1, 7, 50, 1e9, 3.4e38]
    let steps: [Int64] = [0, 0, 1, 1, 1000, 1_000_000, 100_000_000, 1_900_000_000, .max / 4]
    for restart in [2, Double.infinity] {
      var generator = SeededGenerator(seed: 13)
      var smoother = method.fresh(restartAfter: restart)
      var time = Timestamp(nanoseconds: .min)
      for _ in 0..<3000 {
        let step = steps[Int(generator.next() % UInt64(steps.count))]
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(step)
        time.nanoseconds = overflow ? .min : sum
        let distance = distances[Int(generator.next() % UInt64(distances.count))]
        guard let smoothed = smoother.update(distance, at: time) else { continue }
        #expect(smoothed.distance.isFinite && smoothed.distance >= 0)
        #expect(smoothed.lag.isFinite)
        #expect((smoothed.rate ?? 0).isFinite)
        if let sigma = smoothed.sigma { #expect(sigma > 0 && sigma.isFinite) }
      }
    }
  }
}
