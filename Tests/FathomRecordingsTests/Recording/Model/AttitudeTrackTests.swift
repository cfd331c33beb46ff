import Fathom
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct AttitudeTrackTests {
  /// A device that turns by 40° in 2 s, has no attitudes for 4 s, and is then at 100°.
  private let track = AttitudeTrack(
    times: [at(6), at(0), at(2)],
    attitudes: [100, 0, 40].map { Attitude(heading: Angle(degrees: $0)) })

  private func degrees(at seconds: Double) -> Double? {
    guard let axes = track.attitude(at: at(seconds))?.axes else { return nil }
    return Angle(radians: .atan2(y: axes[1, 0], x: axes[0, 0])).degrees
  }

  @Test(arguments: [
    (0, 0), (1, 20), (2, 40), (6, 100),
    // Before, after and in the gap, only the attitude within reach.
    (-1, 0), (-0.5, 0), (2.5, 40), (3, 40), (5, 100), (7, 100),
  ])
  func interpolatesWithinReach(_ seconds: Double, _ expected: Double) throws {
    #expect(isClose(try #require(degrees(at: seconds)), expected, within: 1e-9))
  }

  @Test(arguments: [-1.001, 3.001, 4.999, 7.001])
  func returnsNilBeyondReach(_ seconds: Double) {
    #expect(degrees(at: seconds) == nil)
  }

  @Test func lastSimultaneousAttitudeCounts() {
    let track = AttitudeTrack(
      times: [at(1), at(1)], attitudes: [5, 7].map { Attitude(heading: Angle(degrees: $0)) })
    #expect(track.attitude(at: at(1)) == Attitude(heading: Angle(degrees: 7)))
    #expect(track.attitude(at: at(1.5)) == Attitude(heading: Angle(degrees: 7)))
    #expect(track.attitude(at: at(0.5)) == Attitude(heading: Angle(degrees: 5)))
    #expect(AttitudeTrack().attitude(at: at(0)) == nil)
    // The limits of time stamps do not overflow.
    #expect(track.attitude(at: Timestamp(nanoseconds: .min)) == nil)
    #expect(track.attitude(at: Timestamp(nanoseconds: .max)) == nil)
  }
}
