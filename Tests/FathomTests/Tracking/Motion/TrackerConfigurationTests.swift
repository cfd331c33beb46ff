import Testing

@testable import Fathom

@Suite struct TrackerConfigurationTests {
  /// The defaults match the documentation and are plausible.
  @Test func defaultsMatchTheDocumentation() throws {
    let configuration = Tracker.Configuration()
    #expect(configuration.errors.sigma == 0.10)
    #expect(configuration.height == nil && configuration.side == nil)
    #expect(configuration.errors.degreesOfFreedom == 4)
    #expect(configuration.startWindow == 2)
    #expect(configuration.startVelocitySigma == 2)
    #expect(configuration.longestGap == 3)
    #expect(configuration.coastAfter == 1)
    #expect(configuration.calibratesCovariance)
    #expect(
      configuration.modes.motion == ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.5))
    #expect(try Tracker(anchors: []).configuration == configuration)
  }
}
