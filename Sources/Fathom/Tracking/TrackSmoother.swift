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
/// Gaps longer than ``Tracker/Configuration/longestGap`` and interruptions hold the position and
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
    if configuration.height != nil { configuration.modes.motion.verticalDensity = 0 }
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
  /// Linear in the number of ranges: some four microseconds for each, and a kilobyte.
  public func smoothed(
    _ ranges: [RangeMeasurement], interruptions: [Timestamp] = []
  ) -> SmoothedTrack? {
    alternatives(ranges, interruptions: interruptions).map { SmoothedAlternatives.chosen([$0])[0] }
  }

  /// The track with and without offsets of single anchors, for a decision over several tags at
  /// once.
  ///
  /// Parameters and result as of ``smoothed(_:interruptions:)``.
  public func alternatives(
    _ ranges: [RangeMeasurement], interruptions: [Timestamp] = []
  ) -> SmoothedAlternatives? {
    var thinned = ThinnedRanges(anchorCount: anchors.count)
    for range in ranges { thinned.add(range) }
    let profile = ManoeuvreProfile(
      thinned.ranges,
      interruptions: interruptions, anchors: anchors, configuration: configuration)
    guard !profile.points.isEmpty else { return nil }
    if configuration.height == nil {
      return alternatives(
        of: SmootherRun<6>(
          ranges, interruptions: interruptions, anchors: anchors, configuration: configuration,
          profile: profile))
    }
    return alternatives(
      of: SmootherRun<4>(
        ranges, interruptions: interruptions, anchors: anchors, configuration: configuration,
        profile: profile))
  }

  private func alternatives<let N: Int>(of run: SmootherRun<N>) -> SmoothedAlternatives? {
    var plain = run
    guard let track = plain.solved() else { return nil }
    guard anchors.count <= SmootherRun<N>.mostOffsets else {
      return SmoothedAlternatives(plain: track)
    }
    var offset = plain.withOffsets()
    let other = offset.solved()
    return SmoothedAlternatives(plain: track, offset: offset.hasPlausibleOffsets ? other : nil)
  }
}

/// A smoothed track under two hypotheses: that ranges to all anchors err alike, and that those to
/// single anchors read too much or too little throughout.
public struct SmoothedAlternatives: Sendable {
  /// The track without offsets of single anchors.
  public var plain: SmoothedTrack
  /// The track with them; nil where there are too many anchors, and where what was found cannot be
  /// an offset of an antenna.
  public var offset: SmoothedTrack?

  /// By how much offsets raise the logarithm of the probability of the ranges, nats.
  public var evidence: Double { offset.map { $0.evidence - plain.evidence } ?? 0 }

  /// Odds of 20 to 1, "strong" [Kass & Raftery 1995].
  private static let strongEvidence = 3.0

  /// The tracks of several tags among the same anchors: with offsets where the evidence of all tags
  /// together is strong.
  public static func chosen(_ alternatives: [Self]) -> [SmoothedTrack] {
    let sum = alternatives.reduce(0) { $0 + $1.evidence }
    return alternatives.map { sum > strongEvidence ? $0.offset ?? $0.plain : $0.plain }
  }
}
