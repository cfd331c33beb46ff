import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct RangeNoiseTests {
  /// Readings of one link at the true distance 5 m; nil without a report.
  private func readings(
    _ noise: RangeNoise, count: Int = 100_000, seed: UInt64 = 5, distance: Double = 5
  ) -> [Double?] {
    var generator = SeededGenerator(seed: seed)
    var last: Double?
    return (0..<count).map { _ in
      NoiseDraw(using: &generator).reading(of: distance, noise, last: &last)
    }
  }

  private func noise(
    sigma: Double = 0, outliers: Double = 0, mean: Double = 0, dropOut: Double = 0,
    held: Double = 0, quantisation: Double = 0
  ) -> RangeNoise {
    RangeNoise(
      sigma: sigma, outlierShare: outliers, outlierMean: mean, dropOutShare: dropOut,
      heldShare: held, quantisation: quantisation)
  }

  @Test func distanceIsExactWithoutNoise() {
    #expect(readings(noise(), count: 100).allSatisfy { $0 == 5 })
  }

  @Test func normalNoiseHasGivenSigma() {
    // n = 100 000: the standard error of the mean is 0.00025 m, of the deviation 0.00018 m; five of
    // each.
    let values = readings(noise(sigma: 0.08)).compactMap { $0 }
    #expect(values.count == 100_000)
    let mean = values.reduce(0, +) / 100_000
    let variance = values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / 99_999
    #expect(isClose(mean, 5, within: 0.001_3))
    #expect(isClose(variance.squareRoot(), 0.08, within: 0.000_9))
  }

  @Test func outliersHaveGivenShareAndMean() {
    // Binomial share 0.03: standard error 0.00054. Mean of about 3000 exponentials of mean 0.7 m:
    // standard error 0.013 m. The tolerance is five of each. Without normal noise each change is an
    // excess. Rounding hides excesses below 0.05 mm, which are 0.2 in 3000.
    let excess = readings(noise(outliers: 0.03, mean: 0.7)).compactMap { $0 }.map { $0 - 5 }
    #expect(excess.allSatisfy { $0 >= 0 })
    let late = excess.filter { $0 > 0 }
    #expect(isClose(Double(late.count) / 100_000, 0.03, within: 0.002_7))
    #expect(isClose(late.reduce(0, +) / Double(late.count), 0.7, within: 0.065))
  }

  @Test func dropOutsHaveGivenShare() {
    // Standard error 0.00095 at 0.1.
    let failed = readings(noise(dropOut: 0.1)).count { $0 == nil }
    #expect(isClose(Double(failed) / 100_000, 0.1, within: 0.004_8))
    #expect(readings(noise(dropOut: 1), count: 100).allSatisfy { $0 == nil })
  }

  @Test func heldValuesRepeatThePreviousValue() {
    // With sigma 10 m and steps of 0.1 mm, equal values occur by chance once in 350 000 pairs.
    // Standard error 0.0013 at 0.2.
    let values = readings(noise(sigma: 10, held: 0.2), distance: 500).compactMap { $0 }
    let held = zip(values, values.dropFirst()).count { $0 == $1 }
    #expect(isClose(Double(held) / Double(values.count), 0.2, within: 0.006_4))
    // All values except the first.
    let stuck = readings(noise(sigma: 1, held: 1), count: 50)
    #expect(stuck.allSatisfy { $0 == stuck[0] })
  }

  @Test func valuesAreHeldAcrossDropOuts() {
    let values = readings(noise(sigma: 1, dropOut: 0.5, held: 1), count: 200)
    let reported = values.compactMap { $0 }
    #expect(reported.count < 150 && reported.count > 50)
    #expect(Set(reported).count == 1)
  }

  @Test func quantisedValuesAreMultiplesOfTheStep() {
    let values = readings(noise(sigma: 0.3, quantisation: 0.05), count: 2000).compactMap { $0 }
    for value in values {
      // The nearest double of a decimal: 4.05 rather than a multiple of a rounded step.
      let steps = (value / 0.05).rounded()
      #expect(value == (steps * 5).rounded() / 100)
    }
    #expect(Set(values).count > 20)
  }

  @Test func nonPositiveDistancesFail() {
    let values = readings(noise(sigma: 1), count: 1000, distance: 0)
    #expect(values.compactMap { $0 }.allSatisfy { $0 > 0 })
    // Half of them, standard error 16.
    #expect(isClose(Double(values.count { $0 == nil }), 500, within: 80))
  }

  @Test func changedShareKeepsOtherRandomNumbers() {
    let plain = readings(noise(sigma: 0.1, outliers: 0.1, mean: 1), count: 3000)
    let gaps = readings(noise(sigma: 0.1, outliers: 0.1, mean: 1, dropOut: 0.4), count: 3000)
    for (first, second) in zip(plain, gaps) where second != nil { #expect(first == second) }
    #expect(gaps.contains(nil))
  }

  @Test func roundedValuesRoundTripThroughFiles() {
    #expect(2.345_67.rounded(decimals: 4) == 2.345_7)
    #expect((-0.123_456_7).rounded(decimals: 6) == -0.123_457)
    #expect(1e-5.rounded(decimals: 4) == 0)
  }
}
