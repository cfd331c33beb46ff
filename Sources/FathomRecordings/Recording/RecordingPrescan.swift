import Fathom

/// What a first look through a recording finds, before anything is computed: all but the ranges themselves,
/// in memory that does not depend on their number.
struct RecordingPrescan {
  /// Names, counts, times; complete.
  private(set) var outline: RecordingOutline
  /// The beginning of the ranges of each tag, by which a tracker is calibrated.
  private(set) var calibrationRanges: [ThinnedRanges] = []
  /// All ranges in the order of the file, of a recording so short that it is not worth a second look.
  private(set) var kept: RangeColumns?
  /// The first row set aside.
  private(set) var firstRejected: RejectedRow?
  /// Where the columns are and in which units.
  let layout: RangesLayout
  private let metadata: RecordingMetadata
  private let options: RecordingOptions
  private let width: Int

  /// The most ranges that are kept.
  static let mostKept = 1 << 18

  /// Looks through the recording under `metadata`.
  ///
  /// - Parameters:
  ///   - metadata: what is known already.
  ///   - options: how the file is read.
  ///   - blockSize: bytes that are looked at in one go.
  ///   - mostKept: the most ranges that are kept in memory.
  ///   - width: on how many threads the file is read, at least 1.
  ///   - rejected: called with the rows set aside, in the order of the file.
  /// - Throws: what ``RangesReader`` throws, and what `rejected` does.
  init(
    _ metadata: RecordingMetadata, options: RecordingOptions,
    blockSize: Int = TextBlocks.usualSize, mostKept: Int = mostKept, width: Int = 1,
    rejected: ([RejectedRow]) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    self.metadata = metadata
    self.options = options
    self.width = width
    var reader = try RangesReader(
      metadata.ranges, options: options, declared: metadata.declared, blockSize: blockSize,
      width: width)
    layout = reader.layout
    outline = RecordingOutline(metadata: metadata.recording)
    kept = RangesTable(layout: layout).ranges
    var counts = RowCounts()
    while let table = try reader.next() {
      outline.take(table)
      counts.take(table)
      firstRejected = firstRejected ?? table.rejected.first
      try rejected(table.rejected)
      if outline.rangeCount > mostKept { kept = nil }
      kept?.append(contentsOf: table.ranges)
      if outline.outOfOrder == 0 { thin(table.ranges) }
    }
    try reader.checkAnchors()
    outline.finish()
    outline.sources.insert(reader.source, at: 0)
    outline.notes += counts.notes(layout, declared: metadata.declared)
    if outline.outOfOrder > 0 { try thinInOrder(blockSize) }
  }

  /// The ranges in order of time, from the beginning.
  ///
  /// - Throws: what ``RangesReader`` throws.
  func ranges(blockSize: Int = TextBlocks.usualSize) throws(RecordingError) -> TimeOrderedRanges {
    if let kept { return TimeOrderedRanges(kept, lateness: outline.greatestLateness) }
    let reader = try RangesReader(
      metadata.ranges, options: options, declared: metadata.declared, blockSize: blockSize)
    return TimeOrderedRanges(
      reader, lateness: outline.greatestLateness,
      most: (outline.tagNames.count, outline.anchorNames.count))
  }

  /// The recording with all of its ranges, but without the rows set aside.
  ///
  /// - Throws: what ``RangesReader`` throws.
  func recording() throws(RecordingError) -> Recording {
    var recording = metadata.recording
    recording.sources = outline.sources
    recording.tagNames = outline.tagNames
    recording.anchorNames = outline.anchorNames
    recording.events = outline.events
    recording.notes = outline.notes
    recording.rowsRead = outline.rowsRead
    if let kept {
      recording.ranges = kept
    } else {
      recording.ranges =
        try RangesReader.read(
          metadata.ranges, options: options, declared: metadata.declared, width: width
        ).ranges
    }
    return recording
  }

  /// Takes the ranges that a calibration looks at, of a file that is not in order.
  private mutating func thinInOrder(_ blockSize: Int) throws(RecordingError) {
    calibrationRanges = []
    var ranges = try ranges(blockSize: blockSize)
    while let table = try ranges.next() {
      thin(table)
      if isThinned { return }
    }
  }

  /// Whether there is as much of every tag as a calibration looks at.
  private var isThinned: Bool {
    calibrationRanges.count == outline.tagNames.count && calibrationRanges.allSatisfy(\.isFull)
  }

  private mutating func thin(_ ranges: RangeColumns) {
    if isThinned { return }
    for index in 0..<ranges.count {
      let tag = Int(ranges.tag[index])
      while calibrationRanges.count <= tag {
        calibrationRanges.append(
          ThinnedRanges(
            anchorCount: outline.anchors.count, limit: TrackerCalibration.greatestCorrectionCount))
      }
      if calibrationRanges[tag].isFull { continue }
      calibrationRanges[tag].add(ranges.measurement(at: index))
    }
  }
}
