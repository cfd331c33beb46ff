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
    guard let run: SmootherRun<N> = run(among: anchors) else { return nil }
    var chain = run.room
    guard let plain = run.settled(in: &chain) else { return nil }
    let offset = plain.run.settledWithOffsets(in: &chain)
    return SmoothedAlternatives(
      alike: .init(plain),
      single: offset.map { offset in
        guard offset.evidence > plain.evidence else { return .init(offset) }
        // Two hypotheses compare only under the same assumptions.
        return .init(evidence: offset.evidence) {
          var chain = offset.run.room
          return solvedAgain(after: offset, in: &chain).track(in: &chain)
        }
      })
  }

  /// The run with offsets under what trackers say of errors that last where these offsets are known;
  /// `settled`, which found them, where nothing plausible comes of it.
  private func solvedAgain<let N: Int>(
    after settled: SettledRun<N>, in chain: inout SmootherChain<N>
  ) -> SettledRun<N> {
    let corrected = anchors.corrected(by: settled.run.offsets.map { ($0, 0) })
    guard let again: SmootherRun<N> = run(among: corrected) else { return settled }
    return again.starting(from: settled.run).settledWithOffsets(in: &chain) ?? settled
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
