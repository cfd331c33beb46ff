import Fathom
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct PhoneAttitudeTests {
  private func motion(ahead: Vector<3>) -> MotionState {
    MotionState(position: point(1, 1, 1), velocity: .zero, ahead: ahead)
  }

  @Test(arguments: [
    // Facing +x of the world, left is +y: 3 m ahead, 1 m to the left, 0.5 m up.
    ([1.0, 0, 0], [4.0, 2, 1.5], [-1.0, 0.5, -3]),
    // Facing +y, right is +x.
    ([0, 1, 0], [4, 2, 1.5], [3, 0.5, -1]),
    // Facing -x: a point at +x is behind, at +z of the device.
    ([-1, 0, 0], [4, 1, 1], [0, 0, 3]),
  ])
  func deviceFrameIsRightUpAndBack(
    _ ahead: [Double], _ target: [Double], _ expected: [Double]
  ) {
    let attitude = PhoneAttitude(facing: .travel, wobble: 0, wobblePeriod: 1)
    let place = attitude.devicePosition(
      of: point(target[0], target[1], target[2]),
      from: motion(ahead: point(ahead[0], ahead[1], ahead[2])), at: 5)
    for axis in 0..<3 { #expect(isClose(place[axis], expected[axis], within: 1e-12)) }
  }

  @Test func facedAccessoryIsStraightAhead() {
    let attitude = PhoneAttitude(facing: .accessory, wobble: 0, wobblePeriod: 1)
    let place = attitude.devicePosition(
      of: point(4, 5, 1), from: motion(ahead: point(1, 0, 0)), at: 0)
    #expect(isClose(place[0], 0, within: 1e-12) && isClose(place[2], -5, within: 1e-12))
    // Straight above, the bearing is undefined and the direction of travel is kept.
    let above = attitude.devicePosition(
      of: point(1, 1, 3), from: motion(ahead: point(1, 0, 0)), at: 0)
    #expect(above == point(0, 2, 0))
  }

  @Test func swayTurnsThePhoneLeftFirst() {
    // After a quarter of the period the phone points 0.3 rad to the left. A point straight ahead is
    // then 0.3 rad to the right.
    let attitude = PhoneAttitude(facing: .travel, wobble: 0.3, wobblePeriod: 8)
    let place = attitude.devicePosition(
      of: point(3, 1, 1), from: motion(ahead: point(1, 0, 0)), at: 2)
    // 2 sin 0.3 = 0.5910404133226791, 2 cos 0.3 = 1.9106729782512120.
    #expect(isClose(place[0], 0.591_040_413_322_679_1, within: 1e-12))
    #expect(isClose(place[2], -1.910_672_978_251_212, within: 1e-12))
  }
}
