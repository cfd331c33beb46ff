/// All that a smoother is asked about one tag, and the tracks that may go through it.
struct SmootherProblem {
  let ranges: [RangeMeasurement]
  let interruptions: [Timestamp]
  let anchors: [Anchor]
  let configuration: Tracker.Configuration
  private let thinned: [RangeMeasurement]

  /// The problem of `ranges` in order of time.
  init(
    _ ranges: [RangeMeasurement], interruptions: [Timestamp], anchors: [Anchor],
    configuration: Tracker.Configuration
  ) {
    self.ranges = ranges
    self.interruptions = interruptions
    self.anchors = anchors
    self.configuration = configuration
    var thinned = ThinnedRanges(anchorCount: anchors.count)
    for range in ranges { thinned.add(range) }
    self.thinned = thinned.ranges
  }

  /// The track with and without offsets of single anchors; nil where the ranges never determine a
  /// position.
  ///
  /// What a tracker that knows nothing of offsets learns about errors that last is mostly offsets.
  /// Where they raise the probability of the ranges, trackers run once more without them, and the
  /// track is solved for again with what errors are left.
  func alternatives<let N: Int>(_ kind: SmootherRun<N>.Type) -> SmoothedAlternatives? {
    guard var run: SmootherRun<N> = run(among: anchors), let plain = run.solved() else {
      return nil
    }
    guard anchors.count <= SmootherRun<N>.mostOffsets else {
      return SmoothedAlternatives(plain: plain)
    }
    run = run.withOffsets()
    guard var offset = run.solved(), run.hasPlausibleOffsets else {
      return SmoothedAlternatives(plain: plain)
    }
    if offset.evidence > plain.evidence,
      let again: SmootherRun<N> = self.run(among: anchors.corrected(by: offset.offsets))
    {
      run = again.withOffsets()
      if var better = run.solved(), run.hasPlausibleOffsets {
        // Two hypotheses compare only under the same assumptions.
        better.evidence = offset.evidence
        offset = better
      }
    }
    return SmoothedAlternatives(plain: plain, offset: offset)
  }

  /// A run from where trackers among `anchors`, these or corrected ones, went; nil where they never
  /// started.
  func run<let N: Int>(among anchors: [Anchor]) -> SmootherRun<N>? {
    let profile = ManoeuvreProfile(
      thinned, interruptions: interruptions, anchors: anchors, configuration: configuration)
    guard !profile.points.isEmpty else { return nil }
    return SmootherRun<N>(
      ranges, interruptions: interruptions, anchors: self.anchors, configuration: configuration,
      profile: profile)
  }
}
