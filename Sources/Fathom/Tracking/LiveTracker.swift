import DequeModule

/// Tracks any number of tags from measurements as they arrive, by the identifiers of an app.
///
/// A tag is tracked from its first measurement on. Anchors can be added, moved and removed while
/// measurements come. Each tag has a ``ReorderingTracker``, so they may come late within the horizon.
///
/// ```swift
/// var tracker = try LiveTracker<String, String>(anchors: ["A": anchorA, "B": anchorB, "C": anchorC])
/// let update = tracker.update(LiveRange(tag: "cart", anchor: "A", distance: 4.2, at: now))
/// if let estimate = tracker.estimate(of: "cart", at: now) { show(estimate.position) }
/// ```
///
/// ## Cost
/// That of ``ReorderingTracker``, and two look-ups per measurement. A change of the anchors processes
/// the last measurements of every tag again, at most 1024 of each. Tags are kept until ``remove(tag:)``.
public struct LiveTracker<Tag: Hashable & Sendable, Site: Hashable & Sendable>: Sendable {
  /// The assumptions about the tags and their ranges.
  public let configuration: TrackerConfiguration
  /// The largest accepted delay of a measurement after the newest one of its tag, in seconds.
  public let horizon: Double
  /// The anchors in the order in which trackers know them.
  private var list: [Anchor] = []
  /// The indices in ``list`` of the anchors in use.
  private var places: [Site: Int] = [:]
  private var tracks: [Tag: Track] = [:]

  /// A tag's tracker, and its last measurements by identifier.
  private struct Track: Sendable {
    var tracker: ReorderingTracker
    var recent: Deque<Recent> = []
    /// The newest time of a measurement, and that which the tracker has reached.
    var newest = Timestamp(nanoseconds: .min)
    var reached = Timestamp(nanoseconds: .min)
  }

  /// A measurement, and the anchors that it is of: none, one or two.
  private struct Recent: Sendable {
    var measurement: TimedMeasurement
    var first: Site?
    var second: Site?

    /// Returns the measurement with the present indices of its anchors; nil if one is not in use.
    func placed(_ places: [Site: Int]) -> TimedMeasurement? {
      switch measurement {
      case .range(var range):
        guard let place = first.flatMap({ places[$0] }) else { return nil }
        range.anchor = place
        return .range(range)
      case .direction(var direction):
        guard let place = first.flatMap({ places[$0] }) else { return nil }
        direction.anchor = place
        return .direction(direction)
      case .difference(var difference):
        guard let one = first.flatMap({ places[$0] }), let other = second.flatMap({ places[$0] })
        else { return nil }
        (difference.first, difference.second) = (one, other)
        return .difference(difference)
      case .height, .odometry, .inertial, .interruption: return measurement
      }
    }
  }

  /// Measurements of a tag that are processed again after a change of the anchors: three seconds of
  /// eight anchors at 10 Hz, from which a track starts with its velocity, beside 100 Hz of inertial data.
  private static var mostRecent: Int { 1024 }
  /// The age from which measurements are not processed again, in seconds.
  private static var longestRecent: Double { 10 }

  /// Creates a tracker without tags.
  ///
  /// - Parameters:
  ///   - anchors: The anchors by identifier; they may be changed later.
  ///   - configuration: The assumptions about the tags and their ranges.
  ///   - horizon: The largest accepted delay of a measurement in seconds, 0 to 1e9.
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

  /// The tags that have had measurements.
  public var tags: Set<Tag> { Set(tracks.keys) }

  // MARK: Measurements

  /// Processes a range and returns how it was used.
  ///
  /// ## Edge cases
  /// A range to an anchor that is not in use is ``TrackUpdate/Outcome/invalid``, and does not create
  /// its tag.
  @discardableResult
  public mutating func update(_ range: LiveRange<Tag, Site>) -> TrackUpdate {
    let measured = RangeMeasurement(
      time: range.time, anchor: 0, distance: range.distance, sigma: range.sigma)
    return update(Recent(measurement: .range(measured), first: range.anchor), of: range.tag)
  }

