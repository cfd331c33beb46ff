import Fathom

/// The tags of a live stream that are forgotten, so that its memory has a limit.
///
/// A tag that ranges again later is a new one.
extension LivePipeline {
  /// Tags beyond this number are forgotten, the longest silent first, until three quarters are left.
  private static var mostTags: Int { 8192 }
  /// Stream time between searches for silent tags, in seconds.
  private static var searchInterval: Double { 1 }

  /// Notes that `tag` had a measurement.
  mutating func noteMeasurement(of tag: Int) {
    if let newest = clock.newest { lastMeasured[tag] = newest }
  }

  /// Forgets the tags that are silent for too long, after their last positions, which `rows` receives.
  ///
  /// The tags keep their order, and the rows those of the tags before.
  ///
  /// - Returns: The indices of the tags that are kept; nil if none is forgotten.
  mutating func findSilentTags(_ rows: inout [[PositionRow]]) -> [Int]? {
    guard !isReplayed, lines.canForgetTags, let newest = clock.newest else { return nil }
    let isFull = tags.count > Self.mostTags
    if !isFull, let searched, newest.seconds(since: searched) < Self.searchInterval { return nil }
    searched = newest
    var kept = tags.indices.filter {
      newest.seconds(since: lastMeasured[$0]) <= options.forgetting
    }
    if kept.count > Self.mostTags {
      let byTime = kept.sorted { (lastMeasured[$1], $1) < (lastMeasured[$0], $0) }
      kept = byTime.prefix(Self.mostTags * 3 / 4).sorted()
    }
    guard kept.count < tags.count else { return nil }
    let isKept = Set(kept)
    for tag in tags.indices where !isKept.contains(tag) { rows[tag] += tags[tag].finish() }
    return kept
  }

  /// Forgets all tags but `kept`, which get new indices in the same order.
  mutating func forget(allTagsBut kept: [Int]) {
    let isKept = Set(kept)
    for tag in tags.indices where !isKept.contains(tag) {
      let counts = tags[tag].counts
      forgotten.reordered += counts.reordered
      forgotten.late += counts.late
      forgotten.unusedReadings += counts.unusedReadings
      forgotten.clockSteps += counts.clockSteps
    }
    forgottenCount += tags.count - kept.count
    tags = kept.map { tags[$0] }
    lastMeasured = kept.map { lastMeasured[$0] }
    outline.keepTags(kept)
    places = Dictionary(
      outline.tagNames.enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    addressedCount = min(addressedCount, tags.count)
    clock.keepTags(kept)
    zones?.keepTags(kept)
    links.keepTags(kept)
    lines.keepTags(names: outline.tagNames)
    forgetFormatter()
  }
}
