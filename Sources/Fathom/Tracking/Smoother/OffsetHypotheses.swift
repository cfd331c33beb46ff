/// A smoothed track under two hypotheses: that ranges to all anchors err alike, and that those to
/// single anchors read too much or too little throughout.
///
/// Which one holds shows before either track is worked out: each is, with its covariances, where it
/// is asked for.
public struct SmoothedAlternatives: Sendable {
  /// A hypothesis: how probable it makes the ranges, and its track.
  struct Hypothesis: Sendable {
    /// Logarithm of the probability of all ranges, up to a constant.
    let evidence: Double
    /// Works out the track.
    let track: @Sendable () -> SmoothedTrack
  }

  private let alike: Hypothesis
  private let single: Hypothesis?

  /// The alternatives of two hypotheses; `single` is nil where there are too many anchors, and where
  /// what was found cannot be an offset of an antenna.
  init(alike: Hypothesis, single: Hypothesis?) {
    self.alike = alike
    self.single = single
  }

  /// The track without offsets of single anchors; worked out at every call.
  public var plain: SmoothedTrack { alike.track() }

  /// The track with them, worked out at every call.
  ///
  /// Nil where there are too many anchors, and where what was found cannot be an offset of an
  /// antenna.
  public var offset: SmoothedTrack? { single?.track() }

  /// By how much offsets raise the logarithm of the probability of the ranges, nats.
  public var evidence: Double { single.map { $0.evidence - alike.evidence } ?? 0 }

  /// Odds of 20 to 1, "strong" [Kass & Raftery 1995].
  private static let strongEvidence = 3.0

  /// The tracks of several tags among the same anchors: with offsets where the evidence of all tags
  /// together is strong.
  public static func chosen(_ alternatives: [Self]) -> [SmoothedTrack] {
    let sum = alternatives.reduce(0) { $0 + $1.evidence }
    return alternatives.map { sum > strongEvidence ? $0.offset ?? $0.plain : $0.plain }
  }
}

extension SmoothedAlternatives.Hypothesis {
  /// The hypothesis under which `settled` was solved.
  init<let N: Int>(_ settled: SettledRun<N>) {
    self.init(evidence: settled.evidence) {
      var chain = settled.run.room
      return settled.track(in: &chain)
    }
  }
}
