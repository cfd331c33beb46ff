/// The mirror in which a tag and its image have equal distances from the few sources of its ranges.
///
/// For two sources and a tag at a known height it is the vertical plane through both; in space for three,
/// the plane through them. With tags among the sources it moves, and so does the image of a tag at rest.
struct SourceMirror: Sendable {
  private let now: AnchorPlane
  private let soon: AnchorPlane
  private let sources: [Vector<3>]

  /// The time over which the motion of the image is found, in seconds.
  private static let step = 1e-5

  /// Creates the mirror of sources at places that are given as functions of the seconds from now; nil if
  /// they leave no mirror image, or a continuum of places.
  init?(isLevel: Bool, _ places: (Double) -> [Vector<3>]) {
    let (present, later) = (places(0), places(Self.step))
    guard present.count >= (isLevel ? 2 : 3),
      let now = AnchorPlane(through: present, isLevel: isLevel),
      let soon = AnchorPlane(through: later, isLevel: isLevel)
    else { return nil }
    (self.now, self.soon, sources) = (now, soon, present)
  }

  /// Returns the square of the distance from the mirror within which ranges with the standard deviation `sigma`
  /// do not tell on which side a tag near `position` is, in m².
  ///
  /// At the distance d from the mirror, a range of r metres is longer than one to its foot by d²/2r.
  func reach(of position: Vector<3>, sigma: Double) -> Double {
    2 * sigma * (sources.map { ($0 - position).length }.min() ?? 0)
  }

  /// Returns the signed distance of a position from the mirror, in metres.
  func distance(of position: Vector<3>) -> Double { (position - now.centre).dot(now.normal) }

  /// Returns the image of a position.
  func image(of position: Vector<3>) -> Vector<3> { now.image(of: position) }

  /// Returns the image of a position and a velocity.
  func image(_ position: Vector<3>, _ velocity: Vector<3>) -> (Vector<3>, Vector<3>) {
    let image = now.image(of: position)
    return (image, (1 / Self.step) * (soon.image(of: position + Self.step * velocity) - image))
  }

  /// Returns the distance of a track from the mirror in metres, with its variance.
  func distance(of mixture: TrackMixture) -> (value: Double, variance: Double) {
    let place = mixture.place(along: now.normal)
    return (place.value - now.centre.dot(now.normal), place.variance)
  }

  /// Splits a track on the mirror into one on either side.
  ///
  /// Across the mirror both have the mean and the variance of a half of the distribution, so that together
  /// they have those of the track.
  func split(_ mixture: TrackMixture) -> (TrackMixture, TrackMixture) {
    var (one, other) = (mixture, mixture)
    one.state.move(along: now.normal, by: 1)
    other.state.move(along: now.normal, by: -1)
    return (one, other)
  }

  /// Replaces a track by its image.
  func reflect(_ mixture: inout TrackMixture) {
    let state = mixture.kinematics
    var (position, velocity) = (Vector<3>.zero, Vector<3>.zero)
    for axis in 0..<3 {
      (position[axis], velocity[axis]) = (state.mean[axis], state.mean[3 + axis])
    }
    let image = image(position, velocity)
    mixture.reflect(in: now.centre, normal: now.normal)
    let plain = velocity + (-2 * velocity.dot(now.normal)) * now.normal
    mixture.state.accelerate(by: image.1 - plain)
  }
}

extension TrackState {
  /// The mean of the positive half of a standard normal variable.
  private static var halfMean: Double { (2 / Double.pi).squareRoot() }

  /// Moves the state to one half of its distribution along the unit vector `normal`: by the mean of that,
  /// times `sign`, with the variance of the half.
  mutating func move(along normal: Vector<3>, by sign: Double) {
    var sum = Combination()
    for axis in 0..<axes { sum.add(axis, times: normal[axis]) }
    var expectation = expectation(of: 0, as: sum)
    let share = Self.halfMean * Self.halfMean
    expectation.residual = (sign / Self.halfMean) * expectation.spread.squareRoot()
    condition(on: expectation, variance: ((1 - share) / share) * expectation.spread)
  }

  /// Adds `change` to the velocity, in m/s.
  mutating func accelerate(by change: Vector<3>) {
    let axes = axes
    withMutableElements { p in
      for axis in 0..<axes { p.mean[axes + axis] += Pair(repeating: change[axis]) }
    }
  }
}
