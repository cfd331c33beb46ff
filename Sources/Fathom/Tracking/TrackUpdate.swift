/// What a tracker made of one range.
public struct TrackUpdate: Sendable, Equatable {
  /// The innovation, with the covariance that the filter expected before any discount; nil where
  /// the range never reached the filter.
  public var innovation: Innovation<1>? {
    reading.map {
      Innovation<1>(
        residual: Vector([$0.residual]), covariance: Matrix(repeating: $0.variance),
        normalizedSquare: $0.normalizedSquare,
        decision: $0.isDiscounted ? .discounted(weight: $0.weight) : .used)
    }
  }
  /// Logarithm of the density of the range as the tracker expected it, over both modes of motion
  /// and with the heavy tails that errors are taken to have; nil where the range never reached the
  /// filter.
  public var logLikelihood: Double? { reading?.logLikelihood }
  /// What was done with the range.
  public var outcome: Outcome
  /// What the range said; nil where it never reached the filter.
  var reading: TrackMixture.Reading?

  /// What a tracker did with a range.
  public enum Outcome: Sendable, Hashable {
    /// It moved the estimate, with nearly its full weight.
    case used
    /// It moved the estimate with less than half its weight, given here (0 to 1).
    case discounted(weight: Double)
    /// It was kept for the start: there is no estimate yet.
    case starting
    /// It completed the ranges from which the estimate started.
    case started
    /// It was not used: older than the estimate.
    case late
    /// It was not used: no distance, or an anchor that the tracker does not know.
    case invalid
    /// It was not used: the same anchor gave the same range at the same instant already.
    case duplicate

    /// What was done with a range, or a direction, that reached the filter.
    init(_ reading: TrackMixture.Reading) {
      self = reading.isDiscounted ? .discounted(weight: reading.weight) : .used
    }
  }
}
