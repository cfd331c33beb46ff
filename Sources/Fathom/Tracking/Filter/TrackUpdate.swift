/// The result of processing one range or direction.
public struct TrackUpdate: Sendable, Equatable {
  /// The innovation, with the covariance that the filter expected before any down-weighting; nil if
  /// the range was not processed by the filter.
  public var innovation: Innovation<1>? {
    reading.map {
      Innovation<1>(
        residual: Vector([$0.residual]), covariance: Matrix(repeating: $0.variance),
        normalizedSquare: $0.normalizedSquare,
        decision: $0.isDiscounted ? .discounted(weight: $0.weight) : .used)
    }
  }
  /// Logarithm of the predicted density of the range, over both modes of motion and with the
  /// heavy-tailed error model; nil if the range was not processed by the filter.
  public var logLikelihood: Double? { reading?.logLikelihood }
  /// How the range was used.
  public var outcome: Outcome
  /// The filter's reading of the range; nil if the range was not processed by the filter.
  var reading: TrackMixture.Reading?

  /// How a tracker used a range.
  public enum Outcome: Sendable, Hashable {
    /// The range updated the estimate with at least half its weight.
    case used
    /// The range updated the estimate with less than half its weight, given here (0 to 1).
    case discounted(weight: Double)
    /// The range was stored for the start: there is no estimate yet.
    case starting
    /// The range completed the start of the estimate.
    case started
    /// The range was rejected: it is older than the estimate.
    case late
    /// The range was rejected: an invalid distance or standard deviation, or an unknown anchor.
    case invalid
    /// The range was rejected as a repeated reading: it equals the last range of its anchor within
    /// ``RangeErrors/repetitionTime`` (1 s by default).
    case duplicate

    /// Creates the outcome of a range or direction that the filter processed.
    init(_ reading: TrackMixture.Reading) {
      self = reading.isDiscounted ? .discounted(weight: reading.weight) : .used
    }
  }
}
