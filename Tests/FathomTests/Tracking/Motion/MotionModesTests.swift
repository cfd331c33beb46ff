import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct MotionModesTests {
  @Test func modesAreSymmetricAboutTheMotion() {
    var modes = MotionModes()
    modes.motion = ConstantVelocity(horizontalDensity: 0.6, verticalDensity: 0.3)
    modes.processNoiseRatio = 3
    #expect(isClose(modes.lowNoise.horizontalDensity, 0.2, within: 1e-15))
    #expect(isClose(modes.lowNoise.verticalDensity, 0.1, within: 1e-15))
    #expect(isClose(modes.highNoise.horizontalDensity, 1.8, within: 1e-15))
    #expect(isClose(modes.highNoise.verticalDensity, 0.9, within: 1e-15))
    #expect(!modes.isSingle)
  }

  @Test func ratioOfOneGivesASingleMode() {
    for processNoiseRatio in [1.0, 0.5, 0] {
      var modes = MotionModes()
      modes.processNoiseRatio = processNoiseRatio
      #expect(modes.isSingle)
      #expect(modes.lowNoise == modes.motion)
    }
  }

  /// Two steps equal one of twice the length: the mode differs after both if exactly one of them
  /// changed it.
  @Test func changeProbabilitiesComposeAndConvergeToOneHalf() {
    var modes = MotionModes()
    modes.switchingRate = 0.7
    for seconds in [0.01, 0.2, 1, 4] {
      let once = modes.changeProbability(over: seconds)
      let twice = modes.changeProbability(over: 2 * seconds)
      #expect(isClose(twice, 2 * once * (1 - once), within: 1e-15))
    }
    #expect(modes.changeProbability(over: 0) == 0)
    #expect(modes.changeProbability(over: 1e9) == 0.5)
    // For short steps, half of the switching rate per second, since every other draw keeps the
    // mode.
    #expect(isClose(modes.changeProbability(over: 1e-4), 0.5 * 0.7e-4, within: 1e-8))
  }
}
