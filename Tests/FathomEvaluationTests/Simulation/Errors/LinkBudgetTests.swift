import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct LinkBudgetTests {
  private func budget(exponent: Double = 2) -> LinkBudget {
    LinkBudget(
      transmitPower: -14.3, frequency: 6_489.6e6, exponent: exponent, fadingSigma: 0,
      sensitivity: -93, slope: 1.5)
  }

  @Test func powerFollowsFreeSpacePathLoss() {
    // 4 pi 6.4896e9 / 299792458 = 272.0256; 20 lg of it = 48.6922 dB, so -62.9922 dBm at 1 m.
    #expect(isClose(budget().receivedPower(distance: 1), -62.992_2, within: 1e-4))
    // Ten times the distance gives 20 dB less; twice the distance 6.0206 dB less.
    #expect(isClose(budget().receivedPower(distance: 10), -82.992_2, within: 1e-4))
    #expect(isClose(budget().receivedPower(distance: 2), -69.012_8, within: 1e-4))
    #expect(isClose(budget(exponent: 3).receivedPower(distance: 10), -92.992_2, within: 1e-4))
    #expect(
      isClose(budget().receivedPower(distance: 10, wallLoss: 7.5), -90.492_2, within: 1e-4))
    #expect(
      budget().receivedPower(distance: 0) == budget().receivedPower(distance: 0.01))
  }

  @Test func receptionProbabilityIsOneHalfAtTheSensitivity() {
    #expect(budget().receptionProbability(power: -93) == 0.5)
    // 1 / (1 + e²) and 1 / (1 + e⁻²) at 3 dB below and above, with a slope of 1.5 dB.
    #expect(isClose(budget().receptionProbability(power: -96), 0.119_202_922, within: 1e-9))
    #expect(isClose(budget().receptionProbability(power: -90), 0.880_797_078, within: 1e-9))
    #expect(budget().receptionProbability(power: -1000) < 1e-200)
    #expect(budget().receptionProbability(power: 100) == 1)
  }
}
