import Fathom

/// The result of a first pass through a recording, before processing: everything except the ranges,
/// in memory that does not depend on their number.
struct RecordingPrescan {
  /// Names, counts and times of the complete recording.
  private(set) var outline: RecordingOutline
  /// First ranges of each tag, from which a tracker is calibrated; see ``leaveOut(_:blockSize:)``.
  private(set) var calibrationRanges = CalibrationRanges()
  /// A sample of all ranges, for a diagnosis.
  private(set) var sample = RangeSample()
  /// All ranges in the order of the file, for a recording short enough to avoid a second pass; nil
  /// otherwise.
  private(set) var kept: RangeColumns?
  /// Names in the column of the anchors that are those of tags, without which the file was read; see
  /// ``RecordingOptions/tagAnchors``.
  private(set) var tagAnchors: [String] = []
  /// Columns of the ranges file and their units.
  let layout: RangesLayout
  private let metadata: RecordingMetadata
  private let options: RecordingOptions
  private let width: Int
  private let keepsCalibration: Bool

  /// Number of ranges up to which all are kept in memory.
  static let mostKept = 1 << 18

  /// Makes a first pass through the recording with `metadata`.
  ///
  /// The file is read by `width` threads, at least 1, in blocks of `blockSize` bytes. Up to
  /// `mostKept` ranges are all kept in memory; with `keepsCalibration`, the first ranges of each
  /// tag are kept, too. `rejected` is called with the rejected rows, in the order of the file.
  init(
    _ metadata: RecordingMetadata, options: RecordingOptions,
    blockSize: Int = TextBlocks.usualSize, mostKept: Int = mostKept, width: Int = 1,
    keepsCalibration: Bool = true,
    rejected: ((PackedRejectedRows) throws(RecordingError) -> Void)? = nil
  ) throws(RecordingError) {
    let options = metadata.optionsOfRanges(options)
    self.metadata = metadata
    self.options = options
    self.width = width
    self.keepsCalibration = keepsCalibration && !metadata.recording.anchors.isEmpty
    var reader = try RangesReader(
      metadata.ranges, options: options, declared: metadata.declared, blockSize: blockSize,
      width: width, packsRejected: rejected != nil)
    layout = reader.layout
    outline = RecordingOutline(metadata: metadata.recording)
    kept = ParsedRanges(layout: layout).ranges
    var counts = RowCounts()
    while let table = try reader.next() {
      outline.add(table)
      counts.count(table)
      try rejected?(table.packedRejected)
      if outline.rangeCount > mostKept { kept = nil }
      kept?.append(contentsOf: table.ranges)
      sample.addRows(table.ranges)
      if outline.outOfOrder == 0 { thin(table.ranges) }
    }
    tagAnchors = options.tagAnchors.isEmpty ? reader.tagAnchors : []
    if tagAnchors.isEmpty {
      try reader.checkAnchors(ranges: outline.rangeCount + outline.tagRanges.count)
    }
    outline.resolveTagRanges(options.tagAnchors)
    outline.warnings += [reader.undeclaredMessage].compactMap { $0 }
    outline.finish()
    let differences = metadata.recording.sensors.onlyDifferences
    outline.sources.insert(differences?.source ?? reader.source, at: 0)
    if let differences {
      try rejected?(differences.packedRejected)
    } else {
      outline.notes += reader.logNotes + counts.notes(layout, declared: metadata.declared)
      outline.warnings += layout.warnings
    }
    if outline.outOfOrder > 0, self.keepsCalibration { try thinInOrder(blockSize) }
  }

  /// Returns the ranges in order of time, from the beginning.
  func ranges(blockSize: Int = TextBlocks.usualSize) throws(RecordingError) -> TimeOrderedRanges {
    if let kept { return TimeOrderedRanges(kept, lateness: outline.greatestLateness) }
    let reader = try RangesReader(
      metadata.ranges, options: options, declared: metadata.declared, blockSize: blockSize)
    return TimeOrderedRanges(
      reader, lateness: outline.greatestLateness,
      most: (outline.tagNames.count, outline.anchorNames.count))
  }

  /// Returns the recording with all of its ranges, but without the rejected rows.
  func recording() throws(RecordingError) -> Recording {
    var recording = metadata.recording
    recording.sources = outline.sources
    recording.tagNames = outline.tagNames
    recording.anchorNames = outline.anchorNames
    recording.events = outline.events
    recording.notes = outline.notes
    recording.warnings = outline.warnings
    recording.tagRanges = outline.tagRanges
    recording.rowsRead = outline.rowsRead
    if let kept {
      recording.ranges = kept
    } else {
      let file = try RangesReader.read(
        metadata.ranges, options: options, declared: metadata.declared, width: width)
      guard file.source == outline.sources.first else { throw .changed(metadata.ranges.path) }
      recording.ranges = file.ranges
    }
    return recording
  }

  /// Collects the ranges for calibration and the sample from a file that is not in order of time.
  private mutating func thinInOrder(_ blockSize: Int) throws(RecordingError) {
    calibrationRanges = CalibrationRanges()
    sample = sample.withoutRanges
    var ranges = try ranges(blockSize: blockSize)
    while let table = try ranges.next() { thin(table) }
  }

  /// Collects the calibration ranges again, without those that a diagnosis of the recording excludes.
  ///
  /// A range that is excluded would otherwise displace those shortly after it. Needs another pass through
  /// the beginning of the file, unless nothing is excluded.
  mutating func leaveOut(
    _ excluded: ExcludedRanges, blockSize: Int = TextBlocks.usualSize
  ) throws(RecordingError) {
    guard keepsCalibration, !excluded.isEmpty else { return }
    calibrationRanges = CalibrationRanges(excluded)
    let tags = outline.tagNames.count
    var ranges = try ranges(blockSize: blockSize)
    while !calibrationRanges.isFull(tags: tags), let table = try ranges.next() {
      calibrationRanges.add(table, anchorCount: outline.anchors.count)
    }
  }

  private mutating func thin(_ ranges: RangeColumns) {
    for index in 0..<ranges.count { sample.add(ranges, at: index, outline.anchors) }
    if !keepsCalibration || calibrationRanges.isFull(tags: outline.tagNames.count) { return }
    calibrationRanges.add(ranges, anchorCount: outline.anchors.count)
  }
}