  /// Processes a time difference of arrival, and returns how it was used; see
  /// ``TimedDifference``.
  ///
  /// - Parameters:
  ///   - difference: The distance to `first` minus that to `second`, in metres.
  ///   - first: The first anchor: the reference of its transmission.
  ///   - second: The second anchor.
  ///   - tag: The tag.
  ///   - time: The time of the transmission.
  /// - Returns: How it was used, as ``Tracker`` tells; `invalid` if an anchor is not in use.
  @discardableResult
  public mutating func update(
    difference: Double, between first: Site, and second: Site, of tag: Tag, at time: Timestamp
  ) -> TrackUpdate {
    let measured = TimedDifference(time: time, first: 0, second: 0, difference: difference)
    return update(
      Recent(measurement: .difference(measured), first: first, second: second), of: tag)
  }

  /// Processes the direction in which a tag measured an anchor, and returns how it was used; see
  /// ``DirectionMeasurement``, whose anchor is that called `anchor`.
  @discardableResult
  public mutating func update(
    _ direction: DirectionMeasurement, to anchor: Site, of tag: Tag
  ) -> TrackUpdate {
    update(Recent(measurement: .direction(direction), first: anchor), of: tag)
  }

  /// Processes a measurement without anchors: a height, an increment of odometry, a reading of inertial
  /// sensors, or an interruption.
  ///
  /// - Returns: How it was used; `invalid` for a measurement of anchors, which names them by index.
  @discardableResult
  public mutating func update(_ measurement: TimedMeasurement, of tag: Tag) -> TrackUpdate {
    if case .interruption = measurement {
      interrupt(tag)
      return TrackUpdate(outcome: .used)
    }
    return update(Recent(measurement: measurement), of: tag)
  }

  private mutating func update(_ recent: Recent, of tag: Tag) -> TrackUpdate {
    guard let measurement = recent.placed(places), let index = index(of: tag) else {
      return TrackUpdate(outcome: .invalid)
    }
    return Self.update(&tracks.values[index], recent, measurement)
  }

  private static func update(
    _ track: inout Track, _ recent: Recent, _ measurement: TimedMeasurement
  ) -> TrackUpdate {
    let update = track.tracker.update(measurement)
    switch update.outcome {
    case .late, .invalid, .duplicate: break
    case .used, .discounted, .starting, .started:
      // A measurement before all others came in order of a clock that was set back.
      let reached = track.tracker.tracker.time
      if reached < track.reached { (track.recent, track.newest) = ([], measurement.time) }
      track.reached = reached
      track.newest = max(track.newest, measurement.time)
      track.recent.append(recent)
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

  /// Returns a tracker without measurements; nil only if the anchors are invalid, which is ruled out when
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

  /// Returns the estimate of a tag at its newest measurement; nil before its start, and for an unknown
  /// tag.
  public func estimate(of tag: Tag) -> TrackEstimate? {
    guard let track = tracks[tag] else { return nil }
    return track.tracker.estimate(at: track.tracker.tracker.time)
  }

  /// Informs the tracker that ranging with a tag was interrupted; see ``Tracker/interrupt()``.
  public mutating func interrupt(_ tag: Tag) {
    tracks[tag]?.tracker.interrupt()
    tracks[tag]?.recent.removeAll()
  }

  /// Forgets all tags and their measurements; the anchors stay.
  public mutating func reset() { tracks.removeAll() }

  /// Forgets a tag and its measurements.
  public mutating func remove(tag: Tag) { tracks[tag] = nil }

  // MARK: Anchors

  /// Adds an anchor, or moves the one of the same identifier.
  ///
  /// Tracks continue: their last measurements are processed again with the anchors as they are now.
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

  /// Removes an anchor: its measurements, also the last ones, are not used any more.
  public mutating func remove(anchor site: Site) {
    guard let place = places.removeValue(forKey: site) else { return }
    list.remove(at: place)
    for (other, index) in places where index > place { places[other] = index - 1 }
    rebuild()
  }

  /// Processes the last measurements of every tag with the anchors as they are now.
  private mutating func rebuild() {
    for tag in tracks.keys {
      guard let index = tracks.index(forKey: tag), let tracker = fresh() else { continue }
      let old = tracks.values[index]
      let begin = old.newest.advanced(bySeconds: -Self.longestRecent)
      var track = Track(tracker: tracker)
      for recent in old.recent where recent.measurement.time >= begin {
        guard let measurement = recent.placed(places) else { continue }
        _ = Self.update(&track, recent, measurement)
      }
      tracks.values[index] = track
    }
  }
}
