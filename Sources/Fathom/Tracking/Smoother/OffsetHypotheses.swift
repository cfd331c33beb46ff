/// A smoothed track under two hypotheses: that ranges to all anchors err alike, and that those to
/// single anchors read too much or too little throughout.
///
/// Which one holds shows before either track is worked out: each is, with its covariances, where it
/// is asked for.
package struct OffsetHypotheses: Sendable {
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
  package var withoutOffsets: SmoothedTrack { alike.track() }

  /// The track with them, worked out at every call.
  ///
  /// Nil where there are too many anchors, and where what was found cannot be an offset of an
  /// antenna.
  package var withOffsets: SmoothedTrack? { single?.track() }

  /// By how much offsets raise the logarithm of the probability of the ranges, nats.
  package var evidence: Double { single.map { $0.evidence - alike.evidence } ?? 0 }

  /// Odds of 20 to 1, "strong" [Kass & Raftery 1995].
  private static let strongEvidence = 3.0

  /// The tracks of several tags among the same anchors: with offsets where the evidence of all tags
  /// together is strong.
  package static func chosen(_ hypotheses: [Self]) -> [SmoothedTrack] {
    let sum = hypotheses.reduce(0) { $0 + $1.evidence }
    return hypotheses.map {
      sum > strongEvidence ? $0.withOffsets ?? $0.withoutOffsets : $0.withoutOffsets
    }
  }
}

extension OffsetHypotheses.Hypothesis {
  /// The hypothesis under which `solution` was found.
  init<let N: Int>(_ solution: SmootherSolution<N>) {
    self.init(evidence: solution.evidence) {
      var chain = solution.run.emptyEquations
      return solution.track(in: &chain)
    }
  }
}
