import RealModule

/// The attitude of an inertial sensor in a level frame: its z-axis is up, its heading that of the
/// start.
///
/// The gyroscope turns the attitude, and the mean direction of the specific force levels it: a
/// complementary filter that estimates the bias of the gyroscope across the vertical, too [Mahony et
/// al. 2008]. At rest the bias is the mean reading, and the length of the specific force is gravity.
struct LevelAttitude: Sendable {
  /// The rotation from the axes of the sensor to the level frame, as a quaternion.
  private var rotation = (w: 1.0, v: Vector<3>.zero)
  /// The bias of the gyroscope in rad/s.
  private(set) var bias = Vector<3>.zero
  /// The time at rest on which ``bias`` and ``gravity`` rest, in seconds.
  private var restTime = 0.0
  /// The length of the specific force at rest, in m/s².
  private(set) var gravity = 9.80665
  /// The time since the start, in seconds; infinite after the first rest.
  private var age = 0.0
  private(set) var last: InertialMeasurement?
  private var window = RestWindow()

  /// The motion between two readings.
  struct Step: Sendable {
    var seconds: Double
    /// The acceleration in the level frame, in m/s².
    var acceleration: Vector<3>
    /// The time since which the sensor is at rest, if this step ends a window in which it was.
    var restBegan: Timestamp?
  }

  /// What a reading means.
  enum Outcome: Sendable {
    /// The first reading, or the first one after a gap: the heading is a new one.
    case first
    /// Not after the reading before it.
    case late
    case step(Step)
  }

  /// The longest time between two readings, in seconds.
  private static let longestStep = 0.5
  /// Within which time gravity levels the attitude at rest, in seconds.
  private static let restLevelling = 0.5
  /// Longest memory of what is known from rest, in seconds.
  private static let longestRest = 60.0

  /// Returns whether the readings have ended before `time`.
  func isOver(at time: Timestamp) -> Bool {
    last.map { time.seconds(since: $0.time) > Self.longestStep } ?? true
  }

  /// Adds a reading.
  mutating func add(_ reading: InertialMeasurement, errors: InertialErrors) -> Outcome {
    var reading = reading
    reading.acceleration = errors.accelerationFactor * reading.acceleration
    guard let last else {
      begin(with: reading)
      return .first
    }
    let seconds = reading.time.seconds(since: last.time)
    guard seconds > 0 else { return .late }
    guard seconds <= Self.longestStep else {
      begin(with: reading)
      return .first
    }
    self.last = reading
    age += seconds
    let force = 0.5 * (last.acceleration + reading.acceleration)
    let rate = 0.5 * (last.rotation + reading.rotation)
    let isResting = window.wasAtRest
    var turn = rate - bias
    let length = force.length
    if length > 0 {
      let error = ((1 / length) * force).cross(up)
      let slowest = isResting ? Self.restLevelling : errors.levellingTime
      let gain = min(1 / seconds, max(1 / slowest, 1 / age))
      turn += gain * error
      if !isResting {
        let integral = 1 / (4 * errors.levellingTime * errors.levellingTime)
        bias = bias - seconds * integral * error
      }
    }
    let before = level(force)
    rotate(by: seconds * turn)
    var acceleration = 0.5 * (before + level(force))
    acceleration[2] -= gravity
    var step = Step(seconds: seconds, acceleration: acceleration)
    if let rest = window.add(reading, after: seconds) { step.restBegan = learn(from: rest) }
    return .step(step)
  }

  /// Starts at a reading, with the axis of its specific force up; keeps what is known of the sensor.
  private mutating func begin(with reading: InertialMeasurement) {
    last = reading
    age = 0
    window = RestWindow()
    let length = reading.acceleration.length
    guard length > 0 else {
      rotation = (1, .zero)
      return
    }
    let force = (1 / length) * reading.acceleration
    // The shortest rotation that turns the force up; half a turn about x if it is down.
    let real = 1 + force[2]
    let axis = real > 1e-9 ? Vector([force[1], -force[0], 0]) : Vector([1, 0, 0])
    normalize(real > 1e-9 ? real : 0, axis)
  }

  /// Learns the bias of the gyroscope and gravity from a window at rest.
  private mutating func learn(from rest: RestWindow.Rest) -> Timestamp {
    restTime = min(Self.longestRest, restTime + rest.seconds)
    let share = rest.seconds / restTime
    bias += share * (rest.rotation - bias)
    gravity += share * (rest.force - gravity)
    // The level is known as well as gravity shows it.
    age = .infinity
    return rest.begin
  }

