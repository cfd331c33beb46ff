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

  /// A range of `distance` metres to the anchor with index `anchor`.
  public init(time: Timestamp, anchor: Int, distance: Double, sigma: Double? = nil) {
    self.time = time
    self.anchor = anchor
    self.distance = distance
    self.sigma = sigma
  }
}
