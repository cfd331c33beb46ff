import Testing

@testable import Fathom

@Suite struct TrackerConfigurationTests {
  /// What the documentation says, and what makes sense at all.
  @Test func theDefaultsAreThoseOfTheDocumentation() {
    let configuration = Tracker.Configuration()
    #expect(configuration.rangeSigma == 0.10)
    #expect(configuration.height == nil)
    #expect(configuration.degreesOfFreedom == 4)
    #expect(configuration.startWindow == 2)
    #expect(configuration.startVelocitySigma == 2)
    #expect(configuration.longestGap == 3)
    #expect(
      configuration.motion == ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.5))
    #expect(Tracker(anchors: []).configuration == configuration)
  }
}
