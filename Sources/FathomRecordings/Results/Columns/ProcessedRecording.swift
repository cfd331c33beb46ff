import Fathom

/// The results of one recording as columns, with a summary.
public struct ProcessedRecording: Sendable {
  /// The recording's name, which begins the names of its result files.
  public var name: String
  /// One row per usable range, in order of time.
  public var distances: DistanceColumns
  /// Positions, in order of time.
  public var positions: PositionColumns
  /// Entries into and exits from zones on the floor plan, in order of time.
  public var zones = ZoneColumns()
  /// The rejected rows, in the order of the file.
  public var rejected: RejectedRows
  /// Counts, rates, consistency and warnings.
  public var summary: RecordingSummary
}

/// Entries into and exits from zones on the floor plan, one row per event.
public struct ZoneColumns: Sendable, Equatable {
  /// The instant of each event.
  public var time: [Timestamp] = []
  /// Name of the tag.
  public var tag: [String] = []
  /// Name of the zone.
  public var zone: [String] = []
  /// The kind of each event.
  public var event: [PositionZoneEvent.Kind] = []

  /// The number of events.
  public var count: Int { time.count }
}
