import Fathom

/// One recording in memory: its ranges as columns, its anchors, its events, and what was set aside.
public struct Recording: Sendable {
  /// The folder's or file's name without ending; results are named after it.
  public var name: String
  /// The files that were read.
  public var sources: [SourceFile] = []
  /// Names of the tags; ``RangeColumns/tag`` counts into it.
  public var tagNames: [String] = []
  /// Names of the anchors (or accessories); ``RangeColumns/anchor`` counts into it.
  public var anchorNames: [String] = []
  /// The declared anchors, parallel to ``anchorNames``; empty for a recording without anchors.
  public var anchors: [Anchor] = []
  /// The usable ranges in the order of the file.
  public var ranges = RangeColumns()
  /// The events in the order of the file.
  public var events: [RecordedEvent] = []
  /// Rows of the ranges file that could not be used, in the order of the file.
  public var rejected: [RejectedRow] = []
  /// Rows of data read: ranges, events and rejected rows together.
  public var rowsRead = 0
  /// Known height of the tags, metres; positions are then solved in the plane.
  public var height: Double?
  /// Standard deviation of ``height``, metres; nil for one that is exact.
  public var heightSigma: Double?
  /// Two corners of a box that holds the tags, of two or three coordinates, metres.
  public var bounds: [[Double]]?
  /// Zones on the floor plan.
  public var zones: ZoneSettings?
  /// The frame in which its device counts directions; nil where it does not say.
  public var deviceFrame: DeviceFrame?
  /// Standard deviation of the heading that all attitudes share, radians; nil where they are exact.
  public var headingSigma: Double?
  /// How the device that measured was held; nil without `poses.csv`.
  var attitudes: AttitudeTrack?
  /// What `recording.json` says about the recording in words.
  public var remarks: String?
  /// Notes for the user, such as columns that were ignored.
  public var notes: [String] = []

  /// An empty recording of the given name.
  public init(name: String) {
    self.name = name
  }
}

/// An event of the session, from the `event` column.
public struct RecordedEvent: Sendable, Equatable {
  /// When it happened.
  public var time: Timestamp
  /// The tag concerned.
  public var tag: Int32
  /// The anchor or accessory concerned; nil where the row names none: all of the tag's links.
  public var anchor: Int32?
  /// What happened.
  public var event: SessionEvent
  /// Physical line in the ranges file.
  public var line: Int

  /// An event at `line` of the ranges file.
  public init(time: Timestamp, tag: Int32, anchor: Int32?, event: SessionEvent, line: Int) {
    self.time = time
    self.tag = tag
    self.anchor = anchor
    self.event = event
    self.line = line
  }
}
