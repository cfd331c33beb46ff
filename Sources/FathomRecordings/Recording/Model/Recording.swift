import Fathom

/// A recording in memory: its ranges in columns, anchors, events and rejected rows.
public struct Recording: Sendable {
  /// Name of the folder, or of the file without extension; results are named after it.
  public var name: String
  /// Files that were read.
  public var sources: [SourceFile] = []
  /// Names of the tags, indexed by ``RangeColumns/tag``.
  public var tagNames: [String] = []
  /// Names of the anchors (or accessories), indexed by ``RangeColumns/anchor``.
  public var anchorNames: [String] = []
  /// Declared anchors, parallel to ``anchorNames``; empty for a recording without anchors.
  public var anchors: [Anchor] = []
  /// Anchors without a position along x and y; empty unless the recording was read for a survey.
  public var unsurveyed: [UnsurveyedAnchor] = []
  /// Usable ranges, in the order of the file.
  public var ranges = RangeColumns()
  /// Ranges between tags, in the order of the file.
  public var tagRanges = TagRangeColumns()
  /// Events, in the order of the file.
  public var events: [RecordedEvent] = []
  /// Rejected rows of the ranges file, in its order.
  public var rejected = RejectedRows()
  /// Data rows read: ranges, also between tags, events and rejected rows together.
  public var rowsRead = 0
  /// What is known of the tags.
  public var facts = TagFacts()
  /// Attitudes of the measuring device; nil without `poses.csv`.
  var attitudes: AttitudeTrack?
  /// Poses of the measuring device with positions in a frame of its own, in order of time.
  var poses: [TimedPose] = []
  /// Heights and odometry of the tags.
  var sensors = RecordedSensors()
  /// Remarks in `recording.json`.
  public var remarks: String?
  /// Notes for the user, such as ignored columns.
  public var notes: [String] = []
  /// Problems of the input that a user should look into, such as rows of undeclared anchors.
  public var warnings: [String] = []
  /// Whether the anchors have no heights: positions are in the plane z = 0 unless a height is known.
  public var isPlanar = false
  /// The frame of the anchors if they are given by latitude and longitude; nil otherwise.
  public var plane: LocalPlane?

  /// Throws when rows were read, but none can be used; the message has the most frequent reason.
  package func requireUsableRows() throws(RecordingError) {
    let error = rejected.unusable(
      sources.first?.path ?? name, rowsRead: rowsRead,
      used: ranges.count + tagRanges.count + events.count + (sensors.onlyDifferences?.count ?? 0))
    if let error { throw error }
  }

  /// Creates an empty recording with the given name.
  public init(name: String) {
    self.name = name
  }
}

/// A session event, from the column `event`.
public struct RecordedEvent: Sendable, Equatable {
  /// Time of the event.
  public var time: Timestamp
  /// Index of the tag.
  public var tag: Int32
  /// Index of the anchor or accessory; nil for all links of the tag, when the row names none.
  public var anchor: Int32?
  /// Kind of event.
  public var event: SessionEvent
  /// Physical line in the ranges file, from 1.
  public var line: Int

  /// Creates an event at `line` of the ranges file.
  public init(time: Timestamp, tag: Int32, anchor: Int32?, event: SessionEvent, line: Int) {
    self.time = time
    self.tag = tag
    self.anchor = anchor
    self.event = event
    self.line = line
  }
}
