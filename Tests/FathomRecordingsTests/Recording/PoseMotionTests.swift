import Fathom
import Testing

@testable import FathomRecordings

/// Poses as odometry and heights.
@Suite struct PoseMotionTests {
  private func pose(_ seconds: Double, _ x: Double, _ y: Double, _ z: Double) -> TimedPose {
    TimedPose(
      time: Timestamp(nanoseconds: Int64((seconds * 1e9).rounded())), position: Vector([x, y, z]))
  }

  @Test func displacementsAreIncrementsOfAFrameThatDoesNotTurn() {
    // 30 poses a second give an increment every tenth of a second.
    let poses = (0...30).map { step in
      pose(Double(step) / 30, 0.02 * Double(step), -0.01 * Double(step), 1.5)
    }
    let motion = PoseMotion(poses)
    #expect(motion.odometry.count == 10)
    for increment in motion.odometry {
      #expect((increment.forward - 0.06).magnitude < 1e-12)
      #expect((increment.left + 0.03).magnitude < 1e-12)
      #expect(increment.turn == .zero)
    }
    #expect(motion.heights.count == 11 && motion.heights.allSatisfy { $0.height == 1.5 })
    #expect(motion.last == poses.last)
  }

  @Test func jumpsGapsAndDamagedPosesLeaveIncrementsOut() {
    let motion = PoseMotion([
      pose(0, 0, 0, 1), pose(0.1, 0.1, 0, 1), pose(0.2, .nan, 0, 1), pose(0.3, 0.3, 0, 1),
      // A relocalisation, and a loss of tracking.
      pose(0.4, 8, 0, 1), pose(0.5, 8.1, 0, 1), pose(5, 9, 0, 1), pose(5.1, 9.1, 0, 1),
      // Times that step back or repeat.
      pose(5.1, 50, 0, 1), pose(4, 50, 0, 1),
    ])
    #expect(motion.odometry.map(\.begin.seconds) == [0, 0.1, 0.4, 5])
    #expect(motion.odometry.allSatisfy { $0.distance < 0.21 })
    #expect(PoseMotion([]).odometry.isEmpty)
  }
}
