/// Two hypotheses for a smoothed track: equal range errors for all anchors, or constant range
/// offsets of single anchors.
///
/// The decision needs only the evidence. Tracks and covariances are computed on demand.
package struct OffsetHypotheses: Sendable {
  /// A hypothesis with its evidence and its track.
  struct Hypothesis: Sendable {
    /// Logarithm of the probability of all ranges, up to a constant.
    let evidence: Double
    /// Computes the track.
    let track: @Sendable () -> SmoothedTrack
  }

  private let alike: Hypothesis
  private let single: Hypothesis?

  /// Creates the two hypotheses; `single` is nil with too many anchors, or if an offset is
  /// implausible for an antenna.
  init(alike: Hypothesis, single: Hypothesis?) {
    self.alike = alike
    self.single = single
  }

  /// The track without offsets of single anchors; computed at every access.
  package var withoutOffsets: SmoothedTrack { alike.track() }

  /// The track with offsets of single anchors; computed at every access.
  ///
  /// nil with too many anchors, or if an offset is implausible for an antenna.
  package var withOffsets: SmoothedTrack? { single?.track() }

  /// The gain in the log-probability of the ranges from offsets, in nats.
  package var evidence: Double { single.map { $0.evidence - alike.evidence } ?? 0 }

  /// Odds of 20 to 1, "strong" evidence [Kass & Raftery 1995].
  private static let strongEvidence = 3.0

  /// Returns the tracks of several tags with the same anchors: with offsets if the total evidence
  /// of all tags is strong.
  package static func chosen(_ hypotheses: [Self]) -> [SmoothedTrack] {
    let sum = hypotheses.reduce(0) { $0 + $1.evidence }
    return hypotheses.map { $0.chosen(byEvidence: sum) }
  }

  /// Returns the track with offsets if the total evidence of all tags, in nats, is strong.
  package func chosen(byEvidence sum: Double) -> SmoothedTrack {
    sum > Self.strongEvidence ? withOffsets ?? withoutOffsets : withoutOffsets
  }
}

extension OffsetHypotheses.Hypothesis {
  /// Creates the hypothesis of a solution.
  init<let N: Int>(_ solution: SmootherSolution<N>) {
    self.init(evidence: solution.evidence) {
      var chain = solution.run.emptyEquations
      return solution.track(in: &chain)
    }
  }
}
