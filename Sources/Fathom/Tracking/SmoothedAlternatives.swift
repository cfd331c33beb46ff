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