  // MARK: Rotation

  /// The vertical of the level frame in the axes of the sensor.
  private var up: Vector<3> {
    let (w, v) = rotation
    let (x, y, z) = (v[0], v[1], v[2])
    return Vector([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
  }

  /// Returns a vector of the sensor's axes in the level frame.
  private func level(_ vector: Vector<3>) -> Vector<3> {
    let twice = 2 * rotation.v.cross(vector)
    return vector + rotation.w * twice + rotation.v.cross(twice)
  }

  /// Rotates the sensor by the vector `turn` in its own axes, in radians.
  private mutating func rotate(by turn: Vector<3>) {
    let angle = turn.length
    let half = 0.5 * angle
    let share = half < 1e-6 ? 0.5 : Double.sin(half) / angle
    let (w, v) = rotation
    let (real, axis) = (Double.cos(half), share * turn)
    normalize(w * real - v.dot(axis), w * axis + real * v + v.cross(axis))
  }

  private mutating func normalize(_ w: Double, _ v: Vector<3>) {
    let inverse = 1 / (w * w + v.dot(v)).squareRoot()
    rotation = (inverse * w, inverse * v)
  }
}

/// Finds windows in which an inertial sensor is at rest.
///
/// A tag that stands still has the noise of the sensor only. One that rolls or is carried at a constant
/// speed shakes more than that.
struct RestWindow: Sendable {
  /// A window at rest.
  struct Rest: Sendable {
    var begin: Timestamp
    var seconds: Double
    /// The mean rotation rate in rad/s, and the length of the mean specific force in m/s².
    var rotation: Vector<3>
    var force: Double
    /// The variances of the readings over all axes together, in m²/s⁴ and rad²/s².
    var forceVariance: Double
    var rotationVariance: Double
  }

  private var begin: Timestamp?
  private var seconds = 0.0
  private var count = 0
  /// The sums of differences to the first reading of the window, and of their squares.
  private var first: InertialMeasurement?
  private var (forces, rates) = (Vector<3>.zero, Vector<3>.zero)
  private var (forceSquares, rateSquares) = (0.0, 0.0)
  /// Whether the last whole window was at rest.
  private(set) var wasAtRest = false

  /// The length of a window in seconds, and its least number of readings.
  private static let length = 0.5
  private static let least = 8
  /// Largest standard deviations at rest, of all axes together: in m/s² and rad/s.
  private static let forceSpread = 0.1
  private static let rateSpread = 0.02
  /// Largest bias of a gyroscope in rad/s, 6°/s, and largest error of the length of gravity in m/s².
  private static let greatestBias = 0.1
  private static let gravityError = 0.6

  /// Adds a reading; returns the window that ends with it if it was at rest.
  mutating func add(_ reading: InertialMeasurement, after elapsed: Double) -> Rest? {
    guard let first else {
      self.first = reading
      begin = reading.time
      return nil
    }
    let force = reading.acceleration - first.acceleration
    let rate = reading.rotation - first.rotation
    forces += force
    rates += rate
    forceSquares += force.dot(force)
    rateSquares += rate.dot(rate)
    seconds += elapsed
    count += 1
    guard seconds >= Self.length else { return nil }
    let (length, number) = (seconds, Double(count))
    let began = begin
    let meanForce = (1 / number) * forces
    let meanRate = (1 / number) * rates
    let forceVariance = forceSquares / number - meanForce.dot(meanForce)
    let rateVariance = rateSquares / number - meanRate.dot(meanRate)
    let rotation = first.rotation + meanRate
    let weight = (first.acceleration + meanForce).length
    let isEnough = count >= Self.least
    self = RestWindow()
    self.first = reading
    begin = reading.time
    wasAtRest =
      isEnough && forceVariance <= Self.forceSpread * Self.forceSpread
      && rateVariance <= Self.rateSpread * Self.rateSpread
      && rotation.length <= Self.greatestBias
      && (weight - 9.80665).magnitude <= Self.gravityError
    guard wasAtRest, let began else { return nil }
    return Rest(
      begin: began, seconds: length, rotation: rotation, force: weight,
      forceVariance: forceVariance, rotationVariance: rateVariance)
  }
}
