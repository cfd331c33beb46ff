import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Smoothed tracks that follow odometry.
@Suite struct SmootherOdometryTests {
  /// The joined displacement of several increments, and its derivative by the drift, are those of the
  /// single ones.
  @Test func linkJoinsIncrements() throws {
    var generator = SeededGenerator(seed: 5301)
    let drive = SimulatedVehicle(to: 10, using: &generator)
    let times = [instant(0.05), instant(0.32), instant(0.75), instant(20)]
    let links = OdometryLink.links(between: times, drive.odometry, errors: OdometryErrors())
    #expect(links.count == 3 && links[2] == nil)
    let link = try #require(links[1])
    #expect(isClose(link.seconds, 0.43, within: 1e-9))
    var (heading, x, y) = (0.0, 0.0, 0.0)
    for (index, whole) in drive.odometry.prefix(8).enumerated() {
      let (begin, end) = (max(0.32, 0.1 * Double(index)), min(0.75, 0.1 * Double(index + 1)))
      let share = max(0, end - begin) / 0.1
      let before = max(0, begin - 0.1 * Double(index)) / 0.1
      let part = OdometryIncrement(
        begin: instant(0), end: instant(1), forward: share * whole.forward,
        left: share * whole.left, turn: Angle(radians: share * whole.turn.radians))
      let moved = part.displacement(heading: heading + before * whole.turn.radians)
      x += moved.x
      y += moved.y
      heading += whole.turn.radians
    }
    #expect(isClose(link.displacement.x, x, within: 1e-9))
    #expect(isClose(link.displacement.y, y, within: 1e-9))
    #expect(Cholesky(link.covariance) != nil)
  }

  @Test func derivativesMatchDifferences() throws {
    var generator = SeededGenerator(seed: 5302)
    let drive = SimulatedVehicle(to: 12, using: &generator)
    var configuration = SimulatedVehicle.configuration
    configuration.odometry = OdometryErrors()
    let problem = SmootherProblem(
      drive.ranges.map(\.measurement), sensors: SensorReadings(odometry: drive.odometry),
      interruptions: [], anchors: SimulatedVehicle.anchors, configuration: configuration)
    var run: SmootherRun<5> = try #require(problem.run())
    let first = try #require(run.layout.odometry)
    let step = 40
    let link = try #require(run.sensors.links[step])
    run.common[first] = 0.07
    run.common[first + 1] = 0.02
    let factor = run.odometryFactor(link, step: step, first: first)
    let delta = 1e-6
    func slope(_ change: (inout SmootherRun<5>, Double) -> Void) -> Vector<3> {
      var (low, high) = (run, run)
      change(&low, -delta)
      change(&high, delta)
      let before = low.odometryFactor(link, step: step, first: first).residual
      let after = high.odometryFactor(link, step: step, first: first).residual
      // The residual falls as the expected value rises.
      return (1 / (2 * delta)) * (before - after)
    }
    for column in 0..<5 {
      let own = slope { $0.states[5 * step + column] += $1 }
      let next = slope { $0.states[5 * (step + 1) + column] += $1 }
      for row in 0..<3 {
        #expect(isClose(factor.own[row, column], own[row], within: 1e-6))
        #expect(isClose(factor.next[row, column], next[row], within: 1e-6))
      }
    }
    for place in 0..<2 {
      let found = slope { $0.common[first + place] += $1 }
      for row in 0..<3 { #expect(isClose(factor.common[row, place], found[row], within: 1e-6)) }
    }
  }

  /// Thirty drives, also with wheels that slip: the errors at one instant each are consistent, and
  /// smaller than without odometry.
  @Test(.releaseOnly, arguments: [false, true]) func errorsAreConsistent(slips: Bool) throws {
    var generator = SeededGenerator(seed: 5303)
    var errors = SimulatedVehicle.Errors()
    errors.slips = slips
    var configuration = SimulatedVehicle.configuration
    configuration.errors.sigma = 0.2
    let smoother = try TrackSmoother(
      anchors: SimulatedVehicle.anchors, configuration: configuration)
    var (sum, with, without) = (0.0, 0.0, 0.0)
    let drives = 30
    for _ in 0..<drives {
      let drive = SimulatedVehicle(to: 60, sigma: 0.2, errors: errors, using: &generator)
      let ranges = drive.ranges.map(\.measurement)
      let track = try #require(
        smoother.smoothed(ranges, sensors: SensorReadings(odometry: drive.odometry)))
      let plain = try #require(smoother.smoothed(ranges))
      let middle = drive.ranges[drive.ranges.count / 2]
      let estimate = try #require(track.estimate(at: middle.time))
      let other = try #require(plain.estimate(at: middle.time))
      sum += try #require(estimate.normalizedSquare(of: middle.truth))
      with += (estimate.position - middle.truth).squared
      without += (other.position - middle.truth).squared
    }
    let mean = sum / Double(2 * drives)
    #expect((0.4...2).contains(mean), "normalised error squared \(mean)")
    #expect(with < without, "\(with / without)")
  }

  /// Over half a minute without ranges, the track follows the odometry, with estimates in between.
  @Test func bridgesAGap() throws {
    var generator = SeededGenerator(seed: 5304)
    let drive = SimulatedVehicle(to: 120, gap: 60...90, using: &generator)
    let smoother = try TrackSmoother(
      anchors: SimulatedVehicle.anchors, configuration: SimulatedVehicle.configuration)
    let track = try #require(
      smoother.smoothed(
        drive.ranges.map(\.measurement), sensors: SensorReadings(odometry: drive.odometry)))
    let middle = try #require(track.estimate(at: instant(75)))
    #expect(middle.status == .coasting)
    // The position after the increment that ends at 75 s.
    let truth = drive.positions[749]
    #expect((middle.position - truth).length < 0.6, "\((middle.position - truth).length)")
    #expect(track.estimates.count > drive.ranges.count)
  }

  /// Heights in space keep the vertical error small under a ceiling of anchors.
  @Test func heightsImproveTheHeight() throws {
    var generator = SeededGenerator(seed: 5305)
    let walk = SimulatedWalk(anchors: SimulatedWalk.ceiling, path: SimulatedWalk.stroll)
    let ranges = walk.ranges(to: 60, using: &generator)
    for offset in [0.05, 30] {
      let heights = (0..<600).map { index in
        HeightMeasurement(
          time: instant(Double(index) / 10),
          height: SimulatedWalk.stroll(Double(index) / 10)[2] + offset + 0.07 * generator.normal())
      }
      var configuration = TrackerConfiguration()
      configuration.heights = HeightErrors()
      configuration.side = .below
      let smoother = try TrackSmoother(anchors: walk.anchors, configuration: configuration)
      let track = try #require(
        smoother.smoothed(
          ranges.map(\.measurement), sensors: SensorReadings(heights: heights)))
      let plain = try #require(smoother.smoothed(ranges.map(\.measurement)))
      var (with, without, square, count) = (0.0, 0.0, 0.0, 0.0)
      for range in ranges where range.time > instant(5) && range.time < instant(55) {
        guard let own = track.estimate(at: range.time), let other = plain.estimate(at: range.time)
        else { continue }
        let (error, plainly) = (
          own.position[2] - range.truth[2], other.position[2] - range.truth[2]
        )
        with += error * error
        without += plainly * plainly
        square += error * error / own.covariance[2, 2]
        count += 1
      }
      #expect(with < 1.05 * without, "\(offset): \((with / without).squareRoot())")
      #expect(square / count < 3, "\(offset): \(square / count)")
    }
  }
}
