import RealModule

/// The circular form of ``MedianAverageFilter``, for angles [Android stack].
///
/// The angles of the window are unwrapped around their mean direction, atan2(Σ sin, Σ cos): each
/// gets the number of whole turns that brings it within half a turn of it. Then they are sorted,
/// trimmed and averaged like distances, and the result is wrapped into (-π, π].
///
/// ## Edge cases
/// An angle that is not finite, or whose figure of merit is not positive and finite, is absent: nil is
/// returned and nothing changes. Angles that cancel out (two opposite ones) have no mean direction;
/// rounding then decides where they are unwrapped, and the result is a median average all the same.
/// Gaps, equal and late time stamps as in every ``DistanceSmoother``.
///
/// Cost proportional to the window while the angles keep their order, at worst to its square;
/// allocates in `init` only.
public struct CircularMedianAverageFilter: Sendable {
  /// Share kept, c: 0 for the median, 1 for the mean.
  public let shareKept: Double

  private var gate: SampleGate
  private var samples: SampleWindow
  /// The angles as measured, wrapped, by slot of `samples`, which has the unwrapped ones.
  private var angles: [Double]

  /// The circular median average of the newest `window` angles.
  ///
  /// - Parameters:
  ///   - window: number of angles, 1 to 255.
  ///   - shareKept: c, 0 (median) to 1 (mean).
  ///   - restartAfter: longest gap that is bridged, seconds, above 0. The source has no such limit;
  ///     give infinity to go without.
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

  /// Largest number of angles in the window.
  public var window: Int { samples.capacity }

  /// Longest gap that the filter bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Takes the angle measured at `time` with its figure of merit.
  ///
  /// - Parameters:
  ///   - radians: measured angle, radians, any number of turns; nil where there is none.
  ///   - figureOfMerit: f, above 0; the sources use values up to 1.
  ///   - time: when it was measured.
  /// - Returns: the median average in (-π, π], or nil where the input was absent or late.
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

  /// Adds an angle to every one in the window, for a device that was turned meanwhile.
  ///
  /// - Parameter radians: the angle to add, radians; finite.
  public mutating func rotate(byRadians radians: Double) {
    precondition(radians.isFinite, "the angle is not finite")
    for slot in 0..<samples.count {
      angles[slot] = Self.wrapped(angles[slot] + radians)
    }
  }

  /// The median average of the angles in the window as of `time`, or nil where there are none.
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

  /// Forgets everything seen.
  public mutating func reset() {
    gate.reset()
    samples.removeAll()
  }

  /// `angle` in (-π, π]; exact, so that it keeps its direction after any number of turns.
  private static func wrapped(_ angle: Double) -> Double {
    let remainder = angle.remainder(dividingBy: 2 * Double.pi)
    return remainder <= -Double.pi ? Double.pi : remainder
  }
}
