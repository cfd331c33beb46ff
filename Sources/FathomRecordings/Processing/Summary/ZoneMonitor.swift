import Fathom

/// Monitors the positions of all tags of a recording for entries into and exits from zones on the
/// floor plan.
struct ZoneMonitor: Sendable {
  private var tagNames: [String]
  private let zones: PositionZones
  private let names: [String]
  private var tags: [PositionZones]
  /// The number of events of each kind, per zone.
  private(set) var counts: [RecordingSummary.ZoneCount]

  /// Creates a monitor of the tags of `outline`; nil if there are no zones, or no anchors that
  /// define the frame.
  init?(_ outline: RecordingOutline, _ settings: ProcessingSettings) {
    guard !outline.anchors.isEmpty, let zones = settings.zones?.positionZones else { return nil }
    tagNames = outline.tagNames
    self.zones = zones
    names = zones.zones.map(\.name)
    tags = Array(repeating: zones, count: outline.tagNames.count)
    counts = names.map { RecordingSummary.ZoneCount(zone: $0, entered: 0, left: 0, forgotten: 0) }
  }

  /// Adds the tags of a stream without ranges before.
  mutating func know(tagNames: [String]) {
    tags += Array(repeating: zones, count: tagNames.count - self.tagNames.count)
    self.tagNames = tagNames
  }

  /// Forgets where the tags at the indices `tags` were, whose indices other tags then have.
  mutating func forget(tags places: [Int]) {
    for place in places where tags.indices.contains(place) { tags[place] = zones }
  }

  /// Processes the next positions of each tag, in order of time; none is earlier than those before.
  ///
  /// Returns the events, in order of time, and in the order of the tags at equal instants.
  mutating func process(_ positions: PositionsByTag) -> ZoneColumns {
    var found: [(time: Timestamp, tag: Int, event: PositionZoneEvent)] = []
    for (tag, rows) in positions.tags.enumerated() {
      for row in rows {
        // An inconsistent position counts as no position.
        let isSound = row.status != .inconsistent
        let events = tags[tag].update(
          isSound ? row.position : nil, covariance: row.covariance, at: row.time)
        for event in events { found.append((row.time, tag, event)) }
      }
    }
    // The index keeps the order of events of one tag at one instant.
    let order = found.indices.sorted {
      (found[$0].time, found[$0].tag, $0) < (found[$1].time, found[$1].tag, $1)
    }
    var result = ZoneColumns()
    for index in order {
      let (time, tag, event) = found[index]
      result.time.append(time)
      result.tag.append(tagNames[tag])
      result.zone.append(names[event.zone])
      result.event.append(event.kind)
      counts[event.zone].add(event.kind)
    }
    return result
  }
}

extension RecordingSummary.ZoneCount {
  fileprivate mutating func add(_ kind: PositionZoneEvent.Kind) {
    switch kind {
    case .entered: entered += 1
    case .left: left += 1
    case .forgotten: forgotten += 1
    }
  }
}
