/// A range between a tag and an anchor that an app names by its own identifiers.
public struct LiveRange<Tag: Hashable & Sendable, Site: Hashable & Sendable>: Sendable, Equatable {
  /// The tag that moves.
  public var tag: Tag
  /// The anchor at a fixed place.
  public var anchor: Site
  /// The measured distance, in metres.
  public var distance: Double
  /// Standard deviation of the distance, in metres; nil for the configured one.
  public var sigma: Double?
  /// When it was measured.
  public var time: Timestamp

  /// Creates a range of `distance` metres, measured at `time`.
  public init(tag: Tag, anchor: Site, distance: Double, sigma: Double? = nil, at time: Timestamp) {
    self.tag = tag
    self.anchor = anchor
    self.distance = distance
    self.sigma = sigma
    self.time = time
  }
}

/// The estimate of a tag after one of its ranges.
public struct LiveEstimate<Tag: Hashable & Sendable>: Sendable, Equatable {
  /// The tag.
  public var tag: Tag
  /// How the range was used.
  public var update: TrackUpdate
  /// The estimate at the newest range of the tag.
  public var estimate: TrackEstimate
}
