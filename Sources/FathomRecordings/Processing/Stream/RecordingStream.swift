import Fathom

/// Processes a recording from file to results in memory that is independent of its length.
///
/// A first pass scans the file (``RecordingPrescan``). A second pass reads the ranges slice by
/// slice, and writes the results of each slice immediately (``StreamingPipeline``). The results are
/// byte-identical to those of ``Recording/processed(with:)``, for any number of threads and any
/// slice size.
///
/// Supports only methods that run forward in time: `filter` and `fix`, and recordings without
/// anchors. The method `fix` makes two more passes, for the window of an epoch and for the errors of
/// the ranges.
struct RecordingStream {
  private let prescan: RecordingPrescan
  /// The outline of the recording, with its diagnoses.
  private let outline: RecordingOutline
  private let settings: ProcessingSettings
  private let width: Int
  private let blockSize: Int
  private let formats: Set<ResultFormat>

  /// Creates a stream of the recording that `prescan` scanned, on `width` threads, at least 1.
  ///
  /// `blockSize` bytes of the ranges file are parsed at a time. If ranges are excluded by the
  /// diagnosis, throws the errors of ``RangesReader``.
  init(
    _ prescan: RecordingPrescan, settings: ProcessingSettings, width: Int,
    formats: Set<ResultFormat> = [.csv], blockSize: Int = TextBlocks.usualSize
  ) throws(RecordingError) {
    self.formats = formats
    var settings = settings
    settings.complete(from: prescan.outline)
    self.settings = settings
    var outline = prescan.outline
    outline.diagnose(prescan.sample, settings)
    self.outline = outline
    var prescan = prescan
    try prescan.leaveOut(outline.excluded, blockSize: blockSize)
    self.prescan = prescan
    self.width = min(max(1, width), RecordingLimits.mostThreads)
    self.blockSize = blockSize
  }

  /// Returns whether the recording with `outline` is streamed with these settings.
  ///
  /// The method `smooth` needs the whole recording. Many tags with few ranges each need more memory
  /// at the same time than their ranges do; tag by tag, one pipeline exists at a time.
  static func suits(_ settings: ProcessingSettings, _ outline: RecordingOutline) -> Bool {
    if settings.method == .smooth, !outline.anchors.isEmpty { return false }
    if outline.sensors.onlyDifferences != nil { return false }
    // Tied tags are processed together, in order of time.
    if outline.tagRanges.count > 0, !outline.anchors.isEmpty { return false }
    let tags = outline.tagNames.count
    return tags <= mostConcurrentTags || outline.rangeCount > fewestRangesPerTag * tags
  }

  /// Number of tags whose pipelines are always held at the same time.
  private static let mostConcurrentTags = 1024
  /// Ranges per tag that need about the memory of its pipeline.
  private static let fewestRangesPerTag = 16

  /// Processes the recording and writes its positions and distances to `output`.
  ///
  /// `progress` is called with the number of rows processed since the last call. `omitted` counts
  /// the positions omitted from tracks because they are incomplete. Throws if the file cannot be
  /// read again, has changed since the first pass, has too many ranges in an epoch, or the results
  /// cannot be written.
  func run(
    into output: some ResultOutput, progress: (Int) -> Void = { _ in }
  ) async throws(RecordingError) -> (summary: RecordingSummary, omitted: Int) {
    var settings = settings
    let errors = try rangeErrors(&settings)
    let formatter = ResultFormatter(outline, settings, formats: formats)
    try formatter.headers.write(to: output)
    var run = RecordingPipeline(outline, settings)
    run.errors = errors
    let common =
      outline.anchors.isEmpty || settings.method == .fix
      ? nil
      : outline.commonCalibration(settings, tags: outline.tagNames.count) {
        prescan.calibrationRanges[$0]
      }
    let tagGroups = TagPipelineGroup.tagGroups(of: outline, width: width) {
      [prescan, outline, settings] tag in
      RecordingPipeline.pipeline(
        tag: tag, of: outline, settings, calibrationRanges: prescan.calibrationRanges[tag],
        errors: errors, common: common)
    }
    var flow = StreamingPipeline(
      RecordingSliceReader(try prescan.ranges(blockSize: blockSize), of: outline),
      through: run, tagGroups, isAlone: width == 1, formatter: formatter, to: output)
    try await flow.processAll(progress: progress)
    if let source = flow.source, source != outline.sources.first {
      throw .changed(source.path)
    }
    return try flow.finish()
  }

  /// Returns the errors of the ranges for the method `fix`, and completes the window of its epochs.
  ///
  /// Each needs a pass through the ranges.
  private func rangeErrors(
    _ settings: inout ProcessingSettings
  ) throws(RecordingError) -> RangeErrorEstimate? {
    guard settings.method == .fix, !outline.anchors.isEmpty else { return nil }
    let tags = outline.tagNames.count
    if settings.epochWindowS == nil {
      var window = EpochWindow(tags: tags)
      try forEachBlock { ranges throws(RecordingError) in
        for index in 0..<ranges.count {
          window.add(tag: ranges.tag[index], anchor: ranges.anchor[index], at: ranges.time[index])
        }
      }
      settings.epochWindowS = window.seconds(isOnGrid: settings.rateHz != nil)
    }
    guard outline.rangeCount > 0 else { return nil }
    var search = RangeErrorSearch(tags: tags, settings, of: outline)
    try forEachBlock { ranges throws(RecordingError) in
      for index in 0..<ranges.count { search.add(ranges, at: index) }
      try search.requireShortEpochs(of: outline, window: settings.epochWindowS ?? 0)
    }
    return search.estimate()
  }

  /// Calls `body` with all ranges in order of time, block by block.
  private func forEachBlock(
    _ body: (RangeColumns) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    var ranges = try prescan.ranges(blockSize: blockSize)
    while let block = try ranges.next() { try body(block) }
  }
}
