import RealModule

/// The most likely track of a tag over a whole recording.
///
/// Maximum a posteriori over all positions and velocities at once, and over a bias and a scale that
/// all ranges have in common where ``RangeErrors`` allows them: nearly constant velocity between
/// ranges (``ConstantVelocity``), Student-t errors, solved by Gauss-Newton with reweighting [Bell
/// 1994; Särkkä 2013, Ch. 10]. How lively the motion is at each instant comes from ``MotionModes``,
/// run forwards and backwards.
///
/// Errors of a link that last are not estimated here but paid for: every range enters with the
/// variance of independent errors that would hurt as much (see the article), so that the covariance
/// of the track is what its error is, and not what a thousand ranges of the same wrong value seem
/// to promise.
///
/// Gaps longer than ``TrackerConfiguration/longestGap`` and interruptions hold the position and
/// forget the velocity, from both sides.
public struct TrackSmoother: Sendable {
  /// The anchors; ranges refer to them by index.
  public let anchors: [Anchor]
  /// What is assumed about tag and ranges, the same as for a ``Tracker``.
  public let configuration: Tracker.Configuration

  /// A smoother with the given assumptions; ``TrackerCalibration`` finds them.
  public init(
    anchors: [Anchor], configuration: Tracker.Configuration = Tracker.Configuration()
  ) {
    self.anchors = anchors
    var configuration = configuration
    if configuration.exactHeight != nil { configuration.modes.motion.verticalDensity = 0 }
    self.configuration = configuration
  }

  /// The track through `ranges`.
  ///
  /// - Parameters:
  ///   - ranges: of one tag, in order of time.
  ///   - interruptions: instants after which the tag may be anywhere, in order of time.
  /// - Returns: The track; nil where the ranges never determine a position.
  ///
  /// ## Cost
  /// Linear in the number of ranges: four to eleven microseconds for each, and a kilobyte for each
  /// 20 ms with ranges.
  public func smoothed(
    _ ranges: [RangeMeasurement], interruptions: [Timestamp] = []
  ) -> SmoothedTrack? {
    offsetHypotheses(ranges, interruptions: interruptions).map { OffsetHypotheses.chosen([$0])[0] }
  }

  /// The track with and without offsets of single anchors, for a decision over several tags at
  /// once.
  ///
  /// Parameters and result as of ``smoothed(_:interruptions:)``.
  package func offsetHypotheses(
    _ ranges: [RangeMeasurement], interruptions: [Timestamp] = []
  ) -> OffsetHypotheses? {
    let problem = SmootherProblem(
      ranges, interruptions: interruptions, anchors: anchors, configuration: configuration)
    return configuration.exactHeight == nil
      ? problem.offsetHypotheses(SmootherRun<6>.self)
      : problem.offsetHypotheses(SmootherRun<4>.self)
  }
}

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
  func offsetHypotheses<let N: Int>(_ kind: SmootherRun<N>.Type) -> OffsetHypotheses? {
    guard let run: SmootherRun<N> = run(among: anchors) else { return nil }
    var chain = run.emptyEquations
    guard let plain = run.solved(in: &chain) else { return nil }
    let offset = plain.run.solvedWithOffsets(in: &chain)
    return OffsetHypotheses(
      alike: .init(plain),
      single: offset.map { offset in
        guard offset.evidence > plain.evidence else { return .init(offset) }
        // Two hypotheses compare only under the same assumptions.
        return .init(evidence: offset.evidence) {
          var chain = offset.run.emptyEquations
          return solvedAgain(after: offset, in: &chain).track(in: &chain)
        }
      })
  }

  /// The run with offsets under what trackers say of errors that last where these offsets are known;
  /// `solution`, which found them, where nothing plausible comes of it.
  private func solvedAgain<let N: Int>(
    after solution: SmootherSolution<N>, in chain: inout SmootherEquations<N>
  ) -> SmootherSolution<N> {
    let corrected = anchors.corrected(by: solution.run.offsets.map { ($0, 0) })
    guard let again: SmootherRun<N> = run(among: corrected) else { return solution }
    return again.starting(from: solution.run).solvedWithOffsets(in: &chain) ?? solution
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
