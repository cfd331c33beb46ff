import RealModule
import Testing

@testable import Fathom

@Suite struct HeadingErrorTests {
  /// The rate of the varying part does not depend on the total variance.
  @Test func upToFiveDegreesVaryWithinAMinute() {
    let five = 5 * Double.pi / 180
    for sigma in [0.5 * five, five] {
      let memory = HeadingDrift.memory(over: 60, variance: sigma * sigma)
      #expect((memory - .exp(-1)).magnitude < 1e-12)
    }
    // The variance added in a second, (1 - m²) σ², is 2 (5°)² / 60 for all larger ones.
    for sigma in [2 * five, .pi] {
      let memory = HeadingDrift.memory(over: 1, variance: sigma * sigma)
      let added = (1 - memory * memory) * sigma * sigma
      #expect((added / (2 * five * five / 60) - 1).magnitude < 0.02)
    }
    #expect(HeadingDrift.memory(over: 0, variance: 1) == 1)
  }
}
