extension Tracker {
  /// What a tracker assumes about the tag and its ranges.
  public struct Configuration: Sendable, Equatable {
    /// How the tag moves.
    public var motion = ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.5)
    /// Standard deviation of ranges that come without their own, metres.
    ///
    /// Errors of successive ranges are correlated in practice, so that a value fitted to their
    /// scatter (2 to 5 cm) makes a filter overconfident; 10 cm is usual for UWB indoors.
    public var rangeSigma = 0.10
    /// The tag's known height, metres: it is tracked in the plane then, and ``motion`` is taken to have
    /// no vertical density.
    public var height: Double?
    /// Degrees of freedom of the Student-t distribution that range errors are taken to have.
    ///
    /// The fewer, the less a range far from its prediction counts. Infinity for normal errors.
    public var degreesOfFreedom = 4.0
    /// Ranges at most this old take part in the start, seconds.
    public var startWindow = 2.0
    /// Standard deviation of each component of the velocity at the start and after a gap, m/s.
    public var startVelocitySigma = 2.0
    /// How long after the last range an estimate counts as coasting, seconds.
    public var coastAfter = 1.0
    /// The longest time without ranges over which the velocity is still believed, seconds.
    public var longestGap = 3.0

    /// The defaults: a walking person or a small robot.
    public init() {}
  }
}
