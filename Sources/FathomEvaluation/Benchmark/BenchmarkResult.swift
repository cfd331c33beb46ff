import Fathom

/// The benchmark result of one method on one recording; nil when unknown or not applicable.
///
/// Errors are those of positions (horizontal when the height is known) or of distances, metres.
public struct BenchmarkResult: Sendable, Equatable, Codable {
  /// Name of the recording.
  public var recording: String
  /// Name of the method.
  public var method: String
  /// The quantity that the method estimates.
  public var kind: BenchmarkMethod.Kind

  /// Number of estimates compared with truth.
  public var n = 0
  /// Share of the recording with an output.
  ///
  /// Positions: share of the truth's whole seconds with an estimate within 1 s. Distances and
  /// scores: share of the ranges that have one. Verdicts: share of the ranges with a verdict other
  /// than unknown.
  public var coverage: Double?
  /// Positions: share of the time with a position at most one second old.
  public var availability: Double?
  /// Positions: time from the first range to the first position, seconds.
  public var timeToFirstFixS: Double?
  /// Positions: delay behind the true positions, seconds; see ``Latency``.
  public var latencyS: Double?
  /// Positions: longest time without a position, seconds.
  public var longestOutageS: Double?
  /// Root mean square error.
  public var rmseM: Double?
  /// Mean error.
  public var meanM: Double?
  /// Median error.
  public var medianM: Double?
  /// 68th percentile of the error.
  public var p68M: Double?
  /// 95th percentile of the error.
  public var p95M: Double?
  /// 99th percentile of the error.
  public var p99M: Double?
  /// Maximum error.
  public var maxM: Double?
  /// Mean normalised error squared per degree of freedom; 1 when the covariances are right.
  public var nees: Double?
  /// Mean normalised innovation squared; 1 for a consistent filter.
  public var nis: Double?
  /// Whether the method is statistically tied with the best of its kind on this recording.
  public var tiesWithBest: Bool?

  /// Distances: delay behind the true distances, seconds.
  public var lagS: Double?
  /// Distances: standard deviation of the error between successive distances, metres.
  public var jitterM: Double?
  /// Counts of verdicts, or of how ranges were used, by label `line_of_sight` or `obstructed`.
  public var confusion: ConfusionTable?
  /// Verdicts: root mean square error of the ranges with each verdict, metres.
  public var rmseByVerdictM: [String: Double]?
  /// Scores: probability that a line-of-sight range has a higher score than an obstructed one.
  public var separation: Double?
  /// Scores: rank correlation with the absolute error of the range.
  public var errorCorrelation: Double?

  /// Number of ranges in the recording.
  public var ranges = 0
  /// Wall-clock time per range, minimum over the repeats, nanoseconds.
  public var nsPerRange: Double?
  /// Wall-clock time per range, median over the repeats, nanoseconds.
  public var nsPerRangeMedian: Double?
  /// Ranges per second in the fastest repeat.
  public var rangesPerSecond: Double?
  /// Number of repeats after the warm-up.
  public var repeats = 0
  /// Memory allocations per range or event in the second half of the recording.
  public var allocationsPerRange: Double?
  /// Whether the method claims to make no allocations.
  public var claimsNoAllocation = false

  /// Whether the counted allocations contradict that claim.
  ///
  /// The start of a track is exempt.
  public var breaksItsClaim = false

  enum CodingKeys: String, CodingKey {
    case recording, method, kind, n, coverage, rmseM, meanM, medianM, p68M, p95M, p99M, maxM, nees
    case nis, tiesWithBest, lagS, jitterM, confusion, rmseByVerdictM, separation, errorCorrelation
    case ranges, nsPerRange, nsPerRangeMedian, rangesPerSecond, repeats, allocationsPerRange
    case claimsNoAllocation, breaksItsClaim, availability, timeToFirstFixS, longestOutageS
    case latencyS
  }

  init(recording: String, method: BenchmarkMethod) {
    self.recording = recording
    self.method = method.name
    kind = method.kind
    claimsNoAllocation = method.claimsNoAllocation
  }
}
