import RealModule

/// What the readings of an inertial sensor tell about the sensor itself.
///
/// Noise and biases come from the stretches in which it is at rest: half a second or more in which the
/// readings hardly scatter. The axes are checked while it turns.
public struct InertialSensorReport: Sendable, Equatable {
  /// The number of usable readings.
  public private(set) var count = 0
  /// The median time between readings in seconds; nil with fewer than two.
  public private(set) var interval: Double?
  /// The longest time between readings in seconds; nil with fewer than two.
  public private(set) var longestInterval: Double?
  /// The time at rest, in seconds.
  public private(set) var restSeconds = 0.0
  /// The mean rotation rate at rest in rad/s: the bias of the gyroscope; nil without rest.
  public private(set) var rotationBias: Vector<3>?
  /// The mean length of the specific force at rest in m/s², which should be 9.8; nil without rest.
  public private(set) var gravity: Double?
  /// White noise of the acceleration at rest along one axis, in (m/s²)/√Hz; nil without rest.
  public private(set) var accelerationNoise: Double?
  /// White noise of the rotation rate at rest about one axis, in (rad/s)/√Hz; nil without rest.
  public private(set) var rotationNoise: Double?
  /// The share of the turns which the gyroscope reports that the direction of gravity follows.
  ///
  /// Near 1 the axes are right-handed and those of both sensors the same; below 0.5 they are not. nil if
  /// the sensor hardly turned, if accelerations hide gravity, and if it does not feel how it tilts, as on
  /// a drone that is carried by its thrust.
  public private(set) var axesAgreement: Double?

  /// The least tilting of the sensor that shows its axes, in rad.
  private static let leastTurn = 0.5
  /// The largest standard deviation of the share that still tells something.
  private static let greatestSigma = 0.1
  /// The ratios of the squares of felt and reported turns of a sensor that feels how it tilts, and hardly
  /// anything else.
  private static let feltTurns = 0.25...2.0

  /// Reports on readings in order of time; unusable ones are left out.
  ///
  /// Cost: linear.
  public init(_ readings: [InertialMeasurement]) {
    let usable = readings.filter(\.isUsable)
    count = usable.count
    let intervals = zip(usable, usable.dropFirst()).map { $1.time.seconds(since: $0.time) }.filter {
      $0 > 0
    }.sorted()
    guard let longest = intervals.last else { return }
    let usual = intervals[intervals.count / 2]
    (interval, longestInterval) = (usual, longest)
    findRest(usable, interval: usual)
    axesAgreement = Self.agreement(usable)
  }

  private mutating func findRest(_ readings: [InertialMeasurement], interval: Double) {
    var window = RestWindow()
    var (rotation, force, seconds) = (Vector<3>.zero, 0.0, 0.0)
    var (forceVariance, rotationVariance) = (0.0, 0.0)
    for (last, reading) in zip(readings, readings.dropFirst()) {
      let elapsed = reading.time.seconds(since: last.time)
      guard elapsed > 0, let rest = window.add(reading, after: elapsed) else { continue }
      rotation += rest.seconds * rest.rotation
      force += rest.seconds * rest.force
      forceVariance += rest.seconds * rest.forceVariance
      rotationVariance += rest.seconds * rest.rotationVariance
      seconds += rest.seconds
    }
    guard seconds > 0 else { return }
    restSeconds = seconds
    rotationBias = (1 / seconds) * rotation
    gravity = force / seconds
    // Of one axis of three.
    accelerationNoise = (forceVariance / seconds / 3 * interval).squareRoot()
    rotationNoise = (rotationVariance / seconds / 3 * interval).squareRoot()
  }

  /// Returns the regression of the changes of gravity's direction on those by the gyroscope.
  private static func agreement(_ readings: [InertialMeasurement]) -> Double? {
    var (product, measured, expected, turned, count) = (0.0, 0.0, 0.0, 0.0, 0.0)
    // Over a fifth of a second, in which the direction changes by more than accelerations do.
    var begin = 0
    var turn = Vector<3>.zero
    for index in readings.indices.dropFirst() {
      let seconds = readings[index].time.seconds(since: readings[index - 1].time)
      guard seconds > 0, seconds < 0.1 else {
        (begin, turn) = (index, .zero)
        continue
      }
      turn += (0.5 * seconds) * (readings[index].rotation + readings[index - 1].rotation)
      guard readings[index].time.seconds(since: readings[begin].time) >= 0.2 else { continue }
      let (first, last) = (readings[begin].acceleration, readings[index].acceleration)
      if first.length > 0, last.length > 0 {
        let (from, to) = ((1 / first.length) * first, (1 / last.length) * last)
        let change = to - from
        // A vector at rest in the world turns the other way in the axes of the sensor.
        let middle = 0.5 * (from + to)
        let predicted = middle.cross(turn)
        product += change.dot(predicted)
        measured += change.dot(change)
        expected += predicted.dot(predicted)
        turned += predicted.length
        count += 1
      }
      (begin, turn) = (index, .zero)
    }
    guard turned > leastTurn, expected > 0, feltTurns.contains(measured / expected) else {
      return nil
    }
    let share = product / expected
    let rest = max(0, measured - share * product)
    guard rest < greatestSigma * greatestSigma * count * expected else { return nil }
    return share
  }
}
