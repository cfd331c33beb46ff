/// Tracks several tags that also measured ranges to each other.
///
/// A range between two tags updates the track of the one that is known less well: the other is an anchor
/// that moves, with the covariance of its track. A tag that hears too few anchors for a start of its own
/// starts with the help of ranges to tags whose tracks are known. Ranges between tags that are both
/// unknown are not used.
///
/// While two positions explain the ranges of a tag, both are followed as tracks of their own, and it does
/// not help others. Its covariance then contains the distance between them.
///
/// ```swift
/// var trackers = TiedTrackers([cart, drone])
/// trackers.update(RangeMeasurement(time: now, anchor: 2, distance: 4.21), of: 0)
/// trackers.update(TagRange(time: now, between: 0, and: 1, distance: 2.05))
/// let estimate = trackers.estimate(of: 1, at: now)
/// ```
///
/// ## Cost
/// A range to an anchor takes as long as in a ``Tracker``, for every place in question. A range between
/// tags takes some microseconds.
public struct TiedTrackers: Sendable {
  /// The trackers of the tags.
  public private(set) var trackers: [Tracker]
  private var ties: TagTies

  /// Creates the tied tracks of tags with the given trackers.
  public init(_ trackers: [Tracker]) {
    self.trackers = trackers
    ties = TagTies(count: trackers.count)
  }

  /// Processes a range of the tag at index `tag` to an anchor; see ``Tracker/update(_:)-(RangeMeasurement)``.
  ///
  /// - Returns: How it was used; `invalid` for an unknown tag.
  @discardableResult
  public mutating func update(_ range: RangeMeasurement, of tag: Int) -> TrackUpdate {
    guard trackers.indices.contains(tag) else { return TrackUpdate(outcome: .invalid) }
    let update = trackers[tag].update(range)
    ties.note(range, of: tag, &trackers[tag])
    return update
  }

  /// Processes any other measurement of the tag at index `tag` by `body`, which updates its tracker.
  ///
  /// - Returns: What `body` returns; `invalid` for an unknown tag.
  @discardableResult
  public mutating func update(
    _ tag: Int, by body: (inout Tracker) -> TrackUpdate
  ) -> TrackUpdate {
    trackers.indices.contains(tag) ? body(&trackers[tag]) : TrackUpdate(outcome: .invalid)
  }

  /// Processes a range between two tags, at or after the last measurement of both.
  ///
  /// - Returns: How it was used: `starting` while neither track is known and for a range that waits for the
  ///   start of one of them, `started` when it completes that; `late` before the last measurement of either
  ///   tag; `duplicate` for a repeated reading, whichever tag measured it; `invalid` for a range of a tag to
  ///   itself, an unknown tag, and an unusable distance or standard deviation.
  @discardableResult
  public mutating func update(_ range: TagRange) -> TrackUpdate {
    guard range.isUsable(among: trackers.count) else { return TrackUpdate(outcome: .invalid) }
    // Moved out, because two elements of an array cannot be changed at a time.
    var (first, second) = (trackers[range.first], trackers[range.second])
    let outcome = ties.update(range, &first, &second)
    (trackers[range.first], trackers[range.second]) = (first, second)
    return TrackUpdate(outcome: outcome)
  }

  /// Informs the tracker of the tag at index `tag` that ranging was interrupted; see
  /// ``Tracker/interrupt()``.
  public mutating func interrupt(_ tag: Int) {
    if trackers.indices.contains(tag) { trackers[tag].interrupt() }
  }

  /// Returns the estimate of the tag at index `tag`; see ``Tracker/estimate(at:)``.
  public func estimate(of tag: Int, at time: Timestamp) -> TrackEstimate? {
    trackers.indices.contains(tag) ? trackers[tag].estimate(at: time) : nil
  }
}
