/// One measured range of a tag.
public struct RangeMeasurement: Sendable, Equatable, Codable {
  /// The time of the measurement.
  public var time: Timestamp
  /// The index of the responding anchor.
  public var anchor: Int
  /// The measured distance, metres.
  public var distance: Double
  /// Standard deviation of the distance, metres; nil when unknown.
  public var sigma: Double?
  /// Total received signal power, dBm; nil when unknown.
  public var rssi: Double?
  /// First-path signal power, dBm; nil when unknown.
  public var firstPathRSSI: Double?

  /// Creates a range of `distance` metres to the anchor with index `anchor`.
  public init(
    time: Timestamp, anchor: Int, distance: Double, sigma: Double? = nil, rssi: Double? = nil,
    firstPathRSSI: Double? = nil
  ) {
    self.time = time
    self.anchor = anchor
    self.distance = distance
    self.sigma = sigma
    self.rssi = rssi
    self.firstPathRSSI = firstPathRSSI
  }

  /// Whether distance and sigma are valid; a sigma beyond the noise of any radio would dominate all
  /// others.
  var isUsable: Bool {
    MeasuredDistance.validated(distance) != nil && sigma.map((1e-6...1e9).contains) ?? true
  }
}
