import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct RangeErrorsTests {
  @Test func defaultsMatchTheDocumentation() {
    let errors = RangeErrors()
    #expect(errors.sigma == 0.1 && errors.correlatedShare == 0.4 && errors.correlationTime == 1)
    #expect(errors.biasSigma == 0 && errors.scaleSigma == 0 && errors.degreesOfFreedom == 4)
    #expect(errors.commonModeSigma == 0.05 && errors.commonModeTime == 5)
  }

  @Test func biasReplacesTheCommonModeError() {
    var errors = RangeErrors()
    #expect(errors.hasCommon && errors.hasTransientCommonMode)
    #expect(isClose(errors.commonVariance, 0.0025, within: 1e-18))
    #expect(isClose(errors.commonModeMemory(over: 5), .exp(-1), within: 1e-15))
    errors.biasSigma = 0.3
    #expect(errors.hasCommon && !errors.hasTransientCommonMode)
    #expect(isClose(errors.commonVariance, 0.09, within: 1e-16))
    (errors.biasSigma, errors.commonModeSigma) = (0, 0)
    #expect(!errors.hasCommon && !errors.hasTransientCommonMode)
    errors.scaleSigma = 0.05
    #expect(errors.hasCommon && !errors.hasTransientCommonMode && errors.commonVariance == 0)
  }

  @Test func partsAddUpToTheVariance() {
    var errors = RangeErrors()
    errors.sigma = 0.2
    errors.correlatedShare = 0.25
    #expect(isClose(errors.correlatedVariance, 0.01, within: 1e-16))
    #expect(isClose(errors.whiteVariance(of: 0.2), 0.03, within: 1e-16))
    // A range with its own sigma: the correlated part belongs to the link, the white part to the
    // range.
    #expect(isClose(errors.whiteVariance(of: 0.4), 0.12, within: 1e-16))
  }

  @Test func autocorrelationFallsToOneOverE() {
    var errors = RangeErrors()
    errors.correlationTime = 2.5
    #expect(errors.memory(over: 0) == 1)
    #expect(isClose(errors.memory(over: 2.5), .exp(-1), within: 1e-15))
    let both = errors.memory(over: 0.3) * errors.memory(over: 0.9)
    #expect(isClose(errors.memory(over: 1.2), both, within: 1e-15))
  }

  /// n times the variance of the mean of n errors, summed over all pairs; the ends contribute an
  /// error of one part in n.
  @Test(arguments: [0.05, 0.3, 1, 5])
  func effectiveVarianceIsThatOfAMean(_ interval: Double) {
    let errors = RangeErrors()
    let count = 4000
    var sum = Double(count) * (errors.whiteVariance(of: errors.sigma) + errors.correlatedVariance)
    for lag in 1..<count {
      let memory = errors.memory(over: interval * Double(lag))
      sum += 2 * Double(count - lag) * errors.correlatedVariance * memory
    }
    let expected = sum / Double(count)
    let effective = errors.effectiveVariance(interval: interval)
    #expect(isClose(effective, expected, within: 0.01 * expected))
  }

  @Test func independentErrorsKeepTheirVariance() {
    var errors = RangeErrors()
    errors.correlatedShare = 0
    #expect(isClose(errors.effectiveVariance(interval: 0.01), 0.01, within: 1e-16))
    // So do errors whose correlation has decayed.
    errors.correlatedShare = 0.4
    #expect(isClose(errors.effectiveVariance(interval: 100), 0.01, within: 1e-16))
    // At a zero interval the correlated part never averages out, and the result stays finite.
    #expect(errors.effectiveVariance(interval: 0).isFinite)
  }
}
