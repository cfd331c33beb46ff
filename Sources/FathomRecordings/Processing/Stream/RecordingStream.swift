import Fathom

/// Processes a recording from file to results in memory that is independent of its length.
///
/// A first pass scans the file (``RecordingPrescan``). A second pass reads the ranges slice by
/// slice, and writes the results of each slice immediately (``StreamingPipeline``). The results are
/// byte-identical to those of ``Recording/processed(with:)``, for any number of threads and any
/// slice size.
///
/// Supports only methods that run forward in time: the method `filter`, and recordings without
/// anchors.
struct RecordingStream {
  private let prescan: RecordingPrescan
  /// The outline of the recording, with its diagnoses.
  private let outline: RecordingOutline
  private let settings: ProcessingSettings
  private let width: Int
  private let blockSize: Int
  private let formats: Set<ResultFormat>

  /// Creates a stream of the recording that `prescan` scanned.
  ///
  /// - Parameters:
  ///   - prescan: the scanned recording.
  ///   - settings: the processing settings.
  ///   - width: the number of threads, at least 1.
  ///   - formats: the formats of the results.
  ///   - blockSize: the number of bytes of the ranges file that are parsed at a time.
  init(
    _ prescan: RecordingPrescan, settings: ProcessingSettings, width: Int,
    formats: Set<ResultFormat> = [.csv], blockSize: Int = TextBlocks.usualSize
  ) {
    self.formats = formats
    self.prescan = prescan
    var settings = settings
    settings.complete(from: prescan.outline)
    self.settings = settings
    var outline = prescan.outline
    outline.diagnose(prescan.sample, settings)
    self.outline = outline
    self.width = width
    self.blockSize = blockSize
  }

  /// Returns whether a recording with or without anchors can be streamed with these settings.
  static func suits(_ settings: ProcessingSettings, hasAnchors: Bool) -> Bool {
    settings.method == .filter || !hasAnchors
  }

  /// Processes the recording and writes its positions and distances.
  ///
  /// - Parameters:
  ///   - output: receives the text.
  ///   - progress: called with the number of rows processed since the last call.
  /// - Returns: The summary, and the number of positions omitted from tracks because they are
  ///   incomplete.
  /// - Throws: ``RecordingError`` if the file cannot be read again, has changed since the first
  ///   pass, or the results cannot be written.
  func run(
    into output: some ResultOutput, progress: (Int) -> Void = { _ in }
  ) async throws(RecordingError) -> (summary: RecordingSummary, omitted: Int) {
    let formatter = ResultFormatter(outline, settings, formats: formats)
    try formatter.headers.write(to: output)
    var flow = StreamingPipeline(
      RecordingSliceReader(try prescan.ranges(blockSize: blockSize), of: outline),
      through: await prepared(), width: width, formatter: formatter, to: output)
    try await flow.processAll(progress: progress)
    if let source = flow.source, source != outline.sources.first {
      throw .noInput(path: source.path, reason: "changed while it was read")
    }
    return try flow.finish()
  }

  /// Returns the pipelines, each calibrated on the first ranges of its tag.
  private func prepared() async -> RecordingPipeline {
    var run = RecordingPipeline(outline, settings, pipelines: [])
    run.pipelines = await withTaskGroup(of: (Int, any TagPipeline).self) { group in
      var pipelines = [(any TagPipeline)?](repeating: nil, count: outline.tagNames.count)
      var next = 0
      func start() {
        guard next < pipelines.count else { return }
        let tag = next
        next += 1
        group.addTask { [prescan, outline, settings] in
          let ranges =
            prescan.calibrationRanges.indices.contains(tag)
            ? prescan.calibrationRanges[tag].ranges : []
          return (
            tag,
            RecordingPipeline.pipeline(tag: tag, of: outline, settings, calibrationRanges: ranges)
          )
        }
      }
      for _ in 0..<width { start() }
      while let (tag, pipeline) = await group.next() {
        pipelines[tag] = pipeline
        start()
      }
      return pipelines.compactMap { $0 }
    }
    return run
  }
}
