import Fathom

/// Watches the positions of all tags of a recording for zones entered and left.
struct ZoneMonitor: Sendable {
  private let tagNames: [String]
  private let names: [String]
  private var tags: [PositionZones]
  /// How often what happened to each zone.
  private(set) var counts: [RecordingSummary.ZoneCount]

  /// A watch over the tags of `outline`; nil where there are no zones, or no anchors to place them by.
  init?(_ outline: RecordingOutline, _ settings: ProcessingSettings) {
    guard !outline.anchors.isEmpty, let zones = settings.zones?.positionZones else { return nil }
    tagNames = outline.tagNames
    names = zones.zones.map(\.name)
    tags = Array(repeating: zones, count: outline.tagNames.count)
    counts = names.map { RecordingSummary.ZoneCount(zone: $0, entered: 0, left: 0, forgotten: 0) }
  }

  /// Takes the positions that follow, tag by tag.
  ///
  /// - Parameter positions: of each tag, in order of time; none is before those taken already.
  /// - Returns: What they change, in order of time, at one instant in the order of the tags.
  mutating func take(_ positions: PositionsByTag) -> ZoneColumns {
    var found: [(time: Timestamp, tag: Int, event: PositionZoneEvent)] = []
    for (tag, rows) in positions.tags.enumerated() {
      for row in rows {
        // What contradicts itself says nothing.
        let isSound = row.status != .inconsistent
        let events = tags[tag].update(
          isSound ? row.position : nil, covariance: row.covariance, at: row.time)
        for event in events { found.append((row.time, tag, event)) }
      }
    }
    // Events of a tag at one instant keep their order.
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
