import Fathom
import FathomRecordings

/// The readings of the sensors of all tags, as the files of a recording.
struct SensorRun {
  private let models: SensorModels
  private let tags: [Scenario.Tag]
  private let duration: Double
  private let seed: UInt64

  init(_ models: SensorModels, tags: [Scenario.Tag], duration: Double, seed: UInt64) {
    self.models = models
    self.tags = tags
    self.duration = duration
    self.seed = seed
  }

  /// Returns the files; empty without sensors.
  func files() -> [SimulatedRecording.SensorFile] {
    var files: [SimulatedRecording.SensorFile] = []
    if let model = models.inertial {
      files.append(
        file(
          "imu.csv",
          "time_s,tag,acc_x_mps2,acc_y_mps2,acc_z_mps2,gyro_x_radps,gyro_y_radps,gyro_z_radps",
          rate: model.rate, decimals: 5, start: InertialDraw.init(using:)
        ) { draw, motion, elapsed, generator in
          draw.reading(motion, model, elapsed, &generator)
        })
    }
    if let model = models.barometer {
      files.append(
        file("heights.csv", "time_s,tag,height_m", rate: model.rate, decimals: 3) { generator in
          model.offset * generator.normal()
        } next: { offset, motion, elapsed, generator in
          offset += model.drift * elapsed.squareRoot() * generator.normal()
          return [motion.now.position[2] + offset + model.sigma * generator.normal()]
        })
    }
    if let model = models.odometry {
      files.append(
        file(
          "odometry.csv", "time_s,tag,forward_m,turn_rad", rate: model.rate, decimals: 5,
          start: { OdometryDraw(model, using: &$0) }
        ) { draw, motion, elapsed, generator in
          draw.increment(motion, model, elapsed, &generator)
        })
    }
    return files
  }

  /// Two successive instants of a tag, with the direction that it faces.
  struct Motion {
    var before: MotionState
    var now: MotionState
    var headingBefore: Double
    var heading: Double
  }

  /// Writes the file of one kind of sensor, in order of time.
  private func file<State>(
    _ name: String, _ header: String, rate: Double, decimals: Int,
    start: (inout SeededGenerator) -> State,
    next: (inout State, Motion, Double, inout SeededGenerator) -> [Double]
  ) -> SimulatedRecording.SensorFile {
    let count = RangeSimulator.wholeIntervals(duration, rate)
    var buffer = CSVBuffer(header: header, rows: (count + 1) * tags.count)
    var draws = tags.indices.map { tag in
      var generator = RandomStream.sensor(name, ofTag: tag, seed)
      let state = start(&generator)
      let motion = tags[tag].trajectory.motion(at: 0)
      return (generator: generator, state: state, motion: motion, heading: motion.heading)
    }
    let elapsed = 1 / rate
    for row in 0...count {
      let time = RangeSimulator.instant(Double(row) / rate)
      for tag in tags.indices {
        var draw = draws[tag]
        let now = tags[tag].trajectory.motion(at: time.seconds)
        let heading =
          row == 0 ? draw.heading : draw.heading.turned(towards: now.heading, over: elapsed)
        let motion = Motion(
          before: draw.motion, now: now, headingBefore: draw.heading, heading: heading)
        let values = next(&draw.state, motion, elapsed, &draw.generator)
        (draw.motion, draw.heading) = (now, heading)
        draws[tag] = draw
        buffer.append(time, decimals: 6)
        buffer.append(tags[tag].name)
        for value in values { buffer.append(value, decimals: decimals) }
        buffer.endRow()
      }
    }
    return SimulatedRecording.SensorFile(name: name, bytes: buffer.bytes)
  }
}

/// The errors of an inertial sensor that were drawn at the start, and how it is mounted.
private struct InertialDraw {
  /// The axes of the sensor as rows, in the frame of the tag: ahead, left, up.
  private let axes: [Vector<3>]
  private let accelerationBias: Vector<3>
  private let rotationBias: Vector<3>

  init(using generator: inout SeededGenerator) {
    func draw() -> Vector<3> {
      Vector([generator.normal(), generator.normal(), generator.normal()])
    }
    // Gram and Schmidt make a random rotation of two random vectors.
    let first = draw()
    let x = (1 / first.length) * first
    let second = draw()
    let across = second - second.dot(x) * x
    let y = (1 / across.length) * across
    let z: Vector<3> = Vector([
      x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0],
    ])
    axes = [x, y, z]
    accelerationBias = draw()
    rotationBias = draw()
  }

  /// Returns the mean reading since the last instant.
  func reading(
    _ motion: SensorRun.Motion, _ model: InertialModel, _ elapsed: Double,
    _ generator: inout SeededGenerator
  ) -> [Double] {
    var force = (1 / elapsed) * (motion.now.velocity - motion.before.velocity)
    force[2] += 9.80665
    let heading = motion.headingBefore + 0.5 * (motion.heading - motion.headingBefore)
    // In the frame of the tag.
    force = force.turned(byRadians: -heading)
    let rate = (motion.heading - motion.headingBefore) / elapsed
    let isMoving = motion.now.velocity.length > 1e-3
    let (rootRate, shake) = (1 / elapsed.squareRoot(), isMoving ? model.vibration : 0)
    var (forces, rates): ([Double], [Double]) = ([], [])
    for axis in 0..<3 {
      let noise = model.accelerationNoise * rootRate * generator.normal()
      let vibration = shake * generator.normal()
      forces.append(
        axes[axis].dot(force) + model.accelerationBias * accelerationBias[axis] + noise + vibration)
      rates.append(
        axes[axis][2] * rate + model.rotationBias * rotationBias[axis]
          + model.rotationNoise * rootRate * generator.normal())
    }
    return forces + rates
  }
}

/// The errors of odometry that were drawn at the start, and whether the wheels slip.
private struct OdometryDraw {
  private let scale: Double
  private let drift: Double
  private var isSlipping = false

  init(_ model: OdometryModel, using generator: inout SeededGenerator) {
    scale = model.scale * generator.normal()
    drift = model.drift * generator.normal()
  }

  mutating func increment(
    _ motion: SensorRun.Motion, _ model: OdometryModel, _ elapsed: Double,
    _ generator: inout SeededGenerator
  ) -> [Double] {
    let change = isSlipping ? elapsed / max(elapsed, model.slipTime) : elapsed * model.slipRate
    if generator.uniform() < change { isSlipping.toggle() }
    let moved = motion.now.position - motion.before.position
    let heading = 0.5 * (motion.headingBefore + motion.heading)
    let forward = moved.turned(byRadians: -heading)[0]
    let noise = model.noise * forward.magnitude.squareRoot() * generator.normal()
    // Spinning wheels report twice the way.
    let slip = isSlipping ? 2.0 : 1.0
    return [
      slip * ((1 + scale) * forward + noise),
      motion.heading - motion.headingBefore + elapsed * drift,
    ]
  }
}

extension MotionState {
  /// The direction faced, radians.
  fileprivate var heading: Double { ElementaryFunctions.angle(y: ahead[1], x: ahead[0]) }
}

extension Double {
  /// The fastest turn of a tag, rad/s.
  private static let fastestTurn = 2.0

  /// Returns a heading that is turned towards `other` the short way, as fast as a tag turns.
  fileprivate func turned(towards other: Double, over seconds: Double) -> Double {
    let turns = ((other - self) / (2 * .pi)).rounded()
    let difference = other - self - turns * 2 * .pi
    let limit = Self.fastestTurn * seconds
    return self + Swift.max(-limit, Swift.min(limit, difference))
  }
}
