import Fathom

/// A recording on its way from its file to its results, in memory that does not depend on its length.
///
/// It is looked through once (``RecordingPrescan``), then its ranges are read again, slice by slice, and
/// what comes of them is written at once (``StreamingPipeline``). The results are those of
/// ``Recording/processed(with:)``, byte for byte, whatever the number of threads and the size of the
/// slices.
///
/// Only for what goes forward in time: the method `filter`, and recordings without anchors.
struct RecordingStream {
  private let prescan: RecordingPrescan
  private let settings: ProcessingSettings
  private let width: Int
  private let blockSize: Int
  private let formats: Set<ResultFormat>

  /// The stream of the recording that `prescan` has looked through.
  ///
  /// - Parameters:
  ///   - prescan: what was found.
  ///   - settings: how it is processed.
  ///   - width: on how many threads, at least 1.
  ///   - formats: in which forms it is written.
  ///   - blockSize: bytes of the ranges file that are looked at in one go.
  init(
    _ prescan: RecordingPrescan, settings: ProcessingSettings, width: Int,
    formats: Set<ResultFormat> = [.csv], blockSize: Int = TextBlocks.usualSize
  ) {
    self.formats = formats
    self.prescan = prescan
    var settings = settings
    settings.complete(from: prescan.outline)
    self.settings = settings
    self.width = width
    self.blockSize = blockSize
  }

  /// Whether the results of a recording with or without anchors can be streamed.
  static func suits(_ settings: ProcessingSettings, hasAnchors: Bool) -> Bool {
    settings.method == .filter || !hasAnchors
  }

  /// Processes the recording and writes its positions and distances.
  ///
  /// - Parameters:
  ///   - output: where the text goes.
  ///   - progress: called with the rows done since.
  /// - Returns: The summary, and the positions that no track has since they are not complete.
  /// - Throws: ``RecordingError`` where the file cannot be read again, has changed since it was looked
  ///   through, or the results cannot be written.
  func run(
    into output: some ResultOutput, progress: (Int) -> Void = { _ in }
  ) async throws(RecordingError) -> (summary: RecordingSummary, omitted: Int) {
    let outline = prescan.outline
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

  /// The pipelines, each calibrated on the beginning of its ranges.
  private func prepared() async -> RecordingPipeline {
    let outline = prescan.outline
    var run = RecordingPipeline(outline, settings, pipelines: [])
    run.pipelines = await withTaskGroup(of: (Int, any TagPipeline).self) { group in
      var pipelines = [(any TagPipeline)?](repeating: nil, count: outline.tagNames.count)
      var next = 0
      func start() {
        guard next < pipelines.count else { return }
        let tag = next
        next += 1
        group.addTask { [prescan, settings] in
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
