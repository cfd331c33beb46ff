import RealModule

/// The circular form of ``MedianAverageFilter``, for angles [Android stack].
///
/// The angles of the window are unwrapped around their mean direction, atan2(Σ sin, Σ cos): each
/// receives the number of whole turns that brings it within half a turn of the mean. The unwrapped
/// angles are sorted, trimmed and averaged like distances, and the result is wrapped into (-π, π].
///
/// ## Edge cases
/// An angle that is not finite, or whose figure of merit is not positive and finite, counts as
/// absent: `update` returns nil and the state is unchanged. Angles that cancel out (two opposite
/// ones) have no mean direction. Rounding then decides where they are unwrapped, and the result is
/// still a median average. Gaps, equal and late time stamps are handled as in every
/// ``DistanceSmoother``.
///
/// The cost is proportional to the window while the angles keep their order, and at worst to its
/// square. Allocates in `init` only.
public struct CircularMedianAverageFilter: Sendable {
  /// Fraction of samples kept, c: 0 for the median, 1 for the mean.
  public let shareKept: Double

  private var gate: SampleGate
  private var samples: SampleWindow
  /// The wrapped measured angles, by slot of `samples`, which stores the unwrapped ones.
  private var angles: [Double]

  /// Creates the circular median average of the newest `window` angles.
  ///
  /// - Parameters:
  ///   - window: The number of angles, 1 to 255.
  ///   - shareKept: c, 0 (median) to 1 (mean).
  ///   - restartAfter: The longest gap that is bridged, seconds, above 0. The source has no such
  ///     limit; infinity disables it.
  public init(
    window: Int = 5, shareKept: Double = 0.5, restartAfter: Double = RangingDefaults.restartAfter
  ) {
    precondition((1...255).contains(window), "window is not in 1...255")
    precondition((0...1).contains(shareKept), "shareKept is not in 0...1")
    self.shareKept = shareKept
    gate = SampleGate(restartAfter: restartAfter)
    samples = SampleWindow(capacity: window)
    angles = Array(repeating: 0, count: window)
  }

  /// The largest number of angles in the window.
  public var window: Int { samples.capacity }

  /// The longest gap that the filter bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Processes the angle measured at `time` with its figure of merit.
  ///
  /// - Parameters:
  ///   - radians: The measured angle, radians, any number of turns; nil when absent.
  ///   - figureOfMerit: f, above 0; the sources use values up to 1.
  ///   - time: The time of the measurement.
  /// - Returns: The median average in (-π, π], or nil when the input was absent or late.
  public mutating func update(
    radians: Double?, figureOfMerit: Double = 1, at time: Timestamp
  ) -> MedianAverage? {
    guard let radians, radians.isFinite, figureOfMerit > 0, figureOfMerit.isFinite,
      let step = gate.step(to: time)
    else { return nil }
    if step == .first { samples.removeAll() }
    let angle = Self.wrapped(radians)
    angles[samples.insert(angle, at: time, weight: figureOfMerit)] = angle
    return average(at: time)
  }

  /// Adds an angle to every angle in the window, to compensate a rotation of the device.
  ///
  /// - Parameter radians: The angle to add, radians; finite.
  public mutating func rotate(byRadians radians: Double) {
    precondition(radians.isFinite, "the angle is not finite")
    for slot in 0..<samples.count {
      angles[slot] = Self.wrapped(angles[slot] + radians)
    }
  }

  /// Returns the median average of the window's angles as of `time`, or nil for an empty window.
  public mutating func average(at time: Timestamp) -> MedianAverage? {
    guard samples.count > 0 else { return nil }
    var sines = 0.0
    var cosines = 0.0
    for slot in 0..<samples.count {
      sines += Double.sin(angles[slot])
      cosines += Double.cos(angles[slot])
    }
    let center = Double.atan2(y: sines, x: cosines)
    for slot in 0..<samples.count {
      let turns = ((angles[slot] - center - Double.pi) / (2 * Double.pi)).rounded(.up)
      samples.values[slot] = angles[slot] - 2 * Double.pi * turns
    }
    samples.restoreOrder()
    var result = samples.medianAverage(shareKept: shareKept, at: time)
    result.value = Self.wrapped(result.value)
    return result
  }

  /// Discards all samples.
  public mutating func reset() {
    gate.reset()
    samples.removeAll()
  }

  /// Returns `angle` in (-π, π]; exact, so that the direction is preserved for any number of turns.
  private static func wrapped(_ angle: Double) -> Double {
    let remainder = angle.remainder(dividingBy: 2 * Double.pi)
    return remainder <= -Double.pi ? Double.pi : remainder
  }
}
