/// A measured height of a tag: from a barometer, a laser, or a known floor.
public struct HeightMeasurement: Sendable, Equatable {
  /// The time of the measurement.
  public var time: Timestamp
  /// The height in the world frame, in metres.
  public var height: Double
  /// The standard deviation of its whole error in metres; nil if the sensor states none.
  public var sigma: Double?

  /// Creates a height in metres.
  public init(time: Timestamp, height: Double, sigma: Double? = nil) {
    self.time = time
    self.height = height
    self.sigma = sigma
  }

  /// Whether height and standard deviation are usable: finite, and not beyond the Earth.
  package var isUsable: Bool {
    height.magnitude <= 1e9 && sigma.map((1e-6...1e9).contains) ?? true
  }
}
