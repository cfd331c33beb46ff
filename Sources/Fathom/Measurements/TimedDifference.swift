/// A measured difference of a tag's distances to two anchors: a time difference of arrival (TDOA) times
/// the speed of light.
public struct TimedDifference: Sendable, Equatable {
  /// The time of the transmission; differences of one transmission have the same time.
  public var time: Timestamp
  /// The index of the first anchor: the reference of its transmission.
  public var first: Int
  /// The index of the second anchor.
  public var second: Int
  /// The distance to the first anchor minus that to the second, in metres.
  public var difference: Double

  /// Creates the difference of `difference` metres between the distances to two anchors.
  public init(time: Timestamp, first: Int, second: Int, difference: Double) {
    self.time = time
    self.first = first
    self.second = second
    self.difference = difference
  }

  /// Whether it is a number between two different ones of `anchors`.
  package func isUsable(among anchors: [Anchor]) -> Bool {
    anchors.indices.contains(first) && anchors.indices.contains(second) && first != second
      && difference.magnitude <= 1e9
  }
}
