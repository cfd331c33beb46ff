import RealModule
import Testing

@testable import Fathom

/// The errors of ranges, found from the consistency of simulated epochs.
@Suite struct RangeErrorEstimateTests {
  private static let room: [Vector<3>] = [
    Vector([0, 0, 0.3]), Vector([9, 0, 2.6]), Vector([9, 7, 0.4]), Vector([0, 7, 2.7]),
    Vector([0, 3.5, 2.4]), Vector([9, 3.5, 0.5]), Vector([4.5, 0, 2.5]), Vector([4.5, 7, 0.3]),
  ]

  /// Returns epochs along a loop through the room, or at one place.
  private static func epochs(
    noise: Double, bias: Double = 0, scale: Double = 0, offsets: [Double] = [],
    late: Double = 0, stands: Bool = false, seed: UInt64
  ) -> [RangeEpoch] {
    var state = seed
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (Double(state >> 11) + 0.5) / Double(1 << 53)
    }
    func normal() -> Double {
      (-2 * Double.log(uniform())).squareRoot() * Double.cos(2 * .pi * uniform())
    }
    return (0..<400).map { step in
      let angle = stands ? 0.7 : 2 * Double.pi * Double(step) / 130
      let tag = Vector<3>([
        4.5 + 3 * Double.cos(angle), 3.5 + 2.5 * Double.sin(angle),
        1.3 + 0.5 * Double.sin(2.3 * angle),
      ])
      let distances = room.indices.map { anchor in
        (1 + scale) * (tag - room[anchor]).length + bias
          + (offsets.isEmpty ? 0 : offsets[anchor]) + noise * normal()
          + (late > 0 && uniform() < late ? 1 + 4 * uniform() : 0)
      }
      return RangeEpoch(anchors: Array(room.indices), distances: distances)
    }
  }

  @Test(arguments: [0.009, 0.1, 1.0])
  func noiseAloneIsFoundAndNothingIsInvented(_ noise: Double) throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let found = try #require(
        RangeErrorEstimate.estimated(
          from: Self.epochs(noise: noise, seed: seed), anchors: Self.room), "seed \(seed)")
      #expect(abs(found.sigma / noise - 1) < 0.1, "seed \(seed): \(found)")
      #expect(found.correctedBias == 0 && found.correctedScale == 1, "seed \(seed): \(found)")
      #expect(found.offsets?.decision == .unpredictive, "seed \(seed): \(found)")
    }
  }

  @Test func aBiasIsFoundWithinItsSigma() throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let found = try #require(
        RangeErrorEstimate.estimated(
          from: Self.epochs(noise: 0.05, bias: 0.3, seed: seed), anchors: Self.room))
      let bias = try #require(found.bias)
      #expect(bias.isCorrected, "seed \(seed): \(found)")
      #expect(abs(bias.value - 0.3) < 2 * bias.sigma, "seed \(seed): \(found)")
      #expect(abs(found.sigma / 0.05 - 1) < 0.15, "seed \(seed): \(found)")
    }
  }

  @Test func aScaleIsFoundWithinItsSigma() throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let found = try #require(
        RangeErrorEstimate.estimated(
          from: Self.epochs(noise: 0.05, scale: 0.08, seed: seed), anchors: Self.room))
      let scale = try #require(found.scale)
      #expect(scale.isCorrected, "seed \(seed): \(found)")
      #expect(abs(scale.value - 0.08) < 2 * scale.sigma, "seed \(seed): \(found)")
      #expect(abs(found.sigma / 0.05 - 1) < 0.15, "seed \(seed): \(found)")
    }
  }

  /// Every tenth range is 1 to 5 m too long: these are counted, and the noise is that of the others.
  ///
  /// Two in three epochs have a wrong range, and where several of them agree on another place, good
  /// ranges count as wrong. That widens the noise, by up to a third.
  @Test func wrongRangesAreCountedAndLeaveTheNoise() throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let found = try #require(
        RangeErrorEstimate.estimated(
          from: Self.epochs(noise: 0.1, late: 0.1, seed: seed), anchors: Self.room))
      #expect(found.sigma > 0.09 && found.sigma < 0.133, "seed \(seed): \(found)")
      #expect(abs(found.outliers.late - 0.1) < 0.06, "seed \(seed): \(found)")
      #expect(found.outliers.early < 0.03, "seed \(seed): \(found)")
      // The mean square of 1 to 5 m is 31 / 3 m².
      let whole = (0.01 + 0.1 * 31 / 3 as Double).squareRoot()
      #expect(abs(found.wholeSigma / whole - 1) < 0.2, "seed \(seed): \(found)")
    }
  }

  @Test func cleanRangesLeaveFewWrongOnes() throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let found = try #require(
        RangeErrorEstimate.estimated(
          from: Self.epochs(noise: 0.1, seed: seed), anchors: Self.room), "seed \(seed)")
      // One of the usual odds of ten ranges, among 2,000 checked ones.
      #expect(found.outliers.late < 0.002 && found.outliers.early < 0.002, "seed \(seed): \(found)")
      #expect(found.wholeSigma < 1.05 * found.sigma, "seed \(seed): \(found)")
    }
  }

  /// A common error that the anchors cannot tell from their own keeps to its prior, the noise.
  @Test func aRemainingBiasKeepsToTheNoise() throws {
    let offsets = [0.4, -0.1, 0.1, -0.4, -0.1, 0.3, -0.3, 0.1]
    for seed in 1...8 as ClosedRange<UInt64> {
      let found = try #require(
        RangeErrorEstimate.estimated(
          from: Self.epochs(noise: 0.05, offsets: offsets, seed: seed), anchors: Self.room))
      let bias = try #require(found.bias)
      #expect(bias.isCorrected || bias.remaining.squareRoot() < 2 * found.sigma, "seed \(seed)")
    }
  }

  @Test func offsetsOfAnchorsAreFoundAndNoBias() throws {
    let offsets = [0.1, -0.1, 0.1, -0.1, -0.1, 0.1, -0.1, 0.1]
    for seed in 1...8 as ClosedRange<UInt64> {
      let found = try #require(
        RangeErrorEstimate.estimated(
          from: Self.epochs(noise: 0.05, offsets: offsets, seed: seed), anchors: Self.room))
      #expect(
        found.bias?.isCorrected == false && found.correctedScale == 1, "seed \(seed): \(found)")
      let own = try #require(found.offsets)
      #expect(own.decision == .corrected, "seed \(seed): \(own)")
      for (index, offset) in offsets.enumerated() {
        // The offsets were found beside the mean of the bias.
        let whole = found.correctedBias + own.values[index]
        #expect(abs(whole - offset) < 3 * own.sigmas[index], "seed \(seed): \(own)")
        #expect(found.correctedOffset(of: index) == own.values[index])
      }
      #expect(abs(found.sigma / 0.05 - 1) < 0.15, "seed \(seed): \(found)")
    }
  }

  @Test func offsetsAndBiasTogetherLeaveTheNoise() throws {
    let offsets = [0.2, -0.2, 0.1, -0.1, -0.2, 0.2, -0.1, 0.1]
    for seed in 1...8 as ClosedRange<UInt64> {
      let found = try #require(
        RangeErrorEstimate.estimated(
          from: Self.epochs(noise: 0.05, bias: 0.5, offsets: offsets, seed: seed),
          anchors: Self.room))
      #expect(found.sigma < 0.075, "seed \(seed): \(found)")
      for (index, offset) in offsets.enumerated() {
        let left = found.corrected(10 + 0.5 + offset, of: index) - 10
        #expect(abs(left) < 0.1, "seed \(seed): \(index) \(left)")
      }
    }
  }

  @Test func aStandingTagCorrectsNothing() throws {
    let found = try #require(
      RangeErrorEstimate.estimated(
        from: Self.epochs(noise: 0.05, bias: 0.3, stands: true, seed: 3), anchors: Self.room))
    #expect(found.correctedBias == 0 && found.correctedScale == 1, "\(found)")
    #expect(found.offsets?.decision == .standing)
    #expect(found.hasRemainingErrors)
  }

  @Test func aToldBiasLeavesTheNoise() throws {
    let found = try #require(
      RangeErrorEstimate.estimated(
        from: Self.epochs(noise: 0.1, seed: 5), anchors: Self.room,
        searchesForCommonErrors: false))
    #expect(found.bias == nil && found.scale == nil && found.offsets == nil)
    #expect(!found.hasRemainingErrors)
  }

  @Test func epochsWithoutRedundancyTellNothing() {
    let thin = Self.epochs(noise: 0.1, seed: 1).map {
      RangeEpoch(
        anchors: Array($0.anchors.prefix(3)), distances: Array($0.distances.prefix(3)))
    }
    #expect(RangeErrorEstimate.estimated(from: thin, anchors: Self.room) == nil)
  }
}
