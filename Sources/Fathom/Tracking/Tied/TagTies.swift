/// What ties the tracks of several tags: the ranges between them.
///
/// A range between two tags updates the track of the one that is known less well, as a range to an anchor
/// that moves, with the covariance of the other. The better known one does not change, so that no
/// information returns to where it came from; a tag that depends on others never changes one that does
/// not. The trackers themselves belong to the caller, who passes
/// them in.
package struct TagTies: Sendable {
  private let count: Int
  private var pairs: TagPairHistory
  /// The collected ranges of each tag without a track.
  private var starts: [TagStart?]
  /// The normalised square of the innovation of the last range between tags; nil if it was not used.
  package private(set) var normalizedSquare: Double?

  /// Creates the ties of `count` tags, without any.
  package init(count: Int) {
    self.count = count
    pairs = TagPairHistory(count: count)
    starts = Array(repeating: nil, count: count)
  }

  /// Takes note of a range of a tag to an anchor, as measured, which its tracker has processed; for the
  /// start of a tag that has no track.
  package mutating func note(_ range: RangeMeasurement, of tag: Int, _ tracker: inout Tracker) {
    guard !tracker.isTracking else {
      starts[tag] = nil
      return
    }
    guard tracker.anchors.indices.contains(range.anchor), range.isUsable,
      let distance = MeasuredDistance.validated(
        tracker.anchors[range.anchor].corrected(range.distance))
    else { return }
    var corrected = range
    corrected.distance = distance
    var start = starts[tag] ?? TagStart(anchors: tracker.anchors, tagCount: count)
    let found = start.add(corrected, configuration: tracker.configuration)
    starts[tag] = start
    if let found { begin(found, of: tag, &tracker, at: range.time) }
  }

  /// Processes a range, with the trackers of its first and its second tag.
  ///
  /// Returns how it was used: `starting` if it waits because neither track is known, or for the
  /// start of one of them, and `started` if it completed that; `late` before the last measurement
  /// of either tag; `duplicate` for a repeated reading, whichever tag measured it; `invalid` for an
  /// unusable one.
  package mutating func update(
    _ range: TagRange, _ first: inout Tracker, _ second: inout Tracker
  ) -> TrackUpdate.Outcome {
    normalizedSquare = nil
    guard range.isUsable(among: count) else { return .invalid }
    for tracker in [first, second] where tracker.isTracking && range.time < tracker.time {
      return .late
    }
    guard let interval = pairs.interval(of: range, first.leading.errors) else { return .duplicate }
    first.endTrackIfUnusable(at: range.time)
    second.endTrackIfUnusable(at: range.time)
    switch giver(&first, &second, at: range.time) {
    case .first: return give(range, from: &first, range.first, to: &second, range.second, interval)
    case .second: return give(range, from: &second, range.second, to: &first, range.first, interval)
    case .neither: return first.isKnown ? .discounted(weight: 0) : .starting
    }
  }

  /// Which of two tags serves as an anchor for the other.
  private enum Giver {
    case first, second, neither
  }

  /// Returns which tag gives: the one that is known; of two, the one that depends on fewer other tags; and of two
  /// with enough anchors the one that is known better.
  ///
  /// Two that depend on other tags alike give each other nothing: they would confirm each other's errors.
  private func giver(
    _ first: inout Tracker, _ second: inout Tracker, at time: Timestamp
  ) -> Giver {
    guard first.isKnown, second.isKnown else {
      return first.isKnown ? .first : second.isKnown ? .second : .neither
    }
    let (one, other) = (first.hops(at: time), second.hops(at: time))
    if one != other { return one < other ? .first : .second }
    guard one == 0 else { return .neither }
    return first.spread(at: time) <= second.spread(at: time) ? .first : .second
  }

  /// Updates or starts the track of a tag with a range to a known one.
  ///
  /// The errors of the known track last for about the correlation time of ranges, so that its variance
  /// counts more, the sooner ranges follow each other.
  private mutating func give(
    _ range: TagRange, from known: inout Tracker, _ giver: Int, to tracker: inout Tracker,
    _ tag: Int, _ interval: Double
  ) -> TrackUpdate.Outcome {
    let estimate = known.estimateInPlace(at: range.time)
    guard tracker.isTracking else {
      let sigma = range.sigma ?? tracker.configuration.errors.sigma
      var start = starts[tag] ?? TagStart(anchors: tracker.anchors, tagCount: count)
      let found = start.add(
        range.distance, sigma: sigma, to: giver, at: estimate,
        configuration: tracker.configuration)
      starts[tag] = start
      guard let found else { return .starting }
      begin(found, of: tag, &tracker, at: range.time)
      return .started
    }
    let memory = tracker.leading.errors.memory(over: max(interval, 1e-3))
    var neighbour = Neighbour(giver, estimate, hops: known.hops(at: range.time))
    neighbour.covariance =
      ((1 + memory) / max(1e-6, 1 - memory)) * neighbour.covariance
    let outcome = tracker.update(
      distance: range.distance,
      variance: tracker.leading.errors.variance(ofTagRange: range.sigma, interval: interval),
      to: neighbour, at: range.time)
    normalizedSquare = tracker.normalizedSquare
    return outcome
  }

  private mutating func begin(
    _ found: TrackInitiation.Found, of tag: Int, _ tracker: inout Tracker, at time: Timestamp
  ) {
    tracker.start(at: time, found.state, alternative: found.alternative)
    starts[tag] = nil
  }
}

extension Tracker {
  /// The sum of the variances of the position, in m².
  fileprivate mutating func spread(at time: Timestamp) -> Double {
    estimateInPlace(at: time).covariance.trace
  }
}
