import Fathom

/// Tags that are silent are forgotten, so that the memory of a stream is bounded.
extension LivePipeline {
  /// Returns the indices of the tags that are forgotten after this batch, and outputs their last positions.
  mutating func tagsToForget(_ rows: inout [[PositionRow]]) -> [Int] {
    // A recording has a bounded number of tags, and its time is not that of this machine.
    guard !isReplayed else { return [] }
    let anchorCount = max(1, outline.anchorNames.count)
    let most = min(options.mostTags, RecordingLimits.mostPairs / (2 * anchorCount))
    let tags = roster.due(at: arrivalTime, after: options.forgetsAfter, most: most)
    if roster.count > most, said.updateValue("", forKey: "most tags") == nil {
      messages.append(
        "warning: more than \(most) tags: those that were silent longest are forgotten")
    }
    for tag in tags { rows[tag] += self.tags[tag].finish() }
    return tags
  }

  /// Forgets the tags at the indices `forgotten`, and returns their names; new tags then have these
  /// indices.
  mutating func forget(_ forgotten: [Int]) -> [String] {
    if forgotten.isEmpty { return [] }
    let (outline, settings) = (outline, settings)
    let names = forgotten.map { outline.tagNames[$0] }
    let idle = LiveTag(
      stage: nil, anchors: [], horizon: options.horizon, lag: nil, calibrates: false,
      adoptsKinds: false, replayed: SensorReadings()
    ) { settings.pipeline(tag: 0, of: outline, stage: $0) }
    for (tag, name) in zip(forgotten, names) {
      forgottenCounts.add(tags[tag].counts)
      tags[tag] = idle
      places[name] = nil
      said["calibration \(name)"] = nil
      clock.forget(tag)
    }
    var left = outline.tagNames
    for tag in forgotten { left[tag] = "" }
    self.outline.setNames(tags: left, anchors: outline.anchorNames)
    roster.forget(forgotten)
    links.forget(tags: Set(forgotten))
    zones?.forget(tags: forgotten)
    lines.forget(tags: forgotten, called: names)
    return names
  }

  /// Creates the tags at indices that were free.
  mutating func knowAgain() {
    let known = roster.free.filter { $0 < tags.count && !outline.tagNames[$0].isEmpty }.sorted()
    if known.isEmpty { return }
    for tag in known {
      know(tag)
      roster.hear(tag, at: arrivalTime, batch: batchNumber)
    }
    zones?.know(tagNames: outline.tagNames)
    formatter.forgetNames()
    // Readings may wait for them.
    addressedCount = -1
  }

  /// The index of the only tag; nil if there are several, or none.
  var onlyTag: Int? {
    guard tags.count - roster.free.count == 1 else { return nil }
    return tags.indices.first { !roster.free.contains($0) }
  }

  /// The number of different tags so far; one that was forgotten and comes again counts twice.
  var tagCount: Int { isReplayed ? tags.count : roster.count + roster.forgottenCount }
}

extension LiveTag.Counts {
  /// Adds the counts of another tag.
  mutating func add(_ other: Self) {
    reordered += other.reordered
    late += other.late
    unusedReadings += other.unusedReadings
    clockSteps += other.clockSteps
  }
}
