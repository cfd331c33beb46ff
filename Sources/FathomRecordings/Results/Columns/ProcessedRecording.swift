import Fathom

/// The results of one recording as columns, and what is to be said about it.
public struct ProcessedRecording: Sendable {
  /// The recording's name; results are named after it.
  public var name: String
  /// One row per usable range, in order of time.
  public var distances: DistanceColumns
  /// Positions in order of time.
  public var positions: PositionColumns
  /// Zones on the floor plan entered and left, in order of time.
  public var zones = ZoneColumns()
  /// What was set aside, in the order of the file.
  public var rejected: [RejectedRow]
  /// Counts, rates, consistency, warnings.
  public var summary: RecordingSummary
}

/// Zones on the floor plan entered and left; a row per event.
public struct ZoneColumns: Sendable, Equatable {
  /// When.
  public var time: [Timestamp] = []
  /// Name of the tag.
  public var tag: [String] = []
  /// Name of the zone.
  public var zone: [String] = []
  /// What happened.
  public var event: [PositionZoneEvent.Kind] = []

  /// The number of events.
  public var count: Int { time.count }

  mutating func append(contentsOf others: ZoneColumns) {
    time += others.time
    tag += others.tag
    zone += others.zone
    event += others.event
  }
}
