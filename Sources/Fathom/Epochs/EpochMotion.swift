import DequeModule

/// How a tag moved in its last epochs, for epochs whose ranges were measured one after the other.
///
/// The velocity is the median of the slopes between five places of the last ``reach`` epochs, axis by axis
/// [Theil 1950]: one wrong place does not change it. As far as it may come from the errors of the places,
/// it is reduced to 0, by the positive part of the estimator of James and Stein. A tag that stands thus
/// keeps the positions that it has without motion.
struct EpochMotion: Sendable {
  /// A position without an alternative.
  private struct Place: Sendable {
    var time: Timestamp
    var position: Vector<3>
    var covariance: Matrix<3, 3>
  }

  /// The motion of a tag at the end of an epoch.
  struct Velocity: Sendable {
    /// The expected position, metres.
    var place: Vector<3>
    /// The velocity, m/s.
    var velocity: Vector<3>
    /// Its covariance, m²/s².
    var covariance: Matrix<3, 3>
  }

  /// The last places, in order of time.
  private var places: Deque<Place> = []

  /// The time that shows the velocity, in times from the oldest range of an epoch to its end.
  ///
  /// Places of one epoch share ranges, so that this many are independent. With two thirds of it positions
  /// gain twice the noise; with twice, a turn within some epochs is missed.
  private static let reach = 5.0
  /// The least part of that time that places span: over less, noise is all that they show.
  private static let leastShare = 0.4
  /// The number of places that show the velocity.
  private static let count = 5
  /// The number of places at which every second one is dropped.
  private static let most = 64
  /// The square of the velocity in standard deviations that counts as noise: three axes of it exceed this
  /// value in one of nine epochs.
  private static let noise = 6.0

  /// Adds a position without an alternative.
  mutating func append(_ position: Vector<3>, _ covariance: Matrix<3, 3>, at time: Timestamp) {
    if let last = places.last, last.time >= time { places.removeAll() }
    places.append(Place(time: time, position: position, covariance: covariance))
    guard places.count > Self.most else { return }
    places = Deque(places.indices.filter { $0.isMultiple(of: 2) }.map { places[$0] })
  }

  /// Returns the motion of a tag at the end of an epoch, whose oldest range is `span` seconds old.
  ///
  /// Nil if the places before show none, or too few of them are known.
  func velocity(within span: Double, before time: Timestamp) -> Velocity? {
    let used = places(within: Self.reach * span, before: time)
    guard used.count >= 3, let last = places.last else { return nil }
    let times = used.map { $0.time.seconds(since: time) }
    var velocity = Vector<3>.zero
    for axis in 0..<3 {
      velocity[axis] = MedianSlope.through(used.count) { (times[$0], used[$0].position[axis]) }
    }
    let covariance = Self.covariance(of: velocity, times, used)
    var evidence = 0.0
    for axis in 0..<3 where covariance[axis, axis] > 0 {
      evidence += velocity[axis] * velocity[axis] / covariance[axis, axis]
    }
    guard evidence > Self.noise else { return nil }
    let share = 1 - Self.noise / evidence
    velocity = share * velocity
    return Velocity(
      place: last.position + time.seconds(since: last.time) * velocity, velocity: velocity,
      covariance: share * covariance)
  }

  /// Returns up to five places spread evenly over the last seconds; empty if they span too little of them.
  private func places(within seconds: Double, before time: Timestamp) -> [Place] {
    let first = places.firstPlace { $0.time.isWithin(seconds, before: time) }
    guard first < places.count, let last = places.last else { return [] }
    let whole = last.time.seconds(since: places[first].time)
    guard whole >= Self.leastShare * seconds else { return [] }
    var used: [Place] = []
    used.reserveCapacity(Self.count)
    for number in 0..<Self.count {
      let target = last.time.advanced(
        bySeconds: -whole + whole * Double(number) / Double(Self.count - 1))
      let place = places[min(places.firstPlace { $0.time >= target }, places.count - 1)]
      if used.last?.time != place.time { used.append(place) }
    }
    return used
  }

  /// Returns the covariance of the velocity at the end of the places.
  ///
  /// The slope errs by the errors of the places. What they are off the line beyond these errors is a turn:
  /// on a parabola, the square of the error of the slope at its end is 180 / T² times the mean square
  /// deviation from the line through the time T.
  private static func covariance(
    of velocity: Vector<3>, _ times: [Double], _ places: [Place]
  ) -> Matrix<3, 3> {
    let weight = 1 / Double(places.count)
    let middle = weight * times.reduce(0, +)
    let centre = weight * places.reduce(Vector<3>.zero) { $0 + $1.position }
    let whole = (times.last ?? 0) - (times.first ?? 0)
    var square = 0.0
    var (errors, deviations) = (Matrix<3, 3>.zero, Vector<3>.zero)
    for (seconds, place) in zip(times, places) {
      square += (seconds - middle) * (seconds - middle)
      errors = errors + weight * place.covariance
      let deviation = place.position - centre - (seconds - middle) * velocity
      for axis in 0..<3 { deviations[axis] += weight * deviation[axis] * deviation[axis] }
    }
    var result = (1 / square) * errors
    for axis in 0..<3 {
      let turn = max(0, deviations[axis] - errors[axis, axis])
      result[axis, axis] += 180 / (whole * whole) * turn
    }
    return result
  }
}

extension [EpochRange] {
  /// Moves the distances to the end of the epoch; returns what the motion adds to the covariance of
  /// the position, in m².
  mutating func move(by motion: EpochMotion.Velocity, to time: Timestamp) -> Matrix<3, 3> {
    var (information, age) = (0.0, 0.0)
    for range in self {
      let weight = 1 / (range.sigma * range.sigma)
      information += weight
      age += weight * time.seconds(since: range.time)
    }
    age /= information
    for index in indices {
      let line = motion.place - self[index].position
      let length = line.length
      guard length > 0 else { continue }
      let seconds = time.seconds(since: self[index].time)
      let direction = (1 / length) * line
      let change = seconds * direction.dot(motion.velocity)
      // A tag does not pass through an anchor.
      self[index].distance = Swift.max(self[index].distance + change, 0.5 * self[index].distance)
      // The error that all have in common moves the position as it is.
      let variance =
        (seconds - age) * (seconds - age) * direction.dot(motion.covariance * direction)
      self[index].widen(by: variance)
    }
    return age * age * motion.covariance
  }
}
