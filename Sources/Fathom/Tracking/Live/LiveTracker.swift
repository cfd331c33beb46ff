import DequeModule

/// Tracks any number of tags from ranges as they arrive, by the identifiers of an app.
///
/// A tag is tracked from its first range on. Anchors can be added, moved and removed while ranges
/// come. Each tag has a ``ReorderingTracker``, so ranges may come late within the horizon.
///
/// ```swift
/// var tracker = try LiveTracker<String, String>(anchors: ["A": anchorA, "B": anchorB, "C": anchorC])
/// let update = tracker.update(LiveRange(tag: "cart", anchor: "A", distance: 4.2, at: now))
/// if let estimate = tracker.estimate(of: "cart", at: now) { show(estimate.position) }
/// ```
///
/// ## Cost
/// That of ``ReorderingTracker``, and two look-ups per range. A change of the anchors processes the
/// last ranges of every tag again, at most 256 of each. Tags are kept until ``remove(tag:)``.
public struct LiveTracker<Tag: Hashable & Sendable, Site: Hashable & Sendable>: Sendable {
  /// The assumptions about the tags and their ranges.
  public let configuration: TrackerConfiguration
  /// The largest accepted delay of a range after the newest one of its tag, in seconds.
  public let horizon: Double
  /// The anchors in the order in which trackers know them.
  private var list: [Anchor] = []
  /// The indices in ``list`` of the anchors in use.
  private var places: [Site: Int] = [:]
  private var tracks: [Tag: Track] = [:]

  /// A tag's tracker, and its last ranges by identifier.
  private struct Track: Sendable {
    var tracker: ReorderingTracker
    var recent: Deque<LiveRange<Tag, Site>> = []
    var newest = Timestamp(nanoseconds: .min)
  }

  /// Ranges of a tag that are processed again after a change of the anchors: three seconds of eight
  /// anchors at 10 Hz, from which a track starts with its velocity.
  private static var mostRecent: Int { 256 }
  /// The age from which ranges are not processed again, in seconds.
  private static var longestRecent: Double { 10 }

  /// Creates a tracker without tags.
  ///
  /// - Parameters:
  ///   - anchors: The anchors by identifier; they may be changed later.
  ///   - configuration: The assumptions about the tags and their ranges.
  ///   - horizon: The largest accepted delay of a range in seconds, 0 to 1e9.
  /// - Throws: ``ConfigurationError`` for a setting or an anchor with which it cannot work.
  public init(
    anchors: [Site: Anchor] = [:], configuration: TrackerConfiguration = TrackerConfiguration(),
    horizon: Double = 0.5
  ) throws(ConfigurationError) {
    self.configuration = configuration
    self.horizon = horizon
    for (site, anchor) in anchors {
      places[site] = list.count
      list.append(anchor)
    }
    _ = try ReorderingTracker(anchors: list, configuration: configuration, horizon: horizon)
  }

  /// The anchors in use.
  public var anchors: [Site: Anchor] { places.mapValues { list[$0] } }

  /// The tags that have had ranges.
  public var tags: Set<Tag> { Set(tracks.keys) }

  // MARK: Ranges

  /// Processes a range and returns how it was used.
  ///
  /// ## Edge cases
  /// A range to an anchor that is not in use is ``TrackUpdate/Outcome/invalid``, and does not create
  /// its tag.
  @discardableResult
  public mutating func update(_ range: LiveRange<Tag, Site>) -> TrackUpdate {
    guard let place = places[range.anchor], let index = index(of: range.tag) else {
      return TrackUpdate(outcome: .invalid)
    }
    return Self.update(&tracks.values[index], range, anchor: place)
  }

  private static func update(
    _ track: inout Track, _ range: LiveRange<Tag, Site>, anchor: Int
  ) -> TrackUpdate {
    let update = track.tracker.update(
      RangeMeasurement(
        time: range.time, anchor: anchor, distance: range.distance, sigma: range.sigma))
    switch update.outcome {
    case .late, .invalid, .duplicate: break
    case .used, .discounted, .starting, .started:
      // A range before all others came in order of a clock that was set back.
      if track.tracker.tracker.time < track.newest { track.recent.removeAll() }
      track.newest = track.tracker.tracker.time
      track.recent.append(range)
      if track.recent.count > mostRecent { track.recent.removeFirst() }
    }
    return update
  }

  private mutating func index(of tag: Tag) -> Dictionary<Tag, Track>.Index? {
    if let index = tracks.index(forKey: tag) { return index }
    guard let tracker = fresh() else { return nil }
    tracks[tag] = Track(tracker: tracker)
    return tracks.index(forKey: tag)
  }

  /// Returns a tracker without ranges; nil only if the anchors are invalid, which is ruled out when
  /// they are set.
  private func fresh() -> ReorderingTracker? {
    try? ReorderingTracker(anchors: list, configuration: configuration, horizon: horizon)
  }

  /// Returns the estimate of a tag at `time`; nil before its start, and for an unknown tag.
  ///
  /// See ``Tracker/estimate(at:)``.
  public func estimate(of tag: Tag, at time: Timestamp) -> TrackEstimate? {
    tracks[tag]?.tracker.estimate(at: time)
  }

  /// Returns the estimate of a tag at its newest range; nil before its start, and for an unknown tag.
  public func estimate(of tag: Tag) -> TrackEstimate? {
    guard let track = tracks[tag] else { return nil }
    return track.tracker.estimate(at: track.tracker.tracker.time)
  }

  /// Informs the tracker that ranging with a tag was interrupted; see ``Tracker/interrupt()``.
  public mutating func interrupt(_ tag: Tag) {
    tracks[tag]?.tracker.interrupt()
    tracks[tag]?.recent.removeAll()
  }

  /// Forgets all tags and their ranges; the anchors stay.
  public mutating func reset() { tracks.removeAll() }

  /// Forgets a tag and its ranges.
  public mutating func remove(tag: Tag) { tracks[tag] = nil }

  // MARK: Anchors

  /// Adds an anchor, or moves the one of the same identifier.
  ///
  /// Tracks continue: their last ranges are processed again with the anchors as they are now.
  ///
  /// - Parameters:
  ///   - anchor: The anchor.
  ///   - site: Its identifier.
  /// - Throws: ``ConfigurationError`` for an anchor with which it cannot work; nothing is changed.
  public mutating func set(_ anchor: Anchor, for site: Site) throws(ConfigurationError) {
    var changed = list
    if let place = places[site] {
      if list[place] == anchor { return }
      changed[place] = anchor
    } else {
      changed.append(anchor)
    }
    _ = try ReorderingTracker(anchors: changed, configuration: configuration, horizon: horizon)
    if places[site] == nil { places[site] = list.count }
    list = changed
    rebuild()
  }

  /// Removes an anchor: its ranges, also the last ones, are not used any more.
  public mutating func remove(anchor site: Site) {
    guard let place = places.removeValue(forKey: site) else { return }
    list.remove(at: place)
    for (other, index) in places where index > place { places[other] = index - 1 }
    rebuild()
  }

  /// Processes the last ranges of every tag with the anchors as they are now.
  private mutating func rebuild() {
    for tag in tracks.keys {
      guard let index = tracks.index(forKey: tag), let tracker = fresh() else { continue }
      let old = tracks.values[index]
      let begin = old.newest.advanced(bySeconds: -Self.longestRecent)
      var track = Track(tracker: tracker)
      for range in old.recent where range.time >= begin {
        guard let place = places[range.anchor] else { continue }
        _ = Self.update(&track, range, anchor: place)
      }
      tracks.values[index] = track
    }
  }
}
