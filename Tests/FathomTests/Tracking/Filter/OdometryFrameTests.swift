import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct OdometryFrameTests {
  /// The frame takes the pose to the tag, by the heading and the translation.
  @Test func takesThePoseToTheTag() throws {
    var generator = SeededGenerator(seed: 7302)
    let vehicle = SimulatedVehicle(to: 30, using: &generator)
    var configuration = Tracker.Configuration()
    configuration.height = 0
    configuration.odometry = OdometryErrors()
    var tracker = try Tracker(anchors: SimulatedVehicle.anchors, configuration: configuration)
    var pose = TimedPose(time: instant(30), position: Vector([4, -7, 0.5]))
    #expect(tracker.odometryFrame(with: pose) == nil)
    var sensors = SensorQueue(SensorReadings(odometry: vehicle.odometry))
    for range in vehicle.ranges {
      while let reading = sensors.next(upTo: range.time) { tracker.update(reading) }
      _ = tracker.update(distance: range.distance, anchor: range.anchor, at: range.time)
    }
    while let reading = sensors.next(upTo: instant(30)) { tracker.update(reading) }
    let frame = try #require(tracker.odometryFrame(with: pose))
    let estimate = try #require(tracker.estimate(at: instant(30)))
    let (cosine, sine) = (frame.heading.cosine, frame.heading.sine)
    let turned = Vector<3>([cosine * 4 + sine * 7, sine * 4 - cosine * 7, 0.5])
    #expect((turned + frame.translation - estimate.position).length < 1e-12)
    #expect(frame.covariance == estimate.covariance)
    #expect((1e-4...0.3).contains(frame.headingSigma.radians), "\(frame.headingSigma)")
    // An earlier pose counts at the last measurement.
    pose.time = instant(1)
    #expect(tracker.odometryFrame(with: pose)?.heading == frame.heading)
  }

  @Test func needsOdometry() throws {
    var tracker = try Tracker(anchors: SimulatedWalk.room)
    for anchor in 0..<6 {
      let distance = (SimulatedWalk.room[anchor].position - Vector([4, 3, 1])).length
      _ = tracker.update(distance: distance, anchor: anchor, at: instant(0.1 * Double(anchor)))
    }
    #expect(tracker.estimate(at: instant(1)) != nil)
    #expect(tracker.odometryFrame(with: TimedPose(time: instant(1), position: .zero)) == nil)
  }
}
