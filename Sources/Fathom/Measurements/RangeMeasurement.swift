/// One measured range of a tag.
public struct RangeMeasurement: Sendable, Equatable {
  /// When it was measured.
  public var time: Timestamp
  /// Index of the anchor that answered.
  public var anchor: Int
  /// The measured distance, metres.
  public var distance: Double
  /// Its standard deviation, metres; nil where it is not known.
  public var sigma: Double?
  /// The level of the whole signal that came in, dBm; nil where it is not known.
  public var rssi: Double?
  /// The level of its first path, dBm; nil where it is not known.
  public var firstPathRSSI: Double?

  /// A range of `distance` metres to the anchor with index `anchor`.
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
}
