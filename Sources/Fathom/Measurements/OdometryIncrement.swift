/// The motion of a vehicle over a short interval, as its wheels or its odometry report it.
public struct OdometryIncrement: Sendable, Equatable {
  /// The time at which the interval begins: that of the last increment.
  public var begin: Timestamp
  /// The time at which it ends.
  public var end: Timestamp
  /// The distance driven forwards in metres; negative backwards.
  public var forward: Double
  /// The displacement to the left in metres; 0 for a vehicle with ordinary wheels.
  public var left: Double
  /// The change of the heading, positive counter-clockwise.
  public var turn: Angle

  /// Creates the increment from `begin` to `end`, with displacements in metres.
  public init(
    begin: Timestamp, end: Timestamp, forward: Double, left: Double = 0, turn: Angle
  ) {
    self.begin = begin
    self.end = end
    self.forward = forward
    self.left = left
    self.turn = turn
  }

  /// The length of the interval in seconds.
  public var seconds: Double { end.seconds(since: begin) }

  /// The length of the displacement in metres.
  public var distance: Double { (forward * forward + left * left).squareRoot() }

  /// Whether the interval has a length, and distance and turn are finite and possible.
  package var isUsable: Bool {
    end > begin && forward.magnitude <= 1e6 && left.magnitude <= 1e6
      && turn.radians.magnitude <= 1e4
  }

  /// Returns the displacement in a frame in which the vehicle has the heading `heading` radians at
  /// the beginning.
  ///
  /// The displacement is the chord of a circular arc, in the direction of the mean heading.
  func displacement(heading: Double) -> (x: Double, y: Double) {
    let mean = Angle(radians: heading + turn.radians / 2)
    let (cosine, sine) = (mean.cosine, mean.sine)
    let half = turn.radians / 2
    // sin(h) / h, the ratio of the chord to the arc.
    let chord = half.magnitude < 1e-4 ? 1 - half * half / 6 : Angle(radians: half).sine / half
    return (chord * (cosine * forward - sine * left), chord * (sine * forward + cosine * left))
  }
}
